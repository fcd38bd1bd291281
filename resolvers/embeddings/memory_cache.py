"""Vectors of texts asked for before: a store in memory, of bounded size. Embeds nothing twice."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

import numpy as np

from resolvers.embeddings.embedder import DIMENSIONS, Vectors

MAX_ENTRIES = 4096
"""How many vectors are kept: 12 MiB of them, and several times the sentences of a studio."""


class VectorCache:
    """The vectors of texts, by whatever embeds them; what was not asked for longest is dropped."""

    def __init__(self, embed: Callable[[Sequence[str]], Vectors], most: int = MAX_ENTRIES) -> None:
        self._embed = embed
        self._most = most
        self._kept: OrderedDict[str, Vectors] = OrderedDict()
        self._changing = threading.Lock()

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """One row a text. Blocks while it embeds what is new. Raises: ModelFault."""
        if not texts:
            return np.zeros((0, DIMENSIONS), dtype=np.float32)
        found = self._known(texts)
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        if missing:  # embedded outside of the lock: what is known is not kept waiting
            made = dict(zip(missing, self._embed(missing), strict=True))
            found |= made
            self._keep(made)
        return np.stack([found[text] for text in texts])

    def update(self, texts: Sequence[str], rows: Vectors) -> None:
        """Remember vectors that were made elsewhere, one row a text."""
        self._keep(dict(zip(texts, rows, strict=True)))

    def _known(self, texts: Sequence[str]) -> dict[str, Vectors]:
        with self._changing:
            found = {text: self._kept[text] for text in texts if text in self._kept}
            for text in found:
                self._kept.move_to_end(text)
        return found

    def _keep(self, made: dict[str, Vectors]) -> None:
        with self._changing:
            self._kept.update(made)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
