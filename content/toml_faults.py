"""What is wrong with a file that is no TOML or no list, and the line to write instead."""

import json
import re
import tomllib
from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

from pydantic.fields import FieldInfo

from content.corrections import Form, advice, corrected_line, is_toml, one_of, shown_line
from content.errors import NO_KEY, ContentProblem
from content.findings import example_of, field_in, form_of, is_list, is_table
from content.section_names import Section, field_of, holds_list, section_of
from content.toml_positions import line_numbers, nearest_line
from sdl.declare import model_in
from sdl.scalar_types import DATE_RULE, INSTANT_RULE, YearMonth

MAX_LINES = 12
"""Over how many lines what must stand on one may go on."""
_KEYS_ALONE = 'key = "value" on each line, and comments after #'
_KEYS = f"write {_KEYS_ALONE}"
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
    "Found invalid character": ("a character stands here that cannot be seen", "delete it"),
    "Illegal character": ("a character stands here that cannot be seen", "delete it"),
}
"""What the messages of tomllib begin with, and the rule and fix that the owner reads instead."""

_FORMS: dict[Form, str] = {
    date: DATE_RULE[0],
    datetime: INSTANT_RULE[0],
    YearMonth: "a year and month in quotes, YYYY-MM",
    bool: "true or false",
}
"""What a line must have behind its key."""
_OVERWRITTEN = ("Cannot overwrite a value", "Cannot declare")
_WHOLE = ("Illegal character '\\n'", "Unterminated string", "Invalid date")
"""Faults of which the line alone does not say what was meant."""


def syntax_problem(name: str, message: str, text: str) -> ContentProblem:
    """Return the problem for an error message of tomllib about the text of a file."""
    at = re.search(r" \(at (?:line (\d+)|end of document)", message)
    line = int(at[1]) if at and at[1] else text.rstrip().count("\n") + 1
    what = message[: at.start()] if at else message
    rule, fix = next(
        (pair for start, pair in _SYNTAX.items() if what.startswith(start)),
        (f"not valid TOML: {what}", "correct this line or the one before it"),
    )
    if what.startswith("Unterminated string"):
        line = _last_opened(text, line)
    elif what.startswith("Unclosed array"):
        line = _unclosed(text, line)
    wrong = text.split("\n")[line - 1].strip()
    section = section_of(name)
    if fix == _KEYS and holds_list(section):
        fix = f"write [[{section[-1]}]] above each entry, and below it {_KEYS_ALONE}"
    if fix == "delete it":
        hidden = next((sign for sign in wrong if not sign.isprintable()), wrong[:1])
        rule = f"the character U+{ord(hidden or ' '):04X} stands here, which cannot be seen"
    if line == 1 and _is_json(text):
        rule = "this is JSON, and must be TOML"
    elif what.startswith(_OVERWRITTEN):
        rule = f"{rule}{_earlier(text, line)}"
    elif several := _fix_of_lines(text, line):
        fix = several
    elif not what.startswith(_WHOLE):
        form, reading = _reading(wrong, section)
        fix = reading or fix
        if reading and form in _FORMS and what.startswith(("Invalid value", "Expected newline")):
            rule = f"this is not {_FORMS[form]}"
    return ContentProblem(name, line, NO_KEY, f"{rule}: `{shown_line(wrong)}`", fix)


def _fix_of_lines(text: str, line: int) -> str | None:
    """Return the fix for a value that goes on over some lines, and should not, or not so."""
    wrong = text.split("\n")[line - 1].strip()
    if joined := _on_one_line(text, line):
        return f"write {joined}"
    if re.search("[\u201c-\u201f]{3}$", wrong):
        return 'write """ in straight quotes, here and where the text ends'
    if block := re.fullmatch(r"([\w-]+)\s*[:=]\s*[|>][+-]?", wrong):
        return f'write {block[1]} = """ and, below the last line of the text, """'
    return None


def _on_one_line(text: str, line: int) -> str | None:
    """Return a table or a text that goes on over some lines as one line, and for which it is."""
    lines = [each.strip() for each in text.split("\n")[line - 1 :]]
    is_table = lines[0].endswith("{")
    if not is_table and not re.fullmatch(r"[\w-]+ *= *\"[^\"]+", lines[0]):
        return None
    end = "}" if is_table else '"'
    last = next((n for n, each in enumerate(lines[1:MAX_LINES], 1) if each[-1:] == end), 0)
    inner = [each.rstrip(",") for each in lines[1:last] if each]
    joined = f"{lines[0]} {', '.join(inner)} }}" if is_table else " ".join(lines[: last + 1])
    try:
        tomllib.loads(joined)
    except tomllib.TOMLDecodeError:
        return None
    return f"{joined} on one line, in place of lines {line} to {line + last}"


def conflict_in(name: str, text: str) -> ContentProblem | None:
    """Return the problem of a file in which a tool has left two versions of some lines."""
    begin = re.search(r"^<{7}(?: .*)?$", text, re.MULTILINE)
    end = re.compile(r"^>{7}(?: .*)?$", re.MULTILINE).search(text, begin.end()) if begin else None
    if begin is None or end is None:
        return None
    first, last = (text.count("\n", 0, mark.start()) + 1 for mark in (begin, end))
    rule = f"two versions of the same lines stand here, until line {last}: `{begin[0]}`"
    fix = "keep the lines of one, and remove those of the other and the lines <<<<<<<, ======= and"
    return ContentProblem(name, first, NO_KEY, rule, f"{fix} >>>>>>>")


def _reading(line: str, section: Section) -> tuple[Form | None, str | None]:
    """Return what the value of a line must be, and what to write, if its meaning is clear."""
    key = re.match(r"\W*(\w+)", line)
    info = _field_called(key[1], field_of(section)) if key else None
    form = list if info is not None and is_list(info) else form_of(info)
    readings = corrected_line(line, form, example_of(info) if info is not None else "")
    if readings:
        return form, f"write {one_of(readings)}" if readings[0] else "remove this line"
    value = line.partition("=")[2]
    start = f"{key[1]} = " if key else ""
    if form not in _FORMS or form is bool:
        return form, None
    return form, f"write {advice(form, value, start) or f'for example {start}{example_of(info)}'}"


def _field_called(key: str, holder: FieldInfo | None) -> FieldInfo | None:
    """Return the field of this key in the tables of a field, the outermost first."""
    model = model_in(holder.annotation) if holder is not None else None
    inner = list(model.model_fields.values()) if model is not None else []
    own = field_in(model, key) if model is not None else None
    return own or next((found for each in inner if (found := _field_called(key, each))), None)


def _last_opened(text: str, line: int) -> int:
    """Return the line where the last text of several lines begins."""
    before = [n for n, one in enumerate(text.split("\n"), 1) if re.search("\"{3}|'{3}", one)]
    return before[-1] if before else line


def _unclosed(text: str, line: int) -> int:
    """Return the line where the list that is not closed ends, or where it stands if it is one."""
    lines = text.split("\n")
    for number in range(line, 0, -1):
        own = lines[number - 1].strip()
        if re.match(r"[\w-]+\s*=\s*\[", own) and not is_toml(own):
            if not own.endswith("["):
                return number
            before = (n for n in range(line - 1, number, -1) if lines[n - 1].strip())
            return next(before, number)
    return line


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


def misplaced_keys(name: str, table: dict[str, Any], text: str) -> Iterator[ContentProblem]:
    """Yield a problem for what stands in the file of a list beside its entries."""
    section = section_of(name)
    key, lines = section[-1], line_numbers(text)
    model = model_in(info.annotation) if (info := field_of(section)) is not None else None
    above = f"write [[{key}]] in two brackets above each entry"
    plain = [own for own, value in table.items() if not is_table(value)]
    plain = [own for own in plain if own != key or not isinstance(table[key], list)]
    for own in table:
        line = nearest_line(lines, (own,))
        header = text.split("\n")[line - 1].strip()
        inner = field_in(model, own) if model is not None else None
        if own == key and isinstance(table[key], dict):
            rule, fix = "is a single table in the file of a list", above
        elif own in plain[1:] or (own == key and own not in plain):
            continue
        elif own in plain:
            rule, fix = f"stands in no entry: there is no [[{key}]] above it", above
        else:
            rule = f"is no part of this file, whose entries are [[{key}]]"
            if inner is not None:
                fix = f"write {header.replace(own, f'{key}.{own}', 1)} instead of {header}"
            elif field_of((own,)) is not None:
                fix = f"move it to a file of its own, {own}.toml"
            elif header.strip("[] ") != own:
                fix = f"write {header.replace(own, key, 1)} instead of {header}"
            else:
                fix = above
        yield ContentProblem(name, line, own, rule, fix)
