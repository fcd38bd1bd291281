"""What a caller asks in chat, and what is answered: whole, or as events."""

import enum
from typing import Annotated, Any, Self

from pydantic import ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from schema.search import Retrieval
from sdl.declare import Input, Output, enum_type
from sdl.int_range import IntRange
from sdl.marks import Heading, Prose
from sdl.scalar_types import Flag, Line, Path, Slug, Text
from sdl.text_constraints import TextConstraint


@enum_type
class ChatRole(enum.Enum):
    """Who said something in a conversation."""

    USER = "user"
    """The one who asks."""
    ASSISTANT = "assistant"
    """Who answered."""
    SYSTEM = "system"
    """Who set the conversation up: read as wishes about style, never as rules."""


@enum_type
class FinishReason(enum.Enum):
    """Why an answer ended."""

    STOP = "stop"
    """It was complete."""
    LENGTH = "length"
    """It was as long as it may be."""
    TRUNCATED = "truncated"
    """The model broke off, or took too long."""
    ERROR = "error"
    """The model failed amid it."""


class ChatMessage(Input):
    """One message of a conversation."""

    role: ChatRole
    """Who said it."""
    content: Annotated[str, TextConstraint(1, 4000, allow_any_character=True)]
    """What was said."""


MAX_MESSAGES = 1_000
"""How many messages are read; of these, the newest 16,000 characters."""
_ASKED: dict[str, Any] = {
    "contains": {"properties": {"role": {"const": ChatRole.USER.value}}, "required": ["role"]}
}
"""That somebody asks something: what a JSON Schema can say of it."""


class ChatInput(Input):
    """A question to the studio's published content: alone, or at the end of a conversation."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["query"]}, {"required": ["messages"]}]}
    )

    query: Annotated[str, TextConstraint(2, 2000, allow_any_character=True)] | None = None
    """A single question; give this or `messages`."""
    messages: Annotated[
        Annotated[list[ChatMessage], Field(max_length=MAX_MESSAGES)] | None,
        Field(json_schema_extra=_ASKED),
    ] = None
    """A conversation, oldest first; its last user message is the question."""
    top_k: Annotated[int, IntRange(1, 10)] = 5
    """How many entries to answer from at most."""
    agent: Annotated[str, TextConstraint(0, 120)] | None = None
    """The AI that asks, by name and version."""

    @model_validator(mode="after")
    def _one_question(self) -> Self:
        if (self.query is None) == (self.messages is None):
            raise PydanticCustomError("one_question", "give either query or messages")
        asked = self.messages or ()
        if self.query is None and not any(said.role is ChatRole.USER for said in asked):
            raise PydanticCustomError("one_question", "messages must hold one of the role user")
        return self


class Citation(Output):
    """An entry that an answer may cite."""

    n: int
    """The number under which it is cited, as in `[1]`."""
    kind: Line
    """The entry's kind."""
    slug: Slug
    """The entry's slug, unique within its kind."""
    title: Annotated[Line, Heading()]
    """The entry's title."""
    score: float
    """How well it fits the question, from 0 to 1."""
    url: Path
    """Where the entry is read."""


class UnsupportedSentence(Output):
    """A sentence of an answer that what it cites does not bear out."""

    sentence: Text
    """The sentence."""
    reason: Line
    """`uncited`, `number`, `entity`, `url`, `coverage` or `polarity`."""
    markers: list[int]
    """The numbers that it cites."""


class CitationLint(Output):
    """A check of an answer against what it cites: by words and vectors, no proof of entailment."""

    version: Line
    """The version of the rules."""
    method: Line
    """What is compared."""
    ok: Flag
    """Whether every sentence is borne out, or none was needed."""
    sentences: int
    """How many sentences were checked."""
    cited: int
    """How many of them cite something."""
    supported: int
    """How many of them are borne out by what they cite."""
    unsupported: list[UnsupportedSentence]
    """Those that are not, the first 20 of them."""
    unknown_markers: list[int]
    """Numbers that are cited and stand for nothing."""
    unused_citations: list[int]
    """Numbers that no sentence cites."""
    citation_recall: float
    """The share of sentences that are borne out."""
    citation_precision: float
    """The share of what is cited that bears a sentence out."""


class ChatAnswer(Output):
    """An answer from the published content, with what it rests on."""

    answer: Annotated[Text, Prose()]
    """The answer; `[1]` stands for the first citation."""
    citations: list[Citation]
    """What the answer may cite; none where the content says nothing of the question."""
    model: Line
    """What wrote the answer."""
    retrieval: Retrieval
    """How the citations were found."""
    finish_reason: FinishReason
    """Why the answer ended."""
    citation_lint: CitationLint
    """The check of the answer against its citations."""


class ChatMeta(Output):
    """What is known before the first word."""

    model: Line
    """What writes the answer."""
    retrieval: Retrieval
    """How the citations were found."""
    citations: list[Citation]
    """What the answer may cite."""


class ChatToken(Output):
    """A piece of the answer."""

    token: Text
    """The piece; all pieces together are the answer."""


class ChatComplete(Output):
    """What is known after the last word."""

    citation_lint: CitationLint
    """The check of the answer against its citations."""
    finish_reason: FinishReason
    """Why the answer ended."""
    model: Line
    """What wrote the answer."""
    error: Line | None = None
    """The code of what went wrong amid the answer."""


class ChatEvent(Output):
    """One event of an answer: it has one member, whose name is the event's."""

    meta: ChatMeta | None = None
    """First, once."""
    data: ChatToken | None = None
    """Then, any number of times."""
    complete: ChatComplete | None = None
    """Last, once."""
