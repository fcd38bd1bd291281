"""BM25: how well the words of a question fit texts. Frozen once it is made; knows no vectors.

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
    """The words of some texts, each text a list of words as `content_words` gives them."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self._count = len(texts)
        lengths = [len(words) for words in texts]
        mean = sum(lengths) / max(1, len(lengths)) or 1
        postings: dict[str, list[tuple[int, float]]] = {}
        for place, words in enumerate(texts):
            damping = K1 * (1 - B + B * lengths[place] / mean)
            for word, times in Counter(words).items():
                weight = times * (K1 + 1) / (times + damping)
                postings.setdefault(word, []).append((place, weight))
        self._postings = {
            word: (
                np.array([place for place, _ in found], dtype=np.intp),
                np.array([weight for _, weight in found], dtype=np.float32) * self._idf(len(found)),
            )
            for word, found in postings.items()
        }

    def __contains__(self, word: str) -> bool:
        """Whether any text has the word."""
        return word in self._postings

    def scores(self, question: str) -> Scores:
        """How well each text fits, 0 where no word is shared."""
        scores = np.zeros(self._count, dtype=np.float32)
        for word in set(terms(question)):
            if word in self._postings:
                places, weights = self._postings[word]
                scores[places] += weights
        return scores

    def idf(self, word: str) -> float:
        """How rare a word is; most for one that no text has."""
        found = self._postings.get(word)
        return self._idf(0 if found is None else len(found[0]))

    def _idf(self, found: int) -> float:
        return math.log(1 + (self._count - found + 0.5) / (found + 0.5))
