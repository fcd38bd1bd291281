"""The models of one process: opened once, step by step, in threads of their own.

Nothing heavy is imported here before it is opened.
"""

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from resolvers.embeddings.errors import ModelError
from resolvers.embeddings.factory import EmbedderConfig, make_embedder

if TYPE_CHECKING:
    from resolvers.chat.language_model import LanguageModel
    from resolvers.chat.pipeline import ChatPipeline
    from resolvers.embeddings.embedder import Embedder
    from resolvers.intent.operation import RoutableOperation
    from resolvers.intent.router import IntentRouter
    from resolvers.search.chroma import VectorStore
    from resolvers.search.index import Index
    from schema.site import Site
    from schema.studio import Studio

Value = TypeVar("Value")

LEXICAL = "lexical"
THREADS = 2
"""How many questions are worked on at a time: more would wait for each other."""


class Lazy(Generic[Value]):
    """The value; a call that fails is made again by the next one."""

    def __init__(self, make: Callable[[], Value]) -> None:
        self._make = make
        self._made: list[Value] = []
        self._making = threading.Lock()

    def __call__(self) -> Value:
        """The value. Blocks while it is made, and raises what making it raises."""
        with self._making:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]


@dataclass(frozen=True)
class Corpus:
    """One revision, as far as questions are answered from it."""

    digest: str
    site: "Site"
    url: Callable[[str, str], str]
    """From an entry's kind and slug to the path where it is read."""
    operations: "Callable[[], tuple[RoutableOperation, ...]]"
    """What a goal may lead to."""


@dataclass(frozen=True)
class AnswerEngine:
    """Everything that answers questions about one revision."""

    digest: str
    embedder: "Embedder"
    index: "Index"
    intent: "Lazy[IntentRouter]"
    """Made after what searches: hundreds of examples are embedded for it."""
    chat: "ChatPipeline"
    warm: Callable[[], None]
    """Embeds what first answers would have to wait for. Blocks. Raises: ModelFault."""


@dataclass(frozen=True)
class ModelConfig:
    """What the owner chose."""

    data: Path
    embedder: EmbedderConfig
    store: "Callable[[], VectorStore]"
    writer: "Callable[[], LanguageModel] | None"
    """Makes the language model, where there is one."""
    base_url: str
    """The only address that an answer may lead to, besides those of what it cites."""
    falls_back: bool
    """Whether quotes stand in for the language model while it does not answer."""


class ModelLoader:
    """The embedder, the vector store and the language model of one process."""

    def __init__(self, choice: ModelConfig) -> None:
        self._choice = choice
        self._threads = ThreadPoolExecutor(THREADS, "answers")
        self._embedding = ThreadPoolExecutor(1, "embed")
        self._making = ThreadPoolExecutor(1, "later")
        self._embedder: Embedder | None = None
        self._store: VectorStore | None = None
        self._writer: LanguageModel | None = None
        self._made: AnswerEngine | None = None
        self._posts: tuple[RoutableOperation, ...] = ()
        self.is_stopped = False

    async def run_blocking(self, work: Callable[..., Any], *given: Any) -> Any:
        """What blocking work gives, done in one of the threads."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *given)

    async def embed(self, texts: Sequence[str]) -> Any:
        """The texts' vectors, made where no search waits for them. Raises: ModelFault."""
        embed = self._opened().embed_documents
        return await asyncio.get_running_loop().run_in_executor(self._embedding, embed, texts)

    async def is_loaded(self, later: Lazy[Value]) -> Value:
        """The value, waited for where nothing else waits. Raises: ModelFault."""
        return await asyncio.get_running_loop().run_in_executor(self._making, later)

    def build(self, content: Corpus) -> AnswerEngine:
        """What answers questions about a revision. Blocks. Raises: ModelFault.

        Of a revision that was built last, only where goals lead to is looked at again: a change of
        keys or of facts derives everything anew from equal content.
        """
        embedder = self._opened()
        if self._choice.writer is not None and self._writer is None:
            self._writer = self._choice.writer()
        posts, made = content.operations(), self._made
        if made is None or made.digest != content.digest:
            made = self._built(content, embedder, self._later(content, posts, embedder))
        elif posts != self._posts:
            made = replace(made, intent=self._later(content, posts, embedder))
        self._posts, self._made = posts, made
        return made

    async def warm(self) -> None:
        """Nothing, once the first answer finds everything loaded that writes it."""
        if self._writer is not None:
            await self._writer.warm()

    def stop(self) -> None:
        """Load nothing more."""
        self.is_stopped = True

    async def close(self) -> None:
        """Nothing, once no store and no call is open any more."""
        if self._writer is not None:
            await self._writer.close()
        if self._store is not None:
            await self.run_blocking(self._store.close)
        if (close := getattr(self._embedder, "close", None)) is not None:  # one that asks a server
            close()
        self._threads.shutdown(wait=False)
        self._embedding.shutdown(wait=False)
        self._making.shutdown(wait=False)

    def _opened(self) -> "Embedder":
        """The embedder, with all that it and the rest need; in steps that a stop may end."""
        if self._embedder is None:
            for load in (_numpy, _chroma, _our_own):
                self._check()
                load()
            self._check()
            embedder = make_embedder(self._choice.embedder, self._choice.data)
            self._check()
            self._store = self._choice.store()
            self._embedder = embedder
        return self._embedder

    def _go_on(self, _done: int, _total: int) -> None:
        """Nothing, between two portions of texts, unless the service stops. Raises: ModelFault."""
        self._check()

    def _check(self) -> None:
        if self.is_stopped:
            raise ModelError("The service stops.")

    def _later(
        self, content: Corpus, posts: "tuple[RoutableOperation, ...]", embedder: "Embedder"
    ) -> "Lazy[IntentRouter]":
        return Lazy(partial(self._intent, posts, embedder, _roles(content.site.studio)))

    def _intent(
        self, posts: "tuple[RoutableOperation, ...]", embedder: "Embedder", roles: Mapping[str, str]
    ) -> "IntentRouter":
        from resolvers.embeddings.disk_cache import (  # noqa: PLC0415 - the same
            DiskVectorCache,
            vectors_folder,
        )
        from resolvers.intent.router import IntentRouter  # noqa: PLC0415 - loaded before

        goals = DiskVectorCache(vectors_folder(self._choice.data) / "goals", embedder)
        documents = partial(goals.get_or_embed, progress=self._go_on)
        return IntentRouter(posts, embedder, documents, roles)

    def _built(
        self, content: Corpus, embedder: "Embedder", intent: "Lazy[IntentRouter]"
    ) -> AnswerEngine:
        from resolvers.chat.extractive import Extractive  # noqa: PLC0415 - the same
        from resolvers.chat.pipeline import (  # noqa: PLC0415 - loaded before
            ChatPipeline,
            CitationCheckFn,
            source_of,
        )
        from resolvers.embeddings.disk_cache import (  # noqa: PLC0415 - the same
            DiskVectorCache,
            vectors_folder,
        )
        from resolvers.embeddings.tokenizer import tokenize  # noqa: PLC0415 - the same
        from resolvers.search.documents import documents_of  # noqa: PLC0415 - the same
        from resolvers.search.index import Index  # noqa: PLC0415 - the same

        if self._store is None:
            raise TypeError(self._store)
        vectors = vectors_folder(self._choice.data)
        entries = documents_of(content.site, content.url)
        kept = DiskVectorCache(vectors, embedder)
        index = Index.build(entries, embedder, kept, self._store, content.digest, self._go_on)
        quoting = Extractive(embedder, index.idf)
        embed = quoting.vectors if embedder.mode != LEXICAL else None
        own = frozenset(tokenize(content.site.studio.name))
        chat = ChatPipeline(
            digest=content.digest,
            index=index,
            quoting=quoting,
            writing=self._writer,
            base_url=self._choice.base_url,
            falls_back=self._choice.falls_back,
            run=self.run_blocking,
            check=CitationCheckFn(index.idf, embed, own),
        )
        sentences = DiskVectorCache(vectors / "sentences", embedder)
        documents = partial(sentences.get_or_embed, progress=self._go_on)
        warm = partial(quoting.warm, [source_of(0, entry) for entry in entries], documents)
        return AnswerEngine(content.digest, embedder, index, intent, chat, warm)


def _roles(studio: "Studio") -> dict[str, str]:
    """What the names of the studio and its founder stand for, whole names first."""
    from resolvers.embeddings.tokenizer import STOP_WORDS  # noqa: PLC0415 - loaded before

    whole = studio.founder.name
    parts = [part for part in whole.split() if part.isalpha() and part.lower() not in STOP_WORDS]
    return {studio.name: "the studio"} | dict.fromkeys([whole, *parts], "the human")


def _numpy() -> None:
    import numpy  # noqa: F401, ICN001, PLC0415 - a second of work, done here


def _chroma() -> None:
    import chromadb  # noqa: F401, PLC0415 - the same


def _our_own() -> None:
    import resolvers.chat.pipeline  # noqa: PLC0415 - the same
    import resolvers.intent.router  # noqa: F401, PLC0415 - the same
