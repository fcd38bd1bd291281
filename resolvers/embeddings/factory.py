"""Makes the embedder that the settings choose."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from resolvers.embeddings.config import EmbedderConfig, EmbedderKind
from resolvers.embeddings.errors import ModelError
from resolvers.embeddings.weights import MINILM, PULL, ModelFiles, find_weights, models_folder

if TYPE_CHECKING:
    from resolvers.embeddings.embedder import Embedder

log = logging.getLogger("studiograph.answers")


def make_embedder(config: EmbedderConfig, data: Path, pinned: ModelFiles = MINILM) -> "Embedder":
    """Load the embedder. Blocks for a second or two. Raises: ModelError."""
    if config.kind == "openai-like":
        from resolvers.embeddings.remote import RemoteEmbedder  # noqa: PLC0415 - llama-index takes 1.7 s

        return RemoteEmbedder(config)
    if config.kind == "huggingface":
        from resolvers.embeddings.remote import LocalEmbedder  # noqa: PLC0415 - llama-index takes 1.7 s

        return LocalEmbedder(config)
    return _built_in(config.kind, data, pinned)


def _built_in(kind: EmbedderKind, data: Path, pinned: ModelFiles) -> "Embedder":
    from resolvers.embeddings.hashing import HashingEmbedder  # noqa: PLC0415 - numpy takes 0.15 s
    from resolvers.embeddings.hybrid import hybrid  # noqa: PLC0415 - numpy takes 0.15 s

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
