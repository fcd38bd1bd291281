"""The models of one process: opened once, step by step, in threads of their own.

Nothing heavy is imported here before it is opened.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from resolvers.answers.choice import EmbedderChoice, embedder_of
from resolvers.answers.faults import ModelFault
from resolvers.answers.later import Later, Value

if TYPE_CHECKING:
    from resolvers.answers.chat import Chat
    from resolvers.answers.dialogue import Band, Ending, Question, Source, Token
    from resolvers.answers.embedder import Embedder
    from resolvers.answers.goalpost import Goalpost
    from resolvers.answers.index import Index
    from resolvers.answers.intent import Intent
    from resolvers.answers.language_model import LanguageModel
    from resolvers.answers.store import Store
    from schema.site import Site
    from schema.studio import Studio

LEXICAL = "lexical"
THREADS = 2
"""How many questions are worked on at a time: more would wait for each other."""


@dataclass(frozen=True)
class Content:
    """One revision, as far as questions are answered from it."""

    digest: str
    site: "Site"
    url: Callable[[str, str], str]
    """From an entry's kind and slug to the path where it is read."""
    goalposts: "Callable[[], tuple[Goalpost, ...]]"
    """What a goal may lead to."""


@dataclass(frozen=True)
class Loaded:
    """Everything that answers questions about one revision."""

    digest: str
    embedder: "Embedder"
    index: "Index"
    intent: "Later[Intent]"
    """Made after what searches: hundreds of examples are embedded for it."""
    chat: "Chat"
    warm: Callable[[], None]
    """Embeds what first answers would have to wait for. Blocks. Raises: ModelFault."""


@dataclass(frozen=True)
class Choice:
    """What the owner chose."""

    data: Path
    embedder: EmbedderChoice
    store: "Callable[[], Store]"
    writer: "Callable[[], LanguageModel] | None"
    """Makes the language model, where there is one."""
    base_url: str
    """The only address that an answer may lead to, besides those of what it cites."""
    falls_back: bool
    """Whether quotes stand in for the language model while it does not answer."""


class Models:
    """The embedder, the vector store and the language model of one process."""

    def __init__(self, choice: Choice) -> None:
        self._choice = choice
        self._threads = ThreadPoolExecutor(THREADS, "answers")
        self._embedding = ThreadPoolExecutor(1, "embed")
        self._making = ThreadPoolExecutor(1, "later")
        self._embedder: Embedder | None = None
        self._store: Store | None = None
        self._writer: LanguageModel | None = None
        self._made: Loaded | None = None
        self._posts: tuple[Goalpost, ...] = ()
        self.is_stopped = False

    async def run(self, work: Callable[..., Any], *given: Any) -> Any:
        """What blocking work gives, done in one of the threads."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *given)

    async def embed(self, texts: Sequence[str]) -> Any:
        """The texts' vectors, made where no search waits for them. Raises: ModelFault."""
        embed = self._opened().embed_documents
        return await asyncio.get_running_loop().run_in_executor(self._embedding, embed, texts)

    async def made(self, later: Later[Value]) -> Value:
        """The value, waited for where nothing else waits. Raises: ModelFault."""
        return await asyncio.get_running_loop().run_in_executor(self._making, later)

    def build(self, content: Content) -> Loaded:
        """What answers questions about a revision. Blocks. Raises: ModelFault.

        Of a revision that was built last, only where goals lead to is looked at again: a change of
        keys or of facts derives everything anew from equal content.
        """
        embedder = self._opened()
        if self._choice.writer is not None and self._writer is None:
            self._writer = self._choice.writer()
        posts, made = content.goalposts(), self._made
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
            await self.run(self._store.close)
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
            embedder = embedder_of(self._choice.embedder, self._choice.data)
            self._check()
            self._store = self._choice.store()
            self._embedder = embedder
        return self._embedder

    def _go_on(self, _done: int, _total: int) -> None:
        """Nothing, between two portions of texts, unless the service stops. Raises: ModelFault."""
        self._check()

    def _check(self) -> None:
        if self.is_stopped:
            raise ModelFault("The service stops.")

    def _later(
        self, content: Content, posts: "tuple[Goalpost, ...]", embedder: "Embedder"
    ) -> "Later[Intent]":
        return Later(partial(self._intent, posts, embedder, _roles(content.site.studio)))

    def _intent(
        self, posts: "tuple[Goalpost, ...]", embedder: "Embedder", roles: Mapping[str, str]
    ) -> "Intent":
        from resolvers.answers.intent import Intent  # noqa: PLC0415 - loaded before
        from resolvers.answers.vectors import CachedVectors  # noqa: PLC0415 - the same

        goals = CachedVectors(self._choice.data / "vectors" / "goals", embedder)
        documents = partial(goals.documents, progress=self._go_on)
        return Intent(posts, embedder, documents, roles)

    def _built(self, content: Content, embedder: "Embedder", intent: "Later[Intent]") -> Loaded:
        from resolvers.answers.chat import (  # noqa: PLC0415 - loaded before
            Chat,
            Check,
            source_of,
        )
        from resolvers.answers.extractive import Extractive  # noqa: PLC0415 - the same
        from resolvers.answers.index import Index  # noqa: PLC0415 - the same
        from resolvers.answers.passages import entries_of  # noqa: PLC0415 - the same
        from resolvers.answers.vectors import CachedVectors  # noqa: PLC0415 - the same
        from resolvers.answers.words import words_of  # noqa: PLC0415 - the same

        if self._store is None:
            raise TypeError(self._store)
        vectors = self._choice.data / "vectors"
        entries = entries_of(content.site, content.url)
        kept = CachedVectors(vectors, embedder)
        index = Index.build(entries, embedder, kept, self._store, content.digest, self._go_on)
        quoting = Extractive(embedder, index.idf, self.run)
        writing = Gated(self._writer, self._choice.base_url) if self._writer is not None else None
        own = frozenset(words_of(content.site.studio.name))
        check = Check(index.idf, quoting.vectors if embedder.mode != LEXICAL else None, own)
        chat = Chat(index, quoting, writing, self._choice.falls_back, self.run, check)
        sentences = CachedVectors(vectors / "sentences", embedder)
        documents = partial(sentences.documents, progress=self._go_on)
        warm = partial(quoting.warm, [source_of(0, entry) for entry in entries], documents)
        return Loaded(content.digest, embedder, index, intent, chat, warm)


class Gated:
    """A language model behind the gate: of what it writes, only what may be said comes out."""

    def __init__(self, writer: "LanguageModel", base_url: str) -> None:
        self.model = writer.model
        self._writer = writer
        self._base_url = base_url

    def stream(
        self, question: "Question", sources: "Sequence[Source]", band: "Band"
    ) -> "AsyncIterator[Token | Ending]":
        """The answer, a sentence a piece. Raises: ModelFault."""
        from resolvers.answers.gate import gated  # noqa: PLC0415 - only where there is a model

        return gated(self._writer.stream(question, sources, band), sources, self._base_url)


def _roles(studio: "Studio") -> dict[str, str]:
    """What the names of the studio and its founder stand for, whole names first."""
    from resolvers.answers.words import STOP_WORDS  # noqa: PLC0415 - loaded before

    whole = studio.founder.name
    parts = [part for part in whole.split() if part.isalpha() and part.lower() not in STOP_WORDS]
    return {studio.name: "the studio"} | dict.fromkeys([whole, *parts], "the human")


def _numpy() -> None:
    import numpy  # noqa: F401, ICN001, PLC0415 - a second of work, done here


def _chroma() -> None:
    import chromadb  # noqa: F401, PLC0415 - the same


def _our_own() -> None:
    import resolvers.answers.chat  # noqa: PLC0415 - the same
    import resolvers.answers.intent  # noqa: F401, PLC0415 - the same
