"""Embedders for other models: an OpenAI-compatible HTTP API, or a local HuggingFace model.

All vectors are validated before they are returned.
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
from resolvers.embeddings.config import EmbedderConfig
from resolvers.embeddings.embedder import DIMENSIONS, Vectors, validate_vectors
from resolvers.embeddings.errors import ModelError
from resolvers.embeddings.provider_errors import EMBEDDING_MODEL, map_errors, to_model_error

MAX_TEXTS = 64
"""How many texts one call contains."""
MAX_BYTES = 16 * 2**20
"""How much of one response is read."""
TIMEOUT_SECONDS = 30
_EXTRA = "llama_index.embeddings.huggingface"
_ABSENT = (
    "STUDIOGRAPH_AI_EMBEDDER=huggingface needs a package that is not installed."
    " Fix: pip install llama-index-embeddings-huggingface."
)


class RemoteEmbedder:
    """An `Embedder` that calls an OpenAI-compatible embedding API."""

    mode = "semantic"
    dimensions = DIMENSIONS

    def __init__(self, config: EmbedderConfig, timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        self.model = config.model
        self.id = _identity(config, urlsplit(config.base_url).netloc)
        self._config = config
        self._client = sync_client(MAX_BYTES, timeout_seconds)
        self._embedding = _openai_like(config, self._client, timeout_seconds)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts to be searched: one row of unit length for each text. Blocks.

        Raises: ModelError.
        """
        prefix = self._config.doc_prefix
        batches = _batches(texts)
        return _stack(self._embed([prefix + text for text in batch]) for batch in batches)

    def embed_query(self, text: str) -> Vectors:
        """Embed the text of a search. Blocks. Raises: ModelError."""
        query: Vectors = self._embed([self._config.query_prefix + text])[0]
        return query

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def _embed(self, texts: list[str]) -> Vectors:
        try:
            vectors = self._embedding.get_text_embedding_batch(texts)
        except map_errors() as error:
            raise to_model_error(error, EMBEDDING_MODEL) from None
        return _validate(vectors, len(texts))


class LocalEmbedder:
    """An `Embedder` for a HuggingFace model in this process; needs an extra package."""

    mode = "semantic"
    dimensions = DIMENSIONS

    def __init__(
        self, config: EmbedderConfig, load: Callable[[str], Any] = importlib.import_module
    ) -> None:
        self.model = config.model
        self.id = _identity(config, "local")
        self._embedding = _load_package(load).HuggingFaceEmbedding(
            model_name=config.model,
            query_instruction=config.query_prefix,
            text_instruction=config.doc_prefix,
            embed_batch_size=MAX_TEXTS,
        )

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts to be searched: one row of unit length for each text. Blocks.

        Raises: ModelError.
        """
        embed = self._embedding.get_text_embedding_batch
        return _stack(_validate(embed(batch), len(batch)) for batch in _batches(texts))

    def embed_query(self, text: str) -> Vectors:
        """Embed the text of a search. Blocks. Raises: ModelError."""
        query: Vectors = _validate([self._embedding.get_query_embedding(text)], 1)[0]
        return query


def _load_package(load: Callable[[str], Any]) -> Any:
    """Import the extra package. Raises: ModelError."""
    try:
        with IMPORT_LOCK:
            return load(_EXTRA)
    except ModuleNotFoundError:
        raise ModelError(_ABSENT) from None


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    return (list(texts[start : start + MAX_TEXTS]) for start in range(0, len(texts), MAX_TEXTS))


def _stack(batches: Iterator[Vectors]) -> Vectors:
    return np.concatenate([np.empty((0, DIMENSIONS), np.float32), *batches])


def _validate(vectors: Any, count: int) -> Vectors:
    """Return the vectors with unit length. Raises: ModelError."""
    lengths = {len(vector) for vector in vectors} - {DIMENSIONS}
    if lengths:
        setting = f"{EMBEDDING_MODEL.settings}_DIMENSIONS={DIMENSIONS}"
        raise ModelError(
            f"The embedding model returns {min(lengths)} dimensions; {DIMENSIONS} are needed."
            f" Fix: set {setting} if the model can shorten vectors, or choose another model."
        )
    return validate_vectors(vectors, count)


def _identity(config: EmbedderConfig, host: str) -> str:
    """Return an id that changes with everything that may change the vectors, but not the key."""
    parts = [host, config.model, config.dimensions, config.query_prefix, config.doc_prefix]
    digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:8]
    name = re.sub(r"[^a-z0-9+._-]+", "-", config.model.lower()).strip("-._+")[:40] or "model"
    return f"{name}-{digest}-{DIMENSIONS}"


def _openai_like(config: EmbedderConfig, client: Any, seconds: float) -> Any:
    """Return the model's client, which returns vectors in the order of their texts."""
    with IMPORT_LOCK:
        from llama_index.embeddings.openai_like import OpenAILikeEmbedding  # type: ignore[import-untyped]  # noqa: PLC0415 - llama-index takes 1.7 s

    class Ordered(OpenAILikeEmbedding):  # type: ignore[misc]
        """Sorts the vectors, because some servers return them in another order."""

        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            response = self._get_client().embeddings.create(
                input=texts, model=config.model, **self.additional_kwargs
            )
            ordered = sorted(response.data, key=lambda item: item.index)
            if [item.index for item in ordered] != [*range(len(texts))]:
                raise ValueError("the vectors do not match the texts")
            return [item.embedding for item in ordered]

    options: dict[str, Any] = {
        "model_name": config.model,
        "api_base": config.base_url,
        "api_key": config.api_key or PLACEHOLDER_KEY,
        "dimensions": config.dimensions or None,
        "embed_batch_size": MAX_TEXTS,
        "max_retries": 0,
        "timeout": seconds,
        "http_client": client,
    }
    return Ordered(**options)
