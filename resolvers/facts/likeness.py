"""How alike texts are, on a scale that means the same for every embedding model."""

from collections.abc import Callable, Sequence

import numpy as np

from resolvers.embeddings.embedder import Vectors
from resolvers.embeddings.memory_cache import VectorCache

Embed = Callable[[Sequence[str]], Vectors]
"""Returns one vector of unit length for each text. Blocks. Raises: ModelError."""


CACHED_TEXTS = 256
"""How many vectors of questions are kept; the parts of one question are embedded once."""


class Likeness:
    """Compares texts with one embedder. Immutable, so threads may share it.

    Models differ in how alike they find unrelated texts. So 0 is the mean cosine of some texts
    about different things, and 1 is the same text.
    """

    def __init__(self, embed: Embed, unrelated: Vectors) -> None:
        """Measure the scale on vectors of `unrelated` texts."""
        self._cached = VectorCache(embed, CACHED_TEXTS)
        count = len(unrelated)
        total = float(np.square(unrelated.sum(axis=0)).sum()) - count
        self._zero = total / (count * (count - 1)) if count > 1 else 0.0

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of questions. Blocks. Raises: ModelError."""
        return self._cached(texts)

    def of(self, vectors: Vectors, question: Vectors) -> Vectors:
        """Return how alike each vector is to that of a question; unrelated ones are about 0.

        Of several questions, which are columns, it is a column each.
        """
        scores: Vectors = (vectors @ question - self._zero) / (1 - self._zero)
        return scores
