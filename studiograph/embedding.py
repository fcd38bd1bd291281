"""From the settings to what embeds. Loads nothing."""

from pathlib import Path

from resolvers.embeddings.factory import EmbedderConfig
from studiograph.settings import Settings


def choice_of(settings: Settings) -> EmbedderConfig:
    """Which embedder the owner chose."""
    return EmbedderConfig(
        kind=settings.ai_embedder,
        base_url=settings.ai_embed_base_url,
        api_key=settings.ai_embed_api_key.get_secret_value(),
        model=settings.ai_embed_model,
        dimensions=settings.ai_embed_dimensions,
        query_prefix=settings.ai_embed_query_prefix,
        doc_prefix=settings.ai_embed_doc_prefix,
    )


def vectors_folder(settings: Settings) -> Path:
    """Where vectors are kept between starts."""
    return settings.data / "vectors"
