"""What callers ask of the studio's content, for one revision of it: checked, counted, answered.

Translates between the words of the schema and those of the wing. Loads nothing itself. What holds
a caller's, a model's or half an owner's words is made unchecked: they keep no rule of whole texts.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from resolvers.ai.runtime import ModelRuntime, unavailable_reason
from resolvers.embeddings.errors import ModelError
from resolvers.rate_limits.limiter import RateLimiter
from schema.chat import ChatAnswer, ChatComplete, ChatEvent, ChatInput, ChatMeta
from schema.intent import (
    Confidence,
    IntentInput,
    IntentRequest,
    Recommendation,
    Route,
    ToolCall,
)
from schema.search import (
    Embedding,
    Embeddings,
    EmbedInput,
    SearchHit,
    SearchInput,
    SearchResult,
)
from sdl.caller import Caller
from sdl.errors import AiUnavailableError, UnavailableError
from sdl.json_values import JsonObject, Vector
from sdl.scalar_types import Path, Slug

if TYPE_CHECKING:
    from resolvers.intent.router import Recommendation as Recommended

CHAT, EMBED = "chat", "embed"
"""The budgets."""


@dataclass(frozen=True)
class AnswerService:
    """The counter where questions are asked."""

    runtime: ModelRuntime
    limits: RateLimiter
    chats: bool
    """Whether there is anything that writes answers."""

    async def search(self, given: SearchInput) -> SearchResult:
        """What a search finds. Raises: AiUnavailable."""
        loaded = await self.runtime.engine()
        kind = given.kind.value if given.kind is not None else None
        hits = await self.runtime.run_blocking(loaded.index.search, given.query, given.limit, kind)
        found = [
            SearchHit.model_construct(
                kind=hit.document.kind,
                slug=Slug(hit.document.slug),
                title=hit.document.title,
                url=Path(hit.document.url),
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
            retrieval=loaded.index.retrieval(),
        )

    async def embed(self, given: EmbedInput, caller: Caller) -> Embeddings:
        """The vectors of texts. Raises: RateLimited, Unavailable."""
        await self.limits.consume(EMBED, caller)
        loaded = await self.runtime.engine()
        vectors = await self.runtime.embed(given.input)
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
        loaded = await self.runtime.engine()
        intent = await self.runtime.is_loaded(loaded.intent)
        found = await self.runtime.run_blocking(intent.route, given.goal, given.limit)
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
                        raise AiUnavailableError("The model failed amid its answer; ask again.")
                    return _whole(meta, "".join(said), event.complete)
        raise AiUnavailableError("The model ended without an end; ask again.")

    async def chat(self, given: ChatInput, caller: Caller) -> AsyncGenerator[ChatEvent, None]:
        """The answer to a question, event by event. Raises: RateLimited, Unavailable."""
        from resolvers.chat.conversation import (  # noqa: PLC0415 - of no use before a question
            Message,
            request_of,
        )

        try:
            await self.limits.consume(CHAT, caller)
        except UnavailableError as error:
            raise AiUnavailableError(error.detail, retry_seconds=error.retry_seconds) from None
        if not self.chats:
            raise AiUnavailableError("Nothing here writes answers: the owner switched it off.")
        loaded = await self.runtime.engine()
        said = [Message(message.role.value, message.content) for message in given.messages or ()]
        question = request_of(given.query, said)
        try:
            async with aclosing(loaded.chat.stream(question, given.top_k, caller.stop)) as events:
                async for event in events:
                    yield event
        except ModelError as fault:
            raise unavailable_reason(fault) from None


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
