"""The embedder for other languages: an extra that nobody must have, and a fault that names it."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from resolvers.embeddings import factory
from resolvers.embeddings.config import MULTILINGUAL, EmbedderConfig
from resolvers.embeddings.embedder import TokenEmbedder, Vectors
from resolvers.embeddings.errors import ModelError
from resolvers.embeddings.factory import make_embedder
from resolvers.embeddings.hashing import HashingEmbedder
from resolvers.embeddings.hybrid import meaning_of
from resolvers.embeddings.multilingual import Multilingual

is_absent = find_spec(MULTILINGUAL) is None
TEXTS = ["Was kostet es?", "", "価格 \ud800", "Die Flut\0 steigt.", "rfc-8785"]


class Model:
    """Stands in for the package's model: all vectors are much alike, as those of that one are."""

    def __init__(self, num_threads: int) -> None:
        assert num_threads == 1
        self.asked: list[str] = []

    def passage(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts to be searched."""
        assert all("\0" not in text and text.encode() is not None for text in texts)
        return HashingEmbedder(384).embed_documents(texts) + np.float32(0.5)

    def query(self, texts: Sequence[str]) -> Vectors:
        """The vectors of questions."""
        self.asked += texts
        return HashingEmbedder(384).embed_documents(texts) - np.float32(0.5)


PACKAGE = SimpleNamespace(E5=Model, __version__="0.3.0")


def missing(name: str) -> object:
    """The package is not there."""
    raise ModuleNotFoundError(name=name)


@pytest.fixture(params=["stand-in", "package"])
def embedder(request: pytest.FixtureRequest) -> Multilingual:
    """The embedder with the model that stands in, and with the real one where it is installed."""
    if request.param == "stand-in":
        return Multilingual(lambda _: PACKAGE)
    if is_absent:
        pytest.skip(f"{MULTILINGUAL} is not installed")
    return Multilingual()


def test_its_vectors_have_both_halves_and_unit_length(embedder: Multilingual) -> None:
    vectors = embedder.embed_documents(TEXTS)
    assert vectors.shape == (5, 768)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert embedder.embed_documents([]).shape == (0, 768)
    assert (embedder.mode, embedder.model) == ("hybrid", "e5-small+hash384")
    assert not isinstance(embedder, TokenEmbedder)


def test_in_company_a_text_has_the_vector_it_has_alone(embedder: Multilingual) -> None:
    alone = [embedder.embed_documents([text])[0] for text in TEXTS]
    assert np.array_equal(embedder.embed_documents(TEXTS), alone)


def test_what_all_texts_have_in_common_is_taken_away(embedder: Multilingual) -> None:
    far, near = (
        meaning_of(embedder.embed_documents([text]), "hybrid")
        for text in ("Die Flut steigt am Mittag.", "Was kostet die Arbeit?")
    )
    asked = meaning_of(embedder.embed_query("Was kostet die Arbeit?")[np.newaxis], "hybrid")
    assert float(asked[0] @ near[0]) > 0.7
    assert float(asked[0] @ far[0]) < 0.4


def test_a_question_is_read_once() -> None:
    model = Model(1)
    package = SimpleNamespace(E5=lambda **_: model, __version__="0.3.0")
    embedder = Multilingual(lambda _: package)
    model.asked.clear()
    first = embedder.embed_query("Was kostet es?")
    assert embedder.embed_query("Was kostet es?") is first
    assert model.asked == ["Was kostet es?"]


def test_without_its_package_it_is_a_fault_that_names_the_fix() -> None:
    with pytest.raises(ModelError, match=r"Fix: run `pip install studiograph\[multilingual\]`"):
        Multilingual(missing)


@pytest.fixture
def without_minilm(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A machine without the weights of the default model."""
    monkeypatch.setattr(factory, "find_weights", lambda *_: None)
    return monkeypatch


@pytest.mark.parametrize(
    ("language", "model"),
    [("en", "hash768"), ("en-GB", "hash768"), ("EN", "hash768"), ("de", "e5-small+hash384")],
)
def test_auto_takes_it_for_another_language_where_it_is_installed(
    language: str, model: str, tmp_path: Path, without_minilm: pytest.MonkeyPatch
) -> None:
    without_minilm.setattr(factory, "find_spec", lambda _: PACKAGE)
    without_minilm.setattr(factory, "_multilingual", lambda: Multilingual(lambda _: PACKAGE))
    assert make_embedder(EmbedderConfig(language=language), tmp_path).model == model


def test_where_it_is_not_installed_auto_says_how_to_have_it(
    tmp_path: Path, without_minilm: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    without_minilm.setattr(factory, "find_spec", lambda _: None)
    assert make_embedder(EmbedderConfig(language="de"), tmp_path).model == "hash768"
    told = caplog.messages[0]
    assert told.startswith("The content is in de, which minilm was not made for. Fix: run `pip")
