"""The catalogue: every address that can be read, as an index shows it."""

from collections.abc import Iterator
from dataclasses import dataclass

from sdl.directives import MEDIA_TYPES
from sdl.errors import StudioError, UnavailableError
from sdl.operation import Operation
from sdl.runner import Snapshot

OPTIONAL = "Optional"
"""The index section that short-context readers may skip. Source: the llms.txt proposal."""

_MARKDOWN = MEDIA_TYPES["MARKDOWN"]


@dataclass(frozen=True)
class IndexEntry:
    """One address."""

    section: str
    title: str
    path: str
    reading_path: str
    note: str


def catalog_of(reading: Snapshot) -> tuple[IndexEntry, ...]:
    """A card for each listed operation, or for each item that fills its path; sections in order."""
    listed = [o for o in reading.operations if o.llms is not None and is_answered(o, reading)]
    rank: dict[str, int] = {}
    for operation in listed:
        if operation.llms is not None:
            section, order = operation.llms.section, operation.llms.order
            rank[section] = min(order, rank.get(section, order))
    cards = [(operation, card) for operation in listed for card in _cards(operation, reading)]
    cards.sort(key=lambda pair: (rank[pair[1].section], pair[1].section, _order(pair[0])))
    return tuple(card for _, card in cards)


def signed_entries(reading: Snapshot) -> tuple[IndexEntry, ...]:
    """A card for each signed form."""
    signed = [operation for operation in reading.operations if operation.sign is not None]
    return tuple(_signed_card(operation) for operation in sorted(signed, key=_order))


def with_suffix(path: str, suffix: str) -> str:
    """The path of one form of a resource: `/api/faq.md`, and `/index.md` for the root."""
    return f"{path}index{suffix}" if path.endswith("/") else f"{path}{suffix}"


def is_answered(operation: Operation, reading: Snapshot) -> bool:
    """Whether it answers now; only what says that it may be unavailable is asked."""
    if UnavailableError.code not in operation.errors or not operation.is_read:
        return True
    try:
        reading.run(operation)
    except StudioError:
        return False
    return True


def _order(operation: Operation) -> tuple[int, str]:
    return (operation.llms.order if operation.llms else 0, operation.name)


def _cards(operation: Operation, reading: Snapshot) -> Iterator[IndexEntry]:
    if operation.llms is None or operation.rest is None:
        return
    section, path = operation.llms.section, operation.rest.path
    if operation.path_variables:
        for item in reading.items_of(operation):
            here = item.path(path)
            yield IndexEntry(section, item.title, here, _reading_path(operation, here), item.note)
    else:
        note = operation.summary
        yield IndexEntry(section, operation.title, path, _reading_path(operation, path), note)


def _signed_card(operation: Operation) -> IndexEntry:
    path = operation.signed_path or ""
    if operation.sign is not None and operation.sign.section is not None:
        path = f"{path}?section={operation.sign.section}"
    return IndexEntry(OPTIONAL, f"{operation.title}, signed", path, path, operation.summary)


def _reading_path(operation: Operation, path: str) -> str:
    media = operation.rest.media if operation.rest else []
    has_markdown = (_MARKDOWN in media and len(media) > 1) or not operation.is_read
    return with_suffix(path, ".md") if has_markdown else path
