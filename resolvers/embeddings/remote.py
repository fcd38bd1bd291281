"""Vectors of models that are not ours: over HTTP, or of a library that is installed beside us.

What comes back is checked before anyone sees it. Decides nothing about which model to use.
"""

import hashlib
import importlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from resolvers.db.database import IMPORT_LOCK
from resolvers.embeddings.bounded_http import PLACEHOLDER_KEY, sync_client
from resolvers.embeddings.embedder import DIMENSIONS, Vectors, validate_vectors
from resolvers.embeddings.errors import EMBEDDING_MODEL, ModelError, map_errors, to_model_error
from resolvers.embeddings.factory import EmbedderConfig

MAX_TEXTS = 64
"""How many texts are sent in one call."""
MAX_BYTES = 16 * 2**20
"""How much of an answer to one call is read."""
TIMEOUT_SECONDS = 30
_EXTRA = "llama_index.embeddings.huggingface"
_ABSENT = (
    "STUDIOGRAPH_AI_EMBEDDER=huggingface needs a package that is not installed;"
    " install it with: pip install llama-index-embeddings-huggingface"
)


class RemoteEmbedder:
    """The Embedder that asks a server which speaks as OpenAI's does."""

    mode = "semantic"
    dimensions = DIMENSIONS

    def __init__(self, choice: EmbedderConfig, timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        self.model = choice.model
        self.id = _identity(choice, urlsplit(choice.base_url).netloc)
        self._choice = choice
        self._client = sync_client(MAX_BYTES, timeout_seconds)
        self._embedding = _openai_like(choice, self._client, timeout_seconds)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts to be found. Blocks.

        Shape: one row of unit length a text. Raises: ModelFault.
        """
        prefix = self._choice.doc_prefix
        return _stacked(self._embed([prefix + text for text in part]) for part in _parts(texts))

    def embed_query(self, text: str) -> Vectors:
        """The vector of what is looked for. Blocks. Raises: ModelFault."""
        query: Vectors = self._embed([self._choice.query_prefix + text])[0]
        return query

    def close(self) -> None:
        """Nothing, once no connection is open."""
        self._client.close()

    def _embed(self, texts: list[str]) -> Vectors:
        try:
            answer = self._embedding.get_text_embedding_batch(texts)
        except map_errors() as error:
            raise to_model_error(error, EMBEDDING_MODEL) from None
        return _fitting(answer, len(texts))


class LocalEmbedder:
    """The Embedder of a model that runs here, in a library that is an extra."""

    mode = "semantic"
    dimensions = DIMENSIONS

    def __init__(
        self, choice: EmbedderConfig, load: Callable[[str], Any] = importlib.import_module
    ) -> None:
        self.model = choice.model
        self.id = _identity(choice, "local")
        self._embedding = _installed(load).HuggingFaceEmbedding(
            model_name=choice.model,
            query_instruction=choice.query_prefix,
            text_instruction=choice.doc_prefix,
            embed_batch_size=MAX_TEXTS,
        )

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts to be found. Blocks.

        Shape: one row of unit length a text. Raises: ModelFault.
        """
        embed = self._embedding.get_text_embedding_batch
        return _stacked(_fitting(embed(part), len(part)) for part in _parts(texts))

    def embed_query(self, text: str) -> Vectors:
        """The vector of what is looked for. Blocks. Raises: ModelFault."""
        query: Vectors = _fitting([self._embedding.get_query_embedding(text)], 1)[0]
        return query


def _installed(load: Callable[[str], Any]) -> Any:
    """The module of the extra. Raises: ModelFault."""
    try:
        with IMPORT_LOCK:
            return load(_EXTRA)
    except ModuleNotFoundError:
        raise ModelError(_ABSENT) from None


def _parts(texts: Sequence[str]) -> Iterator[list[str]]:
    return (list(texts[start : start + MAX_TEXTS]) for start in range(0, len(texts), MAX_TEXTS))


def _stacked(parts: Iterator[Vectors]) -> Vectors:
    return np.concatenate([np.empty((0, DIMENSIONS), np.float32), *parts])


def _fitting(vectors: Any, count: int) -> Vectors:
    """The vectors, of unit length. Raises: ModelFault."""
    lengths = {len(vector) for vector in vectors} - {DIMENSIONS}
    if lengths:
        setting = f"{EMBEDDING_MODEL.settings}_DIMENSIONS={DIMENSIONS}"
        raise ModelError(
            f"The embedding model returns {min(lengths)} dimensions, {DIMENSIONS} are needed;"
            f" set {setting} if it can shorten, or choose another model."
        )
    return validate_vectors(vectors, count)


def _identity(choice: EmbedderConfig, place: str) -> str:
    """A name that changes with whatever may change the vectors; the key has no part in it."""
    parts = [place, choice.model, choice.dimensions, choice.query_prefix, choice.doc_prefix]
    digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:8]
    name = re.sub(r"[^a-z0-9+._-]+", "-", choice.model.lower()).strip("-._+")[:40] or "model"
    return f"{name}-{digest}-{DIMENSIONS}"


def _openai_like(choice: EmbedderConfig, client: Any, seconds: float) -> Any:
    """The model's client, which puts the vectors in the order of their texts."""
    with IMPORT_LOCK:
        from llama_index.embeddings.openai_like import OpenAILikeEmbedding  # type: ignore[import-untyped]  # noqa: PLC0415 - heavy

    class Ordered(OpenAILikeEmbedding):  # type: ignore[misc]
        """As its parent, for servers that answer in an order of their own."""

        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            answer = self._get_client().embeddings.create(
                input=texts, model=choice.model, **self.additional_kwargs
            )
            ordered = sorted(answer.data, key=lambda each: each.index)
            if [each.index for each in ordered] != [*range(len(texts))]:
                raise ValueError("the vectors are not those of the texts")
            return [each.embedding for each in ordered]

    options: dict[str, Any] = {
        "model_name": choice.model,
        "api_base": choice.base_url,
        "api_key": choice.api_key or PLACEHOLDER_KEY,
        "dimensions": choice.dimensions or None,
        "embed_batch_size": MAX_TEXTS,
        "max_retries": 0,
        "timeout": seconds,
        "http_client": client,
    }
    return Ordered(**options)
