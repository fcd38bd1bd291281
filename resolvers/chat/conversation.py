"""The types of a conversation, its fixed replies, and how a request becomes a question.

Everything that a caller sends is treated as data, whatever role it claims.
"""

import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from schema.language_names import language_name

Reason = Literal["stop", "length", "truncated", "error"]

HISTORY_CHARACTERS = 16_000
"""How much of a conversation is kept: the question, earlier messages and preferences."""
REFUSAL = (
    "No published answer to this was found."
    " The studio can be asked through its contact operation or by mail; a person replies."
)
"""The complete answer if nothing relevant is published."""
CLOSEST = "This is the closest that is published:"
"""Introduces quotations that may not answer the question."""
_MISSING = "Nothing is published about `{}`. Closest:"
"""The same, where they lack a word of the question."""
_LACKS = "No {} is published for this. Closest:"
"""The same, where they lack the kind of thing that is asked for."""
GREETING = "Good day. Any question about the studio, its work or its terms can be asked here."
"""The complete answer to a mere greeting."""
_FOREIGN = "The content is in {0}. Please ask in {0}."
CANNED_REPLIES = re.compile(
    "|".join(
        [
            *map(re.escape, (REFUSAL, CLOSEST, GREETING)),
            r"Nothing is published about `[^\W\d_]+`\. Closest:",
            r"No [a-z ]+ is published for this\. Closest:",
            r"The content is in [\w ()-]+\. Please ask in [\w ()-]+\.",
            r"The content is in [\w ()-]+, and quotations from it are too\.",
        ]
    )
)
"""The sentences that an answer may contain without a citation."""


def in_another_language(language: str) -> str:
    """Return the complete answer to a question in another language, to which no line was found.

    `language` is the code of that of the content.
    """
    return _FOREIGN.format(language_name(language))


def closest(missing: str, kind: str = "") -> str:
    """Return what introduces quotations that may not answer a question, and what they lack.

    `missing` is a word of the question that they do not have, `kind` the kind of thing.
    """
    if kind:
        return _LACKS.format(kind)
    return _MISSING.format(missing) if missing else CLOSEST


_USER = "user"
_SYSTEM = "system"


@dataclass(frozen=True)
class Message:
    """One message as it was sent: `user`, `assistant` or `system`, and its text."""

    role: str
    content: str


@dataclass(frozen=True)
class ChatRequest:
    """The question, the conversation around it and the caller's wishes about style."""

    text: str
    history: tuple[Message, ...] = ()
    preferences: tuple[str, ...] = ()


@dataclass(frozen=True)
class Source:
    """One published entry, which the answer may cite as [n]."""

    n: int
    kind: str
    slug: str
    title: str
    url: str
    score: float
    text: str
    pointer: str | None = None
    """The place of the value that is said, in the JSON body at the URL; empty for all of it."""


@dataclass(frozen=True)
class TextDelta:
    """A piece of the answer with its spaces; joined, the pieces are the answer."""

    text: str


@dataclass(frozen=True)
class Finish:
    """The end of the answer and its reason."""

    reason: Reason
    removed: tuple[str, ...] = ()
    """For each sentence that was left out, what it had that no source has."""


class Answerer(Protocol):
    """A language model that writes answers."""

    model: str

    def stream(
        self, question: ChatRequest, sources: Sequence[Source]
    ) -> AsyncIterator[TextDelta | Finish]:
        """Yield the answer in pieces, then exactly one `Finish`.

        Raises: ModelError before the first piece, if the answer cannot be started.
        """
        ...


def request_of(query: str | None, messages: Sequence[Message]) -> ChatRequest:
    """Return the question: the query, or the last user message with the others around it.

    A conversation that is too long loses its oldest messages, each as a whole. The text of a
    `system` message is a preference and never an instruction.
    Raises: ValueError, if there is no user message.
    """
    if query is not None:
        return ChatRequest(query)
    last = max((i for i, message in enumerate(messages) if message.role == _USER), default=None)
    if last is None:
        raise ValueError("there is no user message")
    text = messages[last].content
    others = [message for i, message in enumerate(messages) if i != last]
    recent = _newest(others, HISTORY_CHARACTERS - len(text))
    return ChatRequest(
        text,
        tuple(message for message in recent if message.role != _SYSTEM),
        tuple(message.content for message in recent if message.role == _SYSTEM),
    )


def _newest(messages: Sequence[Message], max_characters: int) -> list[Message]:
    """Return the newest messages that together have at most `max_characters`."""
    newest: list[Message] = []
    for message in reversed(messages):
        max_characters -= len(message.content)
        if max_characters < 0:
            break
        newest.append(message)
    return newest[::-1]
