"""One chat question: search, answer, check, as the events of `schema.chat`.

No event is yielded before the first piece of the answer exists, so a question that cannot be
answered still gets an ordinary error response. Whether an answer says that it answers is decided in
`resolvers/facts/answers.py`, except for greetings and refusals of a language model.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Hashable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from resolvers.chat.citation_check import check_citations, count_removed
from resolvers.chat.conversation import (
    REFUSAL,
    Answerer,
    ChatRequest,
    Finish,
    Source,
    TextDelta,
    search_text,
)
from resolvers.chat.grounding import Embed, Idf
from resolvers.chat.output_filter import filter_stream
from resolvers.chat.quoting import BANDS, MODEL, QuotedAnswer, is_greeting, quote
from resolvers.embeddings.errors import ModelError
from resolvers.facts.answers import FactAnswer, FactAnswers
from resolvers.search.documents import Document
from resolvers.search.index import Band, Hit, Index
from schema.chat import (
    Answered,
    Basis,
    ChatComplete,
    ChatEvent,
    ChatMeta,
    ChatToken,
    Citation,
    CitationLint,
    FinishReason,
)
from sdl.byte_cache import ByteCache
from sdl.caller import StopSignal
from sdl.errors import AiUnavailableError
from sdl.scalar_types import Path, Slug

RunBlocking = Callable[..., Coroutine[Any, Any, Any]]
"""Runs a blocking function with its arguments in a thread."""

_DECIMALS = 4
_KEPT_BYTES = 8 * 2**20
_KEPT_OBJECTS = 4_000
"""What an answer takes beside its texts. Units: bytes."""
_WORDS = re.compile(r"\s*\S+(?:\s+\S+){0,2}\s*\Z|\s*\S+(?:\s+\S+){0,2}")


@dataclass(frozen=True)
class ChatPipeline:
    """Answers questions about one revision, by quotes or by a language model."""

    digest: str
    """The revision."""
    index: Index
    facts: FactAnswers
    """Answers from fields and the owner's sentences."""
    writing: Answerer | None
    """The language model, if one is configured; its text passes the output filter."""
    base_url: str
    """The only URL that a model may name besides those of its sources."""
    falls_back: bool
    """Whether quotes replace the model's answer while the model fails."""
    run: RunBlocking
    check: "CitationCheckFn"
    overview: Source
    """The typed fields of the studio, which a model gets as the last source."""
    kept: ByteCache[Any] = field(default_factory=lambda: ByteCache(_KEPT_BYTES))
    """Answers without a language model and checks, for when the same is asked again."""

    async def stream(
        self,
        question: ChatRequest,
        top_k: int,
        stop: StopSignal | None = None,
        run: RunBlocking | None = None,
    ) -> AsyncGenerator[ChatEvent, None]:
        """Yield `meta`, then `data` events, then `complete`; `stop` ends the answer early.

        `run` looks for the answer, and may refuse to. Raises: ModelError before the first event.
        """
        run = run or self.run
        size = sum(len(message.content) for message in question.history) + len(question.text)
        facts, quoted = await self._once(
            ("answer", question, top_k), size, run, answer_and_quote, self.facts, question, top_k
        )
        band = BANDS[facts.answered]
        hits: list[Hit] = []
        if self.writing is not None:
            search = self.index.search_and_judge
            hits, judged = await run(search, search_text(question), top_k)
            band = judged if band == "refuse" else band
        if self.writing is not None and band != "refuse":
            model = self.writing.model
            sources = self._sources(quoted.sources, hits[: max(0, top_k - len(quoted.sources))])
            model_stream = self.writing.stream(question, sources, band)
            checked = filter_stream(model_stream, sources, self.base_url, self.check.own)
            async with aclosing(checked) as pieces:
                try:
                    piece = await _next_piece(pieces, stop)
                except ModelError:
                    if not self.falls_back:
                        raise
                else:
                    is_refused = piece == TextDelta(REFUSAL)
                    cited = () if is_refused else sources
                    yield self._meta(model, cited, top_k, band)
                    texts: list[str] = []
                    while isinstance(piece, TextDelta):
                        texts.append(piece.text)
                        yield _token(piece.text)
                        piece = await _next_piece(pieces, stop)
                    if is_refused:
                        facts = FactAnswer((), "no", "none")
                    yield await self._complete(model, cited, "".join(texts), piece, facts)
                    return
        yield self._meta(MODEL, quoted.sources, top_k, band)
        for text in _WORDS.findall(quoted.text):
            yield _token(text)
        yield await self._complete(MODEL, quoted.sources, quoted.text, Finish("stop"), facts)

    def _meta(self, model: str, sources: Sequence[Source], top_k: int, band: Band) -> ChatEvent:
        retrieval = self.index.retrieval(top_k=top_k, band=band, revision=self.digest)
        citations = [_citation(source) for source in sources]
        return ChatEvent(meta=ChatMeta(model=model, retrieval=retrieval, citations=citations))

    def _sources(self, sources: Sequence[Source], hits: Sequence[Hit]) -> tuple[Source, ...]:
        """Return the facts, the entries found by search and the overview, numbered on."""
        first = len(sources) + 1
        entries = [source_of(n, hit.document, hit.score) for n, hit in enumerate(hits, first)]
        return (*sources, *entries, replace(self.overview, n=first + len(entries)))

    async def _once(
        self, key: Hashable, size: int, run: RunBlocking, work: Callable[..., Any], *arguments: Any
    ) -> Any:
        """Return what blocking work makes, or what it made for the same key before.

        `size` is how long the texts in the key are; what is made of them is about as long.
        """
        made = self.kept.get(key)
        if made is None:
            made = await run(work, *arguments)
            self.kept.add(key, made, 4 * size + _KEPT_OBJECTS)
        return made

    async def _complete(
        self,
        model: str,
        sources: Sequence[Source],
        answer: str,
        finish: Finish,
        facts: FactAnswer,
    ) -> ChatEvent:
        size = sum(len(source.text) for source in sources) + len(answer)
        key = ("lint", answer, *sources)
        lint = await self._once(key, size, self.run, self.check, answer, sources)
        removed = count_removed(finish.removed)
        return ChatEvent(
            complete=ChatComplete(
                answered=Answered(facts.answered),
                basis=Basis(facts.basis),
                citation_lint=lint.model_copy(update={"removed": removed}),
                finish_reason=FinishReason(finish.reason),
                model=model,
                error=AiUnavailableError.code if finish.reason == "error" else None,
            )
        )


@dataclass(frozen=True)
class CitationCheckFn:
    """Checks the citations of answers about one revision."""

    idf: Idf
    embed: Embed | None
    """Embeds sentences and remembers them; `None` where vectors carry no meaning."""
    own: frozenset[str]
    """The words of the studio's own name, which an answer may use without a source."""

    def __call__(self, answer: str, sources: Sequence[Source]) -> CitationLint:
        """Check the answer, by words alone while the embedder fails. Blocks."""
        try:
            return check_citations(answer, sources, self.idf, self.embed, self.own)
        except ModelError:
            return check_citations(answer, sources, self.idf, None, self.own)


def answer_facts(facts: FactAnswers, question: ChatRequest) -> FactAnswer:
    """Return what fields and sentences say; nothing for a mere greeting.

    Blocks. Raises: ModelError.
    """
    if is_greeting(question.text):
        return FactAnswer((), "no", "none")
    turns = [(message.role, message.content) for message in question.history]
    return facts.answer(question.text, turns)


def answer_and_quote(
    facts: FactAnswers, question: ChatRequest, top_k: int
) -> tuple[FactAnswer, QuotedAnswer]:
    """Return what fields and sentences say, and its words. Blocks. Raises: ModelError."""
    said = answer_facts(facts, question)
    return said, quote(question, said, top_k)


def source_of(n: int, document: Document, score: float = 0.0) -> Source:
    """Return the document as a source that an answer may cite, with its short fields."""
    text = f"{document.text}\n\n{document.facts}".strip()
    return Source(n, document.kind, document.slug, document.title, document.url, score, text)


def _citation(source: Source) -> Citation:
    return Citation(
        n=source.n,
        kind=source.kind,
        slug=Slug(source.slug),
        title=source.title,
        score=round(source.score, _DECIMALS),
        url=Path(source.url),
        pointer=source.pointer,
    )


def _token(text: str) -> ChatEvent:
    # Not validated: a piece of a text may look like a heading or other markup.
    return ChatEvent(data=ChatToken.model_construct(token=text))


async def _next_piece(
    pieces: AsyncGenerator[TextDelta | Finish, None], stop: StopSignal | None
) -> TextDelta | Finish:
    """Return the next piece, or an early `Finish` if `stop` is set before it comes."""
    if stop is None:
        return await anext(pieces)
    piece, stopped = _task(anext(pieces)), _task(stop.wait())
    try:
        await asyncio.wait([piece, stopped], return_when=asyncio.FIRST_COMPLETED)
        return piece.result() if piece.done() else Finish("error")
    finally:
        await _cancel_all(piece, stopped)


def _task(awaitable: Awaitable[Any]) -> "asyncio.Task[Any]":
    async def wait() -> Any:
        return await awaitable

    return asyncio.create_task(wait())


async def _cancel_all(*tasks: "asyncio.Task[Any]") -> None:
    """Cancel the tasks and wait until they ended, even if this task is cancelled meanwhile.

    A generator can be closed only after its running `anext` has ended.
    """
    cancelled = False
    while not all(task.done() for task in tasks):
        for task in tasks:
            task.cancel()
        try:
            await asyncio.wait(tasks)
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        raise asyncio.CancelledError
