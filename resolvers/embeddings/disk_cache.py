"""The vectors of texts that were embedded before, on the disk: one file for each embedder.

A file holds what was asked for last and nothing else, so it does not grow; only what an embedder
made before it failed is added. It is a cache: whatever is wrong with it, it is made again.
"""

import hashlib
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from resolvers.embeddings.embedder import Embedder, Vectors, validate_vectors
from resolvers.embeddings.errors import ModelError
from resolvers.files import atomic_replace

BATCH = 64
"""How many texts are embedded between two words of progress."""
_DIGEST_BYTES = 32

log = logging.getLogger("studiograph.answers")

Progress = Callable[[int, int], None]
"""Told how many texts are done, and how many there are in all."""


def vectors_folder(data: Path) -> Path:
    """Return the folder for vectors inside the data folder."""
    return data / "vectors"


class DiskVectorCache:
    """An embedder's vectors of documents, each text embedded once.

    Several processes may share the folder; the one that writes last is the one that is read.
    """

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._embedder = embedder
        self.file = folder / f"{embedder.id}.vectors"
        self._row = np.dtype(
            [("key", f"V{_DIGEST_BYTES}"), ("vector", "<f4", (embedder.dimensions,))]
        )

    def get_or_embed(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """The vectors of the texts. Shape: one row of unit length a text. Raises: ModelFault."""
        keys = [_key(text) for text in texts]
        kept = self._kept()
        known = {key: kept[key] for key in keys if key in kept}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        told, total = progress or _nobody, len(known) + len(missing)
        told(len(known), total)
        try:
            for made in self._embedded(missing):
                known.update(made)
                told(len(known), total)
        except ModelError:
            if not known.keys() <= kept.keys():
                self._keep({**kept, **known})
            raise
        if known.keys() != kept.keys():
            self._keep(known)
        rows = np.array([known[key] for key in keys], dtype=np.float32)
        return rows.reshape(-1, self._embedder.dimensions)

    def _embedded(self, missing: Mapping[bytes, str]) -> Iterator[dict[bytes, Vectors]]:
        """The vectors that are missing, a portion at a time. Raises: ModelFault."""
        keys, texts = [*missing], [*missing.values()]
        for start in range(0, len(texts), BATCH):
            portion = texts[start : start + BATCH]
            vectors = self._embedder.embed_documents(portion)
            rows = validate_vectors(vectors, len(portion), self._embedder.dimensions)
            yield dict(zip(keys[start:], rows, strict=False))

    def _kept(self) -> dict[bytes, Vectors]:
        """What the file holds, if every byte of it is as it was written."""
        try:
            digest, rows = _split(self.file.read_bytes())
        except FileNotFoundError:
            return {}
        except OSError as error:
            log.warning("%s cannot be read (%s).", self.file, error.strerror)
            return {}
        if hashlib.sha256(rows).digest() != digest or len(rows) % self._row.itemsize:
            log.warning("%s is damaged and is made again.", self.file)
            return {}
        table = np.frombuffer(rows, self._row)
        return {key.tobytes(): row for key, row in zip(table["key"], table["vector"], strict=True)}

    def _keep(self, vectors: Mapping[bytes, Vectors]) -> None:
        table = np.empty(len(vectors), self._row)
        for place, (key, row) in enumerate(vectors.items()):
            table[place] = (key, row)
        rows = table.tobytes()
        try:
            with atomic_replace(self.file) as beside:
                beside.write_bytes(hashlib.sha256(rows).digest() + rows)
        except OSError as error:
            log.warning(
                "%s cannot be written (%s), so texts are embedded at every start. Fix: see that"
                " its folder is one of this user with space.",
                *(self.file, error.strerror),
            )


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _split(data: bytes) -> tuple[bytes, bytes]:
    return data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]


def _nobody(done: int, total: int) -> None:
    """Nobody is told."""
    del done, total
