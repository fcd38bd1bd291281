"""The weights of the embedded model, if this machine has them."""

import pytest
from repository import ROOT

from resolvers.embeddings.weights import find_weights

WEIGHTS = find_weights(ROOT / "var")
RUNG = "none" if WEIGHTS is None else WEIGHTS.source

needs_weights = pytest.mark.skipif(
    WEIGHTS is None,
    reason=f"rung of the model's weights: {RUNG}; requirements/model.txt has them",
)
