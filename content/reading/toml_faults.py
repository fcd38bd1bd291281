"""What is wrong with a file that is no TOML or no list, and the line to write instead."""

import re
import tomllib
from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

from pydantic.fields import FieldInfo

from content.checking.corrections import (
    NOTE,
    RULES,
    Form,
    advice,
    corrected_line,
    foreign_signs,
    is_toml,
    nearest_day,
    one_of,
    shown_line,
)
from content.checking.errors import NO_KEY, ContentProblem
from content.checking.findings import example_of, field_in, form_of, is_list, is_table, sample
from content.reading.section_names import Section, field_of, holds_list, section_of
from content.reading.toml_positions import line_numbers, nearest_line
from sdl.types.declare import model_in
from sdl.types.scalar_types import YearMonth

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
    "Expected ']": (
        "a bracket is not closed",
        "write [table], or [[list]] for an entry of a list",
    ),
    "Unclosed array": ("a list is not closed", "write ] behind its last item"),
    "Unclosed inline table": ("braces are not closed", "write } behind the last value"),
    "Found invalid character": ("a character stands here that cannot be seen", "delete it"),
    "Illegal character": ("a character stands here that cannot be seen", "delete it"),
}
"""What the messages of tomllib begin with, and the rule and fix that the owner reads instead."""

_FORMS: tuple[Form, ...] = (date, datetime, YearMonth, bool)
"""What may stand behind a key without quotes, or is written so."""
_OVERWRITTEN = ("Cannot overwrite a value", "Cannot declare")
_WHOLE = ("Illegal character '\\n'", "Unterminated string")
"""Faults of which the line alone does not say what was meant."""


def syntax_problem(name: str, message: str, text: str) -> ContentProblem:
    """Return the problem for an error message of tomllib about the text of a file."""
    at = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)", message)
    line = int(at[1]) if at and at[1] else text.rstrip().count("\n") + 1
    what = message[: at.start()] if at else message
    rule, fix = next(
        (pair for start, pair in _SYNTAX.items() if what.startswith(start)),
        (f"not valid TOML: {what}", "correct this line or the one before it"),
    )
    lines = text.split("\n")
    if at and at[2] and (missing := _missing_comma(what, lines, line, int(at[2]))) is not None:
        line, rule, fix = missing
    elif what.startswith("Unterminated string"):
        line = _last_opened(text, line)
    elif what.startswith("Unclosed array"):
        line = _unclosed(text, line)
    wrong, section = lines[line - 1].strip(), section_of(name)
    if fix == _KEYS and holds_list(section):
        fix = f"write [[{section[-1]}]] above each entry, and below it {_KEYS_ALONE}"
    if fix == "delete it":
        hidden = next((sign for sign in wrong if not sign.isprintable()), wrong[:1])
        rule = f"the character U+{ord(hidden or ' '):04X} stands here, which cannot be seen"
    if what.startswith(_OVERWRITTEN):
        rule, fix = _twice(text, line, section)
    elif several := _fix_of_lines(text, line):
        fix = several
    elif not what.startswith(_WHOLE):
        better, fix = _reading(wrong, section, what, fix)
        rule = better or rule
    return ContentProblem(name, line, NO_KEY, f"{rule}: `{shown_line(wrong)}`", fix)


def _missing_comma(
    what: str, lines: list[str], line: int, column: int
) -> tuple[int, str, str] | None:
    """Return the line, the rule and the fix where a comma is missing; None if none is."""
    before, rest = lines[line - 1][: column - 1], lines[line - 1][column - 1 :]
    item = r"""("[^"]*+"|'[^']*+'|\{|-?\d[\w.:-]*+|(?:true|false)\b)(?!\s*=)"""
    begins = {"Unclosed array": item, "Unclosed inline table": r"([\w-]+)\s*="}
    found = re.match(begins[what], rest) if what in begins else None
    if found is None:
        return None
    rule = f"a comma is missing in front of {found[1]}"
    if before.strip():
        return line, rule, f"write a comma in front of {found[1]}"
    line = max(n for n in range(1, line) if lines[n - 1].strip())
    return line, rule, "write a comma at the end of this line"


def _fix_of_lines(text: str, line: int) -> str | None:
    """Return the fix for a value whose line breaks or quotation marks are not TOML."""
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


def _reading(line: str, section: Section, what: str, fix: str) -> tuple[str, str]:
    """Return what is wrong with a line, if that is clear, and what to write, or else the fix."""
    key = re.match(r"\W*([\w-]+)", line)
    info = _field_called(key[1], field_of(section)) if key else None
    form = list if info is not None and is_list(info) else form_of(info)
    start, value = f"{key[1]} = " if key else "", line.partition("=")[2].strip().strip("\"'")
    is_value = what.startswith(("Invalid value", "Expected newline", "Invalid date"))
    is_day = is_value and (form in {date, datetime} or what.startswith("Invalid date"))
    if is_day and (day := nearest_day(value)) is not None:
        return day[0], f"write {start}{day[1]}, or what you mean"
    example, about = sample(info) if info is not None else ("", "")
    readings = corrected_line(line, form, example)
    said = f"this is not {RULES[form]}" if is_value and form is not None and form in _FORMS else ""
    if readings:
        rule, note = _cause(line, readings[0])
        note = about if line.endswith("=") else note
        fix = f"write {one_of(readings)}{note}" if readings[0] else "remove this line"
        return rule or said, fix
    if said and form is not bool:
        example = advice(form, value, start) or f"for example {start}{example_of(info)}"
        return said, f"write {example}"
    return "", fix


def _cause(line: str, reading: str) -> tuple[str, str]:
    """Return why a line is another than its reading, and a note for the fix; empty if unclear."""
    if (signs := foreign_signs(line, reading)) is not None:
        return signs
    if note := re.match(NOTE, line):
        return f"a note begins with #, not with {note[1]}", ""
    if inner := re.match(r"""[\w.-]+\s*=\s*(?:"[^"]*"|'[^']*')(\w[^\s"']*)""", line):
        return f"the quote in front of {inner[1]} ends the text", ""
    return "no value stands behind the equals sign" if line.endswith("=") else "", ""


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


def _twice(text: str, line: int, section: Section) -> tuple[str, str]:
    """Return the rule and the fix for a key or a table that was set before."""
    lines = [each.strip() for each in text.split("\n")]
    wrong = lines[line - 1]
    found = re.match(r"(\[*)\s*([\w.-]+)", wrong)
    name = found[2] if found else ""
    begins = (re.compile(rf"\[*\s*{re.escape(n)}(?![\w-])") for n in (name, name.split(".")[0]))
    before = next(
        (n for each in begins for n in range(line - 1, 0, -1) if each.match(lines[n - 1])), 0
    )
    if not name or not before:
        return "this was set further up already", "remove one of the two lines"
    earlier, info = lines[before - 1], _field_called(name.split(".")[-1], field_of(section))
    both = f"in line {before} and here"
    if not wrong.startswith("["):
        rule, keys = f"{name} is set twice, {both}", _keys_above(lines[: line - 1], section)
        if holds_list(section) and (not keys or keys[0] == name):
            return rule, f"write [[{section[-1]}]] on a line above, where another entry begins"
        return rule, "remove one of the two lines"
    if earlier.startswith("["):
        if name == section[-1] or (info is not None and is_list(info)):
            here = f", here and in line {before}" if earlier == wrong else ""
            return (
                "has one pair of brackets, and needs two",
                f"write [[{name}]] in place of [{name}]{here}",
            )
        return (
            f"[{name}] stands twice, {both}",
            f"move its keys below line {before}, and remove this line",
        )
    rule = f"{name} is a group of keys here, and line {before} sets it to something else"
    dotted = re.match(rf"{re.escape(name)}\.(.*)", earlier)
    return rule, f"remove line {before}" + (
        f", and write {dotted[1]} below {wrong}" if dotted else ""
    )


def _keys_above(lines: list[str], section: Section) -> list[str] | None:
    """Return the keys of the entry that the last of these lines is in; None if it is in none."""
    begins = (n for n, line in enumerate(lines, 1) if line.strip() == f"[[{section[-1]}]]")
    begin = max(begins, default=None)
    if begin is None:
        return None
    return [found[1] for line in lines[begin:] if (found := re.match(r"\W*([\w-]+)\s*[=:]", line))]


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
        instead = f"write [[{key}]] in place of {header}" if header.startswith("[") else above
        if own == key and isinstance(table[key], dict):
            rule, fix = "is one table, and must be entries of a list", instead
            if header == f"[{key}]":
                rule = "has one pair of brackets, and needs two"
        elif own in plain[1:] or (own == key and own not in plain):
            continue
        elif own in plain:
            rule, fix = f"stands in no entry: there is no [[{key}]] above it", above
        else:
            rule = f"is no part of this file, whose entries are [[{key}]]"
            if inner is not None:
                fix = f"write {header.replace(own, f'{key}.{own}', 1)} in place of {header}"
            elif field_of((own,)) is not None:
                fix = f"move it to a file of its own, {own}.toml"
            elif header.strip("[] ") != own:
                fix = f"write {header.replace(own, key, 1)} in place of {header}"
            else:
                fix = instead
        yield ContentProblem(name, line, own, rule, fix)
