"""The vectors of one revision, searched in the vector store, or in memory while it is unavailable.

A search in memory is exact; its time grows with the number of vectors.
"""

import hashlib
import logging
import math
import threading
import time
from collections.abc import Callable

import numpy as np

from resolvers.embeddings.embedder import Vectors
from resolvers.search.chroma import Neighbours, StoreUnavailableError, VectorStore

MIN_RETRY_SECONDS = 1.0
MAX_RETRY_SECONDS = 60.0

log = logging.getLogger("studiograph.answers")


def name_of(*parts: str) -> str:
    """Return a name that depends on exactly these parts. Shape: 32 hex digits."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()[:32]


class VectorIndex:
    """Numbered vectors under one name in the store."""

    def __init__(
        self,
        store: VectorStore,
        name: str,
        vectors: Vectors,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._name = name
        self._vectors = vectors
        self._clock = clock
        self._rebuilding = threading.Lock()
        self._is_unavailable = True
        self._delay = MIN_RETRY_SECONDS
        self._retry_at = math.inf
        """When the store is tried again; not before `build` was called."""

    @property
    def is_away(self) -> bool:
        """Whether the store is unavailable, so that vectors are searched in memory."""
        return self._is_unavailable

    def build(self) -> None:
        """Put the vectors into the store, or note that it is unavailable. Blocks."""
        try:
            ids = [str(number) for number in range(len(self._vectors))]
            self._store.upsert(self._name, ids, self._vectors)
            self._store.prune(self._name)
        except StoreUnavailableError as error:
            self._note_failure(error)
            return
        if self._delay > MIN_RETRY_SECONDS:
            log.info("the vector store is back")
        self._delay = MIN_RETRY_SECONDS
        self._is_unavailable = False

    def leave_store(self, successor: "VectorIndex") -> None:
        """Search in memory from now on: nobody but the last callers asks this revision.

        What the successor has under the same name stays. Blocks.
        """
        if successor._name != self._name:  # noqa: SLF001 - of the same class
            self._is_unavailable, self._retry_at = True, math.inf
            self._store.forget(self._name)

    def nearest(self, vector: Vectors, k: int) -> list[int]:
        """Return the numbers of at most k vectors, the nearest first."""
        if not len(self._vectors):
            return []
        if self._is_unavailable:
            self._retry()
        else:
            try:
                return self._search_store(vector, min(k, len(self._vectors)))
            except StoreUnavailableError as error:
                self._note_failure(error)
        order = np.argsort(-(self._vectors @ vector), kind="stable")
        return [int(number) for number in order[:k]]

    def _search_store(self, vector: Vectors, k: int) -> list[int]:
        """Search the store. Raises: StoreUnavailableError, also if the store lost the vectors."""
        numbers = self._valid(self._store.query(self._name, vector, k))
        if not numbers:
            raise StoreUnavailableError
        return numbers

    def _valid(self, neighbours: Neighbours) -> list[int]:
        """Return the numbers; ids that are not ours, which a shared store may hold, are dropped."""
        numbers = [int(id_) for id_, _ in neighbours if id_.isdecimal()]
        return [number for number in numbers if number < len(self._vectors)]

    def _note_failure(self, error: StoreUnavailableError) -> None:
        """Search in memory from now on, and log it the first time."""
        cause = error.__cause__
        if not self._is_unavailable or self._delay == MIN_RETRY_SECONDS:
            log.warning(
                "the vector store %s; vectors are searched in this process until it is back."
                " Fix: make sure that it runs and can be reached.",
                "has lost its data" if cause is None else f"fails ({type(cause).__name__})",
            )
        self._is_unavailable = True
        self._retry_at = self._clock() + self._delay
        self._delay = min(self._delay * 2, MAX_RETRY_SECONDS)

    def _retry(self) -> None:
        """Rebuild in the background, if it is time and no other thread does so."""
        if self._clock() < self._retry_at or not self._rebuilding.acquire(blocking=False):
            return
        self._retry_at = self._clock() + self._delay
        # A daemon thread: a store that never answers must not delay a search or the exit.
        threading.Thread(target=self._rebuild, name="vector-store", daemon=True).start()

    def _rebuild(self) -> None:
        try:
            self.build()
        finally:
            self._rebuilding.release()
