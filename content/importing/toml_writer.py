"""A section as the text of a TOML file, which the reader reads back as the same section."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any

from sdl.types.declare import Output
from sdl.types.scalar_types import format_instant


def toml_text(section: Output) -> str:
    """Return the file of an object: its values, then its tables in the order of the type."""
    return "\n".join(_tables("", section.model_dump(by_alias=True, exclude_none=True)))


def _tables(header: str, table: Mapping[str, Any]) -> Iterator[str]:
    """Yield a table and those inside it as blocks of lines; long texts come last in a block."""
    inner = {key: value for key, value in table.items() if _is_table(value)}
    values = [f"{key} = {toml_value(table[key])}\n" for key in table if key not in inner]
    yield "".join([header, *sorted(values, key=lambda line: line.count("\n") > 1)])
    for key, value in inner.items():
        if isinstance(value, list):
            for item in value:
                yield from _tables(f"[[{key}]]\n", item)
        else:
            yield from _tables(f"[{key}]\n", value)


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list) and isinstance(next(iter(value), 0), dict)
    )


def toml_value(value: Any) -> str:
    """Return a value as TOML writes it."""
    if isinstance(value, datetime):
        return format_instant(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, dict):
        pairs = (f"{json.dumps(key)} = {toml_value(inner)}" for key, inner in value.items())
        return f"{{ {', '.join(pairs)} }}"
    if isinstance(value, list):
        return f"[{', '.join(toml_value(item) for item in value)}]"
    if isinstance(value, str) and "\n" in value:
        text = re.sub(r'"(?="|\Z)', r'\\"', value.replace("\\", r"\\"))
        return f'"""\n{text}"""'
    # JSON's strings, numbers and booleans are valid TOML
    return json.dumps(value, ensure_ascii=False)
