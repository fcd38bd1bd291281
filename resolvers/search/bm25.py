"""The BM25 score: how well the words of a question match texts.

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009).
"""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from resolvers.embeddings.tokenizer import terms

K1 = 1.2
B = 0.75

Scores = npt.NDArray[np.float32]


class Bm25:
    """The words of some texts, each given as a list of `terms`. Immutable."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self._count = len(texts)
        lengths = [len(words) for words in texts]
        mean = sum(lengths) / max(1, len(lengths)) or 1
        postings: dict[str, list[tuple[int, float]]] = {}
        for index, words in enumerate(texts):
            damping = K1 * (1 - B + B * lengths[index] / mean)
            for word, times in Counter(words).items():
                weight = times * (K1 + 1) / (times + damping)
                postings.setdefault(word, []).append((index, weight))
        self._postings = {
            word: (
                np.array([index for index, _ in pairs], dtype=np.intp),
                np.array([weight for _, weight in pairs], dtype=np.float32) * self._idf(len(pairs)),
            )
            for word, pairs in postings.items()
        }

    def __contains__(self, word: str) -> bool:
        """Return whether any text contains the word."""
        return word in self._postings

    def scores(self, question: str) -> Scores:
        """Return the score of each text; 0 if it shares no word with the question."""
        scores = np.zeros(self._count, dtype=np.float32)
        for word in set(terms(question)):
            if word in self._postings:
                indexes, weights = self._postings[word]
                scores[indexes] += weights
        return scores

    def idf(self, word: str) -> float:
        """Return how rare a word is; the maximum for a word that no text contains."""
        posting = self._postings.get(word)
        return self._idf(0 if posting is None else len(posting[0]))

    def _idf(self, frequency: int) -> float:
        return math.log(1 + (self._count - frequency + 0.5) / (frequency + 0.5))
