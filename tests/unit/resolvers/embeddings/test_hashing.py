"""Vectors of words alone: the same for ever, of unit length whatever comes, near what is alike."""

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolvers.embeddings.embedder import Vectors
from resolvers.embeddings.hashing import HashingEmbedder

TEXTS = ["Signed snapshots of rfc-8785 v2.1", "the", "", "東京", "tide tide tide"]
PROGRAM = f"""
from resolvers.embeddings.hashing import HashingEmbedder
print(HashingEmbedder().embed_documents({TEXTS!r}).tobytes().hex())
"""


def cosine(one: str, other: str) -> float:
    """How alike two texts are."""
    hashed = HashingEmbedder()
    return float(hashed.embed_query(one) @ hashed.embed_query(other))


def places(vector: Vectors) -> list[tuple[int, float]]:
    """Where a vector is not zero."""
    return [(int(place), round(float(vector[place]), 4)) for place in np.flatnonzero(vector)]


def test_it_names_itself_for_what_it_is() -> None:
    hashed = HashingEmbedder()
    assert (hashed.id, hashed.model, hashed.mode) == ("hash768-1-768", "hash768", "lexical")
    assert hashed.embed_query("tide").shape == (hashed.dimensions,) == (768,)
    assert HashingEmbedder(384).id == "hash384-1-384"


@pytest.mark.parametrize("seed", ["0", "1"])
def test_another_process_makes_the_same_vectors(seed: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert bytes.fromhex(done.stdout) == HashingEmbedder().embed_documents(TEXTS).tobytes()


def test_a_vector_is_what_it_was_when_its_version_was_given() -> None:
    expected = [(0, -0.2604), (1, -0.9113), (2, -0.1302), (5, -0.1302), (6, 0.2604)]
    assert places(HashingEmbedder(8).embed_query("tide")) == expected
    assert places(HashingEmbedder(8).embed_query("")) == [(1, -1)]


@given(st.lists(st.text(), max_size=4))
def test_every_text_has_a_vector_of_unit_length(texts: list[str]) -> None:
    vectors = HashingEmbedder().embed_documents(texts)
    assert vectors.shape == (len(texts), 768)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


@given(st.text(), st.text())
def test_a_text_has_one_vector_in_whatever_company(text: str, other: str) -> None:
    hashed = HashingEmbedder()
    alone = hashed.embed_query(text)
    assert np.array_equal(hashed.embed_documents([other, text, other])[1], alone)


@pytest.mark.parametrize("text", ["", "?!", "the of and", "How is it?", "\ud800"])
def test_a_text_without_content_counts_nothing_and_still_has_a_vector(text: str) -> None:
    hashed = HashingEmbedder()
    assert not hashed.term_counts(text).any()
    assert np.linalg.norm(hashed.embed_query(text)) == pytest.approx(1)


def test_a_very_long_word_is_a_word_too() -> None:
    assert np.linalg.norm(HashingEmbedder().embed_query("x" * 5000)) == pytest.approx(1)
    assert cosine("x" * 5000, "the") == pytest.approx(0, abs=0.1)


def test_the_nearer_the_words_the_nearer_the_vectors() -> None:
    asked = "verify signatures"
    told = [
        cosine(asked, text)
        for text in ("verifying a signature", "a verified sigature", "tides and ledgers")
    ]
    assert all(nearer > farther for nearer, farther in pairwise(told))
    assert told[-1] < 0.1


def test_an_identifier_is_found_whole_and_by_its_parts() -> None:
    whole, part = cosine("rfc-8785", "rfc-8785 and more"), cosine("8785", "rfc-8785 and more")
    assert whole > part > cosine("9162", "rfc-8785 and more")


def test_stop_words_change_nothing() -> None:
    assert cosine("what is the tide?", "tide") == pytest.approx(1)
