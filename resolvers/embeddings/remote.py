"""Embedders for other models: an OpenAI-compatible HTTP API, or a local HuggingFace model.

All vectors are validated before they are returned.
"""

import hashlib
import importlib
import json
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

import httpx
import numpy as np

from resolvers.embeddings.config import EmbedderConfig
from resolvers.embeddings.embedder import DIMENSIONS, Vectors, validate_vectors
from resolvers.embeddings.errors import ModelError
from resolvers.embeddings.provider import (
    EMBEDDING_MODEL,
    FAILURES,
    check_response,
    client_options,
    to_model_error,
)

MAX_TEXTS = 64
"""How many texts one call contains."""
MAX_BYTES = 16 * 2**20
"""How much of one response is read."""
TIMEOUT_SECONDS = 30


class _Elsewhere(ABC):
    """An `Embedder` for a model that the owner names."""

    mode = "semantic"
    dimensions = DIMENSIONS

    def __init__(self, config: EmbedderConfig, host: str) -> None:
        self.model = config.model
        self.id = _identity(config, host)
        self._config = config

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts to be searched: one row of unit length for each text. Blocks.

        Raises: ModelError.
        """
        prefixed = [self._config.doc_prefix + text for text in texts]
        starts = range(0, len(texts), MAX_TEXTS)
        batches = [self._embed(prefixed[start : start + MAX_TEXTS]) for start in starts]
        return np.concatenate([np.empty((0, DIMENSIONS), np.float32), *batches])

    def embed_query(self, text: str) -> Vectors:
        """Embed the text of a search. Blocks. Raises: ModelError."""
        query: Vectors = self._embed([self._config.query_prefix + text])[0]
        return query

    @abstractmethod
    def _embed(self, texts: list[str]) -> Vectors:
        """Embed at most `MAX_TEXTS` texts. Raises: ModelError."""


class RemoteEmbedder(_Elsewhere):
    """An `Embedder` that calls an OpenAI-compatible embedding API."""

    def __init__(self, config: EmbedderConfig, timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        super().__init__(config, urlsplit(config.base_url).netloc)
        self._seconds = timeout_seconds
        self._client = httpx.Client(**client_options(config.api_key, timeout_seconds))

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def _embed(self, texts: list[str]) -> Vectors:
        body: dict[str, Any] = {"input": texts, "model": self.model, "encoding_format": "float"}
        if self._config.dimensions:
            body["dimensions"] = self._config.dimensions
        try:
            # Some servers return them in another order.
            ordered = sorted(self._post(body)["data"], key=lambda item: item["index"])
            if [item["index"] for item in ordered] != [*range(len(texts))]:
                raise ValueError("the vectors do not match the texts")
            return _validate([item["embedding"] for item in ordered], len(texts))
        except FAILURES as error:
            raise to_model_error(error, EMBEDDING_MODEL) from None

    def _post(self, body: Any) -> Any:
        """Return the JSON of the response. Raises: httpx.HTTPError, ValueError."""
        ends_at, data = time.monotonic() + self._seconds, bytearray()
        url = f"{self._config.base_url.rstrip('/')}/embeddings"
        with self._client.stream("POST", url, json=body) as response:
            count = check_response(response, MAX_BYTES)
            for piece in response.iter_raw():
                data += count(piece)
                if time.monotonic() > ends_at:  # httpx's timeout starts again with each piece
                    raise httpx.ReadTimeout("the provider's response takes too long")
        return json.loads(data)


class LocalEmbedder(_Elsewhere):
    """An `Embedder` for a HuggingFace model in this process; needs an extra package."""

    def __init__(
        self, config: EmbedderConfig, load: Callable[[str], Any] = importlib.import_module
    ) -> None:
        """Load the package and the model. Raises: ModelError."""
        super().__init__(config, "local")
        try:
            package = load("sentence_transformers")
        except ModuleNotFoundError:
            raise ModelError(
                "STUDIOGRAPH_AI_EMBEDDER=huggingface needs a package that is not installed."
                " Fix: pip install sentence-transformers."
            ) from None
        self._model = package.SentenceTransformer(config.model)

    def _embed(self, texts: list[str]) -> Vectors:
        return _validate(self._model.encode(texts, batch_size=MAX_TEXTS), len(texts))


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
