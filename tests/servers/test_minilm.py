"""The embedded model: stable vectors of unit length, the same in whatever company and thread."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_weights import WEIGHTS, needs_weights

from resolvers.embeddings.minilm import MiniLM

pytestmark = needs_weights
TEXTS = [
    "This is an example sentence",
    "How do I verify a signed snapshot (RFC 8785, v2.1)?",
    "",
    "Zoë 東京 \N{WHITE SMILING FACE} e\u0301",
    "tide " * 60,
    "ledger " * 400,
]
PUBLISHED = [0.0676569, 0.0634959, 0.0487131, 0.0793050, 0.0374480, 0.0026528]
"""How the vector of the first text begins with the weights that the model was published with."""
KEPT = [0.0667870, 0.0611887, 0.0509097, 0.0790211, 0.0383678, 0.0039599]
"""How it began with the present ones."""


class Loaded:
    """The model, for properties that no fixture reaches."""

    minilm: MiniLM


@pytest.fixture(scope="module", autouse=True)
def minilm() -> MiniLM:
    """The model, loaded."""
    assert WEIGHTS is not None
    Loaded.minilm = MiniLM(WEIGHTS)
    return Loaded.minilm


def test_its_vectors_are_what_they_were_and_near_those_that_were_published(minilm: MiniLM) -> None:
    begins = minilm.embed(TEXTS[:1])[0, :6]
    assert begins == pytest.approx(KEPT, abs=1e-5)
    assert begins == pytest.approx(PUBLISHED, abs=4e-3)


def test_in_company_a_text_has_the_vector_it_has_alone_to_the_bit(minilm: MiniLM) -> None:
    alone = [minilm.embed([text])[0] for text in TEXTS]
    assert np.array_equal(minilm.embed(TEXTS * 2), alone * 2)
    assert np.array_equal([text.vector for text in minilm.embed_tokens(TEXTS)], alone)


def test_threads_may_share_it(minilm: MiniLM) -> None:
    with ThreadPoolExecutor(4) as pool:
        rows = [*pool.map(lambda text: minilm.embed([text])[0], TEXTS * 5)]
    assert np.array_equal(rows, minilm.embed(TEXTS * 5))


def test_a_token_knows_where_it_stands(minilm: MiniLM) -> None:
    text = "Zoë checks a ledger\udc80."
    (read,) = minilm.embed_tokens([text])
    words = [text[begin:end] for begin, end in read.spans.tolist()]
    assert words == ["Zoë", "checks", "a", "ledger", "\udc80", "."]
    assert read.tokens.shape == (6, 384)
    assert len({*read.ids.tolist()}) == 6


def test_meaning_is_near_meaning_where_no_word_is_shared(minilm: MiniLM) -> None:
    asked, near, far = minilm.embed(
        ["What does it cost?", "Our prices are listed here.", "The tide rises at noon."]
    )
    assert float(asked @ near) > 2 * float(asked @ far)


@given(st.lists(st.text(st.characters(), max_size=80), max_size=5))
def test_every_text_has_a_vector_of_unit_length(texts: list[str]) -> None:
    vectors = Loaded.minilm.embed([*texts, "\ud800"])
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_what_is_too_long_is_cut(minilm: MiniLM) -> None:
    long, longer = minilm.embed(["tide " * 254, "tide " * 400])
    assert np.array_equal(long, longer)
