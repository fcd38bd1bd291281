"""Which embedder the owner's choice gives, and what is said where it gives none."""

import logging
from dataclasses import replace
from pathlib import Path

import pytest
from model_weights import WEIGHTS, needs_weights

from resolvers.embeddings.config import EmbedderConfig, EmbedderKind
from resolvers.embeddings.errors import ModelError
from resolvers.embeddings.factory import make_embedder
from resolvers.embeddings.weights import (
    INSTALL,
    MINILM,
    MODEL,
    TOKENIZER,
    ModelFiles,
    models_folder,
)

NOWHERE = "a-model-that-nobody-publishes"
PINS = {name: replace(pin, package=NOWHERE) for name, pin in MINILM.pins.items()}
ABSENT = ModelFiles("absent", PINS)


def test_hash_asks_for_no_weights(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert make_embedder(EmbedderConfig("hash"), tmp_path).model == "hash768"
    assert caplog.messages == []
    assert [*tmp_path.iterdir()] == []


@needs_weights
def test_the_model_is_taken_where_its_weights_are(tmp_path: Path) -> None:
    assert WEIGHTS is not None
    folder = models_folder(tmp_path, ABSENT)  # the data folder alone has them
    folder.mkdir(parents=True)
    (folder / MODEL).symlink_to(WEIGHTS.model)
    (folder / TOKENIZER).symlink_to(WEIGHTS.tokenizer)
    kinds: tuple[EmbedderKind, ...] = ("auto", "minilm")
    for kind in kinds:
        embedder = make_embedder(EmbedderConfig(kind), tmp_path, ABSENT)
        assert (embedder.mode, embedder.dimensions) == ("hybrid", 768)


def test_auto_without_weights_finds_words_and_says_how_to_find_meanings(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    embedder = make_embedder(EmbedderConfig("auto"), tmp_path, ABSENT)
    assert (embedder.model, embedder.mode) == ("hash768", "lexical")
    (told,) = caplog.records
    assert (told.name, told.levelno) == ("studiograph.answers", logging.WARNING)
    assert INSTALL in told.getMessage()


def test_minilm_without_weights_is_a_fault_that_names_the_fix(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=f"Fix: {INSTALL}"):
        make_embedder(EmbedderConfig("minilm"), tmp_path, ABSENT)


def test_files_that_are_refused_are_as_good_as_absent(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = models_folder(tmp_path, ABSENT)
    folder.mkdir(parents=True)
    for name in MINILM.pins:
        (folder / name).write_text("another model")
    assert make_embedder(EmbedderConfig(), tmp_path, ABSENT).mode == "lexical"
    refused, absent = caplog.messages
    assert f"{folder / MODEL} is not the file" in refused
    assert "search matches words, not meaning" in absent


def test_a_model_of_an_extra_that_is_not_installed_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="huggingface"):
        make_embedder(EmbedderConfig("huggingface", model="some/model"), tmp_path)


def test_a_key_is_not_shown() -> None:
    assert "secret" not in repr(EmbedderConfig("openai-like", api_key="secret"))


def test_vectors_of_a_remote_model_are_kept_for_its_settings_alone(tmp_path: Path) -> None:
    config = EmbedderConfig("openai-like", "https://models.example/v1", "a key", "small")
    others = [
        replace(config, **change)
        for change in (
            {"base_url": "https://other.example/v1"},
            {"model": "large"},
            {"dimensions": 64},
            {"query_prefix": "query: "},
            {"doc_prefix": "passage: "},
        )
    ]
    ids = [make_embedder(each, tmp_path).id for each in (config, *others)]
    assert len({*ids}) == len(ids)
    assert make_embedder(replace(config, api_key="another key"), tmp_path).id == ids[0]
