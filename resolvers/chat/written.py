"""Lets a language model's text out sentence by sentence, each only if what it cites says it."""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Sequence
from contextlib import aclosing
from dataclasses import replace

from resolvers.chat.check import Check, Reason, Sentence, sentences_of
from resolvers.chat.conversation import Finish, Source, TextDelta
from resolvers.chat.prompt import NOT_FOUND, fit_to_context

MAX_BUFFER = 4000
"""How much text may wait for the end of a sentence; a longer one is dropped."""
_END = re.compile(
    r"(?<!^\d)(?<!^\d\d)[.!?\u2026]+[\"'\u201d\u2019\u00bb)\]]*(?:\s*\[[\d,; ]+\])*\s+(?!\[)|\n+"
    r"|[\u3002\uff01\uff1f]+(?:\s*\[[\d,; ]+\])*"
)
_MARKER = re.compile(
    r"\s*[\[\u3010\uff3b]\s*\^?(?:(?:sources?|passages?)\s+)?(?P<numbers>\d+(?:[,;\s\u2013-]{1,4}\d+)*)"
    r"[^\]\u3011\uff3d\s]*\s*[\]\u3011\uff3d]",
    re.IGNORECASE,
)
_LONG_NUMBER = 4
_BEGIN, _CLOSE = "<think>", "</think>"


async def checked(
    stream: AsyncIterator[TextDelta | Finish], sources: Sequence[Source], own: Collection[str]
) -> AsyncGenerator[TextDelta | Finish, None]:
    """Yield the sentences that stand, then one `Finish` with why the others do not.

    A model that says that it found no answer yields none.
    """
    gate = _Gate(Check(sources, own))
    finish = Finish("truncated")
    async with aclosing(stream) as items:  # type: ignore[type-var] # all are generators
        async for item in items:
            if isinstance(item, Finish):
                finish = item
                break
            for text in gate.feed(item.text):
                yield TextDelta(text)
            if gate.has_refused:
                break
    for text in gate.flush():
        yield TextDelta(text)
    yield replace(finish, removed=tuple(gate.removed))


class _Gate:
    """Takes a text in pieces of any size, and gives back its sentences that stand."""

    def __init__(self, check: Check) -> None:
        self._check = check
        self._thoughts = _Thoughts()
        self._waiting = ""
        self._has_text = False
        self.has_refused = False
        self.removed: list[Reason] = []

    def feed(self, text: str) -> list[str]:
        """Return what is complete now."""
        self._waiting += self._thoughts.feed(text)
        said: list[str] = []
        while (end := _END.search(self._waiting)) is not None:
            # A marker, or what follows a sentence, tells that its markers have come.
            if end.end() == len(self._waiting) and not self._waiting.rstrip().endswith("]"):
                break
            said += self._pass(self._waiting[: end.end()])
            self._waiting = self._waiting[end.end() :]
        if len(self._waiting) > MAX_BUFFER:
            self.removed.append("coverage")
            self._waiting = ""
        return said

    def flush(self) -> list[str]:
        """Return the rest."""
        rest, self._waiting = self._waiting + self._thoughts.flush(), ""
        return self._pass(rest)

    def _pass(self, text: str) -> list[str]:
        if NOT_FOUND in text:
            self.has_refused = self.has_refused or not self._has_text
            return []
        said: list[str] = []
        for sentence in sentences_of(_with_markers(fit_to_context(text))):
            if (reason := self._check.reason(sentence)) is not None:
                self.removed.append(reason)
            else:
                said.append(f"{' ' if self._has_text else ''}{_cited(sentence, self._check)}")
                self._has_text = True
        return said


class _Thoughts:
    """Leaves out what a model thinks before it answers, between the two tags."""

    def __init__(self) -> None:
        self._waiting = ""
        self._is_thinking = False

    def feed(self, text: str) -> str:
        """Return what is no thought; a tag may come in pieces."""
        self._waiting += text
        said = ""
        while (tag := _CLOSE if self._is_thinking else _BEGIN) in self._waiting:
            before, _, self._waiting = self._waiting.partition(tag)
            said += "" if self._is_thinking else before
            self._is_thinking = not self._is_thinking
        keep = next(n for n in range(len(tag), -1, -1) if self._waiting.endswith(tag[:n]))
        rest = self._waiting[: len(self._waiting) - keep]
        self._waiting = self._waiting[len(rest) :]
        return said if self._is_thinking else said + rest

    def flush(self) -> str:
        """Return the rest, if it is no thought."""
        rest, self._waiting = self._waiting, ""
        return "" if self._is_thinking else rest


def _with_markers(text: str) -> str:
    """Return the text with its markers as [1][2], however the model writes them."""

    def marker(match: re.Match[str]) -> str:
        numbers = [n for n in re.findall(r"\d+", match["numbers"]) if len(n) < _LONG_NUMBER]
        return "".join(f" [{number}]" for number in numbers)

    return _MARKER.sub(marker, text)


def _cited(sentence: Sentence, check: Check) -> str:
    known = [n for n in sentence.markers if n in check.sources]
    return f"{sentence.text} {''.join(f'[{n}]' for n in known)}"
