"""One chat question: find lines, quote them or have them written, check; as events.

Besides the owner's words and a model's checked sentences only fixed phrases are written, and one
word of a question of which nothing is said.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, cast

from resolvers.answers.answers import Answer, Answers
from resolvers.answers.entry_search import Index
from resolvers.answers.lines import Line
from resolvers.chat.check import check_citations
from resolvers.chat.conversation import (
    GREETING,
    REFUSAL,
    Answerer,
    ChatRequest,
    Finish,
    Source,
    TextDelta,
    closest,
    in_another_language,
)
from resolvers.chat.written import checked
from resolvers.embeddings.errors import ModelError
from resolvers.search.sentences import join_sentences, split_sentences
from schema.language_names import language_note
from schema.services.chat import (
    Answered,
    Basis,
    ChatComplete,
    ChatEvent,
    ChatMeta,
    ChatToken,
    Citation,
    FinishReason,
)
from schema.services.search import Band
from sdl.caller import StopSignal
from sdl.errors import AiUnavailableError
from sdl.tools.background import cancel_all
from sdl.tools.byte_cache import ByteCache
from sdl.types.scalar_types import Path, Slug

RunBlocking = Callable[..., Coroutine[Any, Any, Any]]
"""Runs a blocking function with its arguments in a thread."""

MODEL = "extractive-v3"
BANDS = {"yes": Band.ANSWER, "partly": Band.CLOSEST, "no": Band.REFUSE}
"""What `retrieval.band` says for each value of `answered`."""
SILENCE_SECONDS = 15
"""After how long a stream gets its first event, though no word of the answer has come: proxies cut
connections on which nothing is sent."""
MAX_PASSAGES = 2_400
"""How much a language model gets to read: with our rules about 1,200 tokens, for which a small one
on two cores takes some ten seconds. Units: characters."""
_DECIMALS = 4
_KEPT_OBJECTS = 4_000
"""What an answer takes beside its texts. Units: bytes."""


@dataclass(frozen=True)
class Quoted:
    """An answer in the owner's words, the sources that it cites, and more that a model may."""

    text: str
    sources: tuple[Source, ...]
    further: tuple[Source, ...]
    answer: Answer


@dataclass
class _Written:
    """What became of a language model's answer."""

    sources: tuple[Source, ...]
    has_begun: bool = False
    """Whether its `meta` was sent."""
    is_answer: bool = False
    """Whether it is complete."""
    removed: tuple[str, ...] = ()


@dataclass(frozen=True)
class ChatPipeline:
    """Answers questions about one revision, by quotes or by a language model."""

    digest: str
    """The digest of the content of the revision."""
    index: Index
    answers: Answers
    writing: Answerer | None
    """The language model, if one is configured."""
    falls_back: bool
    """Whether quotes replace the model's answer while the model fails."""
    run: RunBlocking
    own: frozenset[str]
    """The stems of the studio's name, which any sentence may have."""
    kept: ByteCache[Any]
    """Answers in the owner's words, for when the same is asked again."""

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
        quoted = await self._quoted(question, top_k, run or self.run)
        written = _Written((*quoted.sources, *quoted.further))
        if self.writing is not None and quoted.sources:
            async with aclosing(self._write(question, quoted, top_k, stop, written)) as events:
                async for event in events:
                    yield event
            if written.is_answer:
                return
        sources = written.sources if written.has_begun else quoted.sources
        if not written.has_begun:
            yield self._meta(MODEL, sources, top_k, quoted)
        for text in quoted.text.splitlines(keepends=True):
            yield _token(text)
        finish = Finish("stop", written.removed)
        yield self._complete(MODEL, sources, quoted.text, finish, quoted)

    async def _write(
        self,
        question: ChatRequest,
        quoted: Quoted,
        top_k: int,
        stop: StopSignal | None,
        written: "_Written",
    ) -> AsyncGenerator[ChatEvent, None]:
        """Yield the events of what the language model writes; none if nothing of it stands.

        Raises: ModelError before the first event, unless quotes take its place.
        """
        assert self.writing is not None  # noqa: S101 - for the types
        model, sources = self.writing.model, written.sources
        pieces = checked(self.writing.stream(question, sources), sources, self.own)
        text = ""
        try:
            async with aclosing(pieces), aclosing(_with_silence(pieces, stop)) as items:
                async for item in items:
                    if not (isinstance(item, Finish) or written.has_begun):
                        written.has_begun = True
                        yield self._meta(model, sources, top_k, quoted)
                    if isinstance(item, TextDelta):
                        text += item.text
                        yield _token(item.text)
                    elif isinstance(item, Finish) and (text or item.reason == "error"):
                        written.is_answer = written.has_begun
                        if written.has_begun:
                            yield self._complete(model, sources, text, item, quoted)
                    elif isinstance(item, Finish):
                        written.removed = item.removed
        except ModelError:
            if self.falls_back:
                return
            if not written.has_begun:
                raise
            written.is_answer = True
            yield self._complete(model, sources, text, Finish("error"), quoted)

    def _meta(self, model: str, sources: Sequence[Source], top_k: int, quoted: Quoted) -> ChatEvent:
        band = BANDS[quoted.answer.answered]
        retrieval = self.index.retrieval(top_k=top_k, band=band, revision=self.digest)
        citations = [_citation(source) for source in sources]
        return ChatEvent(meta=ChatMeta(model=model, retrieval=retrieval, citations=citations))

    async def _quoted(self, question: ChatRequest, top_k: int, run: RunBlocking) -> Quoted:
        """Return the answer in the owner's words, or what was made of the same before."""
        key = (question, top_k)
        if (kept := self.kept.get(key)) is not None:
            return cast("Quoted", kept)
        quoted: Quoted = await run(quote, self.answers, question, top_k)
        size = sum(len(message.content) for message in question.history) + len(question.text)
        self.kept.add(key, quoted, 4 * size + _KEPT_OBJECTS)
        return quoted

    def _complete(
        self, model: str, sources: Sequence[Source], text: str, finish: Finish, quoted: Quoted
    ) -> ChatEvent:
        return ChatEvent(
            complete=ChatComplete(
                answered=Answered(quoted.answer.answered),
                basis=Basis(quoted.answer.basis),
                citation_lint=check_citations(text, sources, self.own, finish.removed),
                finish_reason=FinishReason(finish.reason),
                model=model,
                error=AiUnavailableError.code if finish.reason == "error" else None,
            )
        )


def quote(answers: Answers, question: ChatRequest, limit: int) -> Quoted:
    """Return the answer with its marks [n], from at most `limit` entries.

    Blocks. Raises: ModelError.
    """
    turns = [(message.role, message.content) for message in question.history]
    answer = answers.answer(question.text, turns)
    sources: dict[tuple[str, str], Source] = {}
    entries: set[tuple[str, str]] = set()
    rows: list[str] = []
    for line, score in answer.lines:
        if (line.kind, line.slug) not in entries and len(entries) == limit:
            continue
        entries.add((line.kind, line.slug))
        source = _source(line, score, len(sources) + 1)
        if (key := (line.url, line.pointer)) in sources:
            source = replace(sources[key], text=f"{sources[key].text}\n\n{line.text}")
        sources[key] = source
        rows.append(join_sentences(split_sentences(line.text), f"[{source.n}]"))
    if not rows:
        said = GREETING if answer.greets else REFUSAL
        if answer.is_foreign:
            said = in_another_language(answers.language)
        return Quoted(said, (), (), answer)
    if answer.answered != "yes" and not answer.lines[0][0].is_unpublished:
        rows.insert(0, closest(answer.missing, answer.lacks))
    if answer.is_foreign:
        rows.insert(0, language_note(answers.language))
    size = sum(len(source.text) for source in sources.values())
    further: list[Source] = []
    for line, score in answer.further:
        size += len(line.text)
        if size <= MAX_PASSAGES and (line.url, line.pointer) not in sources:
            further.append(_source(line, score, len(sources) + len(further) + 1))
    return Quoted("\n\n".join(rows), tuple(sources.values()), tuple(further), answer)


def _source(line: Line, score: float, n: int) -> Source:
    return Source(n, line.kind, line.slug, line.title, line.url, score, line.text, line.pointer)


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


async def _with_silence(
    pieces: AsyncGenerator[TextDelta | Finish, None], stop: StopSignal | None
) -> AsyncGenerator[TextDelta | Finish | None, None]:
    """Yield the pieces, `None` after a long silence at the start, and `Finish` early on `stop`."""
    has_waited = False
    stopped = asyncio.ensure_future(_wait(stop))
    piece: asyncio.Future[Any] | None = None
    try:
        while True:
            piece = piece or asyncio.ensure_future(_next(pieces))
            silence = None if has_waited else SILENCE_SECONDS
            await asyncio.wait({piece, stopped}, timeout=silence, return_when="FIRST_COMPLETED")
            if piece.done():
                item, piece, has_waited = piece.result(), None, True
                yield item
                if isinstance(item, Finish):
                    return
            elif stopped.done():
                yield Finish("error")
                return
            else:
                has_waited = True
                yield None
    finally:
        # A generator can be closed only after its running `anext` has ended.
        await cancel_all(stopped, *([piece] if piece is not None else []))


async def _next(pieces: AsyncGenerator[TextDelta | Finish, None]) -> TextDelta | Finish:
    return await anext(pieces)


async def _wait(stop: StopSignal | None) -> None:
    await (stop.wait() if stop is not None else asyncio.Event().wait())
