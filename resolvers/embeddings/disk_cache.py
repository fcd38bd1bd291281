"""Caches of vectors on disk, with one file for each embedder.

A file holds the texts of the last call, and of calls before it while there is room: two processes
with different content may share a folder, and an owner may go back to an earlier revision. Vectors
that were made before an embedder failed are kept too. A damaged or missing file is made again.
"""

import hashlib
import logging
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from resolvers.embeddings.embedder import (
    Embedder,
    TextTokens,
    TokenEmbedder,
    Vectors,
    validate_vectors,
)
from resolvers.files import atomic_replace

BATCH = 64
"""How many texts are embedded between two progress reports."""
MAX_THREADS = 4
"""How many cores are used while texts are embedded; the model uses one for a batch."""
_DIGEST_BYTES = 32
_COUNT_BYTES = 8
_MAX_BYTE = 127
_MIN_SCALE = 1e-12

log = logging.getLogger("studiograph.answers")

Value = TypeVar("Value")
Progress = Callable[[int, int], None]
"""Called with the number of texts done and the total."""


def vectors_folder(data: Path) -> Path:
    """Return the folder for vectors inside the data folder."""
    return data / "vectors"


class _DiskCache(ABC, Generic[Value]):
    """Values that are computed from texts, each computed once and kept in a file.

    Several processes may share the folder; the last write wins.
    """

    room: ClassVar[int]
    """How many texts of earlier calls a file may hold; some 8 MiB."""
    threads = 1
    """How many batches are made at a time."""

    def __init__(self, file: Path, progress: Progress | None, layout: str = "") -> None:
        """Take the file, and what a file of another release may have in another way.

        `progress` is called with how many of how many texts are done; what it raises ends the work.
        """
        self.file = file
        self._progress = progress or _ignore
        self._layout = layout.encode()

    @abstractmethod
    def _make(self, texts: Sequence[str]) -> Iterable[Value]:
        """Return a new value for each text. Raises: ModelError."""

    @abstractmethod
    def _to_bytes(self, values: Mapping[bytes, Value]) -> bytes:
        """Return what the file holds, given a value for each key."""

    @abstractmethod
    def _from_bytes(self, data: bytes) -> dict[bytes, Value]:
        """Return the values by key, given what `_to_bytes` made."""

    def _values(self, texts: Sequence[str]) -> list[Value]:
        """Return a value for each text. Raises: ModelError."""
        keys = [_key(text) for text in texts]
        stored = self._load()
        values = {key: stored[key] for key in keys if key in stored}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in values}
        total = len(values) + len(missing)
        self._progress(len(values), total)
        try:
            for batch in self._make_missing(missing):
                values.update(batch)
                self._progress(len(values), total)
        finally:
            if not values.keys() <= stored.keys():
                others = (item for item in stored.items() if item[0] not in values)
                self._save({**values, **dict(islice(others, self.room))})
        return [values[key] for key in keys]

    def _make_missing(self, missing: Mapping[bytes, str]) -> Iterator[dict[bytes, Value]]:
        """Yield the missing values batch by batch. Raises: ModelError."""
        keys = [*missing]
        batches = [keys[start : start + BATCH] for start in range(0, len(keys), BATCH)]
        for batch, values in zip(batches, self._map_batches(missing, batches), strict=True):
            yield dict(zip(batch, values, strict=True))

    def _map_batches(
        self, texts: Mapping[bytes, str], batches: Sequence[Sequence[bytes]]
    ) -> Iterator[Iterable[Value]]:
        """Yield what is made of each batch; in threads, if the embedder can use several cores."""

        def make(batch: Sequence[bytes]) -> Iterable[Value]:
            return self._make([texts[key] for key in batch])

        if self.threads == 1 or len(batches) < 2:  # noqa: PLR2004 - one batch needs no thread
            yield from map(make, batches)
            return
        pool = ThreadPoolExecutor(self.threads, "embedding")
        try:
            yield from pool.map(make, batches)
        finally:
            pool.shutdown(cancel_futures=True)

    def _load(self) -> dict[bytes, Value]:
        """Return the content of the file; nothing if it is missing or damaged."""
        try:
            digest, data = _split(self.file.read_bytes())
        except FileNotFoundError:
            return {}
        except OSError as error:
            log.warning("%s cannot be read (%s).", self.file, error.strerror)
            return {}
        if hashlib.sha256(self._layout + data).digest() != digest:
            log.warning("%s is damaged and is made again.", self.file)
            return {}
        return self._from_bytes(data)

    def _save(self, values: Mapping[bytes, Value]) -> None:
        data = self._to_bytes(values)
        try:
            with atomic_replace(self.file) as partial:
                partial.write_bytes(hashlib.sha256(self._layout + data).digest() + data)
        except OSError as error:
            log.warning(
                "%s cannot be written (%s), so texts are embedded at every start. Fix: make sure"
                " that this user can write to its folder and that it has space.",
                *(self.file, error.strerror),
            )


class DiskVectorCache(_DiskCache[Vectors]):
    """An embedder's document vectors; each text is embedded once."""

    room = 2048

    def __init__(self, folder: Path, embedder: Embedder, progress: Progress | None = None) -> None:
        super().__init__(folder / f"{embedder.id}.vectors", progress)
        self._embedder = embedder
        self.threads = _threads_of(embedder)
        self._row = np.dtype(
            [("key", f"V{_DIGEST_BYTES}"), ("vector", "<f4", (embedder.dimensions,))]
        )

    def get_or_embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of unit length for each text. Raises: ModelError."""
        rows = np.array(self._values(texts), dtype=np.float32)
        return rows.reshape(-1, self._embedder.dimensions)

    def _make(self, texts: Sequence[str]) -> Iterable[Vectors]:
        vectors = self._embedder.embed_documents(texts)
        return validate_vectors(vectors, len(texts), self._embedder.dimensions)

    def _to_bytes(self, values: Mapping[bytes, Vectors]) -> bytes:
        table = np.empty(len(values), self._row)
        for index, (key, row) in enumerate(values.items()):
            table[index] = (key, row)
        return table.tobytes()

    def _from_bytes(self, data: bytes) -> dict[bytes, Vectors]:
        table = np.frombuffer(data, self._row)
        return {key.tobytes(): row for key, row in zip(table["key"], table["vector"], strict=True)}


@dataclass(frozen=True)
class StoredTokens:
    """A text and its tokens, as they are kept: each number of a token's vector in one byte.

    That is a quarter of the space, and changes the likeness of two tokens by less than 0.01.
    """

    vector: Vectors
    """The vector of the text."""
    pieces: npt.NDArray[Any]
    """Fields: `id`, `begin`, `end`, `scale`, `numbers`; see `TextTokens`."""

    @property
    def tokens(self) -> Vectors:
        """The vectors of the tokens, not of unit length."""
        return vectors_of(self.pieces)


def vectors_of(pieces: npt.NDArray[Any]) -> Vectors:
    """Return the vectors of stored tokens, not of unit length."""
    vectors: Vectors = pieces["numbers"] * pieces["scale"][:, None]
    return vectors


class DiskTokenCache(_DiskCache[StoredTokens]):
    """What an embedder makes of texts and their tokens; each text is embedded once."""

    room = 192

    def __init__(
        self, folder: Path, embedder: TokenEmbedder, progress: Progress | None = None
    ) -> None:
        self.embedder = embedder
        self.threads = _threads_of(embedder)
        width = embedder.token_width
        self._row = np.dtype(
            [("key", f"V{_DIGEST_BYTES}"), ("count", "<i4"), ("vector", "<f4", (width,))]
        )
        self._piece = np.dtype(
            [
                ("id", "<i4"),
                ("begin", "<i4"),
                ("end", "<i4"),
                ("scale", "<f4"),
                ("numbers", "i1", (width,)),
            ]
        )
        super().__init__(folder / f"{embedder.id}.tokens", progress, f"{self._row}{self._piece}")

    def get_or_embed(self, texts: Sequence[str]) -> list[StoredTokens]:
        """Return the tokens of each text. Raises: ModelError."""
        return self._values(texts)

    def _make(self, texts: Sequence[str]) -> Iterable[StoredTokens]:
        return [*map(self._stored, self.embedder.embed_tokens(texts))]

    def _stored(self, text: TextTokens) -> StoredTokens:
        pieces = np.empty(len(text.ids), self._piece)
        pieces["id"] = text.ids
        pieces["begin"], pieces["end"] = text.spans.T
        largest = np.abs(text.tokens).max(axis=1, initial=_MIN_SCALE)
        pieces["scale"] = largest / _MAX_BYTE
        pieces["numbers"] = np.round(text.tokens / pieces["scale"][:, None])
        return StoredTokens(text.vector, pieces)

    def _to_bytes(self, values: Mapping[bytes, StoredTokens]) -> bytes:
        table = np.empty(len(values), self._row)
        for index, (key, text) in enumerate(values.items()):
            table[index] = (key, len(text.pieces), text.vector)
        head = len(values).to_bytes(_COUNT_BYTES, "little") + table.tobytes()
        return head + b"".join(text.pieces.tobytes() for text in values.values())

    def _from_bytes(self, data: bytes) -> dict[bytes, StoredTokens]:
        count = int.from_bytes(data[:_COUNT_BYTES], "little")
        table = np.frombuffer(data, self._row, count, _COUNT_BYTES)
        pieces = np.frombuffer(data, self._piece, offset=_COUNT_BYTES + table.nbytes)
        parts = np.split(pieces, np.cumsum(table["count"])[:-1]) if count else []
        return {
            row["key"].tobytes(): StoredTokens(row["vector"], part)
            for row, part in zip(table, parts, strict=True)
        }


def document_cache(
    folder: Path, embedder: Embedder, progress: Progress | None = None
) -> DiskVectorCache | DiskTokenCache:
    """Return the cache for texts to be searched: with tokens, if the embedder tells them."""
    if isinstance(embedder, TokenEmbedder):
        return DiskTokenCache(folder, embedder, progress)
    return DiskVectorCache(folder, embedder, progress)


def _threads_of(embedder: Embedder) -> int:
    """Return how many batches an embedder makes at a time: one, unless it runs in this process."""
    return min(os.cpu_count() or 1, MAX_THREADS) if isinstance(embedder, TokenEmbedder) else 1


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _split(data: bytes) -> tuple[bytes, bytes]:
    return data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]


def _ignore(done: int, total: int) -> None:
    del done, total
