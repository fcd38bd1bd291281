"""The values that pass between the loader of the models, their builder and the service."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from resolvers.embeddings.config import EmbedderConfig

if TYPE_CHECKING:
    from resolvers.chat.language_model import LanguageModel
    from resolvers.chat.pipeline import ChatPipeline
    from resolvers.embeddings.embedder import Embedder
    from resolvers.facts.fields import FactTable
    from resolvers.facts.router import FactRouter
    from resolvers.intent.operation import RoutableOperation
    from resolvers.intent.router import IntentRouter
    from resolvers.search.chroma import VectorStore
    from resolvers.search.index import Index
    from schema.site import Site

Value = TypeVar("Value")


class Lazy(Generic[Value]):
    """A value that is made at the first call; if that call fails, the next one tries again."""

    def __init__(self, make: Callable[[], Value]) -> None:
        self._make = make
        self._values: list[Value] = []
        self._lock = threading.Lock()

    @property
    def is_made(self) -> bool:
        """Whether a call returns at once."""
        return bool(self._values)

    def __call__(self) -> Value:
        """Return the value. Blocks while it is made; raises what `make` raises."""
        with self._lock:
            if not self._values:
                self._values.append(self._make())
            return self._values[0]


@dataclass(frozen=True)
class Corpus:
    """The parts of one revision that are needed to answer questions about it."""

    digest: str
    site: "Site"
    url: Callable[[str, str], str]
    """Returns the path of an entry, given its kind and slug."""
    operations: "Callable[[], tuple[RoutableOperation, ...]]"
    """Returns the operations that the intent router may recommend."""
    facts: "Callable[[], FactTable]"
    """Returns the fields that answer questions, and what they say."""


@dataclass(frozen=True)
class AnswerEngine:
    """Everything that answers questions about one revision."""

    digest: str
    embedder: "Embedder"
    index: "Index"
    facts: "Lazy[FactRouter]"
    """Made after the index, because hundreds of example questions are embedded for it."""
    intent: "Lazy[IntentRouter]"
    """Made after the index, because hundreds of example goals are embedded for it."""
    chat: "Lazy[ChatPipeline]"
    """Made after the index, because every sentence is embedded for it."""


@dataclass(frozen=True)
class ModelConfig:
    """The configured models and where they keep their data."""

    data: Path
    embedder: EmbedderConfig
    store: "Callable[[], VectorStore]"
    writer: "Callable[[], LanguageModel] | None"
    """Makes the language model, if one is configured."""
    base_url: str
    """The only URL that a model's answer may name besides those of its sources."""
    falls_back: bool
    """Whether quotes replace the language model's answer while it fails."""
