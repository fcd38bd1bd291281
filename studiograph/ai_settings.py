"""The settings of search, chat and embeddings: which models, where, and where vectors are kept."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, StringConstraints

from studiograph.setting_types import IPV6, LIMIT, LIMITS, NAME, PATH, Allowed, address, token

_BASE_URL = (
    StringConstraints(pattern=rf"^https?://(?:{NAME}|\[{IPV6}\])(?::[0-9]{{1,5}})?{PATH}$"),
    AfterValidator(address),
)
_MODEL = (
    StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:/+-]{0,199}$"),
    Allowed("a model's name of at most 200 letters, digits and . _ : / + -"),
)
_ENDPOINT = Allowed(
    "an http or https address without a query, for example http://127.0.0.1:11434/v1"
)
_KEY = (AfterValidator(token), Allowed("a key of letters, digits, . _ and -"))
_PREFIX = (
    StringConstraints(max_length=200, strip_whitespace=False),
    Allowed("a text of at most 200 characters"),
)


class AiSettings(BaseModel):
    """The part of the settings that is about models."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    chat_limit: Annotated[str, StringConstraints(pattern=LIMIT), LIMITS] = "30/hour"
    """How many questions one caller may ask in chat; 0 is no limit."""
    embed_limit: Annotated[str, StringConstraints(pattern=LIMIT), LIMITS] = "60/minute"
    """How many times one caller may have texts embedded; 0 is no limit."""

    ai_embedder: Annotated[
        Literal["auto", "minilm", "hash", "openai-like", "huggingface"],
        Allowed(
            "auto (minilm if its weights are there, else hash), minilm, hash, openai-like or"
            " huggingface"
        ),
    ] = "auto"
    """What turns texts into vectors."""
    ai_model_url: Annotated[str, *_BASE_URL, _ENDPOINT] = ""
    """Where `studiograph models pull` gets the weights; without it, where their authors publish
    them."""
    ai_embed_base_url: Annotated[str, *_BASE_URL, _ENDPOINT] = ""
    """The address of an embedding service that speaks as OpenAI's does."""
    ai_embed_api_key: Annotated[SecretStr, *_KEY] = SecretStr("")
    """Its key, if it wants one."""
    ai_embed_model: Annotated[str, *_MODEL] = ""
    """Its model, or the name or folder of a HuggingFace model."""
    ai_embed_dimensions: Annotated[
        int, Field(ge=0, le=768, multiple_of=768), Allowed("768, or 0 to ask for no number")
    ] = 0
    """The length of vectors to ask it for, if it takes one; 768 are needed."""
    ai_embed_query_prefix: Annotated[str, *_PREFIX] = ""
    """What its model wants in front of a question."""
    ai_embed_doc_prefix: Annotated[str, *_PREFIX] = ""
    """What its model wants in front of a text that is searched."""

    ai_llm: Annotated[
        Literal["extractive", "openai-like", "none"],
        Allowed("extractive (quotes, without a model), openai-like or none (chat answers 503)"),
    ] = "extractive"
    """What answers questions in chat."""
    ai_llm_base_url: Annotated[str, *_BASE_URL, _ENDPOINT] = ""
    """The address of a language model that speaks as OpenAI's does."""
    ai_llm_api_key: Annotated[SecretStr, *_KEY] = SecretStr("")
    """Its key, if it wants one."""
    ai_llm_model: Annotated[str, *_MODEL] = ""
    """Its name."""
    ai_llm_timeout_s: Annotated[int, Field(ge=1, le=60), Allowed("a whole number from 1 to 60")] = (
        20
    )
    """How long its first word may take, in seconds; all of an answer may take 60."""
    ai_llm_max_tokens: Annotated[
        int, Field(ge=16, le=8192), Allowed("a whole number from 16 to 8192")
    ] = 600
    """How long an answer may be."""
    ai_llm_concurrency: Annotated[
        int, Field(ge=1, le=256), Allowed("a whole number from 1 to 256")
    ] = 8
    """How many answers it makes at a time; 32 more wait, and a further one is refused."""
    ai_llm_temperature: Annotated[
        float, Field(ge=0, le=2, allow_inf_nan=False), Allowed("a number from 0 to 2")
    ] = 0
    """How freely it words an answer."""
    ai_llm_fallback: Annotated[
        Literal["error", "extractive"],
        Allowed("error (chat answers 503) or extractive (quotes instead)"),
    ] = "error"
    """What chat does while the language model does not answer."""

    vector_store: Annotated[
        Literal["chroma-ephemeral", "chroma-path", "chroma-http"],
        Allowed("chroma-ephemeral (in memory), chroma-path (a folder, one process) or chroma-http"),
    ] = "chroma-ephemeral"
    """Where vectors are searched."""
    chroma_url: Annotated[str, *_BASE_URL, _ENDPOINT] = ""
    """The address of a Chroma server."""
    chroma_token: Annotated[SecretStr, *_KEY] = SecretStr("")
    """Its token, if it wants one."""
