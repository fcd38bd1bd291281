"""One chat question: search, answer, check, as the events of `schema.chat`.

No event is yielded before the first piece of the answer exists, so a question that cannot be
answered still gets an ordinary error response.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from resolvers.chat.citation_check import check_citations
from resolvers.chat.conversation import (
    REFUSAL,
    Answerer,
    ChatRequest,
    Finish,
    Reason,
    Source,
    TextDelta,
    search_text,
)
from resolvers.chat.extractive import Extractive
from resolvers.chat.grounding import Embed, Idf
from resolvers.chat.output_filter import filter_stream
from resolvers.embeddings.errors import ModelError
from resolvers.search.documents import Document
from resolvers.search.index import Band, Hit, Index
from schema.chat import (
    ChatComplete,
    ChatEvent,
    ChatMeta,
    ChatToken,
    Citation,
    CitationLint,
    FinishReason,
)
from sdl.caller import StopSignal
from sdl.errors import AiUnavailableError
from sdl.scalar_types import Path, Slug

RunBlocking = Callable[..., Coroutine[Any, Any, Any]]
"""Runs a blocking function with its arguments in a thread."""

_DECIMALS = 4
_WORDS = re.compile(r"\s*\S+(?:\s+\S+){0,2}\s*\Z|\s*\S+(?:\s+\S+){0,2}")
_MARKER = re.compile(r"\[([1-9][0-9]?)\]")


@dataclass(frozen=True)
class ChatPipeline:
    """Answers questions about one revision, by quotes or by a language model."""

    digest: str
    """The revision."""
    index: Index
    quoting: Extractive
    """Quotes the published content."""
    writing: Answerer | None
    """The language model, if one is configured; its text passes the output filter."""
    base_url: str
    """The only URL that a model may name besides those of its sources."""
    falls_back: bool
    """Whether quotes replace the model's answer while the model fails."""
    run: RunBlocking
    check: "CitationCheckFn"

    async def stream(
        self, question: ChatRequest, top_k: int, stop: StopSignal | None = None
    ) -> AsyncGenerator[ChatEvent, None]:
        """Yield `meta`, then `data` events, then `complete`; `stop` ends the answer early.

        Raises: ModelError before the first event.
        """
        hits, band = await self.run(self._retrieve, question, top_k)
        sources = _sources(hits) if band != "refuse" else ()
        if self.writing is not None and band != "refuse":
            model = self.writing.model
            model_stream = self.writing.stream(question, sources, band)
            async with aclosing(filter_stream(model_stream, sources, self.base_url)) as pieces:
                try:
                    piece = await _next_piece(pieces, stop)
                except ModelError:
                    if not self.falls_back:
                        raise
                else:
                    cited = () if piece == TextDelta(REFUSAL) else sources
                    yield self._meta(model, cited, top_k, band)
                    texts: list[str] = []
                    while isinstance(piece, TextDelta):
                        texts.append(piece.text)
                        yield _token(piece.text)
                        piece = await _next_piece(pieces, stop)
                    yield await self._complete(model, cited, "".join(texts), piece.reason)
                    return
        model = self.quoting.model
        quotes = await self.run(self.quoting.answer, question, sources, band)
        answer, cited = _renumber(quotes, sources)
        yield self._meta(model, cited, top_k, band)
        for text in _WORDS.findall(answer):
            yield _token(text)
        yield await self._complete(model, cited, answer, "stop")

    def _retrieve(self, question: ChatRequest, top_k: int) -> tuple[list[Hit], Band]:
        """Return the hits and how well they answer. Blocks. Raises: ModelError."""
        hits = self.index.search(search_text(question), top_k, None)
        return hits, self.index.answerability(question.text, hits)

    def _meta(self, model: str, sources: Sequence[Source], top_k: int, band: Band) -> ChatEvent:
        retrieval = self.index.retrieval(top_k=top_k, band=band, revision=self.digest)
        citations = [_citation(source) for source in sources]
        return ChatEvent(meta=ChatMeta(model=model, retrieval=retrieval, citations=citations))

    async def _complete(
        self, model: str, sources: Sequence[Source], answer: str, reason: Reason
    ) -> ChatEvent:
        return ChatEvent(
            complete=ChatComplete(
                citation_lint=await self.run(self.check, answer, sources),
                finish_reason=FinishReason(reason),
                model=model,
                error=AiUnavailableError.code if reason == "error" else None,
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


def source_of(n: int, document: Document, score: float = 0.0) -> Source:
    """Return the document as a source that an answer may cite."""
    return Source(
        n, document.kind, document.slug, document.title, document.url, score, document.text
    )


def _sources(hits: Sequence[Hit]) -> tuple[Source, ...]:
    return tuple(source_of(n, hit.document, hit.score) for n, hit in enumerate(hits, 1))


def _citation(source: Source) -> Citation:
    return Citation(
        n=source.n,
        kind=source.kind,
        slug=Slug(source.slug),
        title=source.title,
        score=round(source.score, _DECIMALS),
        url=Path(source.url),
    )


def _token(text: str) -> ChatEvent:
    # Not validated: a piece of a text may look like a heading or other markup.
    return ChatEvent(data=ChatToken.model_construct(token=text))


def _renumber(answer: str, sources: Sequence[Source]) -> tuple[str, tuple[Source, ...]]:
    """Return the answer and the sources that it cites, both numbered from 1 in order of use."""
    by_number = {source.n: source for source in sources}
    used = [n for n in dict.fromkeys(map(int, _MARKER.findall(answer))) if n in by_number]
    numbers = {old: new for new, old in enumerate(used, 1)}
    cited = tuple(replace(by_number[old], n=new) for old, new in numbers.items())
    text = _MARKER.sub(lambda match: f"[{numbers.get(int(match[1]), match[1])}]", answer)
    return text, cited


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
