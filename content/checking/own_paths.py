"""Links to the studio's own pages: written as a path, served as a whole address.

`[prices](/api/faq/what-it-costs)` and `url = "/api/projects/tidebook"` are both own links. Entries
of the changelog stay as they are written: their hashes are published, and must not change with the
address of the service. The studio's website names the studio in its log, so it is no path either.
"""

import re
from collections.abc import Collection, Iterator
from functools import cache
from typing import Any, NamedTuple

from content.checking.errors import Finding
from content.checking.findings import constraint_of
from content.checking.texts import texts_in
from content.reading.toml_positions import KeyPath
from schema.site import Site
from sdl.tools.code_in_text import without_code
from sdl.types.declare import Output, marks_of, model_in
from sdl.types.marks import Foreign
from sdl.types.scalar_types import Url

_LINK = re.compile(r"\]\([ \t]*(?P<path>/(?!/)[^\s)]*)")
_RELATIVE = re.compile(r"\]\([ \t]*(?P<path>(?![/]|[A-Za-z][A-Za-z0-9+.-]*:)[^\s)]+)\)")
_PATH = re.compile(r"/(?!/)[!-~]*")
AS_WRITTEN: tuple[KeyPath, ...] = (("changelog",), ("studio", "url"))
"""The parts of the content whose links stay as they are written."""


class OwnLink(NamedTuple):
    """A link to a page of this studio: where it stands, and the path that it names."""

    place: KeyPath
    path: str


class _Field(NamedTuple):
    key: str
    is_address: bool
    inner: type[Output] | None


def with_whole_addresses(
    tree: dict[str, Any], base_url: str, known: Collection[KeyPath] = ()
) -> tuple[dict[str, Any], list[OwnLink]]:
    """Return the content with own links below the base URL, and these links as they are written.

    What stands at a `known` path is left as it is.
    """
    found: list[OwnLink] = []
    left = {*AS_WRITTEN, *known}
    resolved: dict[str, Any] = _resolve(Site, tree, (), base_url, found, left)
    return resolved, [link for link in found if not is_derived(link.place)]


def is_derived(place: KeyPath) -> bool:
    """Whether a place of the status repeats what another section says."""
    return place[0] == "status" and place[1] != "studio"


def relative_links(site: Site) -> Iterator[Finding]:
    """Yield a finding for each link that only a page at a certain address could lead somewhere."""
    for path, text in texts_in(site.to_json()):
        for link in _RELATIVE.finditer(without_code(text)) if "](" in text else ():
            rule = f"the link to {link['path']} has no page from which it leads anywhere"
            yield Finding(path, rule, "begin it with https:// or, if it is a page here, with /")


def paths_in(text: str) -> Iterator[re.Match[str]]:
    """Yield each path that a link of a text leads to, as the group `path`."""
    if "/" in text and "](" in text:
        yield from _LINK.finditer(without_code(text))


@cache
def _fields(model: type[Output]) -> tuple[_Field, ...]:
    return tuple(
        _Field(info.alias or name, constraint_of(info) is Url, model_in(info.annotation))
        for name, info in model.model_fields.items()
        if not any(isinstance(mark, Foreign) for mark in marks_of(info))
    )


def _resolve(  # noqa: PLR0913, PLR0917 - what stays the same at any depth comes last
    model: type[Output],
    table: Any,
    here: KeyPath,
    base_url: str,
    found: list[OwnLink],
    left: Collection[KeyPath],
) -> Any:
    """Return a table with whole addresses; what has none of these links is returned as it is."""
    if not isinstance(table, dict):
        return table
    changed: dict[str, Any] = {}
    for key, is_address, inner in _fields(model):
        place = (*here, key)
        if key not in table or place in left:
            continue
        value = table[key]
        values = value if isinstance(value, list) else [value]
        new = []
        for index, each in enumerate(values):
            at = (*place, index) if values is value else place
            if isinstance(each, str):
                new.append(_whole(each, at, base_url, found, is_address=is_address))
            elif inner is not None:
                new.append(_resolve(inner, each, at, base_url, found, left))
            else:
                new.append(each)
        if any(after is not before for after, before in zip(new, values, strict=True)):
            changed[key] = new if values is value else new[0]
    return {**table, **changed} if changed else table


def _whole(
    text: str, place: KeyPath, base_url: str, found: list[OwnLink], *, is_address: bool
) -> str:
    if is_address:
        if not _PATH.fullmatch(text):
            return text
        found.append(OwnLink(place, text))
        return f"{base_url}{text}"
    parts, end = [], 0
    for link in paths_in(text):
        found.append(OwnLink(place, link["path"]))
        parts += [text[end : link.start("path")], base_url]
        end = link.start("path")
    return "".join([*parts, text[end:]]) if parts else text
