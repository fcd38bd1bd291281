"""One chat: retrieve, answer, check. One generator makes the events; the whole answer folds them.

Nothing is yielded before the first piece of the answer is there, so that what cannot be answered
can still be refused. Knows no HTTP and counts no calls.
"""

import asyncio
import re
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Sequence,
)
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, cast

from resolvers.chat.canned import REFUSAL
from resolvers.chat.citation_check import CitationCheck, check_citations
from resolvers.chat.conversation import (
    Answerer,
    ChatRequest,
    Finish,
    Reason,
    Source,
    TextDelta,
    search_text,
)
from resolvers.chat.grounding import Embed, Idf
from resolvers.embeddings.errors import ModelError
from resolvers.search.documents import Document
from resolvers.search.index import Band, Hit, Index
from sdl.caller import StopSignal

RunBlocking = Callable[..., Coroutine[Any, Any, Any]]
"""Runs a blocking function with its arguments elsewhere."""

_WORDS = re.compile(r"\s*\S+(?:\s+\S+){0,2}\s*\Z|\s*\S+(?:\s+\S+){0,2}")
_MARKER = re.compile(r"\[([1-9][0-9]?)\]")


@dataclass(frozen=True)
class AnswerStart:
    """What is known before the first piece."""

    model: str
    band: Band
    sources: tuple[Source, ...]


@dataclass(frozen=True)
class AnswerEnd:
    """What is known after the last piece."""

    model: str
    reason: Reason
    lint: CitationCheck


Event = AnswerStart | TextDelta | AnswerEnd


@dataclass(frozen=True)
class ChatPipeline:
    """Answers questions from one index: by quotes, or by a model and the gate in front of it."""

    index: Index
    quoting: Answerer
    """Quotes the content itself; it says all at once, and is there when no model is."""
    writing: Answerer | None
    """The language model behind its gate, where one is set."""
    falls_back: bool
    """Whether quotes stand in for the model while it does not answer."""
    run: RunBlocking
    check: "CitationCheckFn"

    async def stream(
        self, question: ChatRequest, top_k: int, hurry: StopSignal | None = None
    ) -> AsyncGenerator[Event, None]:
        """Meta, then pieces, then Complete, which comes at once if there is a hurry.

        Raises: ModelFault before the first of them.
        """
        hits, band = await self.run(self._found, question, top_k)
        sources = _sources(hits) if band != "refuse" else ()
        if self.writing is None or band == "refuse":
            events = self._extract(question, sources, band)
        else:
            events = self._generate(self.writing, question, sources, band, hurry)
        async with aclosing(events) as told:
            async for event in told:
                yield event

    def _found(self, question: ChatRequest, top_k: int) -> tuple[list[Hit], Band]:
        """What is found, and how well it answers. Blocks. Raises: ModelFault."""
        hits = self.index.search(search_text(question), top_k, None)
        return hits, self.index.answerability(question.text, hits)

    async def _generate(
        self,
        writing: Answerer,
        question: ChatRequest,
        sources: tuple[Source, ...],
        band: Band,
        hurry: StopSignal | None,
    ) -> AsyncGenerator[Event, None]:
        """The events of a model's answer; those of quotes, if it does not begin and they may be."""
        async with aclosing(
            _until_stopped(writing.stream(question, sources, band), hurry)
        ) as stream:
            try:
                first = await anext(stream)
            except ModelError:
                if not self.falls_back:
                    raise
                events = self._extract(question, sources, band)
            else:
                cited = () if first == TextDelta(REFUSAL) else sources
                events = self._checked_events(writing.model, band, cited, first, stream)
            async with aclosing(events) as told:
                async for event in told:
                    yield event

    async def _extract(
        self, question: ChatRequest, sources: tuple[Source, ...], band: Band
    ) -> AsyncGenerator[Event, None]:
        """The events of quotes: they are all known at once, so only what is quoted is cited."""
        pieces = [piece async for piece in self.quoting.stream(question, sources, band)]
        answer = "".join(piece.text for piece in pieces if isinstance(piece, TextDelta))
        known = {source.n: source for source in sources}
        used = [n for n in dict.fromkeys(map(int, _MARKER.findall(answer))) if n in known]
        number = {old: new for new, old in enumerate(used, 1)}
        cited = tuple(replace(known[old], n=new) for old, new in number.items())
        told = _MARKER.sub(lambda found: f"[{number.get(int(found[1]), found[1])}]", answer)
        first, *rest = map(TextDelta, _WORDS.findall(told))
        stream = _listed([*rest, Finish("stop")])
        async with aclosing(
            self._checked_events(self.quoting.model, band, cited, first, stream)
        ) as events:
            async for event in events:
                yield event

    async def _checked_events(
        self,
        model: str,
        band: Band,
        sources: tuple[Source, ...],
        first: TextDelta | Finish,
        rest: AsyncIterator[TextDelta | Finish],
    ) -> AsyncGenerator[Event, None]:
        yield AnswerStart(model, band, sources)
        said: list[str] = []
        piece = first
        while isinstance(piece, TextDelta):
            said.append(piece.text)
            yield piece
            piece = await anext(rest)
        checked = await self.run(self.check, "".join(said), sources)
        yield AnswerEnd(model, piece.reason, checked)


@dataclass(frozen=True)
class CitationCheckFn:
    """The lint of answers about one revision."""

    idf: Idf
    embed: Embed | None
    """Embeds sentences and remembers them; none, where vectors say nothing of meanings."""
    own: frozenset[str]
    """The words of the studio's own name, which an answer may use unasked."""

    def __call__(self, answer: str, sources: Sequence[Source]) -> CitationCheck:
        """What is found; by words alone, while the embedder does not answer. Blocks."""
        try:
            return check_citations(answer, sources, self.idf, self.embed, self.own)
        except ModelError:
            return check_citations(answer, sources, self.idf, None, self.own)


def source_of(n: int, entry: Document, score: float = 0.0) -> Source:
    """The entry as something that an answer may cite."""
    return Source(n, entry.kind, entry.slug, entry.title, entry.url, score, entry.text)


def _sources(hits: Sequence[Hit]) -> tuple[Source, ...]:
    return tuple(source_of(n, hit.document, hit.score) for n, hit in enumerate(hits, 1))


async def _until_stopped(
    pieces: AsyncIterator[TextDelta | Finish], hurry: StopSignal | None
) -> AsyncGenerator[TextDelta | Finish, None]:
    """The pieces, and an early ending where there is a hurry."""
    async with aclosing(cast("AsyncGenerator[TextDelta | Finish, None]", pieces)) as rest:
        while True:
            piece = await (anext(rest) if hurry is None else _sooner(rest, hurry))
            yield piece
            if isinstance(piece, Finish):
                return


async def _sooner(
    pieces: AsyncIterator[TextDelta | Finish], hurry: StopSignal
) -> TextDelta | Finish:
    """The next piece, if it comes before the hurry."""
    coming, told = _task(anext(pieces)), _task(hurry.wait())
    try:
        await asyncio.wait([coming, told], return_when=asyncio.FIRST_COMPLETED)
        return coming.result() if coming.done() else Finish("error")
    finally:
        await _settled(coming, told)


def _task(waiting: Awaitable[Any]) -> "asyncio.Task[Any]":
    async def wait() -> Any:
        return await waiting

    return asyncio.create_task(wait())


async def _settled(*tasks: "asyncio.Task[Any]") -> None:
    """Nothing, once they are over; whoever is cancelled meanwhile, and again, waits for it too."""
    cancelled = False
    while not all(task.done() for task in tasks):
        for task in tasks:
            task.cancel()
        try:
            await asyncio.wait(tasks)
        except asyncio.CancelledError:
            cancelled = True  # a generator must stand still before it can be closed
    if cancelled:
        raise asyncio.CancelledError


async def _listed(pieces: Sequence[TextDelta | Finish]) -> AsyncIterator[TextDelta | Finish]:
    for piece in pieces:
        yield piece
