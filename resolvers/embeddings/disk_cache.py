"""A cache of vectors on disk, with one file for each embedder.

A file holds only the texts of the last call, so it does not grow; vectors that were made before an
embedder failed are added to it. A damaged or missing file is made again.
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
"""How many texts are embedded between two progress reports."""
_DIGEST_BYTES = 32

log = logging.getLogger("studiograph.answers")

Progress = Callable[[int, int], None]
"""Called with the number of texts done and the total."""


def vectors_folder(data: Path) -> Path:
    """Return the folder for vectors inside the data folder."""
    return data / "vectors"


class DiskVectorCache:
    """An embedder's document vectors; each text is embedded once.

    Several processes may share the folder; the last write wins.
    """

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._embedder = embedder
        self.file = folder / f"{embedder.id}.vectors"
        self._row = np.dtype(
            [("key", f"V{_DIGEST_BYTES}"), ("vector", "<f4", (embedder.dimensions,))]
        )

    def get_or_embed(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return one row of unit length for each text. Raises: ModelError."""
        keys = [_key(text) for text in texts]
        stored = self._load()
        vectors = {key: stored[key] for key in keys if key in stored}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in vectors}
        report, total = progress or _ignore, len(vectors) + len(missing)
        report(len(vectors), total)
        try:
            for batch in self._embed(missing):
                vectors.update(batch)
                report(len(vectors), total)
        except ModelError:
            if not vectors.keys() <= stored.keys():
                self._save({**stored, **vectors})
            raise
        if vectors.keys() != stored.keys():
            self._save(vectors)
        rows = np.array([vectors[key] for key in keys], dtype=np.float32)
        return rows.reshape(-1, self._embedder.dimensions)

    def _embed(self, missing: Mapping[bytes, str]) -> Iterator[dict[bytes, Vectors]]:
        """Yield the missing vectors batch by batch. Raises: ModelError."""
        keys, texts = [*missing], [*missing.values()]
        for start in range(0, len(texts), BATCH):
            batch = texts[start : start + BATCH]
            vectors = self._embedder.embed_documents(batch)
            rows = validate_vectors(vectors, len(batch), self._embedder.dimensions)
            yield dict(zip(keys[start:], rows, strict=False))

    def _load(self) -> dict[bytes, Vectors]:
        """Return the content of the file; nothing if it is missing or damaged."""
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

    def _save(self, vectors: Mapping[bytes, Vectors]) -> None:
        table = np.empty(len(vectors), self._row)
        for index, (key, row) in enumerate(vectors.items()):
            table[index] = (key, row)
        rows = table.tobytes()
        try:
            with atomic_replace(self.file) as partial:
                partial.write_bytes(hashlib.sha256(rows).digest() + rows)
        except OSError as error:
            log.warning(
                "%s cannot be written (%s), so texts are embedded at every start. Fix: make sure"
                " that this user can write to its folder and that it has space.",
                *(self.file, error.strerror),
            )


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _split(data: bytes) -> tuple[bytes, bytes]:
    return data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]


def _ignore(done: int, total: int) -> None:
    del done, total
