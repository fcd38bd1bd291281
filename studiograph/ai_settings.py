"""The settings of search, chat and embeddings."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, StringConstraints

from studiograph.setting_types import (
    IPV6,
    NAME,
    PATH,
    RATE_ALLOWED,
    RATE_PATTERN,
    Allowed,
    check_token,
    check_url,
)

_BASE_URL = (
    StringConstraints(pattern=rf"^https?://(?:{NAME}|\[{IPV6}\])(?::[0-9]{{1,5}})?{PATH}$"),
    AfterValidator(check_url),
)
_MODEL = (
    StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:/+-]{0,199}$"),
    Allowed("a model's name of at most 200 letters, digits and . _ : / + -"),
)
_ENDPOINT = Allowed(
    "an http or https address without a query, for example http://127.0.0.1:11434/v1"
)
_KEY = (AfterValidator(check_token), Allowed("a key of letters, digits, . _ and -"))
_PREFIX = (
    StringConstraints(max_length=200, strip_whitespace=False),
    Allowed("a text of at most 200 characters"),
)


class AiSettings(BaseModel):
    """The settings of models and of the vector store."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    chat_limit: Annotated[str, StringConstraints(pattern=RATE_PATTERN), RATE_ALLOWED] = "30/hour"
    """Questions that one caller may ask in chat; 0 sets no limit."""
    embed_limit: Annotated[str, StringConstraints(pattern=RATE_PATTERN), RATE_ALLOWED] = "60/minute"
    """Calls to the embeddings endpoint that one caller may make; each 2,000 characters of texts
    count as one. 0 sets no limit."""

    ai_embedder: Annotated[
        Literal["auto", "minilm", "multilingual", "hash", "openai-like", "huggingface"],
        Allowed(
            "auto (minilm if its weights are there, else hash; multilingual for content in another"
            " language than English, if it is installed), minilm, multilingual, hash, openai-like"
            " or huggingface"
        ),
    ] = "auto"
    """The embedding model."""
    ai_model_url: Annotated[str, *_BASE_URL, _ENDPOINT] = ""
    """The address from which `studiograph models pull` downloads the files of the built-in model,
    where its packages cannot be installed."""
    ai_embed_base_url: Annotated[str, *_BASE_URL, _ENDPOINT] = ""
    """The base URL of an OpenAI-compatible embedding API."""
    ai_embed_api_key: Annotated[SecretStr, *_KEY] = SecretStr("")
    """The API key of the embedding service, if it needs one."""
    ai_embed_model: Annotated[str, *_MODEL] = ""
    """The model of the embedding service, or the name or folder of a HuggingFace model."""
    ai_embed_dimensions: Annotated[
        int, Field(ge=0, le=768, multiple_of=768), Allowed("768, or 0 to ask for no number")
    ] = 0
    """The vector length to request from the embedding service: vectors must have 768 numbers."""
    ai_embed_query_prefix: Annotated[str, *_PREFIX] = ""
    """The prefix that the embedding model expects before a question."""
    ai_embed_doc_prefix: Annotated[str, *_PREFIX] = ""
    """The prefix that the embedding model expects before a document."""

    ai_llm: Annotated[
        Literal["extractive", "openai-like", "none"],
        Allowed("extractive (quotes, without a model), openai-like or none (chat answers 503)"),
    ] = "extractive"
    """How chat answers questions."""
    ai_llm_base_url: Annotated[str, *_BASE_URL, _ENDPOINT] = ""
    """The base URL of an OpenAI-compatible chat API."""
    ai_llm_api_key: Annotated[SecretStr, *_KEY] = SecretStr("")
    """The API key of the language model, if it needs one."""
    ai_llm_model: Annotated[str, *_MODEL] = ""
    """The name of the language model."""
    ai_llm_timeout_s: Annotated[
        int, Field(ge=1, le=300), Allowed("a whole number from 1 to 300")
    ] = 20
    """Seconds until the first word of an answer; a whole one may take 60 more. A small model on two
    cores needs more than 20 for its first word."""
    ai_llm_max_tokens: Annotated[
        int, Field(ge=16, le=8192), Allowed("a whole number from 16 to 8192")
    ] = 600
    """The greatest length of an answer, in tokens."""
    ai_llm_concurrency: Annotated[
        int, Field(ge=1, le=256), Allowed("a whole number from 1 to 256")
    ] = 8
    """Answers generated at the same time; 32 more wait, and a further one is refused."""
    ai_llm_temperature: Annotated[
        float, Field(ge=0, le=2, allow_inf_nan=False), Allowed("a number from 0 to 2")
    ] = 0
    """The sampling temperature."""
    ai_llm_fallback: Annotated[
        Literal["error", "extractive"],
        Allowed("error (chat answers 503) or extractive (quotes instead)"),
    ] = "extractive"
    """What chat does while the language model is not available, or is too slow."""
