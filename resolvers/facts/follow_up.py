"""Resolves a question that can be understood only with the turns before it.

Earlier turns decide which entry or list a question is about; none of their words is answered.
"""

import re
from collections.abc import Sequence

from resolvers.embeddings.tokenizer import terms
from resolvers.facts.names import NameFinder

ORDINALS = ("first", "second", "third", "fourth", "fifth")
SHORT_QUESTION_WORDS = 4
"""A question with fewer content words leans on the one before it."""
_ORDINAL = re.compile(
    rf"\b(?:the\s+)?(?P<ordinal>{'|'.join(ORDINALS)}|last)(?:\s+(?:one|of\s+(?:those|them|these)))?\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\b(?:it|its|that one|this one|that|they|them|their|he|she)\b", re.IGNORECASE
)
_LEADING = re.compile(r"^(?:and|or|but|so|what about|how about|also)\b[\s,]*", re.IGNORECASE)
_BREAK = re.compile(r"[.?!;:,]+(?:\s+and\s+|\s+|$)|\s+and\s+")
"""Where a question would be split; what was asked before is no part of its own."""
_PARTS = re.compile(r";\s*|\n+|,\s+(?:and\s+)?|\s+and\s+|\s*\[\d+\][.,]?\s*|(?<=[.:])\s+")


def resolve(question: str, turns: Sequence[tuple[str, str]], names: NameFinder) -> str:
    """Return the question with what it leaves out, from turns of role and text, oldest first."""
    asked = next((text for role, text in reversed(turns) if role == "user"), "")
    answered = next((text for role, text in reversed(turns) if role == "assistant"), "")
    if not asked or not _leans(question):
        return question
    if (match := _ORDINAL.search(question)) and (part := _part(match["ordinal"], answered, names)):
        return f"{question[: match.start()]}{part}{question[match.end() :]}"
    plain = _LEADING.sub("", question)
    if mentioned := names.find(plain):
        if terms(_without_names(plain, names)):
            return plain
        return _with_names(asked, names, " and ".join(item.entry.name for item in mentioned))
    named = names.find(asked) or names.find(answered)
    if named and _PRONOUN.search(plain):
        return _PRONOUN.sub(named[0].entry.name, plain, count=1)
    about = named[0].entry.name if named else f"({' '.join(_BREAK.split(asked)).strip()})"
    return f"{plain.rstrip(' ?.!')} {about}?"


def _leans(question: str) -> bool:
    return bool(
        _LEADING.match(question)
        or _ORDINAL.search(question)
        or _PRONOUN.search(question)
        or len(terms(question)) < SHORT_QUESTION_WORDS
    )


def _part(ordinal: str, answer: str, names: NameFinder) -> str | None:
    """Return the entry or the part of an answer that an ordinal means."""
    named = list(dict.fromkeys(item.entry.name for item in names.find(answer)))
    parts = named if len(named) > 1 else [p for p in _PARTS.split(answer) if len(terms(p)) > 0]
    index = -1 if ordinal.lower() == "last" else ORDINALS.index(ordinal.lower())
    return parts[index] if parts and -1 <= index < len(parts) else None


def _with_names(text: str, names: NameFinder, other_names: str) -> str:
    """Return a question about other entries."""
    first = next(iter(names.find(text)), None)
    if first is None:
        return f"{text.rstrip(' ?.!')} {other_names}?"
    rest = _without_names(text[first.end :], names)
    return f"{text[: first.start]}{other_names}{rest}"


def _without_names(text: str, names: NameFinder) -> str:
    for item in sorted(names.find(text), key=lambda item: -item.start):
        text = f"{text[: item.start]}{text[item.end :]}"
    return text
