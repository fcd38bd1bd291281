"""Makes the model runtime from the settings, and the paths of what it finds."""

from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import quote

from resolvers.ai.engine import ModelConfig
from resolvers.ai.memory import share_one_arena
from resolvers.ai.runtime import ModelRuntime
from resolvers.embeddings.config import EmbedderConfig
from schema.site import Site
from sdl.operations.catalog import entry_reads
from sdl.running.runner import Operations
from sdl.types.declare import Output, marks_of
from sdl.types.marks import Searchable
from studiograph.settings import Settings, SettingsError

if TYPE_CHECKING:
    from resolvers.chat.language_model import LanguageModel


ANSWER_SECONDS = 60
"""How much longer than its first word a whole answer may take."""


def make_runtime(settings: Settings, language: str) -> ModelRuntime:
    """Return the runtime; it has loaded no model yet. Raises: SettingsError."""
    _check(settings)
    share_one_arena()
    has_model = settings.ai_llm == "openai-like"
    config = ModelConfig(
        data=settings.data,
        embedder=embedder_config(settings, language),
        writer=partial(_writer, settings) if has_model else None,
        falls_back=settings.ai_llm_fallback == "extractive",
    )
    return ModelRuntime(config)


def embedder_config(settings: Settings, language: str) -> EmbedderConfig:
    """Return which embedder the settings choose."""
    return EmbedderConfig(
        kind=settings.ai_embedder,
        base_url=settings.ai_embed_base_url,
        api_key=settings.ai_embed_api_key.get_secret_value(),
        model=settings.ai_embed_model,
        dimensions=settings.ai_embed_dimensions,
        query_prefix=settings.ai_embed_query_prefix,
        doc_prefix=settings.ai_embed_doc_prefix,
        language=language,
    )


def citation_urls(operations: Operations) -> Callable[[str, str], str]:
    """Return a function from an entry's kind and slug to its path.

    It is the entry's own path, or that of the list that contains it, or the root's.
    """
    fields = dict(_searchable_fields(Site))
    lists = {o.root.name.value: o for o in operations if o.is_read and not o.path_variables}
    entries = entry_reads(operations)

    def path_of(kind: str, slug: str) -> str:
        read = entries.get(kind) or lists.get(fields.get(kind, ""))
        if read is None or read.rest is None:
            return "/"
        variables = dict.fromkeys(read.path_variables, quote(slug, safe=""))
        return read.rest.path.format_map(variables)

    return path_of


def _searchable_fields(kind: type[Output]) -> Iterator[tuple[str, str]]:
    """Yield each searchable kind and its GraphQL field."""
    for name, info in kind.model_fields.items():
        for mark in marks_of(info):
            if isinstance(mark, Searchable):
                yield mark.kind, info.alias or name
        inner = info.annotation
        if isinstance(inner, type) and issubclass(inner, Output):
            yield from _searchable_fields(inner)


def _check(settings: Settings) -> None:
    """Check that the settings fit together. Raises: SettingsError."""
    needs = {
        "ai_embedder": ("openai-like", ("ai_embed_base_url", "ai_embed_model")),
        "ai_llm": ("openai-like", ("ai_llm_base_url", "ai_llm_model")),
    }
    problems = [
        f"STUDIOGRAPH_{required.upper()}: is needed with STUDIOGRAPH_{name.upper()}={value}"
        for name, (value, others) in needs.items()
        if getattr(settings, name) == value
        for required in others
        if not getattr(settings, required)
    ]
    if settings.ai_embedder == "huggingface" and not settings.ai_embed_model:
        problems.append(
            "STUDIOGRAPH_AI_EMBED_MODEL: is needed with STUDIOGRAPH_AI_EMBEDDER=huggingface"
        )
    if find_spec("openai") is None:
        problems += [
            f"STUDIOGRAPH_{name.upper()}: openai-like needs packages that are not here; install"
            " the lock requirements/llm.txt in place of run.txt"
            for name in ("ai_llm", "ai_embedder")
            if getattr(settings, name) == "openai-like"
        ]
    if problems:
        raise SettingsError("\n".join(problems))


def _writer(settings: Settings) -> "LanguageModel":
    from resolvers.chat.language_model import (  # noqa: PLC0415 - 0.2 s, only with a language model
        LanguageModel,
        LanguageModelConfig,
    )

    return LanguageModel(
        LanguageModelConfig(
            base_url=settings.ai_llm_base_url,
            api_key=settings.ai_llm_api_key.get_secret_value(),
            model=settings.ai_llm_model,
            timeout_seconds=settings.ai_llm_timeout_s,
            total_seconds=settings.ai_llm_timeout_s + ANSWER_SECONDS,
            max_tokens=settings.ai_llm_max_tokens,
            concurrency=settings.ai_llm_concurrency,
            temperature=settings.ai_llm_temperature,
        )
    )
