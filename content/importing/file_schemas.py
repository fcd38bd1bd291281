"""JSON Schemas of the content's files, by which an editor completes and checks them.

A file names its own in its first line, `#:schema .schemas/faq.json`, as editors with Taplo read it.
What spans entries and files is said by `studiograph check` alone.
"""

from typing import Any

from content.checking.findings import field_in, model_at
from content.reading.drafts import KEY as DRAFT
from content.reading.section_names import Section, holds_list, section_names, section_of
from sdl.types.declare import Named, Output, model_in
from sdl.types.scalar_types import Amount, DateOrDateTime, YearOrMonth

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
