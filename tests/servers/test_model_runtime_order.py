"""While goals are embedded, which is done last, searches are answered and goals refused in time."""

import asyncio
import threading
from collections.abc import Iterable
from pathlib import Path

from local_service import facts_of
from model_behaviours import Call, Habit, Step, Wait, embeds
from model_server import model_server
from sample_operations import LLMS, ROOT

from resolvers.ai.engine import AnswerEngine, Corpus, ModelConfig
from resolvers.ai.loader import THREADS, ModelLoader
from resolvers.ai.runtime import RETRY_SECONDS, ModelRuntime
from resolvers.embeddings.config import EmbedderConfig
from resolvers.search.chroma import ephemeral_store
from schema.site import Site
from sdl.errors import AiUnavailableError

LOADING_SECONDS = 120


def held(gate: threading.Event) -> Habit:
    """The habit of vectors of which those of goals are not made before the gate is open."""

    def habit(call: Call) -> Iterable[Step]:
        while ROOT.goals[0] in call.texts and not gate.is_set():
            yield Wait(0.05)
        yield from embeds()(call)

    return habit


async def loaded_in_the_end(wing: ModelRuntime) -> AnswerEngine:
    """What answers, however long its libraries take."""
    while True:
        try:
            return await wing.engine()
        except AiUnavailableError:
            continue


def test_goals_that_are_slow_to_embed_keep_no_search_waiting(sample: Site, tmp_path: Path) -> None:
    gate = threading.Event()

    async def asking(wing: ModelRuntime) -> None:
        async with asyncio.timeout(LOADING_SECONDS):
            loaded = await loaded_in_the_end(wing)
            goals = [asyncio.create_task(wing.resolve(loaded.intent)) for _ in range(2 * THREADS)]
            await asyncio.sleep(0)  # all of them begin
            assert await wing.run_blocking(loaded.index.search, sample.faq[0].q, 3)
            for refused in await asyncio.gather(*goals, return_exceptions=True):
                assert isinstance(refused, AiUnavailableError)
                assert (refused.retry_seconds or 0) >= RETRY_SECONDS
            gate.set()
            intent = await wing.resolve(loaded.intent)
            assert intent.route(ROOT.goals[0], 1)[0].operation == ROOT.operation
            await wing.close()

    with model_server(embeddings=held(gate)) as server:
        choice = ModelConfig(
            data=tmp_path,
            embedder=EmbedderConfig("openai-like", base_url=server.url, model="m"),
            store=lambda: ephemeral_store(str(tmp_path)),
            writer=None,
            base_url="http://127.0.0.1:8000",
            falls_back=False,
        )
        wing = ModelRuntime(ModelLoader(choice))
        wing.set_content(
            Corpus(
                "sha256:a",
                sample,
                lambda kind, _: f"/{kind}",
                lambda: (ROOT, LLMS),
                lambda: facts_of(sample),
            )
        )
        try:
            asyncio.run(asking(wing))
        finally:
            gate.set()
