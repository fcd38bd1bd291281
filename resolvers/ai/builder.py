"""Builds what answers questions about one revision of the content.

It is imported when the first model is loaded, because it needs numpy.
"""

from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from resolvers.ai.engine import AnswerEngine, Corpus, ModelConfig
from resolvers.answers.answers import Answers
from resolvers.answers.entry_search import Index
from resolvers.answers.lines import lines_of
from resolvers.answers.ranker import Ranker
from resolvers.chat.pipeline import ChatPipeline
from resolvers.embeddings.disk_cache import (
    DiskVectorCache,
    Progress,
    document_cache,
    vectors_folder,
)
from resolvers.embeddings.embedder import Embedder, TokenEmbedder
from resolvers.embeddings.multilingual import Multilingual
from resolvers.embeddings.tokenizer import STOP_WORDS, terms
from resolvers.intent.operation import RoutableOperation
from resolvers.intent.router import IntentRouter
from resolvers.search.documents import documents_of
from schema.language_names import ENGLISH
from schema.studio import Studio
from sdl.tools.byte_cache import ByteCache

if TYPE_CHECKING:
    from resolvers.chat.language_model import LanguageModel

Operations = tuple[RoutableOperation, ...]


FINISHED_BYTES = 8 * 2**20
"""What the answers of one revision may take."""


class EngineBuilder:
    """Makes the parts of an engine from the models of a process."""

    def __init__(
        self,
        config: ModelConfig,
        embedder: Embedder,
        writer: "LanguageModel | None",
        run: Callable[..., Coroutine[Any, Any, Any]],
        progress: Progress,
    ) -> None:
        """Take the models; `progress` is called while texts are embedded, and may stop it."""
        self._config = config
        self._embedder = embedder
        self._writer = writer
        self._run = run
        self._progress = progress

    def engine(self, corpus: Corpus, operations: Operations) -> AnswerEngine:
        """Embed the lines of a revision, and the example goals of its operations.

        Blocks. Raises: ModelError.
        """
        cache = document_cache(vectors_folder(self._config.data), self._embedder, self._progress)
        facts = corpus.facts()
        ranker = Ranker(lines_of(facts), cache, facts.unanswered)
        is_read = isinstance(self._embedder, TokenEmbedder)
        language = corpus.site.studio.language or ENGLISH
        reads_any = isinstance(self._embedder, Multilingual)
        mode = "tokens" if is_read else "words"
        answers = Answers(ranker, mode, language, reads_any_language=reads_any)
        index = Index(documents_of(corpus.site, corpus.url), ranker, self._embedder)
        finished: ByteCache[Any] = ByteCache(FINISHED_BYTES)
        chat = ChatPipeline(
            digest=corpus.digest,
            index=index,
            answers=answers,
            writing=self._writer,
            falls_back=self._config.falls_back,
            run=self._run,
            own=frozenset(terms(corpus.site.studio.name)),
            kept=finished,
        )
        intent = self._intent(corpus, operations)
        return AnswerEngine(
            corpus.digest, operations, self._embedder, index, answers, chat, intent, finished
        )

    def with_operations(
        self, engine: AnswerEngine, corpus: Corpus, operations: Operations
    ) -> AnswerEngine:
        """Return the engine for equal content, of which only the operations may be others.

        New keys, or facts from outside, make a new revision so. Blocks. Raises: ModelError.
        """
        if operations == engine.operations:
            return engine
        intent = self._intent(corpus, operations)
        finished: ByteCache[Any] = ByteCache(FINISHED_BYTES)  # goals may lead elsewhere now
        return replace(engine, operations=operations, intent=intent, finished=finished)

    def _intent(self, corpus: Corpus, operations: Operations) -> IntentRouter:
        folder = vectors_folder(self._config.data) / "goals"
        embed = DiskVectorCache(folder, self._embedder, self._progress).get_or_embed
        roles = roles_of(corpus.site.studio)
        return IntentRouter(operations, self._embedder, embed, roles)


def roles_of(studio: Studio) -> dict[str, str]:
    """Return what the names of the studio and its founder stand for, full names first."""
    name = studio.founder.name
    parts = [part for part in name.split() if part.isalpha() and part.lower() not in STOP_WORDS]
    return {studio.name: "the studio"} | dict.fromkeys([name, *parts], "the human")
