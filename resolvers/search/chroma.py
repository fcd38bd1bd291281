"""The vector store: Chroma in memory, in a folder, or on a server.

It holds vectors and ids, no texts. There is one collection for all kinds of entries: filtering by
metadata takes Chroma ten times as long as the search itself, and with a collection for each kind
it never freed their memory. A search within one kind is made in `vector_index` instead.

The name of a collection depends on its content and its model. So processes that share a server
share collections, and an incomplete collection is recognised by its count.
"""

import hashlib
import os
import secrets
import shutil
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

from resolvers.embeddings.embedder import Vectors
from resolvers.embeddings.errors import ModelError
from resolvers.files import try_lock
from sdl.errors import StudiographError

TIMEOUT_SECONDS = 2.0
"""How long one call to a server may take."""
BATCH = 32
"""How many vectors are stored at a time in this process: no other thread runs for about 8 ms."""
_SPACE: dict[str, Any] = {"hnsw": {"space": "cosine", "ef_construction": 200, "ef_search": 200}}
_PAGE = 100
_LOCKED = (
    "Another process uses the vector store in the folder `chroma` of the data folder. Fix: stop"
    " it, or set STUDIOGRAPH_VECTOR_STORE to chroma-ephemeral, or to chroma-http with a server"
    " that all processes share."
)

_CONNECTING = threading.Lock()
"""Held while a client in memory is made and parted from the next."""

_Client = Any
"""A Chroma client; its own types would import Chroma here."""
Neighbours = list[tuple[str, float]]
"""Ids and their cosines, the nearest first."""


class StoreUnavailableError(StudiographError):
    """The store does not answer, or has lost the requested collection."""


class VectorStore(Protocol):
    """A store that searches vectors."""

    def upsert(self, name: str, ids: Sequence[str], vectors: Vectors) -> None:
        """Store the vectors under the name. Blocks. Raises: StoreUnavailableError."""
        ...

    def query(self, name: str, vector: Vectors, k: int) -> Neighbours:
        """Return the nearest ids and their cosines. Raises: StoreUnavailableError."""
        ...

    def prune(self, name: str) -> None:
        """Delete all but this name and the newest other one. Raises: StoreUnavailableError."""
        ...

    def forget(self, name: str) -> None:
        """Free what nobody here asks for any more, unless other processes may."""
        ...

    def close(self) -> None:
        """Release everything that is held in this process."""
        ...


class ChromaStore:
    """Vectors in Chroma. `connect` is called at the first use.

    The namespace separates the collections of several studios on one server.
    """

    def __init__(
        self,
        connect: Callable[[], _Client],
        namespace: str,
        clock: Callable[[], float] = time.time,
        release: Callable[[], None] = lambda: None,
        batch: int | None = None,
    ) -> None:
        """Take `batch`, how many vectors are stored at a time; as many as Chroma can if None."""
        self._connect = connect
        self._batch = batch
        self._prefix = f"studiograph-{hashlib.sha256(namespace.encode()).hexdigest()[:12]}"
        self._clock = clock
        self._release = release
        self._client: _Client | None = None
        self._collections: dict[str, Any] = {}
        self._lock = threading.Lock()

    def upsert(self, name: str, ids: Sequence[str], vectors: Vectors) -> None:
        """Store the vectors under the name. Blocks. Raises: StoreUnavailableError."""
        with self._lock, self._convert_errors(name):
            self._fill(self._full_name(name), ids, vectors)

    def query(self, name: str, vector: Vectors, k: int) -> Neighbours:
        """Return the nearest ids and their cosines. Raises: StoreUnavailableError."""
        full_name = self._full_name(name)
        with self._convert_errors(name):
            collection = self._collections.get(full_name)
            if collection is None:
                raise StoreUnavailableError
            result = collection.query(query_embeddings=[vector], n_results=k, include=["distances"])
            distances = (result["distances"] or [[]])[0]
            return [(id_, 1 - d) for id_, d in zip(result["ids"][0], distances, strict=True)]

    def prune(self, name: str) -> None:
        """Delete all but this name and the newest other one. Raises: StoreUnavailableError."""
        with self._lock, self._convert_errors(""):
            created = dict(self._own_collections())
            created.pop(self._full_name(name), None)
            for full_name in sorted(created, key=lambda key: created[key])[:-1]:
                self._drop(full_name)

    def forget(self, name: str) -> None:
        """Keep it: other processes may ask for it."""

    def close(self) -> None:
        """Release everything that is held in this process."""
        with self._lock:
            self._collections.clear()
            if self._client is not None:
                self._client.close()
                self._client = None
            self._release()

    def __del__(self) -> None:
        """Close with the last search, where the store was forgotten meanwhile."""
        self.close()

    def _fill(self, full_name: str, ids: Sequence[str], vectors: Vectors) -> None:
        """Fill the collection, unless it is complete already."""
        collection = self._connected().get_or_create_collection(
            full_name,
            embedding_function=None,  # otherwise Chroma downloads a model
            configuration=_SPACE,
            metadata={"made": self._clock()},
        )
        if collection.count() != len(ids):
            step = self._batch or self._connected().get_max_batch_size()
            for i in range(0, len(ids), step):
                collection.upsert(list(ids[i : i + step]), embeddings=vectors[i : i + step])
        self._collections[full_name] = collection

    def _own_collections(self) -> Iterator[tuple[str, float]]:
        """Yield the name and the creation time of each collection of this studio."""
        offset = 0
        while page := self._connected().list_collections(limit=_PAGE, offset=offset):
            for collection in page:
                if collection.name.startswith(f"{self._prefix}-"):
                    yield collection.name, float((collection.metadata or {}).get("made", 0))
            offset += len(page)

    def _drop(self, full_name: str) -> None:
        from chromadb.errors import NotFoundError  # noqa: PLC0415 - chromadb takes 0.8 s

        self._collections.pop(full_name, None)
        with suppress(NotFoundError):  # another process deleted it first
            self._connected().delete_collection(full_name)

    def _connected(self) -> _Client:
        if self._client is None:
            self._client = self._connect()
        return self._client

    def _full_name(self, name: str) -> str:
        return f"{self._prefix}-{name}"

    @contextmanager
    def _convert_errors(self, name: str) -> Iterator[None]:
        """Turn the exceptions of Chroma and its HTTP client into `StoreUnavailableError`."""
        import httpx  # noqa: PLC0415 - loaded with Chroma
        from chromadb.errors import ChromaError  # noqa: PLC0415 - chromadb takes 0.8 s

        try:
            yield
        except (ChromaError, httpx.HTTPError, OSError, ValueError) as error:
            # A handle refers to a collection id; a collection that is created again has another id.
            self._collections.pop(self._full_name(name), None)
            raise StoreUnavailableError from error


class SeparateStores:
    """Vectors in this process, each name in a Chroma of its own.

    Chroma keeps the index of a collection after it is deleted (chroma-core/chroma#5843), which
    would cost several megabytes with each reload; it frees them when its last client is closed.
    `keep` is told the names that are left after others have gone.
    """

    def __init__(
        self,
        make: Callable[[str], VectorStore],
        keep: Callable[[Collection[str]], None] = lambda _: None,
        release: Callable[[], None] = lambda: None,
    ) -> None:
        self._make = make
        self._keep = keep
        self._release = release
        self._stores: dict[str, VectorStore] = {}
        """The oldest first."""
        self._lock = threading.Lock()

    def upsert(self, name: str, ids: Sequence[str], vectors: Vectors) -> None:
        """Store the vectors under the name. Blocks. Raises: StoreUnavailableError."""
        with self._lock:
            if name not in self._stores:
                self._stores[name] = self._make(name)
            self._stores[name].upsert(name, ids, vectors)

    def query(self, name: str, vector: Vectors, k: int) -> Neighbours:
        """Return the nearest ids and their cosines. Raises: StoreUnavailableError."""
        if (store := self._stores.get(name)) is None:
            raise StoreUnavailableError
        return store.query(name, vector, k)

    def prune(self, name: str) -> None:
        """Delete all but this name and the newest other one."""
        with self._lock:
            for other in [each for each in self._stores if each != name][:-1]:
                self._stores.pop(other).close()
            self._keep(self._stores)

    def forget(self, name: str) -> None:
        """Free the store of this name, which takes ten megabytes, once no search uses it."""
        with self._lock:
            self._stores.pop(name, None)
            self._keep(self._stores)

    def close(self) -> None:
        """Release everything that is held in this process."""
        with self._lock:
            for store in self._stores.values():
                store.close()
            self._stores.clear()
            self._release()


def ephemeral_store(namespace: str) -> SeparateStores:
    """Return a store in memory."""
    return SeparateStores(lambda _: ChromaStore(_connect_in_memory, namespace, batch=BATCH))


def _connect_in_memory() -> _Client:
    """Return a client that shares its memory with no other; Chroma has one for all by itself."""
    import chromadb  # noqa: PLC0415 - chromadb takes 0.8 s
    from chromadb.api.shared_system_client import SharedSystemClient  # noqa: PLC0415 - as above

    with _CONNECTING:
        client: _Client = chromadb.EphemeralClient(settings=_settings())
        name = f"ephemeral-{secrets.token_hex(8)}"
        systems = SharedSystemClient._identifier_to_system  # noqa: SLF001 - no public access
        counts = SharedSystemClient._identifier_to_refcount  # noqa: SLF001 - no public access
        systems[name] = systems.pop(client._identifier)  # noqa: SLF001 - no public access
        counts[name] = counts.pop(client._identifier)  # noqa: SLF001 - no public access
        client._identifier = client._admin_client._identifier = name  # noqa: SLF001 - as above
    return client


def lock_folder(folder: Path) -> int:
    """Lock the folder for this process; return the descriptor to close. Raises: ModelError."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = try_lock(folder, is_folder=True)
    except OSError as error:
        raise ModelError(
            f"{folder} cannot be used ({error.strerror}). Fix: set STUDIOGRAPH_DATA to a writable"
            " folder."
        ) from None
    if descriptor is None:
        raise ModelError(_LOCKED)
    return descriptor


def path_store(folder: Path, namespace: str) -> SeparateStores:
    """Return a store in a folder, which is locked until the store is closed.

    Chroma does not support two processes on one folder. Raises: ModelError.
    """

    def make(name: str) -> ChromaStore:
        def connect() -> _Client:
            import chromadb  # noqa: PLC0415 - chromadb takes 0.8 s

            return chromadb.PersistentClient(path=str(folder / name), settings=_settings())

        return ChromaStore(connect, namespace, batch=BATCH)

    def keep(names: Collection[str]) -> None:
        """Remove everything else, also what earlier versions kept in the folder itself."""
        for path in folder.iterdir():
            if path.name not in names:
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()

    descriptor = lock_folder(folder)
    return SeparateStores(make, keep, lambda: os.close(descriptor))


def http_store(url: str, token: str, namespace: str) -> ChromaStore:
    """Return a store on a Chroma server; it connects at the first use."""
    base = url.rstrip("/")
    sessions = ExitStack()

    def connect() -> _Client:
        import chromadb  # noqa: PLC0415 - chromadb takes 0.8 s
        import httpx  # noqa: PLC0415 - loaded with Chroma

        headers = {"Authorization": f"Bearer {token}", "X-Chroma-Token": token} if token else {}
        # Chroma's constructor calls the server without a timeout, so try the server first.
        response = httpx.get(f"{base}/api/v2/heartbeat", headers=headers, timeout=TIMEOUT_SECONDS)
        response.raise_for_status()
        client: _Client = chromadb.HttpClient(
            host=base, ssl=base.startswith("https:"), headers=headers, settings=_settings()
        )
        # Chroma has no timeout setting and does not close its connections in `close`.
        for part in (client, client._admin_client):  # noqa: SLF001 - no public access
            part._server._session.timeout = TIMEOUT_SECONDS  # noqa: SLF001 - no public access
            sessions.callback(part._server._session.close)  # noqa: SLF001 - no public access
        return client

    return ChromaStore(connect, namespace, release=sessions.close)


def _settings() -> Any:
    from chromadb.config import Settings  # noqa: PLC0415 - chromadb takes 0.8 s

    return Settings(anonymized_telemetry=False)
