"""What callers ask of the studio's content, for one revision of it: checked, counted, answered.

Translates between the words of the schema and those of the wing. Loads nothing itself. What holds
a caller's, a model's or half an owner's words is made unchecked: they keep no rule of whole texts.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from resolvers.answers.faults import ModelFault
from resolvers.answers.models import Loaded
from resolvers.answers.wing import Wing, refused
from resolvers.limits import Limits
from schema.ask import (
    Band,
    Embedding,
    Embeddings,
    EmbedInput,
    Retrieval,
    SearchHit,
    SearchInput,
    SearchResult,
)
from schema.caller import Caller
from schema.chat import (
    ChatAnswer,
    ChatComplete,
    ChatEvent,
    ChatInput,
    ChatMeta,
    ChatToken,
    Citation,
    CitationLint,
    FinishReason,
    UnsupportedSentence,
)
from schema.errors import AiUnavailable, Unavailable
from schema.intent import (
    Confidence,
    IntentInput,
    IntentRequest,
    Recommendation,
    Route,
    ToolCall,
)
from schema.json_values import JsonObject, Vector
from schema.words import Path, Slug

if TYPE_CHECKING:
    from resolvers.answers.chat import Complete, Meta
    from resolvers.answers.citations import Lint
    from resolvers.answers.dialogue import Source
    from resolvers.answers.intent import Recommendation as Recommended

MOST_UNSUPPORTED = 20
"""How many sentences are named that are not borne out; all are counted."""
CHAT, EMBED = "chat", "embed"
"""The budgets."""
_DECIMALS = 4


@dataclass(frozen=True)
class Answers:
    """The counter where questions are asked."""

    wing: Wing
    limits: Limits
    chats: bool
    """Whether there is anything that writes answers."""

    async def search(self, given: SearchInput) -> SearchResult:
        """What a search finds. Raises: AiUnavailable."""
        loaded = await self.wing.loaded()
        kind = given.kind.value if given.kind is not None else None
        hits = await self.wing.run(loaded.index.search, given.query, given.limit, kind)
        found = [
            SearchHit.model_construct(
                kind=hit.entry.kind,
                slug=Slug(hit.entry.slug),
                title=hit.entry.title,
                url=Path(hit.entry.url),
                snippet=hit.snippet,
                score=hit.score,
            )
            for hit in hits
        ]
        return SearchResult.model_construct(
            query=given.query,
            kind=given.kind,
            count=len(found),
            results=found,
            model=loaded.embedder.model,
            retrieval=_retrieval(loaded),
        )

    async def embed(self, given: EmbedInput, caller: Caller) -> Embeddings:
        """The vectors of texts. Raises: RateLimited, Unavailable."""
        await self.limits.spend(EMBED, caller)
        loaded = await self.wing.loaded()
        vectors = await self.wing.embed(given.input)
        return Embeddings(
            model=loaded.embedder.model,
            dimensions=loaded.embedder.dimensions,
            data=[
                Embedding(embedding=Vector(row.tolist()), index=place)
                for place, row in enumerate(vectors)
            ],
        )

    async def route(self, given: IntentInput) -> Route:
        """Where a goal leads. Raises: AiUnavailable."""
        loaded = await self.wing.loaded()
        intent = await self.wing.made(loaded.intent)
        found = await self.wing.run(intent.route, given.goal, given.limit)
        return Route.model_construct(
            goal=given.goal,
            count=len(found),
            recommendations=[_recommendation(each) for each in found],
            model=loaded.embedder.model,
        )

    async def ask(self, given: ChatInput, caller: Caller) -> ChatAnswer:
        """The whole answer to a question. Raises: RateLimited, Unavailable."""
        meta, said = ChatMeta.model_construct(), list[str]()
        async with aclosing(self.chat(given, caller)) as events:
            async for event in events:
                if event.meta is not None:
                    meta = event.meta
                elif event.data is not None:
                    said.append(event.data.token)
                elif event.complete is not None:
                    if event.complete.error is not None:
                        raise AiUnavailable("The model failed amid its answer; ask again.")
                    return _whole(meta, "".join(said), event.complete)
        raise AiUnavailable("The model ended without an end; ask again.")

    async def chat(self, given: ChatInput, caller: Caller) -> AsyncGenerator[ChatEvent, None]:
        """The answer to a question, event by event. Raises: RateLimited, Unavailable."""
        from resolvers.answers.dialogue import (  # noqa: PLC0415 - of no use before a question
            Token,
            Turn,
            question_of,
        )

        try:
            await self.limits.spend(CHAT, caller)
        except Unavailable as error:
            raise AiUnavailable(error.detail, retry_seconds=error.retry_seconds) from None
        if not self.chats:
            raise AiUnavailable("Nothing here writes answers: the owner switched it off.")
        loaded = await self.wing.loaded()
        said = [Turn(message.role.value, message.content) for message in given.messages or ()]
        question = question_of(given.query, said)
        try:
            async with aclosing(loaded.chat.events(question, given.top_k, caller.hurry)) as events:
                async for event in events:
                    if isinstance(event, Token):
                        # A piece is no whole text: by itself it may look like a heading or a rule.
                        yield ChatEvent(data=ChatToken.model_construct(token=event.text))
                    else:
                        yield _framing(event, loaded, given.top_k)
        except ModelFault as fault:
            raise refused(fault) from None


def _framing(event: "Meta | Complete", loaded: Loaded, top_k: int) -> ChatEvent:
    from resolvers.answers.chat import Meta  # noqa: PLC0415 - loaded with the models

    if isinstance(event, Meta):
        retrieval = _retrieval(loaded, top_k=top_k, band=Band(event.band), revision=loaded.digest)
        cited = [_citation(source) for source in event.sources]
        return ChatEvent(meta=ChatMeta(model=event.model, retrieval=retrieval, citations=cited))
    failed = event.reason == "error"
    return ChatEvent(
        complete=ChatComplete(
            citation_lint=_lint(event.lint),
            finish_reason=FinishReason(event.reason),
            model=event.model,
            error=AiUnavailable.code if failed else None,
        )
    )


def _retrieval(loaded: Loaded, **more: Any) -> Retrieval:
    embedder = loaded.embedder
    return Retrieval(
        mode=loaded.index.mode, embedder=embedder.model, dimensions=embedder.dimensions, **more
    )


def _citation(source: "Source") -> Citation:
    return Citation(
        n=source.n,
        kind=source.kind,
        slug=Slug(source.slug),
        title=source.title,
        score=round(source.score, _DECIMALS),
        url=Path(source.url),
    )


def _lint(found: "Lint") -> CitationLint:
    return CitationLint(
        version=found.version,
        method=found.method,
        ok=found.ok,
        sentences=found.sentences,
        cited=found.cited,
        supported=found.supported,
        unsupported=[
            UnsupportedSentence.model_construct(
                sentence=each.sentence, reason=each.reason, markers=list(each.markers)
            )
            for each in found.unsupported[:MOST_UNSUPPORTED]
        ],
        unknown_markers=list(found.unknown_markers),
        unused_citations=list(found.unused_citations),
        citation_recall=found.citation_recall,
        citation_precision=found.citation_precision,
    )


def _whole(meta: ChatMeta, answer: str, complete: ChatComplete) -> ChatAnswer:
    return ChatAnswer.model_construct(  # a model's words keep no rules of ours for prose
        answer=answer,
        citations=meta.citations,
        model=complete.model,
        retrieval=meta.retrieval,
        finish_reason=complete.finish_reason,
        citation_lint=complete.citation_lint,
    )


def _recommendation(found: "Recommended") -> Recommendation:
    request, call = found.request, found.mcp
    return Recommendation(
        rank=found.rank,
        score=found.score,
        confidence=Confidence(found.confidence),
        why=found.why,
        operation=found.operation,
        title=found.title,
        method=found.method,
        path=found.path,
        tool=found.tool,
        requires=list(found.requires),
        request=IntentRequest.model_construct(
            method=request.method,
            path=request.path,
            headers=_object(request.headers or None),
            body=_object(request.body),
        ),
        mcp=ToolCall(name=call.name, arguments=JsonObject(call.arguments)) if call else None,
    )


def _object(members: Any) -> JsonObject | None:
    return JsonObject(members) if members is not None else None
