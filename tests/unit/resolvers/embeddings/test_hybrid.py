"""Meaning and words in one vector, each with its share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_weights import WEIGHTS, needs_weights

from resolvers.embeddings.hashing import HashingEmbedder
from resolvers.embeddings.hybrid import Hybrid, hybrid
from resolvers.embeddings.minilm import MiniLM

pytestmark = needs_weights
HASHED = HashingEmbedder(384)


class Loaded:
    """The halves and the whole, for properties that no fixture reaches."""

    minilm: MiniLM
    whole: Hybrid


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    assert WEIGHTS is not None
    Loaded.whole = hybrid(WEIGHTS)
    Loaded.minilm = MiniLM(WEIGHTS)


def test_it_names_itself_by_both_halves_and_the_weights() -> None:
    whole = Loaded.whole
    assert whole.id == "minilm-l6-v2+hash384-1-8199be6f-768"
    assert (whole.model, whole.mode, whole.dimensions) == ("minilm-l6-v2+hash384", "hybrid", 768)


@given(st.text(max_size=80), st.text(max_size=80))
def test_the_cosine_is_seven_tenths_of_meaning_and_three_of_words(one: str, other: str) -> None:
    pair = [f"tide {one}", f"ledger {other}"]  # so that both halves have something to say
    first, second = Loaded.whole.embed_documents(pair)
    meaning = np.prod(Loaded.minilm.embed(pair), axis=0).sum()
    words = np.prod(HASHED.embed_documents(pair), axis=0).sum()
    assert float(first @ second) == pytest.approx(0.7 * meaning + 0.3 * words, abs=1e-5)


@pytest.mark.parametrize("text", ["", "the of", "?"])
def test_without_content_words_the_model_alone_speaks(text: str) -> None:
    vector = Loaded.whole.embed_query(text)
    assert np.linalg.norm(vector) == pytest.approx(1)
    assert vector[:384] == pytest.approx(Loaded.minilm.embed([text])[0], abs=1e-6)
    assert not vector[384:].any()


def test_a_question_and_a_document_of_the_same_text_are_the_same() -> None:
    texts = ["How do I verify a snapshot?", "", "rfc-8785"]
    documents = Loaded.whole.embed_documents(texts)
    questions = np.vstack([Loaded.whole.embed_query(text) for text in texts])
    assert np.array_equal(documents, questions)
    assert documents.dtype == np.float32


def test_a_question_is_read_once() -> None:
    first = Loaded.whole.read_question("How do I verify a snapshot?")
    assert Loaded.whole.read_question("How do I verify a snapshot?") is first


def test_no_text_is_an_empty_table() -> None:
    assert Loaded.whole.embed_documents([]).shape == (0, 768)


def test_an_identifier_outweighs_what_only_means_alike() -> None:
    asked, same, alike = Loaded.whole.embed_documents(
        ["rfc-9162", "The log follows rfc-9162.", "The canonical form follows rfc-8785."]
    )
    assert float(asked @ same) > float(asked @ alike) + 0.1
