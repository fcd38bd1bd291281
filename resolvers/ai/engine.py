"""The values that pass between the runtime of the models, the builder and the service."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from resolvers.embeddings.config import EmbedderConfig
from schema.services.search import Band
from sdl.tools.byte_cache import ByteCache

if TYPE_CHECKING:
    from resolvers.answers.answers import Answers
    from resolvers.answers.entry_search import Hit, Index
    from resolvers.answers.fields import FactTable
    from resolvers.chat.language_model import LanguageModel
    from resolvers.chat.pipeline import ChatPipeline
    from resolvers.embeddings.embedder import Embedder
    from resolvers.intent.operation import RoutableOperation
    from resolvers.intent.router import IntentRouter
    from schema.site import Site


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
    operations: "tuple[RoutableOperation, ...]"
    embedder: "Embedder"
    index: "Index"
    answers: "Answers"
    chat: "ChatPipeline"
    intent: "IntentRouter"
    finished: ByteCache[Any]
    """The results of search, intent and embed and the quotations of chat, by what was asked."""

    def search(self, query: str, limit: int, kinds: Collection[str]) -> "tuple[list[Hit], Band]":
        """Return the nearest entries, and how well anything published answers the query.

        Blocks. Raises: ModelError.
        """
        text = self.answers.mended(query)
        ranking = self.answers.ranker.rank(text, self.index.among(kinds))
        hits = self.index.search(self.answers.mended(query.casefold()), ranking, limit, kinds)
        return hits, self.answers.band(text, ranking) if hits else Band.REFUSE


@dataclass(frozen=True)
class ModelConfig:
    """The configured models and where they keep their data."""

    data: Path
    embedder: EmbedderConfig
    writer: "Callable[[], LanguageModel] | None"
    """Makes the language model, if one is configured."""
    falls_back: bool
    """Whether quotes replace the language model's answer while it fails."""
