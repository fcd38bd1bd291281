"""The vector store: Chroma in this process, in a folder of its own, or on a server.

Holds vectors and ids, no texts, and embeds nothing. One collection holds everything, and nothing is
filtered by metadata, which costs Chroma ten times what the search itself does: a search within one
kind is made where the vectors are. A collection for each kind was tried, and Chroma frees none.

All names of collections say what is in them: equal content under an equal model has equal names,
so processes that share a server share collections, and a half-written one is seen by its count.
"""

import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

from resolvers.embeddings.embedder import Vectors
from resolvers.embeddings.errors import ModelError
from resolvers.files import try_lock
from sdl.errors import StudiographError

TIMEOUT_SECONDS = 2.0
"""How long a server may take for one call."""
_SPACE: dict[str, Any] = {"hnsw": {"space": "cosine", "ef_construction": 200, "ef_search": 200}}
_PAGE = 100
_TAKEN = (
    "Another process uses the vector store in the folder `chroma` of the data folder. Fix: stop"
    " it, or set STUDIOGRAPH_VECTOR_STORE to chroma-ephemeral, or to chroma-http with a server"
    " that all processes share."
)

_Client = Any
"""A client of Chroma, whose types would load it."""
Neighbours = list[tuple[str, float]]
"""Ids and their cosines, falling."""


class StoreUnavailableError(StudiographError):
    """The store cannot be asked now, or holds no longer what is asked for."""


class VectorStore(Protocol):
    """Where vectors are searched."""

    def upsert(self, name: str, ids: Sequence[str], vectors: Vectors) -> None:
        """Nothing, once the vectors can be found under the name. Blocks. Raises: Away."""
        ...

    def query(self, name: str, vector: Vectors, k: int) -> Neighbours:
        """The nearest ids and their cosines, falling. Raises: Away."""
        ...

    def prune(self, name: str) -> None:
        """Nothing, once all is gone but this name and the one before it. Raises: Away."""
        ...

    def close(self) -> None:
        """Nothing, once nothing is held here any more."""
        ...


class ChromaStore:
    """Vectors in Chroma. `connect` is called at the first use, and again after a failure.

    The namespace tells one studio's collections from another's on the same server.
    """

    def __init__(
        self,
        connect: Callable[[], _Client],
        namespace: str,
        clock: Callable[[], float] = time.time,
        release: Callable[[], None] = lambda: None,
    ) -> None:
        self._connect = connect
        self._prefix = f"studiograph-{hashlib.sha256(namespace.encode()).hexdigest()[:12]}"
        self._clock = clock
        self._release = release
        self._client: _Client | None = None
        self._collections: dict[str, Any] = {}
        self._changing = threading.Lock()

    def upsert(self, name: str, ids: Sequence[str], vectors: Vectors) -> None:
        """Nothing, once the vectors can be found under the name. Blocks. Raises: Away."""
        with self._changing, self._away_if_broken(name):
            self._fill(self._full_name(name), ids, vectors)

    def query(self, name: str, vector: Vectors, k: int) -> Neighbours:
        """The nearest ids and their cosines, falling. Raises: Away."""
        full_name = self._full_name(name)
        with self._away_if_broken(name):
            collection = self._collections.get(full_name)
            if collection is None:
                raise StoreUnavailableError
            found = collection.query(query_embeddings=[vector], n_results=k, include=["distances"])
            distances = (found["distances"] or [[]])[0]
            return [(i, 1 - d) for i, d in zip(found["ids"][0], distances, strict=True)]

    def prune(self, name: str) -> None:
        """Nothing, once all is gone but this name and the one before it. Raises: Away."""
        with self._changing, self._away_if_broken(""):
            made = dict(self._ours())
            made.pop(self._full_name(name), None)
            for full_name in sorted(made, key=lambda one: made[one])[:-1]:
                self._drop(full_name)

    def close(self) -> None:
        """Nothing, once nothing is held here any more."""
        with self._changing:
            self._collections.clear()
            if self._client is not None:
                self._client.close()
                self._client = None
            self._release()

    def _fill(self, full_name: str, ids: Sequence[str], vectors: Vectors) -> None:
        """The collection is complete after this; one that is complete already is left as it is."""
        collection = self._opened().get_or_create_collection(
            full_name,
            embedding_function=None,  # or Chroma downloads a model of its own
            configuration=_SPACE,
            metadata={"made": self._clock()},
        )
        if collection.count() != len(ids):
            step = self._opened().get_max_batch_size()
            for at in range(0, len(ids), step):
                collection.upsert(list(ids[at : at + step]), embeddings=vectors[at : at + step])
        self._collections[full_name] = collection

    def _ours(self) -> Iterator[tuple[str, float]]:
        """Every collection of this studio, and when it was made."""
        offset = 0
        while page := self._opened().list_collections(limit=_PAGE, offset=offset):
            for found in page:
                if found.name.startswith(f"{self._prefix}-"):
                    yield found.name, float((found.metadata or {}).get("made", 0))
            offset += len(page)

    def _drop(self, full_name: str) -> None:
        from chromadb.errors import NotFoundError  # noqa: PLC0415 - heavy

        self._collections.pop(full_name, None)
        with suppress(NotFoundError):  # another process of this studio was quicker
            self._opened().delete_collection(full_name)

    def _opened(self) -> _Client:
        if self._client is None:
            self._client = self._connect()
        return self._client

    def _full_name(self, name: str) -> str:
        return f"{self._prefix}-{name}"

    @contextmanager
    def _away_if_broken(self, name: str) -> Iterator[None]:
        """Whatever Chroma and what lies between can meet, as one error."""
        import httpx  # noqa: PLC0415 - loaded with Chroma
        from chromadb.errors import ChromaError  # noqa: PLC0415 - heavy

        try:
            yield
        except (ChromaError, httpx.HTTPError, OSError, ValueError) as error:
            # A handle knows its collection by an id; one made anew under the name has another.
            self._collections.pop(self._full_name(name), None)
            raise StoreUnavailableError from error


def ephemeral_store(namespace: str) -> ChromaStore:
    """A store in this process, gone with it. All of a process share state: name yours."""

    def connect() -> _Client:
        import chromadb  # noqa: PLC0415 - heavy

        return chromadb.EphemeralClient(settings=_settings())

    return ChromaStore(connect, namespace)


def lock_folder(folder: Path) -> int:
    """Return the open folder, this process's alone until it is closed. Raises: ModelError."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = try_lock(folder, is_folder=True)
    except OSError as error:
        raise ModelError(
            f"{folder} cannot be used ({error.strerror}). Fix: set STUDIOGRAPH_DATA to a folder to"
            " write in."
        ) from None
    if descriptor is None:
        raise ModelError(_TAKEN)
    return descriptor


def path_store(folder: Path, namespace: str) -> ChromaStore:
    """A store in a folder, which is this process's alone until it is closed.

    Chroma's own index is not safe with two processes on one folder. Raises: ModelFault.
    """

    def connect() -> _Client:
        import chromadb  # noqa: PLC0415 - heavy

        return chromadb.PersistentClient(path=str(folder), settings=_settings())

    held = lock_folder(folder)
    return ChromaStore(connect, namespace, release=lambda: os.close(held))


def http_store(url: str, token: str, namespace: str) -> ChromaStore:
    """A store on a Chroma server. Nothing is sent before the first use."""
    base = url.rstrip("/")
    left_open = ExitStack()

    def connect() -> _Client:
        import chromadb  # noqa: PLC0415 - heavy
        import httpx  # noqa: PLC0415 - loaded with Chroma

        headers = {"Authorization": f"Bearer {token}", "X-Chroma-Token": token} if token else {}
        # Chroma waits for ever, and begins to in its constructor: who does not answer stops here.
        beat = httpx.get(f"{base}/api/v2/heartbeat", headers=headers, timeout=TIMEOUT_SECONDS)
        beat.raise_for_status()
        client: _Client = chromadb.HttpClient(
            host=base, ssl=base.startswith("https:"), headers=headers, settings=_settings()
        )
        # Chroma has no setting for what stands below, and closes no connection when it is closed.
        for part in (client, client._admin_client):  # noqa: SLF001 - the same
            part._server._session.timeout = TIMEOUT_SECONDS  # noqa: SLF001 - the same
            left_open.callback(part._server._session.close)  # noqa: SLF001 - the same
        return client

    return ChromaStore(connect, namespace, release=left_open.close)


def _settings() -> Any:
    from chromadb.config import Settings  # noqa: PLC0415 - heavy

    return Settings(anonymized_telemetry=False)
