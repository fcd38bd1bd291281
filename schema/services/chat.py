"""Chat: the request, the whole answer and its stream of events."""

import enum
from typing import Annotated, Any, Self

from pydantic import ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from schema.services.entry_graph import Info
from schema.services.search import Retrieval
from sdl.types.declare import Input, Output, enum_type, field
from sdl.types.marks import CallerName, Heading, Measured, Prose
from sdl.types.scalar_types import Flag, IntRange, Line, Path, Slug, Text, TextConstraint


@enum_type
class ChatRole(enum.Enum):
    """Who wrote a message of a conversation."""

    USER = "user"
    """The person or agent who asks."""
    ASSISTANT = "assistant"
    """The model that answered."""
    SYSTEM = "system"
    """Wishes about style; they cannot change the rules of the service."""


@enum_type
class FinishReason(enum.Enum):
    """Why an answer ended."""

    STOP = "stop"
    """The answer is complete."""
    LENGTH = "length"
    """The answer reached the maximum length."""
    TRUNCATED = "truncated"
    """The model stopped in the middle, or ran out of time."""
    ERROR = "error"
    """The model failed while answering."""


class ChatMessage(Input):
    """One message of a conversation."""

    role: ChatRole
    """Who wrote the message."""
    content: Annotated[str, TextConstraint(1, 4000, allow_any_character=True)]
    """The text of the message."""


MAX_MESSAGES = 1_000
"""The maximum number of messages; of these, the newest 16,000 characters are used."""
_HAS_USER_MESSAGE: dict[str, Any] = {
    "contains": {"properties": {"role": {"const": ChatRole.USER.value}}, "required": ["role"]}
}
"""The part of `_check_question` that a JSON Schema can say: a message has the role user."""


class ChatInput(Input):
    """A question about the studio, as a single `query` or as a conversation in `messages`."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["query"]}, {"required": ["messages"]}]}
    )

    query: Annotated[str, TextConstraint(2, 2000, allow_any_character=True)] | None = None
    """A question; give either this or `messages`."""
    messages: Annotated[
        Annotated[list[ChatMessage], Field(max_length=MAX_MESSAGES)] | None,
        Field(json_schema_extra=_HAS_USER_MESSAGE),
    ] = None
    """A conversation, oldest first; its last user message is the question."""
    top_k: Annotated[int, IntRange(1, 10)] = 5
    """The maximum number of entries to answer from."""
    agent: Annotated[str, TextConstraint(0, 120), CallerName()] | None = None
    """Name and version of the calling AI agent."""
    proof: Flag = False
    """Prove that the studio published the cited entries."""

    @model_validator(mode="after")
    def _check_question(self) -> Self:
        if (self.query is None) == (self.messages is None):
            raise PydanticCustomError("one_question", "must have one of query and messages")
        roles = {message.role for message in self.messages or ()}
        if self.query is None and ChatRole.USER not in roles:
            rule = "messages must contain a message with the role user"
            raise PydanticCustomError("one_question", rule)
        return self


@enum_type
class Answered(enum.Enum):
    """Whether an answer says what was asked for."""

    YES = "yes"
    """It does, as far as the check of its lines can tell."""
    PARTLY = "partly"
    """It says what is published that comes nearest."""
    NO = "no"
    """No published answer was found."""


@enum_type
class Basis(enum.Enum):
    """What an answer rests on."""

    FIELD = "field"
    """A field of the content, read by a stored operation."""
    FAQ = "faq"
    """The owner's answer to a question like this one."""
    DEFINITION = "definition"
    """The owner's text about the entry that is named."""
    QUOTATION = "quotation"
    """Sentences of the content that are alike."""
    NONE = "none"
    """No source: nothing that is published answers it."""


class Citation(Output):
    """An entry of the published content that the answer may cite."""

    n: int
    """The number that cites it in the answer, as in `[1]`."""
    kind: Line
    """The entry's kind."""
    slug: Slug
    """The entry's slug, unique within its kind."""
    title: Annotated[Line, Heading()]
    """The entry's title."""
    score: float
    """The relevance to the question, from 0 to 1."""
    url: Path
    """The path of the entry on this service."""
    pointer: str | None = None
    """The JSON pointer (RFC 6901) of what was said, in the JSON body at `url`; empty for all of
    it."""

    @field()
    def proof(self, info: Info) -> Path | None:
        """The path of the proof that it was published."""
        path = info.context.proof_path(self.url)
        return None if path is None else Path(path)


class UnsupportedSentence(Output):
    """A sentence of the answer that its citations do not support."""

    sentence: Text
    """The sentence."""
    reason: Line
    """
    Why: it is `uncited`, or its sources lack its `number`, name (`entity`), `url` or another word
    (`coverage`), or deny or reorder it (`polarity`).
    """
    markers: list[int]
    """The citation numbers in the sentence."""


class RemovedSentences(Output):
    """Sentences of a language model that were left out of the answer; their words are not shown."""

    reason: Line
    """Why they were: the reasons of `UnsupportedSentence`."""
    count: int
    """How many were left out."""


class CitationLint(Output):
    """An automatic check of the answer against its citations, word by word; not a proof."""

    version: Line
    """The version of the rules of this check."""
    method: Line
    """How sentences are compared with citations."""
    ok: Flag
    """Whether every sentence is supported, or no support was needed."""
    sentences: int
    """The number of sentences checked."""
    cited: int
    """The number of sentences that cite something."""
    supported: int
    """The number of sentences that their citations support."""
    unsupported: list[UnsupportedSentence]
    """The unsupported sentences, at most 20."""
    removed: list[RemovedSentences]
    """What was left out before the answer was sent, by reason; the other members ignore it."""
    unknown_markers: list[int]
    """Numbers in the answer that match no citation."""
    unused_citations: list[int]
    """The numbers of the entries that the answer could have cited and did not."""
    citation_recall: float
    """The share of sentences that are supported, from 0 to 1."""
    citation_precision: float
    """The share of citations that support their sentence, from 0 to 1."""


class ChatAnswer(Output):
    """An answer from the published content, with citations and a check of them."""

    answer: Annotated[Text, Prose()]
    """The text of the answer; `[1]` refers to the first citation."""
    citations: list[Citation]
    """The entries that the answer cites; empty if the content does not cover the question."""
    model: Line
    """The model that wrote the answer."""
    retrieval: Annotated[Retrieval, Measured()]
    """How the citations were found."""
    answered: Answered
    """Whether the answer says what was asked for."""
    basis: Basis
    """What the answer rests on."""
    finish_reason: FinishReason
    """Why the answer ended."""
    citation_lint: Annotated[CitationLint, Measured()]
    """The check of the answer against its citations."""
    proofs: list[str] | None = None
    """The proofs, as JSON texts."""


class ChatMeta(Output):
    """The first event of an answer: the model and the entries it may cite."""

    model: Line
    """The model that writes the answer."""
    retrieval: Retrieval
    """How the citations were found."""
    citations: list[Citation]
    """The entries the answer may cite."""


class ChatToken(Output):
    """A piece of the answer."""

    token: Text
    """The text; all pieces in their order are the answer."""


class ChatComplete(Output):
    """The last event of an answer: why it ended, and the check of its citations."""

    citation_lint: CitationLint
    """The check of the answer against its citations."""
    answered: Answered
    """Whether the answer says what was asked for."""
    basis: Basis
    """What the answer rests on."""
    finish_reason: FinishReason
    """Why the answer ended."""
    model: Line
    """The model that wrote the answer."""
    error: Line | None = None
    """The error code, if the answer failed in the middle."""


class ChatEvent(Output):
    """One event of a streamed answer; it has one member, which has the event's name."""

    meta: ChatMeta | None = None
    """The first event, sent once."""
    data: ChatToken | None = None
    """A piece of the answer, sent any number of times."""
    complete: ChatComplete | None = None
    """The last event, sent once."""
