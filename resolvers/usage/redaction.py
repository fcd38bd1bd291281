"""Takes addresses, numbers, keys and what looks like a name out of a question.

The rules miss some names, so a word is shown only once several callers used it.
"""

import re

MAX_CHARACTERS = 300
GAP = "…"
"""Stands for what was left out."""

_MAX_WORD = 24
_REVEALING = re.compile(r"\S*[\d@/\\_=+%#]\S*|\S*\w\.\w\S*|\S*:\S+")
"""A word with a digit or a sign that addresses, numbers, paths and keys have, but prose has not."""
_INTRODUCTION = re.compile(
    r"(?i:\b(?:my name is|my name's|name:|call me|i am|i'm|i\u2019m|this is|it's|here is|here's"
    r"|signed|regards|cheers|thanks|thank you|sincerely|greetings|yours|best)\b[,:]?)"
    r"((?:\s+[A-Z][\w'\u2019-]*)+)"
)
"""Words after which somebody is named."""
_NAMES = re.compile(r"(?<![.!?…]\s)(?<!^)\b[A-Z][\w'\u2019-]*(?:\s+[A-Z][\w'\u2019-]*)+")
"""Two names or more in a row, but at the beginning of a sentence."""


def redact(text: str) -> str:
    """Return a text in one line, without addresses, numbers, keys and what looks like names."""
    line = " ".join(text.split())[: 4 * MAX_CHARACTERS]
    line = "".join(letter for letter in line if letter.isprintable())
    line = _REVEALING.sub(GAP, line)
    line = _INTRODUCTION.sub(lambda match: match[0][: -len(match[1])] + f" {GAP}", line)
    line = _NAMES.sub(GAP, line)
    words = (word if len(word) <= _MAX_WORD else GAP for word in line.split())
    short = re.sub(rf"{GAP}(?:\s*{GAP})+", GAP, " ".join(words))
    return short[:MAX_CHARACTERS]
