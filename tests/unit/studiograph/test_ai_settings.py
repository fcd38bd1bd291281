"""The settings of models and of deliveries, and which of them need each other."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from studiograph.settings import PREFIX, Settings, SettingsError, read_settings
from studiograph.wiring.services import make_runtime


def read(**values: str) -> Settings:
    """The settings of an environment in which these are given without their prefix."""
    return read_settings({f"{PREFIX}{name}": value for name, value in values.items()})


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("SUBSCRIBE_LIMIT", "0", "0"),
        ("WEBHOOK_SCHEDULE", "0, 0.5,60", (0, 0.5, 60)),
        ("CHAT_LIMIT", "5/minute", "5/minute"),
        ("AI_EMBEDDER", "openai-like", "openai-like"),
        ("AI_EMBED_BASE_URL", "http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1"),
        ("AI_EMBED_MODEL", "BAAI/bge-base-en-v1.5", "BAAI/bge-base-en-v1.5"),
        ("AI_EMBED_DIMENSIONS", "768", 768),
        ("AI_EMBED_QUERY_PREFIX", "query: ", "query: "),
        ("AI_LLM", "none", "none"),
        ("AI_LLM_API_KEY", "sk-proj.x_1", SecretStr("sk-proj.x_1")),
        ("AI_LLM_TEMPERATURE", "0.2", 0.2),
    ],
)
def test_each_is_read(name: str, text: str, value: object) -> None:
    assert getattr(read(**{name: text}), name.lower()) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("WEBHOOK_SCHEDULE", "0,-1"),
        ("WEBHOOK_SCHEDULE", "0,soon"),
        ("AI_EMBEDDER", "secret"),
        ("AI_EMBED_BASE_URL", "ftp://secret"),
        ("AI_EMBED_MODEL", "a b"),
        ("AI_EMBED_DIMENSIONS", "512"),
        ("AI_LLM_API_KEY", "sec ret"),
        ("AI_LLM_TIMEOUT_S", "0"),
        ("AI_LLM_TEMPERATURE", "nan"),
    ],
)
def test_what_cannot_be_is_told_with_what_can(name: str, text: str) -> None:
    with pytest.raises(SettingsError, match=f"^{PREFIX}{name}: must be ") as caught:
        read(**{name: text})
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({"AI_LLM": "openai-like"}, ["AI_LLM_BASE_URL", "AI_LLM_MODEL"]),
        ({"AI_LLM": "openai-like", "AI_LLM_MODEL": "m"}, ["AI_LLM_BASE_URL"]),
        ({"AI_EMBEDDER": "openai-like"}, ["AI_EMBED_BASE_URL", "AI_EMBED_MODEL"]),
        ({"AI_EMBEDDER": "huggingface"}, ["AI_EMBED_MODEL"]),
    ],
)
def test_what_needs_another_setting_names_it(
    given: dict[str, str], missing: list[str], tmp_path: Path
) -> None:
    with pytest.raises(SettingsError) as caught:
        make_runtime(read(**given, DATA=str(tmp_path)), "en")
    told = str(caught.value).splitlines()
    assert [line.partition(":")[0] for line in told] == [f"{PREFIX}{name}" for name in missing]
