"""Tokens on the disk: each text embedded once, a number in a byte, and hardly any likeness lost."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from counted_embedder import Noting

from resolvers.embeddings.disk_cache import BATCH, DiskTokenCache, StoredTokens
from resolvers.embeddings.embedder import TextTokens, TokenEmbedder

TEXTS = ["tide and ledger", "", "audit", "tide and ledger"]


@dataclass
class Reader(Noting):
    """Every word is a token, whose vector depends on the word alone."""

    token_width: int = 32
    read: list[str] = field(default_factory=list)

    def embed_tokens(self, texts: Sequence[str]) -> list[TextTokens]:
        """The tokens of texts."""
        self.read += texts
        return [self._tokens(text) for text in texts]

    def read_question(self, text: str) -> TextTokens:
        """The tokens of a question."""
        return self._tokens(text)

    def _tokens(self, text: str) -> TextTokens:
        words = text.split()
        begins = [text.index(word) for word in words]
        spans = [(begin, begin + len(word)) for begin, word in zip(begins, words, strict=True)]
        rows = [np.frombuffer(hashlib.sha256(word.encode()).digest(), "i1") for word in words]
        return TextTokens(
            np.array([len(word) for word in words], dtype=np.int32),
            np.array(spans, dtype=np.int32).reshape(-1, 2),
            np.array(rows, dtype=np.float32).reshape(-1, 32) * np.float32(0.37),
            self.hashed.embed_query(text)[:32],
        )


def kept(folder: Path, texts: Sequence[str]) -> tuple[list[StoredTokens], list[str]]:
    """What a new process is told, and what it had to embed."""
    embedder = Reader()
    assert isinstance(embedder, TokenEmbedder)
    return DiskTokenCache(folder, embedder).get_or_embed(texts), embedder.read


def test_a_text_is_embedded_once_and_comes_back_as_it_was(tmp_path: Path) -> None:
    made, new = kept(tmp_path, TEXTS)
    again, later = kept(tmp_path, [*reversed(TEXTS)])
    assert (new, later) == (TEXTS[:3], [])
    for one, other in zip(made, reversed(again), strict=True):
        assert np.array_equal(one.pieces, other.pieces)
        assert np.array_equal(one.vector, other.vector)
    assert kept(tmp_path, ["new", *TEXTS])[1] == ["new"]
    assert kept(tmp_path, [])[0] == []
    assert kept(tmp_path, [])[0] == []


def test_a_kept_token_is_like_the_one_that_was_made(tmp_path: Path) -> None:
    (text, empty, *_), _ = kept(tmp_path, TEXTS)
    (made,) = Reader().embed_tokens(TEXTS[:1])
    cosines = np.sum(text.tokens * made.tokens, axis=1)
    cosines /= np.linalg.norm(text.tokens, axis=1) * np.linalg.norm(made.tokens, axis=1)
    assert (cosines > 0.9999).all()
    assert text.pieces["id"].tolist() == [4, 3, 6]
    assert text.pieces["begin"].tolist() == [0, 5, 9]
    assert text.pieces["end"].tolist() == [4, 8, 15]
    assert empty.tokens.shape == (0, 32)


@pytest.mark.parametrize("threads", [1, 3])
def test_texts_of_many_batches_come_back_in_their_order(threads: int, tmp_path: Path) -> None:
    texts = [f"{'tide ' * (number % 7)}{number}" for number in range(5 * BATCH + 1)]
    embedder, seen = Reader(), list[tuple[int, int]]()
    cache = DiskTokenCache(tmp_path, embedder, lambda done, total: seen.append((done, total)))
    cache.threads = threads
    stored = cache.get_or_embed(texts)
    assert sorted(embedder.read) == sorted(texts)
    for text, made in zip(texts, stored, strict=True):
        assert np.array_equal(made.vector, embedder.hashed.embed_query(text)[:32])
    assert seen == [(done, len(texts)) for done in (*range(0, len(texts), BATCH), len(texts))]


def test_a_file_of_another_release_is_not_read(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kept(tmp_path, TEXTS)
    narrower = DiskTokenCache(tmp_path, Reader(token_width=16))
    assert narrower.get_or_embed([]) == []
    assert caplog.messages == [f"{narrower.file} is damaged and is made again."]
