"""The built-in model, all-MiniLM-L6-v2, run by onnxruntime on a graph built from its weights.

The graph is built once and kept in the data folder. Its file name contains its digest, so a
damaged graph is noticed and built again. The word table stays in the file of the weights.
"""

import json
import logging
import os
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from resolvers.embeddings.embedder import TextTokens, Vectors
from resolvers.embeddings.onnx_graph import VERSION, WIDTH, WORDS, build_graph
from resolvers.embeddings.weights import Weights
from resolvers.files import atomic_replace, sha256_of

MAX_TOKENS = 256
"""The model's limit; the rest of a longer text is ignored."""
BATCH_TEXTS = 16
BATCH_TOKENS = 512
"""How many tokens a batch has: more would take memory and save no time."""

log = logging.getLogger("studiograph.answers")
Batch = npt.NDArray[np.int64]
_SIZE_BYTES = 8
"""A safetensors file begins with the size of its header, which is JSON."""


class MiniLM:
    """The loaded model. It is immutable, so threads may share it."""

    def __init__(self, weights: Weights, folder: Path) -> None:
        """Load the graph from the folder, or build it. Raises: ModelError."""
        self._tokenizer = _tokenizer(weights.tokenizer)
        self._words = _WordTable(weights.model)
        self._session = _session(_graph(weights, folder))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed texts: one row of 384 numbers and unit length for each text."""
        vectors = np.empty((len(texts), WIDTH), dtype=np.float32)
        for batch, encoded in self._batches(texts):
            vectors[batch] = self._run(encoded, ["vectors"])[0]
        return vectors

    def embed_tokens(self, texts: Sequence[str]) -> list[TextTokens]:
        """Embed texts token by token; their vectors are those of `embed`.

        The marks of beginning and end are left out; a text without pieces has that of the end.
        """
        tokens: dict[int, TextTokens] = {}
        for batch, encoded in self._batches(texts):
            pooled, vectors = self._run(encoded, ["vectors", "tokens"])
            for row, (index, text) in enumerate(zip(batch, encoded, strict=True)):
                inner = slice(1, max(2, len(text.ids) - 1))
                tokens[index] = TextTokens(
                    np.array(text.ids[inner], dtype=np.int32),
                    np.array(text.offsets[inner], dtype=np.int32).reshape(-1, 2),
                    vectors[row, inner],
                    pooled[row],
                )
        return [tokens[index] for index in range(len(texts))]

    def _batches(self, texts: Sequence[str]) -> Iterator[tuple[list[int], list[Any]]]:
        """Yield the indexes of the texts of each batch, and these texts as word pieces."""
        # One by one: encoding a batch pads it, and padding is a shared state of the tokenizer.
        encoded = [self._tokenizer.encode(_valid_utf8(text)) for text in texts]
        for batch in batch_by_length([len(text.ids) for text in encoded]):
            yield batch, [encoded[index] for index in batch]

    def _run(self, encoded: Sequence[Any], outputs: Sequence[str]) -> list[Vectors]:
        longest = max(len(text.ids) for text in encoded)
        ids = np.zeros((len(encoded), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, text in enumerate(encoded):
            ids[row, : len(text.ids)] = text.ids
            mask[row, : len(text.ids)] = 1
        results: list[Vectors] = self._session.run(
            outputs, {"words": self._words.rows(ids), "mask": mask}
        )
        return results


class _WordTable:
    """The rows of the word table, each read from the file when it is needed.

    They would take 47 MB of memory; the few that a text needs are read in microseconds.
    """

    def __init__(self, file: Path) -> None:
        self._file = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        weakref.finalize(self, os.close, self._file)
        size = int.from_bytes(os.pread(self._file, _SIZE_BYTES, 0), "little")
        tensor = json.loads(os.pread(self._file, size, _SIZE_BYTES))[WORDS]
        self._begin = _SIZE_BYTES + size + tensor["data_offsets"][0]

    def rows(self, ids: Batch) -> Vectors:
        """Return the row of each id. Shape: that of the ids x 384."""
        used, places = np.unique(ids, return_inverse=True)
        width = WIDTH * np.dtype(np.float32).itemsize
        data = b"".join(os.pread(self._file, width, self._begin + int(n) * width) for n in used)
        rows: Vectors = np.frombuffer(data, np.float32).reshape(-1, WIDTH)[places]
        return rows.reshape(*ids.shape, WIDTH)


class _Tensors:
    """The weights; each is read when it is first used."""

    def __init__(self, file: Path) -> None:
        from safetensors import safe_open  # noqa: PLC0415 - needed only to build a graph

        self._file: Any = safe_open(str(file), "np")

    def __getitem__(self, name: str) -> npt.NDArray[np.float32]:
        tensor: npt.NDArray[np.float32] = self._file.get_tensor(name)
        return tensor


def batch_by_length(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the indexes of the texts of each batch: of similar length, within the limits."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (
            len(batch) == BATCH_TEXTS or (len(batch) + 1) * lengths[index] > BATCH_TOKENS
        ):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def _valid_utf8(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode, by question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _tokenizer(file: Path) -> Any:
    from tokenizers import Tokenizer  # noqa: PLC0415 - only with this model

    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def _session(graph: Path | bytes) -> Any:
    import onnxruntime  # type: ignore[import-untyped]  # noqa: PLC0415 - 0.2 s, only with this model

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # questions run in parallel, each on one core
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # it plans for one shape, and no two texts have the same
    options.enable_cpu_mem_arena = False  # it would keep the memory of the longest text forever
    options.log_severity_level = 3
    source = graph if isinstance(graph, bytes) else str(graph)
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


def _graph(weights: Weights, folder: Path) -> Path | bytes:
    """Return the file of an intact graph; the graph itself if no file can be written."""
    stem = f"minilm-{weights.sha256[:8]}"
    try:
        file = _intact_file(folder, stem)
        return _build_file(weights, folder, stem) if file is None else file
    except OSError as error:
        log.warning(
            "%s cannot be written (%s), so the model's graph is built at every start. Fix: make"
            " sure that this user can write to the folder and that it has space.",
            *(folder, error.strerror),
        )
        return build_graph(_Tensors(weights.model))


def _build_file(weights: Weights, folder: Path, stem: str) -> Path:
    """Build the graph, unless another process was faster; return its file. Raises: OSError."""
    with atomic_replace(folder / f"{stem}.onnx") as new:
        file = _intact_file(folder, stem)
        if file is not None:
            return file
        for old in folder.glob(f"{stem}-*.onnx"):
            log.warning("%s is damaged, or of another release, and is built again.", old)
            old.unlink()
        new.write_bytes(build_graph(_Tensors(weights.model)))
        return new.replace(folder / f"{stem}-{VERSION}-{sha256_of(new)[:32]}.onnx")


def _intact_file(folder: Path, stem: str) -> Path | None:
    """Return the graph file whose digest is the one in its name."""
    for file in sorted(folder.glob(f"{stem}-{VERSION}-*.onnx")):
        if file.stem.endswith(f"-{sha256_of(file)[:32]}"):
            return file
    return None
