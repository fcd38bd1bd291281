"""A new entry of a list, filled with what its type can tell: a draft, which its owner completes."""

from collections.abc import Iterator
from datetime import date
from typing import Any

from pydantic.fields import FieldInfo

from content.checking.errors import Finding
from content.checking.findings import constraint_of, example_of, field_at, is_list, model_at
from content.checking.texts import texts_in
from content.importing.toml_writer import toml_value
from content.reading.drafts import KEY as DRAFT
from content.reading.section_names import Section, field_of, holds_list, section_names, section_of
from content.reading.slugs import distinct_slug
from schema.sections import Price
from schema.site import Site
from sdl.types.declare import Named, Output, marks_of, model_in, slug_of
from sdl.types.marks import Citable, Heading
from sdl.types.scalar_types import YearMonth

PRICE: dict[str, Any] = {"amount": 1200, "unit": "day"}
"""What a price needs beside its required keys: an amount, for which a range may stand."""
_NOT_MADE = ("changelog", "github", "business")
"""The lists that other commands write, and the one of a table that may be missing."""


def kinds() -> dict[str, Section]:
    """Return the sections that are lists of entries, by the name of one entry."""
    found: dict[str, Section] = {}
    for name in section_names():
        section = section_of(name)
        info = field_of(section)
        if info is not None and holds_list(section) and section[0] not in _NOT_MADE:
            kind = next((m.kind for m in marks_of(info) if isinstance(m, Citable)), section[-1])
            found[kind] = section
    return found


def entry_text(section: Section, name: str, taken: set[str], today: date) -> str:
    """Return an entry with this name as TOML; `taken` are the slugs of the others."""
    model = model_at(section)
    fields = {info.alias or key: info for key, info in model.model_fields.items()}
    is_named = issubclass(model, Named)
    values = dict(_values(model, fields, name, today))
    if "slug" in fields and (not is_named or slug_of(name) in taken):
        values = {"slug": distinct_slug(name, taken), **values}
    lines = [f"{DRAFT} = true  # take this line away when the entry is complete"]
    for key, value in values.items():
        remark = "" if value in (name, _said(fields[key])) else _remark(fields[key])
        lines.append(f"{key} = {toml_value(value)}{remark}")
    for key, info in fields.items():
        if key not in values and not (key == "slug" and is_named):
            lines.append(f"# {key} = {_example(info)}  # {_said(info)}")
    return "\n".join([f"[[{section[-1]}]]", *lines, ""])


def _values(
    model: type[Output], fields: dict[str, FieldInfo], name: str, today: date
) -> Iterator[tuple[str, Any]]:
    more = PRICE if model is Price else {}
    for key, info in fields.items():
        if any(isinstance(mark, Heading) for mark in marks_of(info)):
            yield key, name
        elif key in more:
            yield key, more[key]
        elif info.is_required() and key != "slug":
            yield key, _value(info, today)


def _value(info: FieldInfo, today: date) -> Any:
    """Return a value that is valid, and says what is to be written in its place."""
    if is_list(info):
        return []
    if info.annotation is date:
        return today
    if constraint_of(info) is YearMonth:
        return f"{today:%Y-%m}"
    if info.annotation is bool:
        return True
    example = example_of(info).strip('"')
    return _said(info) if example == "…" else example


def _remark(info: FieldInfo) -> str:
    """Return what stands behind the value of a key: what it is, and the words that it may be."""
    words = getattr(info.annotation, "__members__", {})
    allowed = ", ".join(str(word.value) for word in words.values())
    return f"  # {_said(info)}{f' One of: {allowed}.' if allowed else ''}"


def _example(info: FieldInfo) -> str:
    """Return how the value of a key is written that may be left out."""
    inner = model_in(info.annotation)
    if inner is None:
        return example_of(info)
    fields = ((own.alias or key, own) for key, own in inner.model_fields.items())
    keys = ", ".join(f"{key} = {example_of(own)}" for key, own in fields if own.is_required())
    return f"[{{ {keys} }}]" if is_list(info) else f"{{ {keys} }}"


def _said(info: FieldInfo) -> str:
    return " ".join((info.description or "").split())


def left_examples(site: Site) -> Iterator[Finding]:
    """Yield a finding for each text that still is what a new entry says of its key."""
    for path, text in texts_in(site.to_json()):
        info = field_at(path, Site)
        if info is not None and len(text.split()) > 1 and text == _said(info):
            yield Finding(
                path, "is still the example's text", f"write {path[-1]} in your own words"
            )
