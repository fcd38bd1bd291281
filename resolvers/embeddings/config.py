"""The choice of an embedding model."""

from dataclasses import dataclass, field
from typing import Literal

EmbedderKind = Literal["auto", "minilm", "hash", "openai-like", "huggingface"]


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
