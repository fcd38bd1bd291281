"""Rules that span entries and files: unique slugs, existing references, consistent dates.

They are checked on the parsed tables: one run finds all problems, even if types are wrong.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

from pydantic.fields import FieldInfo

from content.checking.corrections import nearest_day, shown
from content.checking.errors import Finding
from content.checking.findings import distinct_slug, found_at, suggestion
from content.reading.toml_positions import KeyPath
from schema.changelog import ChangeKind, ChangelogEntry
from schema.site import Site
from sdl.types.declare import Named, Output, marks_of, model_in, slug_of
from sdl.types.marks import Citable, Cites, RefersTo
from sdl.types.scalar_types import Reference, YearMonth, format_instant


class _Field(NamedTuple):
    """What a field of a type says of the values in it."""

    key: str
    info: FieldInfo
    marks: tuple[Citable | RefersTo | Cites, ...]
    has_rule: bool
    """Whether a rule is about the value itself."""
    inner: type[Output] | None
    """The type of the tables in it."""


class _Place(NamedTuple):
    """A value in the content that a rule is about, with its path and its field."""

    path: KeyPath
    field: _Field
    value: Any


_IN_QUOTES = re.compile(r"\d{4}-\d\d-\d\d(?:[Tt][\d:.]+(?:[Zz]|[+-][\d:]+))?")
"""A date or date-time that needs nothing but its quotes taken away."""
NOT_ITS_DAY = "the id does not begin with the day"
AHEAD = timedelta(minutes=5)
"""How far the clock of the machine on which an entry is written may be before this one."""

_Paths = dict[str, list[KeyPath]]
_Slugs = dict[str, _Paths]
"""The paths of all entries that can be cited, by kind and slug."""


def check_references(
    tree: dict[str, Any], unreadable: Collection[KeyPath] = ()
) -> Iterator[Finding]:
    """Yield a finding for each broken rule in the whole content.

    Entries of `unreadable` sections may exist; what refers to them is not reported.
    """
    places = list(_walk(Site, tree, ()))
    slugs: _Slugs = {kind: {} for kind in _absent_kinds(Site, tree, (), unreadable)}
    listed = [
        (place, mark.kind)
        for place in places
        for mark in place.field.marks
        if isinstance(mark, Citable) and isinstance(place.value, list)
    ]
    for place, kind in listed:
        paths = _paths_by_slug(place)
        yield from _check_unique(place, paths)
        if _all_named(place):  # or what refers to one of them may be right
            slugs[kind] = paths
    for place in places:
        for mark in place.field.marks:
            if isinstance(mark, RefersTo):
                names = _allowed_names(places, slugs, mark) if mark.kind in slugs else None
                yield from _check_slugs(tree, place, mark, slugs, names)
                yield from _check_once(place)
            elif isinstance(mark, Cites):
                yield from _check_citations(tree, place, mark, slugs)
                yield from _check_once(place)
        is_date = place.field.info.annotation in (date, datetime)
        is_text = isinstance(place.value, str) and _IN_QUOTES.fullmatch(place.value)
        if is_date and is_text and nearest_day(place.value) is None:
            fix = f"write {place.path[-1]} = {place.value}, without quotes"
            yield Finding(place.path, "a date in quotes", fix)
    yield from _check_changelog(tree.get("changelog"))
    yield from _check_prices(tree.get("prices"))
    yield from _check_order(tree.get("projects"))


def _absent_kinds(
    model: type[Output], table: Any, path: KeyPath, unreadable: Collection[KeyPath]
) -> Iterator[str]:
    """Yield the kinds of the lists that the content may leave out, and does."""
    for name, info in model.model_fields.items():
        here = (*path, info.alias or name)
        inner = model_in(info.annotation)
        is_present = isinstance(table, dict) and here[-1] in table
        if inner is None or here in unreadable:
            continue
        if is_present:
            yield from _absent_kinds(inner, table[here[-1]], here, unreadable)
        elif not info.is_required():
            yield from (mark.kind for mark in marks_of(info) if isinstance(mark, Citable))
            yield from _kinds(inner)


@cache
def _kinds(model: type[Output]) -> tuple[str, ...]:
    """Return every kind that can be cited, whether or not its file could be read."""
    kinds: list[str] = []
    for info in model.model_fields.values():
        if inner := model_in(info.annotation):
            kinds += (mark.kind for mark in marks_of(info) if isinstance(mark, Citable))
            kinds += _kinds(inner)
    return tuple(kinds)


def _walk(model: type[Output], table: Any, path: KeyPath) -> Iterator[_Place]:
    """Yield every value of a table that a rule is about, at any depth."""
    if not isinstance(table, dict):
        return
    for field in _fields(model):
        if field.key not in table:
            continue
        here, value = (*path, field.key), table[field.key]
        if field.has_rule:
            yield _Place(here, field, value)
        if field.inner is not None:
            for index, entry in enumerate(value if isinstance(value, list) else ()):
                yield from _walk(field.inner, entry, (*here, index))
            yield from _walk(field.inner, value, here)


@cache
def _fields(model: type[Output]) -> tuple[_Field, ...]:
    fields = []
    for name, info in model.model_fields.items():
        marks = tuple(m for m in marks_of(info) if isinstance(m, Citable | RefersTo | Cites))
        has_rule = bool(marks) or info.annotation in (date, datetime)
        fields.append(_Field(info.alias or name, info, marks, has_rule, model_in(info.annotation)))
    return tuple(fields)


def _paths_by_slug(place: _Place) -> dict[str, list[KeyPath]]:
    """Return the paths of a list's entries by their slugs."""
    model = model_in(place.field.info.annotation)
    paths: dict[str, list[KeyPath]] = {}
    for index, entry in enumerate(place.value):
        if model is not None and (slug := slug_in(model, entry)) is not None:
            paths.setdefault(slug, []).append((*place.path, index))
    return paths


def _all_named(place: _Place) -> bool:
    """Return whether each entry of a list has the slug or id that it is known by."""
    model = model_in(place.field.info.annotation)
    slugs = [slug_in(model, entry) for entry in place.value] if model is not None else []
    return all(slug is not None and re.fullmatch("[a-z0-9-]+", slug) for slug in slugs)


def slug_in(model: type[Output], entry: Any) -> str | None:
    """Return the slug or id that an entry has, or takes from its name; None if it has neither."""
    if not isinstance(entry, dict):
        return None
    if "slug" not in entry and issubclass(model, Named):
        name = entry.get(model.named_by)
        return slug_of(name) if isinstance(name, str) else None
    slug = entry.get("slug", entry.get("id"))
    return slug if isinstance(slug, str) else None


def _check_unique(place: _Place, paths_by_slug: _Paths) -> Iterator[Finding]:
    model = model_in(place.field.info.annotation)
    key = "id" if model is not None and "id" in model.model_fields else "slug"
    named_by = model.named_by if model is not None and issubclass(model, Named) else "name"
    taken = {*paths_by_slug}
    for slug, paths in paths_by_slug.items():
        if not slug:
            for path in paths:
                entry = place.value[path[-1]]
                if key not in entry and not str(entry.get(named_by, "")).strip():
                    continue  # that it has no name is a fault of its own
                rule = "is empty" if key in entry else "its name has nothing to make a slug of"
                new = distinct_slug(str(entry.get("name", "")), taken)
                yield Finding((*path, key), rule, f'write {key} = "{new}"')
            continue
        for path in paths[1:]:
            first, entry = place.value[paths[0][-1]], place.value[path[-1]]
            name = entry.get(named_by)
            if key not in entry and first.get(named_by) == name:
                rule = f"{_place(paths[0])} has the same {named_by}: {shown(name)}"
                fix = f"remove this entry, or write another {named_by} if it is another one"
                yield Finding((*path, key), rule, fix)
                continue
            rule = f"{_place(paths[0])} has the {key} {slug!r} already"
            fix = f'remove one of the two, or write here {key} = "{distinct_slug(slug, taken)}"'
            yield Finding((*path, key), rule, fix)


def _place(path: KeyPath) -> str:
    """Return the place of an entry in its list, such as `faq[0]`."""
    return f"{path[-2]}[{path[-1]}]"


def _allowed_names(places: Iterable[_Place], slugs: _Slugs, mark: RefersTo) -> list[str] | None:
    """Return the allowed names; None if their list is missing, which is reported separately."""
    if not mark.by_name:
        return list(slugs[mark.kind])
    for place in places:
        model = model_in(place.field.info.annotation)
        kinds = [mark.kind for mark in place.field.marks if isinstance(mark, Citable)]
        if mark.kind in kinds and model is not None and issubclass(model, Named):
            entries = place.value if isinstance(place.value, list) else []
            return [str(e.get(model.named_by)) for e in entries if isinstance(e, dict)]
    return None


def _strings(place: _Place) -> Iterator[tuple[KeyPath, str]]:
    """Yield the strings of a list with their paths."""
    for index, value in enumerate(place.value if isinstance(place.value, list) else ()):
        if isinstance(value, str):
            yield (*place.path, index), value


def _check_once(place: _Place) -> Iterator[Finding]:
    seen: set[str] = set()
    for path, value in _strings(place):
        if value in seen:
            yield Finding(path, f"{value!r} is listed twice", "remove one of the two")
        seen.add(value)


def _check_slugs(
    tree: dict[str, Any], place: _Place, mark: RefersTo, slugs: _Slugs, names: list[str] | None
) -> Iterator[Finding]:
    for path, value in _strings(place):
        if names is not None and value not in names:
            rule, fix = f"there is no {mark.kind} {value!r}", ""
            if not mark.by_name:
                rule, fix = _by_its_name(tree, place, slugs[mark.kind], mark.kind, value) or (
                    rule,
                    fix,
                )
            others = slugs.get(mark.kind, {})
            yield Finding(path, rule, fix or _other_entry(place, others, value, names))


def _by_its_name(
    tree: dict[str, Any], place: _Place, paths_by_slug: _Paths, kind: str, word: str
) -> tuple[str, str] | None:
    """Return the rule and the fix for an entry that is called by its name; None if none is."""
    for slug, paths in paths_by_slug.items():
        entry = found_at(tree, paths[0])
        names = {str(entry.get(key)).casefold() for key in ("name", "title", "term", "label", "q")}
        if word.casefold() in names or slug_of(word) == slug:
            if place.path[:-1] == paths[0]:
                return f"{word!r} is this {kind} itself", "remove it"
            return f"{word!r} is the name of a {kind}, and not its slug", f'write "{slug}"'
    return None


def _other_entry(
    place: _Place, paths_by_slug: Mapping[str, list[KeyPath]], word: str, names: list[str]
) -> str:
    """Return a fix that names other entries than the one in which the word stands."""
    others = [name for name in names if place.path[:-1] not in paths_by_slug.get(name, ())]
    fix = suggestion(word, others)
    return fix.replace("there is none yet", "there is no other yet") if names else fix


def _check_citations(
    tree: dict[str, Any], place: _Place, mark: Cites, slugs: _Slugs
) -> Iterator[Finding]:
    kinds = mark.kinds or _kinds(Site)
    for path, value in _strings(place):
        kind, slash, slug = value.partition("/")
        if mark.or_text and not re.fullmatch(Reference.pattern, value):
            continue
        if not slash or kind not in kinds:
            yield Finding(
                path, f"{value!r} does not begin with a kind", _with_kind(value, kinds, slugs)
            )
        elif kind in slugs and slug not in slugs[kind]:
            paths = {f"{kind}/{name}": places for name, places in slugs[kind].items()}
            said = _by_its_name(tree, place, slugs[kind], kind, slug)
            rule, fix = said or (
                f"there is no {kind} {slug!r}",
                _other_entry(place, paths, value, [*paths]),
            )
            yield Finding(path, rule, fix.replace('write "', f'write "{kind}/') if said else fix)


def _with_kind(value: str, kinds: Collection[str], slugs: _Slugs) -> str:
    """Return the fix for a reference without a kind: the only entry of this slug, or all kinds."""
    slug = value.rpartition("/")[2]
    found = [kind for kind in kinds if slug in slugs.get(kind, ())]
    if len(found) == 1:
        return f'write "{found[0]}/{slug}"'
    return f'write the kind before it, as "project/tide-book"; the kinds are {", ".join(kinds)}'


def _check_changelog(entries: Any) -> Iterator[Finding]:
    seen: dict[Any, int] = {}
    for index, entry in tables(entries):
        entry_id, instant = entry.get("id"), entry.get("publishedAt")
        if isinstance(instant, datetime) and instant.tzinfo is not None:
            path = ("changelog", index, "publishedAt")
            second = instant.replace(microsecond=0)
            if second in seen:
                rule = f"changelog[{seen[second]}] has the same publishedAt"
                later = format_instant(second + timedelta(seconds=1))
                yield Finding(path, rule, f"write publishedAt = {later}, a second later")
            seen.setdefault(second, index)
            day = _day(second)
            if isinstance(entry_id, str) and not entry_id.startswith(day):
                rule = f"{NOT_ITS_DAY} of publishedAt, which is {day} in UTC"
                name = slug_of(re.sub(r"^[\d\W_]*", "", entry_id)) or "a-name"
                dated = re.match(r"\d{4}-\d\d-\d\d-", entry_id)
                fix = f'write id = "{day}-{name}"'
                fix += ", or the day of the id in publishedAt" if dated else ""
                yield Finding(("changelog", index, "id"), rule, fix)


def _check_prices(prices: Any) -> Iterator[Finding]:
    """Yield a finding for each price without an amount, with two kinds, or with a wrong range."""
    for index, price in tables(prices):
        path = ("prices", index, "amount")
        least, most = price.get("minAmount"), price.get("maxAmount")
        is_range = least is not None or most is not None
        if "amount" in price and is_range:
            yield Finding(path, "stands beside a range", "remove it, or minAmount and maxAmount")
        elif "amount" not in price and not is_range:
            fix = "write for example amount = 1200, or minAmount = 1200 and maxAmount = 1800"
            yield Finding(path, "the price has no amount", fix)
        elif is_range and (numbers := _numbers(least, most)) and numbers[0] > numbers[1]:
            yield Finding((*path[:-1], "minAmount"), "is more than maxAmount", "exchange the two")


def _numbers(*amounts: Any) -> tuple[float, ...]:
    """Return amounts as numbers; nothing if one of them is missing, or wrong by itself."""
    try:
        return tuple(map(float, amounts))
    except (TypeError, ValueError):
        return ()


def check_dates(tree: dict[str, Any], now: datetime) -> Iterator[Finding]:
    """Yield a finding for each changelog entry and project that is dated after now.

    An entry may be `AHEAD` of this clock. Today is the later day of here and UTC.
    """
    today = max(now.date(), now.astimezone().date())
    clock = "correct it, or this machine's clock, or write draft = true until then"
    for list_name, key in (("changelog", "publishedAt"), ("projects", "lastUpdated")):
        for index, entry in tables(tree.get(list_name)):
            value, day = entry.get(key), str(entry.get("id"))[:10]
            path, fix = (list_name, index, key), clock
            if isinstance(value, datetime):
                if value.tzinfo is not None and value > now + AHEAD:
                    if re.fullmatch(r"\d{4}-\d\d-\d\d", day) and day <= today.isoformat():
                        written = format_instant(value)
                        fix = f"write {key} = {day}{written[10:]}, the day of its id"
                    yield Finding(path, f"is later than now, {format_instant(now)}", fix)
            elif isinstance(value, date) and value > today:
                yield Finding(path, f"is later than today, {today}", fix)


def _day(instant: datetime) -> str:
    """Return the day of an instant in UTC; an empty string if it has none."""
    try:
        return format_instant(instant)[:10]
    except OverflowError:  # not an instant in UTC, which is a finding of its own
        return ""


def _check_order(projects: Any) -> Iterator[Finding]:
    for index, project in tables(projects):
        started, updated = project.get("startedAt"), project.get("lastUpdated")
        if not (isinstance(started, str) and re.fullmatch(YearMonth.pattern, started)):
            continue
        if isinstance(updated, date) and started > (month := updated.isoformat()[:7]):
            rule = f"the project starts after it was last updated, on {updated.isoformat()[:10]}"
            before, after = f'startedAt = "{month}"', f"lastUpdated = {started}-01"
            fix = f"write {before} or an earlier month, or {after} or a later day"
            yield Finding(("projects", index, "startedAt"), rule, fix)


def tables(entries: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the tables of a list, each with its place; what is no table is a fault of its own."""
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(entry, dict):
            yield index, entry


def older_than_changes(site: Site) -> Iterator[Finding]:
    """Yield a finding for each project that the changelog says has changed since its last update.

    An entry is about a project if that is the only one it refers to.
    """
    newest: dict[str, ChangelogEntry] = {}
    for entry in sorted(site.changelog, key=lambda entry: entry.published_at):
        about = [own for own in entry.refs or () if own.startswith("project/")]
        if len(about) == 1 and entry.kind is not ChangeKind.ANNOUNCED:
            newest[about[0].partition("/")[2]] = entry
    for index, project in enumerate(site.projects):
        last = newest.get(project.slug)
        if last is not None and last.published_at.date() > project.last_updated:
            day = last.published_at.date().isoformat()
            rule = f"is before {day}, when the changelog has a change of this project ({last.id})"
            yield Finding(("projects", index, "lastUpdated"), rule, f"write {day}")
