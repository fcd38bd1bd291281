"""A bounded cache of vectors in memory."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

import numpy as np

from resolvers.embeddings.embedder import DIMENSIONS, Vectors

MAX_ENTRIES = 4096
"""How many vectors are kept: 12 MiB, and several times the sentences of a studio."""


class VectorCache:
    """Embeds texts and keeps the vectors; drops the one that was not used for the longest time."""

    def __init__(
        self, embed: Callable[[Sequence[str]], Vectors], max_entries: int = MAX_ENTRIES
    ) -> None:
        self._embed = embed
        self._max_entries = max_entries
        self._entries: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text. Blocks while it embeds new ones. Raises: ModelError."""
        if not texts:
            return np.zeros((0, DIMENSIONS), dtype=np.float32)
        vectors = self._cached(texts)
        missing = [text for text in dict.fromkeys(texts) if text not in vectors]
        if missing:  # embedded without the lock, so that cached vectors stay available
            new = dict(zip(missing, self._embed(missing), strict=True))
            vectors |= new
            self._store(new)
        return np.stack([vectors[text] for text in texts])

    def update(self, texts: Sequence[str], rows: Vectors) -> None:
        """Store vectors that were made elsewhere, one row for each text."""
        self._store(dict(zip(texts, rows, strict=True)))

    def _cached(self, texts: Sequence[str]) -> dict[str, Vectors]:
        with self._lock:
            vectors = {text: self._entries[text] for text in texts if text in self._entries}
            for text in vectors:
                self._entries.move_to_end(text)
        return vectors

    def _store(self, vectors: dict[str, Vectors]) -> None:
        with self._lock:
            self._entries.update(vectors)
            while len(self._entries) > self._max_entries:
                self._entries.popitem(last=False)
