"""Search, chat, intent and embeddings as the GraphQL roots call them, for one revision.

Checks rate limits, waits for the models and turns their results into the schema's types. Values
that hold a caller's or a model's words are built without validation: the rules for published texts
do not apply to them.
"""

from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from resolvers.ai.runtime import ModelRuntime, unavailable_reason
from resolvers.embeddings.errors import ModelError
from resolvers.rate_limits.limiter import RateLimiter, network_of
from resolvers.usage.store import Asked
from schema.services.chat import Answered, ChatAnswer, ChatComplete, ChatEvent, ChatInput, ChatMeta
from schema.services.intent import (
    Confidence,
    IntentInput,
    IntentRequest,
    Recommendation,
    Route,
    ToolCall,
)
from schema.services.search import (
    Band,
    Embedding,
    Embeddings,
    EmbedInput,
    SearchHit,
    SearchInput,
    SearchResult,
)
from sdl.caller import Caller
from sdl.errors import AiUnavailableError, UnavailableError
from sdl.types.scalar_types import JsonObject, Path, Slug, Vector

if TYPE_CHECKING:
    from resolvers.intent import router
    from resolvers.usage.recorder import UsageRecorder

CHAT, EMBED = "chat", "embed"
"""The names of the rate limits."""
MAX_TEXTS = 3
"""How many results of a search carry their text, so that an answer stays small."""
RESULT_BYTES, VECTOR_BYTES = 2_000, 25_000
"""What a kept result takes, with a share of the question, and a kept vector, about."""
CALL_CHARACTERS = 2000
"""The characters of texts to embed that count as one call: those of the longest text."""
STEP_TEXTS = 4
"""How many texts are embedded before other callers have their turn; up to a third of a second."""
SWITCHED_OFF_SECONDS = 3600
"""When to try again where chat is switched off: that changes at a restart alone."""
QUESTION_CHARACTERS = 500
"""A question costs one more for each of these."""


@dataclass(frozen=True)
class AnswerService:
    """Answers questions about the published content."""

    runtime: ModelRuntime
    limits: RateLimiter
    chats: bool
    """Whether chat is switched on."""
    usage: "UsageRecorder | None" = None
    """Keeps questions where the owner wants it; None to keep none."""

    async def search(self, query: SearchInput, caller: Caller) -> SearchResult:
        """Search the published content. Raises: AiUnavailableError."""
        engine = await self.runtime.engine()
        kinds = {kind.value for kind in (query.kind, *(query.kinds or ())) if kind is not None}
        key = ("search", query.query, query.limit, frozenset(kinds))
        if (found := engine.finished.get(key)) is None:
            search = self._in_turn(caller, query.query)
            found = await search(engine.search, query.query, query.limit, kinds)
            engine.finished.add(key, found, RESULT_BYTES * (1 + len(found[0])))
        hits, band = found
        self._note(Asked.SEARCH, query.query, caller, answered=band is not Band.REFUSE)
        results = [
            SearchHit.model_construct(
                kind=hit.document.kind,
                slug=Slug(hit.document.slug),
                title=hit.document.title,
                url=Path(hit.document.url),
                snippet=hit.snippet,
                score=hit.score,
                text=hit.document.text if query.text and rank < MAX_TEXTS else None,
            )
            for rank, hit in enumerate(hits)
        ]
        return SearchResult.model_construct(
            query=query.query,
            kind=query.kind,
            count=len(results),
            results=results,
            model=engine.embedder.model,
            retrieval=engine.index.retrieval(band=band),
        )

    async def embed(self, texts: EmbedInput, caller: Caller) -> Embeddings:
        """Embed texts. Raises: RateLimitedError, UnavailableError."""
        cost = sum(map(len, texts.input))
        await self.limits.consume(EMBED, caller, -(-cost // CALL_CHARACTERS))
        engine = await self.runtime.models()
        embed, finished = engine.embedder.embed_documents, engine.finished
        run = partial(self.runtime.run_in_turn, caller=_key(caller))
        vectors: dict[str, Any] = {text: finished.get(("embed", text)) for text in texts.input}
        new = [text for text, vector in vectors.items() if vector is None]
        with self.runtime.admit(_key(caller), 1 + cost // CALL_CHARACTERS):
            for start in range(0, len(new), STEP_TEXTS):
                step = new[start : start + STEP_TEXTS]
                for text, vector in zip(step, await run(embed, step), strict=True):
                    vectors[text] = vector.tolist()
                    finished.add(("embed", text), vectors[text], VECTOR_BYTES + 4 * len(text))
        return Embeddings(
            model=engine.embedder.model,
            dimensions=engine.embedder.dimensions,
            data=[
                Embedding(embedding=Vector(vectors[text]), index=index)
                for index, text in enumerate(texts.input)
            ],
        )

    async def route(self, goal: IntentInput, caller: Caller) -> Route:
        """Recommend operations for a goal. Raises: AiUnavailableError."""
        engine = await self.runtime.engine()
        key = ("intent", goal.goal, goal.limit)
        if (matches := engine.finished.get(key)) is None:
            route = self._in_turn(caller, goal.goal)
            matches = await route(engine.intent.route, goal.goal, goal.limit)
            engine.finished.add(key, matches, RESULT_BYTES * (1 + len(matches)))
        is_served = bool(matches) and Confidence(matches[0].confidence) is not Confidence.LOW
        self._note(Asked.GOAL, goal.goal, caller, answered=is_served)
        return Route.model_construct(
            goal=goal.goal,
            count=len(matches),
            recommendations=[_recommendation(match) for match in matches],
            model=engine.embedder.model,
        )

    async def ask(self, question: ChatInput, caller: Caller) -> ChatAnswer:
        """Answer a question at once. Raises: RateLimitedError, AiUnavailableError."""
        meta, texts = ChatMeta.model_construct(), list[str]()
        async with aclosing(self.chat(question, caller)) as events:
            async for event in events:
                if event.meta is not None:
                    meta = event.meta
                elif event.data is not None:
                    texts.append(event.data.token)
                elif event.complete is not None:
                    if event.complete.error is not None:
                        raise AiUnavailableError(
                            "The model failed while it wrote the answer. Try again."
                        )
                    return _answer("".join(texts), meta, event.complete)
        raise AiUnavailableError("The model's answer was cut off. Try again.")

    async def chat(self, question: ChatInput, caller: Caller) -> AsyncGenerator[ChatEvent, None]:
        """Answer a question event by event. Raises: RateLimitedError, AiUnavailableError."""
        from resolvers.chat.conversation import (  # noqa: PLC0415 - numpy takes 0.15 s
            Message,
            request_of,
        )

        try:
            await self.limits.consume(CHAT, caller)
        except UnavailableError as error:
            raise AiUnavailableError(error.detail, retry_seconds=error.retry_seconds) from None
        if not self.chats:
            raise AiUnavailableError(
                "Chat is switched off on this server. Use search instead; it still works.",
                retry_seconds=SWITCHED_OFF_SECONDS,
            )
        engine = await self.runtime.chat_engine()
        messages = [
            Message(message.role.value, message.content) for message in question.messages or ()
        ]
        request = request_of(question.query, messages)
        try:
            search = self._in_turn(caller, request.text)
            stream = engine.chat.stream(request, question.top_k, caller.stop, search)
            async with aclosing(stream) as events:
                async for event in events:
                    if (end := event.complete) is not None and end.error is None:
                        is_answered = end.answered is Answered.YES
                        self._note(Asked.QUESTION, request.text, caller, answered=is_answered)
                    yield event
        except ModelError as error:
            raise unavailable_reason(error) from None

    def _note(self, kind: Asked, text: str, caller: Caller, *, answered: bool) -> None:
        if self.usage is not None:
            self.usage.note_question(kind, text, caller, answered=answered)

    def _in_turn(self, caller: Caller, question: str) -> Callable[..., Coroutine[Any, Any, Any]]:
        """Return a function that runs a blocking one for a question, in its caller's turn."""
        cost = 1 + len(question) // QUESTION_CHARACTERS
        return partial(self.runtime.run_blocking, caller=_key(caller), cost=cost)


def _key(caller: Caller) -> str:
    """Return what counts as one caller: an address, or a network of IPv6."""
    return network_of(caller.address)


def _answer(text: str, meta: ChatMeta, complete: ChatComplete) -> ChatAnswer:
    unused = complete.citation_lint.unused_citations
    return ChatAnswer.model_construct(  # a model's text need not follow the rules for prose
        answer=text,
        citations=[citation for citation in meta.citations if citation.n not in unused],
        model=complete.model,
        retrieval=meta.retrieval,
        answered=complete.answered,
        basis=complete.basis,
        finish_reason=complete.finish_reason,
        citation_lint=complete.citation_lint,
    )


def _recommendation(match: "router.Recommendation") -> Recommendation:
    request, call = match.request, match.mcp
    return Recommendation(
        rank=match.rank,
        score=match.score,
        confidence=Confidence(match.confidence),
        why=match.why,
        operation=match.operation,
        title=match.title,
        method=match.method,
        path=match.path,
        tool=match.tool,
        requires=list(match.requires),
        request=IntentRequest.model_construct(
            method=request.method,
            path=request.path,
            headers=_json_object(request.headers or None),
            body=_json_object(request.body),
        ),
        mcp=ToolCall(name=call.name, arguments=JsonObject(call.arguments)) if call else None,
    )


def _json_object(members: Any) -> JsonObject | None:
    return JsonObject(members) if members is not None else None
