"""How a question is read: with the one before it where it leans on that, in parts, well spelt."""

import re
from collections.abc import Collection, Sequence

from resolvers.embeddings.tokenizer import STOP_WORDS, terms, tokenize

MAX_PARTS = 4
"""How many parts of a question are answered; each costs as much as a question."""
SHORT_WORDS = 3
"""A question with at most so many content words leans on the one before it."""
MIN_LENGTH = 5
"""The length from which a word may be misspelt. Units: characters."""
_LEANS = re.compile(
    r"^(?:and|or|but|so|also|then|what about|how about)\b"
    r"|\b(?:it|its|they|them|their|he|she|his|her|those|these|this|that|same|other|else|instead"
    r"|first|second|third|last|former|latter|ones?)\b",
    re.IGNORECASE,
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_ORDINAL = re.compile(rf"\bthe\s+({'|'.join(_ORDINALS)}|last)(?:\s+one)?\b", re.IGNORECASE)
_NAME = re.compile(r"(?<=[\s:(])[A-Z][\w'\u2019-]+(?:\s[A-Z][\w'\u2019-]+)*")
_BREAK = re.compile(
    r"(?<=[?!;])\s+|(?<=[.])\s+(?=[A-Z])|,?\s+and\s+(?=(?:who|what|when|where|which|how|is|are|does"
    r"|do|may|can|could|will|would|has|have)\b)|,\s+(?=(?:who|what|when|where|which|how)\b)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"(?:who|whose|what|when|where|which|how|why|is|are|does|do|did|can|could|would|will|has|have"
    r"|may|list|name)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{5,}")
_GREETINGS = frozenset(
    {"hello", "hi", "hey", "good", "morning", "afternoon", "evening", "day", "greetings", "there"}
)


def is_greeting(text: str) -> bool:
    """Return whether a text only greets."""
    words = tokenize(text)
    return bool(words) and all(word in _GREETINGS for word in words)


def in_context(question: str, turns: Sequence[tuple[str, str]]) -> str:
    """Return a question after the one before it, if it leans on that.

    `turns` have role and text, oldest first. From an earlier answer only the name is taken that an
    ordinal means, as in "the second one".
    """
    asked = next((text for role, text in reversed(turns) if role == "user"), "")
    if not asked or not (_LEANS.search(question) or len(terms(question)) <= SHORT_WORDS):
        return question
    said = next((text for role, text in reversed(turns) if role == "assistant"), "")
    if ordinal := _ORDINAL.search(question):
        names, word = list(dict.fromkeys(_NAME.findall(said))), ordinal[1].lower()
        place = len(names) - 1 if word == "last" else _ORDINALS.index(word)
        if place < len(names) > 1:
            return f"{question[: ordinal.start()]}{names[place]}{question[ordinal.end() :]}"
    return f"{asked.rstrip(' ?.!')}? {question}"


def parts_of(question: str) -> list[str]:
    """Return the parts of a question that ask for different things; itself if it is one."""
    parts = [part.strip() for part in _BREAK.split(question) if terms(part)]
    if not parts[1:] or not all(map(_ASKS.match, parts)):
        return [question]
    return list(dict.fromkeys(parts))[:MAX_PARTS]


class Spelling:
    """Mends words that are a known one but for one letter. Immutable."""

    def __init__(self, known: Collection[str]) -> None:
        """Take the words that are right, as `tokenize` returns them."""
        self._known = frozenset(known) | STOP_WORDS
        self._stems = {stem for word in known for stem in terms(word)}
        self._near: dict[str, str] = {}
        for word in sorted(known):
            if len(word) >= MIN_LENGTH and word.isalpha():
                for part in _without_one(word):
                    self._near.setdefault(part, word)

    def mend(self, question: str) -> str:
        """Return the question with its misspelt words mended; names stay as they are."""
        return _WORD.sub(lambda match: self._mended(match[0]), question)

    def _mended(self, word: str) -> str:
        plain = word.casefold()
        if word != plain or plain in self._known or self._stems.issuperset(terms(plain)):
            return word
        return next((self._near[p] for p in _without_one(plain) if p in self._near), word)


def _without_one(word: str) -> list[str]:
    """Return a word, and it without each of its letters.

    Two words that differ in one letter, which is wrong, missing, too much or swapped, share one.
    """
    return [word, *(word[:place] + word[place + 1 :] for place in range(len(word)))]
