"""Makes the embedder that the settings choose."""

import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from resolvers.embeddings.errors import ModelError
from resolvers.embeddings.weights import MINILM, PULL, ModelFiles, find_weights, models_folder

if TYPE_CHECKING:
    from resolvers.embeddings.embedder import Embedder

EmbedderKind = Literal["auto", "minilm", "hash", "openai-like", "huggingface"]

log = logging.getLogger("studiograph.answers")


@dataclass(frozen=True)
class EmbedderConfig:
    """The configured embedder; all fields but `kind` are for remote and HuggingFace models."""

    kind: EmbedderKind = "auto"
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    model: str = ""
    dimensions: int = 0
    """The dimensions to request; 0 leaves them to the model."""
    query_prefix: str = ""
    doc_prefix: str = ""


def make_embedder(config: EmbedderConfig, data: Path, pinned: ModelFiles = MINILM) -> "Embedder":
    """Load the embedder. Blocks for a second or two. Raises: ModelError."""
    if config.kind == "openai-like":
        from resolvers.embeddings.remote import RemoteEmbedder  # noqa: PLC0415 - heavy

        return RemoteEmbedder(config)
    if config.kind == "huggingface":
        from resolvers.embeddings.remote import LocalEmbedder  # noqa: PLC0415 - heavy

        return LocalEmbedder(config)
    return _built_in(config.kind, data, pinned)


def _built_in(kind: EmbedderKind, data: Path, pinned: ModelFiles) -> "Embedder":
    from resolvers.embeddings.hashing import HashingEmbedder  # noqa: PLC0415 - imports numpy
    from resolvers.embeddings.hybrid import hybrid  # noqa: PLC0415 - imports numpy

    if kind == "hash":
        return HashingEmbedder()
    weights = find_weights(data, pinned)
    if weights is not None:
        return hybrid(weights, data)
    if kind == "minilm":
        raise ModelError(
            "STUDIOGRAPH_AI_EMBEDDER is minilm, but there is no model in"
            f" {models_folder(data, pinned)}. Fix: {PULL}."
        )
    log.warning(
        "There is no embedding model, so search matches words, not meaning. Fix: %s, or set"
        " STUDIOGRAPH_AI_EMBEDDER=hash if this is intended.",
        PULL,
    )
    return HashingEmbedder()
