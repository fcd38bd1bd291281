"""The runtime with real models: what it builds anew, says and lets wait."""

import asyncio
import logging
import re
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from local_service import facts_of
from minimal_studio import write_minimal_studio
from running_server import eventually
from sample_operations import LLMS, PROJECT, ROOT

from content.reading.reader import load
from resolvers.ai.engine import AnswerEngine, Corpus, ModelConfig
from resolvers.ai.runtime import RETRY_SECONDS, ROOM, ModelRuntime
from resolvers.ai.service import CHAT, EMBED, STEP_TEXTS, AnswerService
from resolvers.chat.conversation import ChatRequest, Finish, Source, TextDelta
from resolvers.chat.language_model import LanguageModel, LanguageModelConfig
from resolvers.db.database import Database
from resolvers.embeddings.config import EmbedderConfig
from resolvers.embeddings.errors import ModelError
from resolvers.intent.operation import RoutableOperation
from resolvers.rate_limits.limiter import Limit, RateLimiter
from resolvers.search.sentences import split_sentences
from schema.services.chat import ChatEvent, ChatInput
from schema.services.intent import IntentInput
from schema.services.search import EmbedInput, SearchInput
from schema.site import Site
from sdl.caller import Caller, Channel
from sdl.errors import AiUnavailableError

NO_LIMITS = {name: Limit(name, 0, 60) for name in (CHAT, EMBED)}
FIRST, SECOND, THIRD = (f"sha256:{digit * 64}" for digit in "abc")
"""The digests of three revisions."""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A studio of few words, whose models are soon made."""
    return load(write_minimal_studio(tmp_path_factory.mktemp("studio") / "content"))


def models(
    folder: Path,
    writer: Callable[[], LanguageModel] | None = None,
    embedder: EmbedderConfig | None = None,
) -> ModelConfig:
    """Models that need no weights, and keep what they keep in the folder."""
    return ModelConfig(
        data=folder,
        embedder=embedder or EmbedderConfig("hash"),
        writer=writer,
        falls_back=False,
    )


def content(site: Site, digest: str, *posts: RoutableOperation) -> Corpus:
    """A revision of the studio from whose goals these posts lead on."""
    return Corpus(
        digest,
        site,
        lambda kind, slug: f"/{kind}/{slug}",
        lambda: posts,
        lambda: facts_of(site),
    )


def answering(runtime: ModelRuntime) -> AnswerEngine:
    """The engine, however long its libraries take to load."""
    while True:
        try:
            return asyncio.run(runtime.engine())
        except AiUnavailableError:
            if runtime.state != "loading":
                raise


def test_of_equal_content_only_where_goals_lead_to_is_looked_at_again(
    small: Site, tmp_path: Path
) -> None:
    runtime = ModelRuntime(models(tmp_path))
    runtime.set_content(content(small, FIRST, ROOT, LLMS))
    first = answering(runtime)
    runtime.set_content(content(small, FIRST, ROOT, LLMS, PROJECT))
    eventually(lambda: answering(runtime).intent is not first.intent)
    second = answering(runtime)
    assert second.index is first.index
    assert second.chat is first.chat
    assert second.intent.route("/api/projects/x")[0].operation == "GetProject"
    runtime.set_content(content(small, SECOND, ROOT, LLMS, PROJECT))
    eventually(lambda: answering(runtime).digest == SECOND)
    assert answering(runtime).index is not first.index
    asyncio.run(runtime.close())


def test_of_revisions_that_follow_at_once_only_the_last_is_indexed(
    small: Site, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "studiograph.answers")
    runtime = ModelRuntime(models(tmp_path))
    runtime.set_content(content(small, FIRST, ROOT))
    answering(runtime)
    eventually(lambda: runtime.state == "ready")
    for digest in (SECOND, THIRD):
        runtime.set_content(content(small, digest, ROOT))
        assert answering(runtime).digest == FIRST
    eventually(lambda: answering(runtime).digest == THIRD)
    asyncio.run(runtime.close())
    said = [record.getMessage() for record in caplog.records]
    said = [line for line in said if not line.startswith("embed")]
    assert said == [f"answers from {digest}, by hash768" for digest in (FIRST, THIRD)]


def test_chat_waits_for_a_language_model_that_is_set(small: Site, tmp_path: Path) -> None:
    config = LanguageModelConfig(base_url="http://127.0.0.1:9/v1", api_key="", model="m")
    runtime = ModelRuntime(models(tmp_path, writer=lambda: LanguageModel(config)))
    runtime.set_content(content(small, FIRST, ROOT))

    async def work() -> None:
        engine = await runtime.chat_engine()
        assert engine.chat.writing is not None
        assert runtime.state == "ready"
        await runtime.close()

    asyncio.run(work())


def test_a_fault_is_told_once_however_often_it_is_met(
    small: Site, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR, "studiograph.answers")
    met: list[str] = []
    now = [0.0]

    def writer() -> LanguageModel:
        met.append("")
        raise ModelError("There is no model." if len(met) < 3 else "There is another fault.")

    runtime = ModelRuntime(models(tmp_path, writer), clock=lambda: now[0])
    runtime.set_content(content(small, FIRST, ROOT))
    for times in (1, 2, 3):
        with pytest.raises(AiUnavailableError):
            answering(runtime)
        assert len(met) == times
        assert runtime.state == "unavailable"
        now[0] += RETRY_SECONDS
    assert [record.getMessage() for record in caplog.records] == [
        "questions are not answered: There is no model.",
        "questions are not answered: There is another fault.",
    ]
    asyncio.run(runtime.close())


def test_of_more_questions_than_there_is_room_for_the_last_is_refused(tmp_path: Path) -> None:
    runtime, gate = ModelRuntime(models(tmp_path)), threading.Event()

    async def crowd() -> None:
        callers = [f"192.0.2.{number}" for number in range(8)]
        waiting = [
            asyncio.create_task(runtime.run_blocking(gate.wait, caller=caller, cost=ROOM // 8))
            for caller in callers
        ]
        await asyncio.sleep(0)  # all of them begin
        with pytest.raises(AiUnavailableError) as refused:
            await runtime.run_blocking(gate.wait, caller="192.0.2.9")
        assert refused.value.retry_seconds == 1
        assert runtime.waiting == 6
        gate.set()
        assert all(await asyncio.gather(*waiting))
        assert await runtime.run_blocking(gate.wait)

    asyncio.run(crowd())
    asyncio.run(runtime.close())


def test_texts_to_embed_cost_a_call_for_each_2000_characters_and_keep_their_order(
    small: Site, tmp_path: Path
) -> None:
    runtime, caller = ModelRuntime(models(tmp_path)), Caller("192.0.2.1", Channel.HTTP)
    runtime.set_content(content(small, FIRST, ROOT))
    answering(runtime)
    store = Database(f"sqlite:///{tmp_path}/studio.db")
    limits = RateLimiter(store, {EMBED: Limit(EMBED, 60, 60)})
    service = AnswerService(runtime, limits, chats=True)
    texts = [f"text {number} ".ljust(1500, "x") for number in range(2 * STEP_TEXTS + 1)]

    async def embed(texts: list[str]) -> list[list[float]]:
        made = await service.embed(EmbedInput(input=texts), caller)
        assert [each.index for each in made.data] == [*range(len(texts))]
        return [each.embedding.numbers for each in made.data]

    with asyncio.Runner() as runner:
        together = runner.run(embed(texts))
        assert caller.rate_limits[-1].remaining == 60 - 7  # of 13,500 characters
        assert [runner.run(embed([text]))[0] for text in texts] == together
        assert caller.rate_limits[-1].remaining == 60 - 7 - len(texts)
        runner.run(runtime.close())


def test_what_was_asked_before_runs_no_model(
    small: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime, caller = ModelRuntime(models(tmp_path)), Caller("192.0.2.1", Channel.HTTP)
    runtime.set_content(content(small, FIRST, ROOT))
    answering(runtime)
    store = Database(f"sqlite:///{tmp_path}/studio.db")
    service = AnswerService(runtime, RateLimiter(store, NO_LIMITS), chats=True)

    async def refuse(*_: object, **__: object) -> None:
        raise AssertionError

    async def ask(text: str) -> list[object]:
        found = await service.search(SearchInput(query=text), caller)
        route = await service.route(IntentInput(goal=text), caller)
        vectors = await service.embed(EmbedInput(input=[text]), caller)
        answer = await service.ask(ChatInput(query=text), caller)
        return [found, route, vectors, answer]

    with asyncio.Runner() as runner:
        first = runner.run(ask("What does Saltmarsh draw?"))
        for name in ("run_blocking", "run_in_turn"):
            monkeypatch.setattr(ModelRuntime, name, refuse)
        assert runner.run(ask("What does Saltmarsh draw?")) == first
        with pytest.raises(AssertionError):
            runner.run(ask("What else does it draw?"))
        runner.run(runtime.close())


class Writer:
    """An answerer that takes its time to end, and notes that it has."""

    model = "writer"
    has_ended = False

    async def stream(
        self, question: ChatRequest, sources: Sequence[Source]
    ) -> AsyncIterator[TextDelta | Finish]:
        """Sentences of the first source, and an ending."""
        try:
            for _ in range(3):
                yield TextDelta(f"{split_sentences(sources[0].text)[0]} [1]\n\n")
            yield Finish("stop" if question.text else "length")
        finally:
            await asyncio.sleep(0)
            self.has_ended = True


def test_whoever_leaves_an_answer_has_its_writer_ended_by_then(
    sample: Site, tmp_path: Path
) -> None:
    runtime, writer = ModelRuntime(models(tmp_path)), Writer()
    runtime.set_content(content(sample, FIRST, ROOT))
    loaded = answering(runtime)

    async def leaving() -> bool:
        chat = replace(loaded.chat, writing=writer)
        async with aclosing(chat.stream(ChatRequest("What is Tidebook?"), 5)) as events:
            assert (await anext(events)).meta is not None
            assert (await anext(events)).data is not None
        return writer.has_ended

    assert asyncio.run(leaving())
    asyncio.run(runtime.close())


def test_quotes_are_made_in_a_thread_once_and_cite_what_the_events_name(
    sample: Site, tmp_path: Path
) -> None:
    runtime = ModelRuntime(models(tmp_path))
    runtime.set_content(content(sample, FIRST, ROOT))
    loaded = answering(runtime)
    blocking: list[str] = []

    async def run(work: Callable[..., Any], *arguments: Any) -> Any:
        blocking.append(work.__name__)
        return await loaded.chat.run(work, *arguments)

    chat = replace(loaded.chat, run=run)

    async def events() -> list[ChatEvent]:
        return [event async for event in chat.stream(ChatRequest("What is Tidebook?"), 5)]

    first, *pieces, last = asyncio.run(events())
    assert asyncio.run(events()) == [first, *pieces, last]
    assert blocking == ["quote"]  # the same again takes no thread
    assert first.meta is not None
    assert last.complete is not None
    assert last.complete.citation_lint.ok
    text = "".join(piece.data.token for piece in pieces if piece.data is not None)
    numbers = {int(n) for n in re.findall(r"\[(\d+)\]", text)}
    assert numbers == {citation.n for citation in first.meta.citations}
    asyncio.run(runtime.close())


def test_until_the_models_are_there_words_alone_answer_and_nothing_is_embedded(
    small: Site, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    away = EmbedderConfig("openai-like", base_url="http://127.0.0.1:9/v1", model="m")
    runtime = ModelRuntime(models(tmp_path, embedder=away))
    runtime.set_content(content(small, FIRST, ROOT))
    assert answering(runtime).embedder.mode == "lexical"
    eventually(lambda: runtime.state == "unavailable")
    assert answering(runtime).embedder.mode == "lexical"
    with pytest.raises(AiUnavailableError):
        asyncio.run(runtime.models())
    assert "answered by words alone" in caplog.text
    asyncio.run(runtime.close())


def test_the_revision_before_answers_until_all_of_the_next_one_is_made(
    small: Site, tmp_path: Path
) -> None:
    asked, may_go_on = threading.Event(), threading.Event()

    def operations() -> tuple[RoutableOperation, ...]:
        asked.set()
        may_go_on.wait()
        return (ROOT,)

    runtime = ModelRuntime(models(tmp_path))
    runtime.set_content(content(small, FIRST, ROOT))
    first = answering(runtime)
    eventually(lambda: runtime.state == "ready")
    runtime.set_content(replace(content(small, SECOND, ROOT), operations=operations))
    asked.wait()
    try:
        assert answering(runtime) is first
        assert runtime.state == "ready"
    finally:
        may_go_on.set()
    eventually(lambda: answering(runtime).digest == SECOND)
    asyncio.run(runtime.close())
