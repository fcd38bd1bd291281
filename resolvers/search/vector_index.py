"""The vectors of one revision: searched in the store, or here while the store is away.

Holds no texts and embeds nothing. What is found is the same on both ways; here it is exact, and
costs time in proportion to the studio's size.
"""

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Sequence

import numpy as np

from resolvers.embeddings.embedder import Vectors
from resolvers.search.chroma import Neighbours, StoreUnavailableError, VectorStore

MIN_RETRY_SECONDS = 1.0
MAX_RETRY_SECONDS = 60.0

log = logging.getLogger("studiograph.answers")


def name_of(*parts: str) -> str:
    """A name for what is made of these parts and of nothing else. Shape: 32 hex digits."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()[:32]


class VectorIndex:
    """Vectors by their place, each of a kind, under one name in the store.

    The clock only says when to ask a store again that was away.
    """

    def __init__(
        self,
        store: VectorStore,
        name: str,
        vectors: Vectors,
        kinds: Sequence[str],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._name = name
        self._vectors = vectors
        self._kinds = kinds
        self._clock = clock
        self._places = {
            kind: np.flatnonzero([of == kind for of in kinds]) for kind in dict.fromkeys(kinds)
        }
        self._asking = threading.Lock()
        self._is_away = True
        self._wait = MIN_RETRY_SECONDS
        self._ask_at = 0.0

    @property
    def is_away(self) -> bool:
        """Whether the store cannot be asked, so that vectors are searched here."""
        return self._is_away

    def build(self) -> None:
        """Nothing, once the store holds the vectors, or is known to be away. Blocks."""
        try:
            ids = [str(place) for place in range(len(self._kinds))]
            self._store.upsert(self._name, ids, self._vectors)
            self._store.prune(self._name)
        except StoreUnavailableError as away:
            self._away(away)
            return
        if self._wait > MIN_RETRY_SECONDS:
            log.info("the vector store is back")
        self._wait = MIN_RETRY_SECONDS
        self._is_away = False

    def nearest(self, vector: Vectors, k: int, kind: str | None = None) -> list[int]:
        """The places of at most k vectors of a kind, or of all, the nearest first."""
        count = len(self._kinds) if kind is None else len(self._places.get(kind, ()))
        if count == 0:
            return []
        if self._is_away:
            self._ask_again()
        elif kind is None:
            try:
                return self._search_store(vector, min(k, count))
            except StoreUnavailableError as away:
                self._away(away)
        return self._search_memory(vector, k, kind)

    def cosines(self, vector: Vectors, places: Sequence[int]) -> list[float]:
        """How near these vectors are, in the order of the places."""
        return [float(one) for one in self._vectors[list(places)] @ vector]

    def _search_store(self, vector: Vectors, k: int) -> list[int]:
        """Places that the store finds: it drops indexes it has no room for. Raises: Away."""
        found = self._valid(self._store.query(self._name, vector, k))
        if not found:
            raise StoreUnavailableError
        return found

    def _search_memory(self, vector: Vectors, k: int, kind: str | None) -> list[int]:
        near = self._vectors @ vector
        places = np.arange(len(near)) if kind is None else self._places[kind]
        return [int(place) for place in places[np.argsort(-near[places], kind="stable")[:k]]]

    def _valid(self, found: Neighbours) -> list[int]:
        """The places that were found; what is none of ours is somebody else's mistake."""
        places = [int(one) for one, _ in found if one.isdecimal()]
        return [place for place in places if place < len(self._kinds)]

    def _away(self, away: StoreUnavailableError) -> None:
        """Notes that the store is away, and tells the owner the first time."""
        cause = away.__cause__
        if not self._is_away or self._wait == MIN_RETRY_SECONDS:
            log.warning(
                "the vector store %s; vectors are searched in this process until it is back."
                " Fix: see that it runs and can be reached.",
                "has lost its data" if cause is None else f"fails ({type(cause).__name__})",
            )
        self._is_away = True
        self._ask_at = self._clock() + self._wait
        self._wait = min(self._wait * 2, MAX_RETRY_SECONDS)

    def _ask_again(self) -> None:
        """Fills the store in a thread of its own, when it is time and nobody does so already."""
        if self._clock() < self._ask_at or not self._asking.acquire(blocking=False):
            return
        self._ask_at = self._clock() + self._wait
        threading.Thread(target=self._filling, name="vector-store", daemon=True).start()

    def _filling(self) -> None:
        try:
            self.build()
        finally:
            self._asking.release()
