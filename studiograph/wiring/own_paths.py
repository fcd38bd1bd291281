"""The paths that a studio answers, known from its content alone, and links that lead past them.

It is asked before anything is signed or logged, so that a dead link keeps nothing half published.
"""

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from content.checking.errors import Finding
from content.checking.own_paths import OwnLink
from resolvers.entries import EntryIndex
from rest_bridge.endpoints.read import SUFFIXES
from rest_bridge.representations.rendering import JSON, MARKDOWN
from schema.site import Site
from sdl.caller import Caller
from sdl.operations.catalog import signed_entries, with_suffix
from sdl.running.runner import Operations, Snapshot

MAX_NEAR = 3
_ALIKE = 0.8


@dataclass(frozen=True)
class _ContentAlone:
    """What the resolvers of entries read besides the content, and no service."""

    entries: EntryIndex

    def for_caller(self, caller: Caller) -> "_ContentAlone":
        """Return this, since nothing here depends on callers."""
        del caller
        return self


def dead_links(
    links: Iterable[OwnLink], operations: Operations, site: Site, others: Iterable[str]
) -> Iterator[Finding]:
    """Yield a finding for each own link to a path that is not there.

    `others` are the paths of documents, which no stored operation answers.
    """
    paths = {*operation_paths(operations, site), *(path.partition("?")[0] for path in others)}
    for link in links:
        path = link.path.partition("#")[0].partition("?")[0]
        if path not in paths:
            rule = f"this studio has no {path}"
            yield Finding(link.place, rule, _fix(path, paths))


def operation_paths(operations: Operations, site: Site) -> Iterator[str]:
    """Yield each path at which a stored operation answers, in each of its forms."""
    snapshot = Snapshot(operations, site, _ContentAlone(EntryIndex(site)), modified=0)
    absent = snapshot.absent()
    for operation in operations:
        rest = operation.rest
        if rest is None or operation.name in absent:
            continue
        items = snapshot.items_of(operation)
        paths = [item.path(rest.path) for item in items]
        for path in paths if operation.path_variables else [rest.path]:
            yield path
            if not operation.is_read:
                yield from (f"{path}{suffix}" for suffix in (".md", ".json"))
            elif {JSON, MARKDOWN} <= {*rest.media}:
                yield from (with_suffix(path, SUFFIXES[m]) for m in SUFFIXES if m in rest.media)
    yield from (entry.path.partition("?")[0] for entry in signed_entries(snapshot))


def _fix(path: str, paths: Iterable[str]) -> str:
    """Return a fix with the paths most like one that is not there."""
    known = sorted(each for each in paths if not PurePosixPath(each).suffix or "." in path)
    parent, _, name = path.rstrip("/").rpartition("/")
    near = [each for each in known if each.rpartition("/")[2] == name]
    for asked in (path, f"/api{path}"):
        near += difflib.get_close_matches(asked, known, MAX_NEAR, _ALIKE)
    elsewhere = "the whole address if another server answers there"
    if near:
        return f"write {' or '.join([*dict.fromkeys(near)][:MAX_NEAR])}, or {elsewhere}"
    listing = parent if parent in known else "/llms.txt"
    return f"write a path that `studiograph get {listing}` shows, or {elsewhere}"
