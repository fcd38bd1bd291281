"""Makes the embedder that the settings choose.

Each one's module is imported when it is chosen: numpy takes 0.15 s, and openai 0.8 s.
"""

import logging
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from resolvers.embeddings.config import INSTALL_MULTILINGUAL, MULTILINGUAL, EmbedderConfig
from resolvers.embeddings.errors import ModelError
from resolvers.embeddings.weights import INSTALL, MINILM, ModelFiles, find_weights, models_folder
from schema.language_names import is_english

if TYPE_CHECKING:
    from resolvers.embeddings.embedder import Embedder

log = logging.getLogger("studiograph.answers")


def make_embedder(config: EmbedderConfig, data: Path, pinned: ModelFiles = MINILM) -> "Embedder":
    """Load the embedder. Blocks for a second or two. Raises: ModelError."""
    match config.kind:
        case "openai-like":
            from resolvers.embeddings.remote import RemoteEmbedder  # noqa: PLC0415 - see above

            return RemoteEmbedder(config)
        case "huggingface":
            from resolvers.embeddings.remote import LocalEmbedder  # noqa: PLC0415 - see above

            return LocalEmbedder(config)
        case "multilingual":
            return _multilingual()
        case "auto" if not is_english(config.language):
            if find_spec(MULTILINGUAL) is not None:
                return _multilingual()
            log.warning(
                "The content is in %s, which minilm was not made for. Fix: %s.",
                *(config.language, INSTALL_MULTILINGUAL),
            )
    return _built_in(config, data, pinned)


def _multilingual() -> "Embedder":
    from resolvers.embeddings.multilingual import Multilingual  # noqa: PLC0415 - see above

    return Multilingual()


def _built_in(config: EmbedderConfig, data: Path, pinned: ModelFiles) -> "Embedder":
    from resolvers.embeddings.hashing import HashingEmbedder  # noqa: PLC0415 - see above
    from resolvers.embeddings.hybrid import hybrid  # noqa: PLC0415 - see above

    if config.kind == "hash":
        return HashingEmbedder()
    weights = find_weights(data, pinned)
    if weights is not None:
        return hybrid(weights)
    if config.kind == "minilm":
        raise ModelError(
            "STUDIOGRAPH_AI_EMBEDDER is minilm, but there is no model in"
            f" {models_folder(data, pinned)}. Fix: {INSTALL}."
        )
    log.warning(
        "There is no embedding model, so search matches words, not meaning. Fix: %s, or set"
        " STUDIOGRAPH_AI_EMBEDDER=hash if this is intended.",
        INSTALL,
    )
    return HashingEmbedder()
