"""Which embedder answers, by what the owner chose. Holds no model."""

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
    """What the settings say of the embedder; all but the kind is for those that run elsewhere."""

    kind: EmbedderKind = "auto"
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    model: str = ""
    dimensions: int = 0
    """How long its vectors shall be; 0 leaves it to the model."""
    query_prefix: str = ""
    doc_prefix: str = ""


def make_embedder(choice: EmbedderConfig, data: Path, pinned: ModelFiles = MINILM) -> "Embedder":
    """The embedder, loaded. Blocks, for a second or two. Raises: ModelFault."""
    if choice.kind == "openai-like":
        from resolvers.embeddings.remote import RemoteEmbedder  # noqa: PLC0415 - heavy

        return RemoteEmbedder(choice)
    if choice.kind == "huggingface":
        from resolvers.embeddings.remote import LocalEmbedder  # noqa: PLC0415 - heavy

        return LocalEmbedder(choice)
    return _embedded(choice.kind, data, pinned)


def _embedded(kind: EmbedderKind, data: Path, pinned: ModelFiles) -> "Embedder":
    from resolvers.embeddings.hashing import HashingEmbedder  # noqa: PLC0415 - one of two is needed
    from resolvers.embeddings.hybrid import hybrid  # noqa: PLC0415 - the same

    if kind == "hash":
        return HashingEmbedder()
    weights = find_weights(data, pinned)
    if weights is not None:
        return hybrid(weights, data)
    if kind == "minilm":
        raise ModelError(
            "STUDIOGRAPH_AI_EMBEDDER=minilm, and there is no model in"
            f" {models_folder(data, pinned)}. Fix: {PULL}."
        )
    log.warning(
        "There is no model, so searches find words and not meanings. Fix: %s, or say so with"
        " STUDIOGRAPH_AI_EMBEDDER=hash.",
        PULL,
    )
    return HashingEmbedder()
