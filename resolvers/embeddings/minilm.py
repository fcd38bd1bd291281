"""The embedded model, all-MiniLM-L6-v2, run by onnxruntime on a graph made of its weights.

The graph is made once and kept in the data folder under a name that holds its own digest, so a
damaged one is noticed and made again. Knows nothing of words: that is the other half's business.
"""

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from resolvers.embeddings.embedder import Vectors
from resolvers.embeddings.onnx_graph import VERSION, WIDTH, build_graph
from resolvers.embeddings.weights import Weights
from resolvers.files import atomic_replace, sha256_of

MAX_TOKENS = 256
"""The model was not made for longer texts; the rest of one is not read."""
BATCH_TEXTS = 16
BATCH_TOKENS = 512
"""How many word pieces are looked at together: more would take memory and save no time."""

log = logging.getLogger("studiograph.answers")
Batch = npt.NDArray[np.int64]


class MiniLM:
    """The model, loaded. Threads may share it: nothing in it changes any more."""

    def __init__(self, weights: Weights, folder: Path) -> None:
        """From the graph in the folder, which is made if it is not there. Raises: ModelFault."""
        self._tokenizer = _tokenizer(weights.tokenizer)
        self._session = _session(_graph(weights, folder))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts. Shape: one row of unit length and of 384 numbers a text."""
        # One by one: what encodes many at once pads them, and padding is a state of the tokenizer.
        encoded = [self._tokenizer.encode(_valid_utf8(text)).ids for text in texts]
        vectors = np.empty((len(texts), WIDTH), dtype=np.float32)
        for places in batch_by_length([len(pieces) for pieces in encoded]):
            vectors[places] = self._run([encoded[place] for place in places])
        return vectors

    def _run(self, encoded: Sequence[Sequence[int]]) -> Vectors:
        longest = max(map(len, encoded))
        ids = np.zeros((len(encoded), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, pieces in enumerate(encoded):
            ids[row, : len(pieces)] = pieces
            mask[row, : len(pieces)] = 1
        vectors: Vectors = self._session.run(None, {"ids": ids, "mask": mask})[0]
        return vectors


class _Tensors:
    """The weights, each read only once it is asked for."""

    def __init__(self, file: Path) -> None:
        from safetensors import safe_open  # noqa: PLC0415 - only where a graph is made

        self._file: Any = safe_open(str(file), "np")

    def __getitem__(self, name: str) -> npt.NDArray[np.float32]:
        tensor: npt.NDArray[np.float32] = self._file.get_tensor(name)
        return tensor


def batch_by_length(lengths: Sequence[int]) -> Iterator[list[int]]:
    """The places of texts that are looked at together: of like length, and not too many."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (
            len(batch) == BATCH_TEXTS or (len(batch) + 1) * lengths[place] > BATCH_TOKENS
        ):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def _valid_utf8(text: str) -> str:
    """The text with a question mark for half a surrogate pair, which no UTF-8 holds."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _tokenizer(file: Path) -> Any:
    from tokenizers import Tokenizer  # noqa: PLC0415 - only with this model

    made = Tokenizer.from_file(str(file))
    made.no_padding()
    made.enable_truncation(MAX_TOKENS)
    return made


def _session(graph: Path | bytes) -> Any:
    import onnxruntime  # type: ignore[import-untyped]  # noqa: PLC0415 - only with this model

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # questions come side by side: each keeps to one core
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # it would keep the memory of the longest text for ever
    options.log_severity_level = 3
    source = graph if isinstance(graph, bytes) else str(graph)
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


def _graph(weights: Weights, folder: Path) -> Path | bytes:
    """The file of a sound graph; the graph itself, where no file can be written."""
    stem = f"minilm-{weights.sha256[:8]}"
    try:
        found = _sound(folder, stem)
        return _made(weights, folder, stem) if found is None else found
    except OSError as error:
        log.warning(
            "%s cannot be written (%s), so the model's graph is made at every start. Fix: see that"
            " it is a folder of this user with space.",
            *(folder, error.strerror),
        )
        return build_graph(_Tensors(weights.model))


def _made(weights: Weights, folder: Path, stem: str) -> Path:
    """The file of a new graph; that of another process, if it was first. Raises: OSError."""
    with atomic_replace(folder / f"{stem}.onnx") as beside:
        found = _sound(folder, stem)
        if found is not None:
            return found
        for old in folder.glob(f"{stem}-*.onnx"):
            log.warning("%s is damaged, or of another release, and is made again.", old)
            old.unlink()
        beside.write_bytes(build_graph(_Tensors(weights.model)))
        return beside.replace(folder / f"{stem}-{VERSION}-{sha256_of(beside)[:32]}.onnx")


def _sound(folder: Path, stem: str) -> Path | None:
    """The graph whose digest is the one in its name."""
    for file in sorted(folder.glob(f"{stem}-{VERSION}-*.onnx")):
        if file.stem.endswith(f"-{sha256_of(file)[:32]}"):
            return file
    return None
