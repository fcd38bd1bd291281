"""What must agree across files: slugs are unique, references lead somewhere, dates follow.

Works on the parsed tables beside the types: one run finds everything, even in broken content.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from pydantic.fields import FieldInfo

from content.findings import Finding, suggestion
from content.toml_positions import KeyPath
from schema.site import Site
from sdl.declare import Named, Output, marks_of, model_in, slug_of
from sdl.marks import Citable, Cites, RefersTo
from sdl.scalar_types import YearMonth, format_instant


@dataclass(frozen=True)
class _Place:
    path: KeyPath
    info: FieldInfo
    value: Any


def check_references(tree: dict[str, Any]) -> Iterator[Finding]:
    """Every finding in the tree of a whole site."""
    places = list(_walk(Site, tree, ()))
    known: dict[str, dict[str, list[KeyPath]]] = {}
    for place in places:
        for mark in marks_of(place.info):
            if isinstance(mark, Citable) and isinstance(place.value, list):
                known[mark.kind] = _named_entries(place)
    for kind, entries in known.items():
        yield from _unique(kind, entries)
    for place in places:
        for mark in marks_of(place.info):
            if isinstance(mark, RefersTo):
                yield from _check_slugs(place, mark, _names(places, known, mark))
                yield from _check_once(place)
            elif isinstance(mark, Cites):
                yield from _check_citations(place, mark, known)
                yield from _check_once(place)
        if isinstance(place.value, str) and place.info.annotation in (date, datetime):
            yield Finding(place.path, "a date in quotes", "write it without them")
    yield from _check_changelog(tree.get("changelog"))
    yield from _check_order(tree.get("projects"))


def _kinds(model: type[Output]) -> Iterator[str]:
    """Every kind that can be cited, whether or not its list was read."""
    for info in model.model_fields.values():
        if inner := model_in(info.annotation):
            yield from (mark.kind for mark in marks_of(info) if isinstance(mark, Citable))
            yield from _kinds(inner)


def _walk(model: type[Output], table: Any, path: KeyPath) -> Iterator[_Place]:
    if not isinstance(table, dict):
        return
    for name, info in model.model_fields.items():
        alias = info.alias or name
        if alias not in table:
            continue
        here = (*path, alias)
        yield _Place(here, info, table[alias])
        if inner := model_in(info.annotation):
            value = table[alias]
            for index, entry in enumerate(value if isinstance(value, list) else ()):
                yield from _walk(inner, entry, (*here, index))
            yield from _walk(inner, value, here)


def _named_entries(place: _Place) -> dict[str, list[KeyPath]]:
    model = model_in(place.info.annotation)
    found: dict[str, list[KeyPath]] = {}
    for index, entry in enumerate(place.value):
        if model is not None and isinstance(entry, dict):
            slug = _slug(model, entry)
            if isinstance(slug, str):
                found.setdefault(slug, []).append((*place.path, index))
    return found


def _slug(model: type[Output], entry: dict[str, Any]) -> Any:
    if "slug" not in entry and issubclass(model, Named):
        name = entry.get(model.named_by)
        return slug_of(name) if isinstance(name, str) else None
    return entry.get("slug")


def _unique(kind: str, entries: dict[str, list[KeyPath]]) -> Iterator[Finding]:
    for slug, paths in entries.items():
        for path in paths[1:]:
            rule = f"another {kind} has the slug {slug!r} already"
            yield Finding((*path, "slug"), rule, "give this one a `slug` of its own")


def _names(
    places: Iterable[_Place], known: dict[str, dict[str, list[KeyPath]]], mark: RefersTo
) -> list[str] | None:
    """What may be referred to, or nothing where the list itself is missing and says so."""
    if not mark.by_name:
        return list(known[mark.kind]) if mark.kind in known else None
    for place in places:
        model = model_in(place.info.annotation)
        kinds = [m.kind for m in marks_of(place.info) if isinstance(m, Citable)]
        if mark.kind in kinds and model is not None and issubclass(model, Named):
            entries = place.value if isinstance(place.value, list) else []
            return [str(e.get(model.named_by)) for e in entries if isinstance(e, dict)]
    return None


def _strings(place: _Place) -> Iterator[tuple[KeyPath, str]]:
    for index, value in enumerate(place.value if isinstance(place.value, list) else ()):
        if isinstance(value, str):
            yield (*place.path, index), value


def _check_once(place: _Place) -> Iterator[Finding]:
    seen: set[str] = set()
    for path, value in _strings(place):
        if value in seen:
            yield Finding(path, f"{value!r} stands here twice", "name it once")
        seen.add(value)


def _check_slugs(place: _Place, mark: RefersTo, names: list[str] | None) -> Iterator[Finding]:
    for path, value in _strings(place):
        if names is not None and value not in names:
            yield Finding(path, f"there is no {mark.kind} {value!r}", suggestion(value, names))


def _check_citations(
    place: _Place, mark: Cites, known: dict[str, dict[str, list[KeyPath]]]
) -> Iterator[Finding]:
    kinds = mark.kinds or tuple(_kinds(Site))
    for path, value in _strings(place):
        kind, slash, slug = value.partition("/")
        if not slash or kind not in kinds:
            fix = f"begin with one of: {', '.join(kinds)}"
            yield Finding(path, f"{value!r} names no known kind", fix)
        elif kind in known and slug not in known[kind]:
            yield Finding(path, f"there is no {kind} {slug!r}", suggestion(slug, known[kind]))


def _check_changelog(entries: Any) -> Iterator[Finding]:
    seen: set[Any] = set()
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        if not isinstance(entry, dict):
            continue
        name, instant = entry.get("id"), entry.get("publishedAt")
        if isinstance(name, str):
            if name in seen:
                yield Finding(
                    ("changelog", index, "id"), "another entry has this id", "choose a new one"
                )
            seen.add(name)
        if isinstance(instant, datetime) and instant.tzinfo is not None:
            path = ("changelog", index, "publishedAt")
            second = instant.replace(microsecond=0)
            if second in seen:
                rule = "another entry was published at this instant"
                yield Finding(path, rule, "move it by a second")
            seen.add(second)
            day = _day(second)
            if isinstance(name, str) and not name.startswith(day):
                rule = f"the id begins with another day than publishedAt, {day} in UTC"
                yield Finding(("changelog", index, "id"), rule, f"begin it with {day}-")


def _day(instant: datetime) -> str:
    try:
        return format_instant(instant)[:10]
    except OverflowError:  # no instant of UTC, as its own fault says
        return ""


def _check_order(projects: Any) -> Iterator[Finding]:
    for index, project in enumerate(projects if isinstance(projects, list) else ()):
        started, updated = (
            (project.get("startedAt"), project.get("lastUpdated"))
            if isinstance(project, dict)
            else (None, None)
        )
        if not (isinstance(started, str) and re.fullmatch(YearMonth.pattern, started)):
            continue
        if isinstance(updated, date) and started > updated.isoformat()[:7]:
            rule = "the project starts after it was last updated"
            yield Finding(("projects", index, "startedAt"), rule, "mend one of the two dates")
