"""What tomllib says of a text that is no TOML, as a problem with its rule and its fix."""

import re

from content.errors import ContentProblem

_SYNTAX = {
    "Illegal character '\\n'": (
        "a string is not closed on its line",
        'close it with ", or write text of several lines in """',
    ),
    "Invalid value": (
        "not a TOML value",
        'put text in straight "quotes"; write true or false, and dates as 2026-03-01',
    ),
    "Cannot overwrite a value": (
        "a key is set twice, or [key] was written further up where [[key]] was meant",
        "write [[key]] above each entry of a list, and each key of an entry once",
    ),
}
"""What the messages of tomllib begin with, and the rule and fix the owner reads instead."""
_SYNTAX_FIXES = {
    "Expected '=' after a key": 'write key = "value" on each line, and comments after #',
    "Invalid statement": 'write key = "value" on each line, and comments after #',
    "Invalid initial character": 'write key = "value" on each line, and comments after #',
    "Expected newline": "write one key on each line, with nothing after its value, and dates as"
    " 2026-03-01",
    "Invalid hex value": "write each backslash twice, or put the text in 'single quotes'",
    "Unescaped '\\'": "write each backslash twice, or put the text in 'single quotes'",
    "Invalid date": "write a day that exists, as 2026-03-01",
    "Expected ']": "close the bracket: [table], or [[list]] for an entry of a list",
    "Cannot declare": "write [[name]] above each entry of a list, and each [name] once",
    "Illegal character": "remove what cannot be seen from this line",
}
"""What the messages of tomllib begin with, and the fix for what they say."""


def syntax_problem(name: str, message: str, text: str) -> ContentProblem:
    """Return the problem for an error message of tomllib."""
    at = re.search(r" \(at (?:line (\d+)|end of document)", message)
    line = int(at[1]) if at and at[1] else text.rstrip().count("\n") + 1
    what = message[: at.start()] if at else message
    rule, fix = next(
        (pair for start, pair in _SYNTAX.items() if what.startswith(start)),
        (f"not valid TOML: {what}", _fix_of(what, text.split("\n")[line - 1])),
    )
    return ContentProblem(name, line, "-", rule, fix)


def _fix_of(what: str, line: str) -> str:
    """Return the fix for a line that tomllib does not understand."""
    fixes = (fix for start, fix in _SYNTAX_FIXES.items() if what.startswith(start))
    return f"{next(fixes, 'correct this line or the next')}; it has {line.strip()[:60]!r}"
