"""Tells fields apart by all their example questions together, not by the nearest one alone.

Two questions may be alike because both are polite, or both about "the studio". Linear discriminant
analysis learns from the examples in which directions those of one field differ, and counts these
less.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from resolvers.embeddings.embedder import Vectors

SHRINKAGE = 0.5
"""How much of a sphere is added to the scatter of the examples, in parts of its mean variance.

Set on the examples: those of four fifths of the wordings find the fields of the others.
"""
DOUBT = 0.02
"""How much less a field counts for each power of e that another one is likelier by."""
MAX_DOUBT = 0.16
"""The most that a field counts less for that."""


class FieldClassifier:
    """How likely a question means each field. Immutable, so threads may share it."""

    def __init__(self, vectors: Vectors, examples: Mapping[int, slice]) -> None:
        """Learn from the vectors of each field's examples, which stand in these rows."""
        means = np.array([vectors[rows].mean(axis=0) for rows in examples.values()])
        apart = np.concatenate(
            [vectors[rows] - mean for rows, mean in zip(examples.values(), means, strict=True)]
        )
        scatter = apart.T @ apart / len(apart)
        scatter += np.eye(len(scatter)) * (SHRINKAGE * np.trace(scatter) / len(scatter))
        self._weights: Vectors = np.linalg.solve(scatter, means.T).T
        self._offsets: Vectors = (means * self._weights).sum(axis=1) / 2
        self._rows = {field: row for row, field in enumerate(examples)}

    def weigh(self, scores: Vectors, question: Vectors, among: Sequence[int]) -> Vectors:
        """Return the scores of fields, lower the likelier another one `among` them is.

        The likeliest has the best score. What was learned of too few examples stays as it is.
        """
        fields = [field for field in among if field in self._rows]
        if not fields:
            return scores
        rows = [self._rows[field] for field in fields]
        odds = self._weights[rows] @ question - self._offsets[rows]
        weighed = scores[fields] - np.minimum(DOUBT * (odds.max() - odds), MAX_DOUBT)
        scores = scores.copy()
        scores[fields] = weighed + (scores[fields].max() - weighed.max())
        return scores
