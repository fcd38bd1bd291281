"""The catalogue: an index entry for every address of the service."""

from collections.abc import Iterator
from dataclasses import dataclass

from sdl.directives import MEDIA_TYPES
from sdl.errors import ApiError, UnavailableError
from sdl.operation import Operation
from sdl.runner import Snapshot

OPTIONAL = "Optional"
"""The index section that short-context readers may skip. Source: the llms.txt proposal."""

_MARKDOWN = MEDIA_TYPES["MARKDOWN"]


@dataclass(frozen=True)
class IndexEntry:
    """The index entry of one address."""

    section: str
    title: str
    path: str
    reading_path: str
    note: str


def catalog_of(snapshot: Snapshot) -> tuple[IndexEntry, ...]:
    """Return the entries of all `@llms` operations, by section and order.

    An operation with variables in its path has an entry for each item that fills them.
    """
    listed = [o for o in snapshot.operations if o.llms is not None and is_answered(o, snapshot)]
    rank: dict[str, int] = {}
    for operation in listed:
        if operation.llms is not None:
            section, order = operation.llms.section, operation.llms.order
            rank[section] = min(order, rank.get(section, order))
    pairs = [(operation, entry) for operation in listed for entry in _entries(operation, snapshot)]
    pairs.sort(key=lambda pair: (rank[pair[1].section], pair[1].section, _order(pair[0])))
    return tuple(entry for _, entry in pairs)


def signed_entries(snapshot: Snapshot) -> tuple[IndexEntry, ...]:
    """Return an entry for each signed form."""
    signed = [operation for operation in snapshot.operations if operation.sign is not None]
    return tuple(_signed_entry(operation) for operation in sorted(signed, key=_order))


def with_suffix(path: str, suffix: str) -> str:
    """Return the path of one form of a resource: `/api/faq.md`, or `/index.md` for the root."""
    return f"{path}index{suffix}" if path.endswith("/") else f"{path}{suffix}"


def is_answered(operation: Operation, snapshot: Snapshot) -> bool:
    """Whether an operation is available now; runs it only if it declares `UnavailableError`."""
    if UnavailableError.code not in operation.errors or not operation.is_read:
        return True
    try:
        snapshot.run(operation)
    except ApiError:
        return False
    return True


def _order(operation: Operation) -> tuple[int, str]:
    return (operation.llms.order if operation.llms else 0, operation.name)


def _entries(operation: Operation, snapshot: Snapshot) -> Iterator[IndexEntry]:
    if operation.llms is None or operation.rest is None:
        return
    section, path = operation.llms.section, operation.rest.path
    if operation.path_variables:
        for item in snapshot.items_of(operation):
            item_path = item.path(path)
            reading_path = _reading_path(operation, item_path)
            yield IndexEntry(section, item.title, item_path, reading_path, item.note)
    else:
        note = operation.summary
        yield IndexEntry(section, operation.title, path, _reading_path(operation, path), note)


def _signed_entry(operation: Operation) -> IndexEntry:
    path = operation.signed_path or ""
    if operation.sign is not None and operation.sign.section is not None:
        path = f"{path}?section={operation.sign.section}"
    return IndexEntry(OPTIONAL, f"{operation.title}, signed", path, path, operation.summary)


def _reading_path(operation: Operation, path: str) -> str:
    media = operation.rest.media if operation.rest else []
    has_markdown = (_MARKDOWN in media and len(media) > 1) or not operation.is_read
    return with_suffix(path, ".md") if has_markdown else path
