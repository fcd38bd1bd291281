"""What is wrong with a file that is no TOML or no list, and the line to write instead."""

import json
import re
from collections.abc import Iterator
from typing import Any

from content.corrections import corrected_line, shown_line
from content.errors import NO_KEY, ContentProblem

_KEYS = 'write key = "value" on each line, and comments after #'
_BACKSLASH = "write each backslash twice, or put the text in 'single quotes'"
_SYNTAX = {
    "Illegal character '\\n'": (
        "a text is not closed on its line",
        'close it with " on the same line; long texts, as an answer, stand between """ and """',
    ),
    'Expected "\'"': (
        "a text is not closed on its line",
        "close it with the quote that it begins with",
    ),
    "Unterminated string": (
        "a text of several lines is not closed before the end of the file",
        'write """ behind its last line, above the next key',
    ),
    "Invalid value": (
        "this is no value",
        'put text in straight "quotes"; write true or false, and dates as 2026-03-01',
    ),
    "Cannot overwrite a value": (
        "this was set further up already",
        "remove one of the two; in a list, write [[key]] in two brackets above each entry",
    ),
    "Cannot declare": (
        "this table stands twice",
        "put its keys below the first one; in a list, write [[key]] in two brackets above each"
        " entry",
    ),
    "Expected '=' after a key": ("this is no key with a value", _KEYS),
    "Invalid statement": ("this is no key with a value", _KEYS),
    "Invalid initial character": ("this is no key with a value", _KEYS),
    "Expected newline": (
        "something stands behind a value",
        "write one key on each line, with nothing after its value, and dates as 2026-03-01 or"
        " 2026-03-01T09:30:00Z",
    ),
    "Invalid hex value": ("a backslash has a meaning of its own in double quotes", _BACKSLASH),
    "Unescaped '\\'": ("a backslash has a meaning of its own in double quotes", _BACKSLASH),
    "Invalid date": ("there is no such day or time", "write one that exists, as 2026-03-01"),
    "Expected ']": (
        "a bracket is not closed",
        "write [table], or [[list]] for an entry of a list",
    ),
    "Unclosed array": ("a list is not closed", "write ] behind its last item"),
    "Found invalid character": ("a character stands here that cannot be seen", "remove it"),
    "Illegal character": ("a character stands here that cannot be seen", "remove it"),
}
"""What the messages of tomllib begin with, and the rule and fix that the owner reads instead."""

_OVERWRITTEN = ("Cannot overwrite a value", "Cannot declare")
_WHOLE = ("Illegal character '\\n'", "Unterminated string", "Invalid date")
"""Faults of which the line alone does not say what was meant."""


def syntax_problem(name: str, message: str, text: str, list_name: str) -> ContentProblem:
    """Return the problem for an error message of tomllib."""
    at = re.search(r" \(at (?:line (\d+)|end of document)", message)
    line = int(at[1]) if at and at[1] else text.rstrip().count("\n") + 1
    what = message[: at.start()] if at else message
    rule, fix = next(
        (pair for start, pair in _SYNTAX.items() if what.startswith(start)),
        (f"not valid TOML: {what}", "correct this line or the one before it"),
    )
    if what.startswith("Unterminated string"):
        line = _last_opened(text, line)
    wrong = text.split("\n")[line - 1].strip()
    if fix == _KEYS and list_name:
        fix = f"write [[{list_name}]] above each entry, and below it {_KEYS.removeprefix('write ')}"
    if wrong.endswith("= {"):
        table = wrong.partition("=")[0].strip()
        fix = f"write [{table}] and below it each key on a line of its own, without braces"
    elif line == 1 and _is_json(text):
        rule = "this is JSON, and must be TOML"
    elif what.startswith(_OVERWRITTEN):
        rule = f"{rule}{_earlier(text, line)}"
    elif not what.startswith(_WHOLE) and (reading := corrected_line(wrong)):
        fix = f"write {reading}"
    return ContentProblem(name, line, NO_KEY, f"{rule}: `{shown_line(wrong)}`", fix)


def _last_opened(text: str, line: int) -> int:
    """Return the line where the last text of several lines begins."""
    before = [n for n, one in enumerate(text.split("\n"), 1) if re.search("\"{3}|'{3}", one)]
    return before[-1] if before else line


def _earlier(text: str, line: int) -> str:
    """Return where the key or table of a line was set before, in words."""
    lines = text.split("\n")
    found = re.match(r"\s*\[*\s*([\w-]+)", lines[line - 1])
    name = re.escape(found[1]) if found else "$^"
    before = [n for n, one in enumerate(lines[: line - 1], 1) if re.match(rf"\s*\[*{name}\b", one)]
    return f", in line {before[-1]}" if before else ""


def _is_json(text: str) -> bool:
    """Return whether a text is a JSON document, which is never TOML."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def misplaced_keys(table: dict[str, Any], key: str) -> Iterator[tuple[str, str, str]]:
    """Yield what stands in the file of a list beside its entries, with the rule and the fix."""
    fix = f"write [[{key}]] in two brackets above each entry"
    plain = [
        name
        for name, value in table.items()
        if not _is_table(value) and not (name == key and isinstance(value, list))
    ]
    if isinstance(table.get(key), dict):
        yield key, "is a single table in the file of a list", fix
    for other in table:
        if other not in {key, *plain}:
            yield other, f"is no part of this file, whose entries are [[{key}]]", fix
    if plain:
        yield plain[0], f"stands in no entry: there is no [[{key}]] above it", fix


def _is_table(value: Any) -> bool:
    """Return whether a value is a table, or a list of tables."""
    entries = value if isinstance(value, list) else [value]
    return bool(entries) and all(isinstance(entry, dict) for entry in entries)
