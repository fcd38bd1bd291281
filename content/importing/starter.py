"""The files of a new studio, a new entry of a list, and the schemas by which editors check them.

A file names its JSON Schema in its first line, `#:schema .schemas/faq.json`, as editors with Taplo
read it. What spans entries and files is said by `studiograph check` alone.
"""

import json
from collections.abc import Iterator
from datetime import date
from typing import Any

from pydantic.fields import FieldInfo

from content.checking.errors import Finding
from content.checking.findings import (
    constraint_of,
    distinct_slug,
    example_of,
    field_at,
    field_in,
    is_list,
    model_at,
)
from content.checking.first_questions import FIRST_QUESTIONS
from content.checking.texts import texts_in
from content.importing.toml_writer import toml_value
from content.reading.drafts import KEY as DRAFT
from content.reading.section_names import Section, field_of, holds_list, section_names, section_of
from schema.sections import Price
from schema.site import Site
from sdl.types.declare import Named, Output, marks_of, model_in, slug_of
from sdl.types.marks import Citable, Heading
from sdl.types.scalar_types import Amount, DateOrDateTime, YearMonth, YearOrMonth

QUESTIONS = [question for question in FIRST_QUESTIONS if question.words]
"""What agents ask first and only a FAQ answers."""


def studio_text(  # noqa: PLR0913 - the five things that every studio says
    *,
    name: str,
    url: str,
    one_line: str,
    founder: str,
    email: str,
    more: str = "",
    of_founder: str = "",
) -> str:
    """Return `studio.toml` with the five things that every studio says.

    `more` are further lines of the studio, `of_founder` those of its founder.
    """
    return f"""\
# The least that a studio says. Everything else is optional: docs/content.md of studiograph
# lists every file and key, and `studiograph check` says what agents ask and nothing answers.

name = {_quoted(name)}
url = {_quoted(url)}
oneLiner = {_quoted(one_line)}
{more}
[contact]
email = {_quoted(email)}

[founder]
name = {_quoted(founder)}
{of_founder}"""


def _faq() -> Iterator[str]:
    yield "# What agents ask first. Answer a question, and remove the # before its four lines.\n"
    for question in QUESTIONS:
        word = question.alternatives[0].replace("*", "")
        yield f"\n# [[faq]]\n# q = {_quoted(question.text)}\n# a = {_quoted('')}\n"
        yield f"# tags = [{_quoted(word)}]\n"


def _quoted(text: str) -> str:
    """Return a text as a string of TOML, whose escapes are those of JSON."""
    return json.dumps(text, ensure_ascii=False)


STARTER_FILES = {
    "content/faq.toml": "".join(_faq()),
    ".env": """\
# Settings; docs/settings.md of studiograph lists them all. The address at which others reach the
# service:
# STUDIOGRAPH_BASE_URL=https://agents.studio.example
""",
    ".gitignore": """\
# Keys, state and settings of the service, which belong in a backup and in no repository.
var/
.env
""",
}
"""The other files of a new studio, by their path in its folder."""


FOLDER = ".schemas"
"""Where they stand in the content folder, of which nothing is read that begins with a dot."""
_NUMBERS = [f"^(?:{kind.pattern})$" for kind in (Amount, YearOrMonth)]
"""The patterns of the texts that may be written as numbers."""
_MOMENT = f"^(?:{DateOrDateTime.pattern})$"


def file_schemas() -> dict[str, dict[str, Any]]:
    """Return the schema of each file, by the name of its section."""
    return {name: _schema_of(section_of(name)) for name in section_names()}


def schema_line(section: str) -> str:
    """Return the first line of the file of a section."""
    return f"#:schema {FOLDER}/{section}.json\n"


def _schema_of(section: Section) -> dict[str, Any]:
    model = model_at(("status", "studio") if section == ("status",) else section)
    table = model.model_json_schema(by_alias=True)
    parts = table.pop("$defs", {})
    for part in (table, *parts.values()):
        _as_written(part)
    if holds_list(section):
        table["properties"][DRAFT] = {
            "description": "Whether only a preview shows the entry.",
            "type": "boolean",
        }
        if issubclass(model, Named):
            table["required"].remove("slug")  # it is derived
        entries = {section[-1]: {"type": "array", "items": table}}
        table = {"type": "object", "properties": entries, "additionalProperties": False}
    else:  # a table may have a file of its own
        table["required"] = [k for k in table.get("required", ()) if not _is_table(model, k)]
    return {"$schema": "http://json-schema.org/draft-07/schema#", **table, "$defs": parts}


def _is_table(model: type[Output], key: str) -> bool:
    info = field_in(model, key)
    return info is not None and model_in(info.annotation) is not None


def _as_written(part: dict[str, Any]) -> None:
    """Make what is in a schema what TOML has: no null, and numbers where they are taken."""
    for key, member in part.get("properties", {}).items():
        kinds = [kind for kind in member.pop("anyOf", [member]) if kind.get("type") != "null"]
        inner = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
        if inner.get("pattern") in _NUMBERS:
            inner = {"anyOf": [inner, {"type": "number"}]}
        elif inner.get("pattern") == _MOMENT:
            inner = {"type": "string"}  # TOML has dates of its own, which editors read as texts
        words = {name: member[name] for name in ("description",) if name in member}
        part["properties"][key] = {**inner, **words}


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
        info = field_at(path)
        if info is not None and len(text.split()) > 1 and text == _said(info):
            yield Finding(
                path, "is still the example's text", f"write {path[-1]} in your own words"
            )
