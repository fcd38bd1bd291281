"""Builds what answers questions about one revision of the content.

It is imported when the first model is loaded, because it needs numpy.
"""

from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from resolvers.ai.engine import AnswerEngine, Corpus, Lazy, ModelConfig
from resolvers.chat.pipeline import ChatPipeline, CitationCheckFn
from resolvers.chat.quoting import source_of_line
from resolvers.chat.sentence_facts import names_in
from resolvers.embeddings.disk_cache import (
    DiskTokenCache,
    DiskVectorCache,
    Progress,
    document_cache,
    vectors_folder,
)
from resolvers.embeddings.embedder import Embedder, TokenEmbedder, Vectors
from resolvers.embeddings.hybrid import meaning_of
from resolvers.embeddings.memory_cache import VectorCache
from resolvers.embeddings.tokenizer import STOP_WORDS, tokenize
from resolvers.facts.answers import FactAnswers
from resolvers.facts.likeness import Embed
from resolvers.facts.router import MIN_READ_SCORE, FactRouter
from resolvers.intent.operation import FactRead, RoutableOperation
from resolvers.intent.router import IntentRouter
from resolvers.search.chroma import VectorStore
from resolvers.search.documents import documents_of
from resolvers.search.index import Index
from schema.studio import Studio

if TYPE_CHECKING:
    from resolvers.chat.language_model import LanguageModel

LEXICAL = "lexical"

Operations = tuple[RoutableOperation, ...]


class EngineBuilder:
    """Makes the parts of an engine from the models of a process."""

    def __init__(  # noqa: PLR0913, PLR0917 - all that an engine is made from
        self,
        config: ModelConfig,
        embedder: Embedder,
        store: VectorStore,
        writer: "LanguageModel | None",
        run: Callable[..., Coroutine[Any, Any, Any]],
        progress: Progress,
    ) -> None:
        """Take the models; `progress` is called while texts are embedded, and may stop it."""
        self._config = config
        self._embedder = embedder
        self._store = store
        self._writer = writer
        self._run = run
        self._progress = progress

    def engine(self, corpus: Corpus, operations: Operations) -> AnswerEngine:
        """Index the revision; make the other parts when they are first used.

        Blocks. Raises: ModelError.
        """
        index = Index.build(
            documents_of(corpus.site, corpus.url),
            self._embedder,
            document_cache(vectors_folder(self._config.data), self._embedder, self._progress),
            self._store,
            corpus.digest,
            fill=False,
        )
        facts = Lazy(partial(self._facts, corpus))
        return AnswerEngine(
            digest=corpus.digest,
            embedder=self._embedder,
            index=index,
            facts=facts,
            intent=self.intent(corpus, operations, facts),
            chat=Lazy(partial(self._chat, corpus, index, facts)),
        )

    def intent(
        self, corpus: Corpus, operations: Operations, facts: Lazy[FactRouter]
    ) -> Lazy[IntentRouter]:
        """Return the router of a revision, made at its first use."""
        roles = roles_of(corpus.site.studio, "the human")
        return Lazy(partial(self._intent, operations, roles, facts))

    def _intent(
        self, operations: Operations, roles: dict[str, str], facts: Lazy[FactRouter]
    ) -> IntentRouter:
        embed = self._kept("goals")
        return IntentRouter(operations, self._embedder, embed, roles, partial(_find_fact, facts()))

    def _facts(self, corpus: Corpus) -> FactRouter:
        roles = roles_of(corpus.site.studio, "the founder")
        known = self._meaning(self._kept("questions"))
        return FactRouter(corpus.facts(), self._embed_questions, roles, known)

    def _chat(self, corpus: Corpus, index: Index, facts: Lazy[FactRouter]) -> ChatPipeline:
        embed = None
        if self._embedder.mode != LEXICAL:
            embed = VectorCache(self._embedder.embed_documents)
        answers = FactAnswers(facts(), self._sentences())
        overview = source_of_line(answers.overview)
        own = frozenset(tokenize(corpus.site.studio.name)) | names_in(overview.text)
        return ChatPipeline(
            digest=corpus.digest,
            index=index,
            facts=answers,
            overview=overview,
            writing=self._writer,
            base_url=self._config.base_url,
            falls_back=self._config.falls_back,
            run=self._run,
            check=CitationCheckFn(index.idf, embed, own),
        )

    def _embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Return the meaning of questions, by the same run of the model as all else of them."""
        if isinstance(self._embedder, TokenEmbedder):
            return np.array([self._embedder.read_question(text).vector for text in texts])
        return meaning_of(self._embedder.embed_documents(texts), self._embedder.mode)

    def _kept(self, name: str) -> Embed:
        """Return a function that embeds texts, and keeps their vectors in a folder."""
        folder = vectors_folder(self._config.data) / name
        return DiskVectorCache(folder, self._embedder, self._progress).get_or_embed

    def _sentences(self) -> Embed | DiskTokenCache:
        """Return what embeds the owner's sentences, token by token if the model does."""
        folder = vectors_folder(self._config.data) / "sentences"
        cache = document_cache(folder, self._embedder, self._progress)
        if isinstance(cache, DiskTokenCache):
            return cache
        return self._meaning(cache.get_or_embed)

    def _meaning(self, embed: Embed) -> Embed:
        """Return a function that embeds texts by their meaning alone."""

        def embed_meaning(texts: Sequence[str]) -> Vectors:
            return meaning_of(embed(texts), self._embedder.mode)

        return embed_meaning


def _find_fact(facts: FactRouter, question: str) -> FactRead | None:
    """Return the read that holds the field that fits a question best, if one fits."""
    match, operation, variables = facts.best_read(question)
    if match.score < MIN_READ_SCORE or not match.field.asked.published:
        return None
    return FactRead(operation.name, variables, match.score)


def roles_of(studio: Studio, person: str) -> dict[str, str]:
    """Return what the names of the studio and its founder stand for, full names first."""
    name = studio.founder.name
    parts = [part for part in name.split() if part.isalpha() and part.lower() not in STOP_WORDS]
    return {studio.name: "the studio"} | dict.fromkeys([name, *parts], person)
