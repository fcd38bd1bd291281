"""Caches of vectors on disk, with one file for each embedder.

A file holds the texts of the last call, and of calls before it while there is room: two processes
with different content may share a folder, and an owner may go back to an earlier revision. Vectors
that were made before an embedder failed are kept too. A damaged or missing file is made again.
"""

import hashlib
import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

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
"""How many cores are used while texts are embedded; the model uses one for a text."""
ROOM_BYTES = 8 * 2**20
"""How much of earlier calls a file may hold."""
_DIGEST_BYTES = 32
_SIZE_BYTES = 4
_MAX_BYTE = 127
_MIN_SCALE = 1e-12

log = logging.getLogger("studiograph.answers")

Record = bytes | memoryview
Progress = Callable[[int, int], None]
"""Called with the number of texts done and the total; what it raises ends the work."""


def vectors_folder(data: Path) -> Path:
    """Return the folder for vectors inside the data folder."""
    return data / "vectors"


class _DiskCache:
    """A record of bytes for each text, made once and kept in a file.

    Several processes may share the folder; the last write wins.
    """

    def __init__(
        self,
        file: Path,
        make: Callable[[Sequence[str]], list[bytes]],
        progress: Progress | None,
        layout: str,
    ) -> None:
        """Take the file, what makes the records of texts, and what another release may change."""
        self.file = file
        self.threads = 1
        self._make = make
        self._progress = progress or (lambda _done, _total: None)
        self._layout = f"2 {layout}".encode()

    def records(self, texts: Sequence[str]) -> list[Record]:
        """Return the record of each text. Raises: ModelError."""
        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        wanted = dict(zip(keys, texts, strict=True))
        stored = self._load()
        records = {key: stored[key] for key in wanted if key in stored}
        missing = {key: text for key, text in wanted.items() if key not in records}
        self._progress(len(records), len(wanted))
        try:
            for made in self._make_all(missing):
                records.update(made)
                self._progress(len(records), len(wanted))
        finally:
            if not records.keys() <= stored.keys():
                self._save({**records, **_newest(stored, without=records)})
        return [records[key] for key in keys]

    def _make_all(self, missing: Mapping[bytes, str]) -> Iterator[dict[bytes, bytes]]:
        """Yield the missing records batch by batch. Raises: ModelError."""
        items = iter(missing.items())
        batches = [*iter(lambda: dict(islice(items, BATCH)), {})]
        pool = ThreadPoolExecutor(self.threads, "embedding")
        try:
            made = pool.map(self._make, [[*batch.values()] for batch in batches])
            for batch, records in zip(batches, made, strict=True):
                yield dict(zip(batch, records, strict=True))
        finally:
            pool.shutdown(cancel_futures=True)

    def _load(self) -> dict[bytes, Record]:
        """Return the file's content; nothing if it is unreadable or damaged."""
        try:
            data = memoryview(self.file.read_bytes())
        except FileNotFoundError:
            return {}
        except OSError as error:
            log.warning("%s cannot be read (%s).", self.file, error.strerror)
            return {}
        if self._digest(data[_DIGEST_BYTES:]) != data[:_DIGEST_BYTES]:
            log.warning("%s is damaged and is made again.", self.file)
            return {}
        records: dict[bytes, Record] = {}
        place = _DIGEST_BYTES
        while place < len(data):
            begin = place + _DIGEST_BYTES + _SIZE_BYTES
            end = begin + int.from_bytes(data[begin - _SIZE_BYTES : begin], "little")
            records[bytes(data[place : place + _DIGEST_BYTES])] = data[begin:end]
            place = end
        return records

    def _save(self, records: Mapping[bytes, Record]) -> None:
        parts = (
            (key, len(item).to_bytes(_SIZE_BYTES, "little"), item) for key, item in records.items()
        )
        data = b"".join(piece for part in parts for piece in part)
        try:
            with atomic_replace(self.file) as partial, partial.open("wb") as file:
                file.write(self._digest(data))
                file.write(data)
        except OSError as error:
            log.warning(
                "%s cannot be written (%s), so texts are embedded at every start. Fix: make sure"
                " that this user can write to its folder and that it has space.",
                *(self.file, error.strerror),
            )

    def _digest(self, data: Record) -> bytes:
        digest = hashlib.sha256(self._layout)
        digest.update(data)
        return digest.digest()


def _newest(stored: Mapping[bytes, Record], without: Mapping[bytes, Record]) -> dict[bytes, Record]:
    """Return the first of the stored records, which are of the last call, while there is room."""
    newest: dict[bytes, Record] = {}
    room = ROOM_BYTES
    for key, record in stored.items():
        if key not in without:
            room -= len(record)
            if room < 0:
                break
            newest[key] = record
    return newest


class DiskVectorCache(_DiskCache):
    """An embedder's document vectors; each text is embedded once."""

    def __init__(self, folder: Path, embedder: Embedder, progress: Progress | None = None) -> None:
        file = folder / f"{embedder.id}.vectors"
        super().__init__(file, self._embed, progress, f"{embedder.dimensions}")
        self.embedder = embedder
        self.threads = _threads_of(embedder)

    def get_or_embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of unit length for each text. Raises: ModelError."""
        data = b"".join(self.records(texts))
        return np.frombuffer(data, "<f4").reshape(-1, self.embedder.dimensions)

    def _embed(self, texts: Sequence[str]) -> list[bytes]:
        vectors = self.embedder.embed_documents(texts)
        rows = validate_vectors(vectors, len(texts), self.embedder.dimensions)
        return [row.astype("<f4").tobytes() for row in rows]


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
    """Return the vectors of stored tokens. Shape: (tokens, width), not of unit length."""
    vectors: Vectors = pieces["numbers"] * pieces["scale"][:, None]
    return vectors


class DiskTokenCache(_DiskCache):
    """What an embedder makes of texts and their tokens; each text is embedded once."""

    def __init__(
        self, folder: Path, embedder: TokenEmbedder, progress: Progress | None = None
    ) -> None:
        numbers = ("numbers", "i1", (embedder.token_width,))
        whole = ("id", "begin", "end")
        self._piece = np.dtype([*((name, "<i4") for name in whole), ("scale", "<f4"), numbers])
        super().__init__(folder / f"{embedder.id}.tokens", self._embed, progress, f"{self._piece}")
        self.embedder = embedder
        self.threads = _threads_of(embedder)

    def get_or_embed(self, texts: Sequence[str]) -> list[StoredTokens]:
        """Return the tokens of each text. Raises: ModelError."""
        width = self.embedder.token_width
        return [
            StoredTokens(
                np.frombuffer(record, "<f4", width),
                np.frombuffer(record[4 * width :], self._piece),
            )
            for record in self.records(texts)
        ]

    def _embed(self, texts: Sequence[str]) -> list[bytes]:
        return [*map(self._packed, self.embedder.embed_tokens(texts))]

    def _packed(self, text: TextTokens) -> bytes:
        pieces = np.empty(len(text.ids), self._piece)
        pieces["id"] = text.ids
        pieces["begin"], pieces["end"] = text.spans.T
        largest = np.abs(text.tokens).max(axis=1, initial=_MIN_SCALE)
        pieces["scale"] = largest / _MAX_BYTE
        pieces["numbers"] = np.round(text.tokens / pieces["scale"][:, None])
        return text.vector.astype("<f4").tobytes() + pieces.tobytes()


def _threads_of(embedder: Embedder) -> int:
    """Return how many batches an embedder makes at a time: one, unless it runs in this process."""
    return min(os.cpu_count() or 1, MAX_THREADS) if embedder.mode == "hybrid" else 1


def document_cache(
    folder: Path, embedder: Embedder, progress: Progress | None = None
) -> DiskVectorCache | DiskTokenCache:
    """Return the cache for texts to be searched: with tokens, if the embedder tells them."""
    if isinstance(embedder, TokenEmbedder):
        return DiskTokenCache(folder, embedder, progress)
    return DiskVectorCache(folder, embedder, progress)
