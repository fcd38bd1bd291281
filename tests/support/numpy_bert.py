"""The embedded model in numpy, for comparison with its graph.

It reads the file of the weights by itself, and takes one text at a time, without padding.

Source: Devlin et al., "BERT" (2019); the safetensors format (length, JSON header, tensors).
"""

import json
import math
from pathlib import Path

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_erf = np.vectorize(math.erf, otypes=[np.float64])


def tensors_of(file: Path) -> dict[str, Floats]:
    """Every tensor by its name."""
    data = file.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    tensors = {}
    for name, told in header.items():
        if told.get("dtype") == "F32":
            start, end = (8 + size + offset for offset in told["data_offsets"])
            flat = np.frombuffer(data[start:end], "<f4").astype(np.float64)
            tensors[name] = flat.reshape(told["shape"])
    return tensors


def forward(tensors: dict[str, Floats], ids: list[int]) -> Floats:
    """The vector of one text of these word pieces, in double precision."""
    mean: Floats = forward_tokens(tensors, ids).mean(axis=0)
    return mean / np.linalg.norm(mean)


def forward_tokens(tensors: dict[str, Floats], ids: list[int]) -> Floats:
    """What the last layer says of each of these word pieces."""
    words = tensors["embeddings.word_embeddings.weight"][ids]
    places = tensors["embeddings.position_embeddings.weight"][: len(ids)]
    segment = tensors["embeddings.token_type_embeddings.weight"][0]
    hidden = _normed(words + places + segment, tensors, "embeddings.LayerNorm")
    for layer in range(6):
        name = f"encoder.layer.{layer}"
        heard = _attention(hidden, tensors, f"{name}.attention.self")
        dense = _linear(heard, tensors, f"{name}.attention.output.dense")
        hidden = _normed(hidden + dense, tensors, f"{name}.attention.output.LayerNorm")
        wide = _linear(hidden, tensors, f"{name}.intermediate.dense")
        bent = wide * 0.5 * (1 + _erf(wide / math.sqrt(2)))
        dense = _linear(bent, tensors, f"{name}.output.dense")
        hidden = _normed(hidden + dense, tensors, f"{name}.output.LayerNorm")
    return hidden


def _attention(hidden: Floats, tensors: dict[str, Floats], name: str) -> Floats:
    heads = []
    query, key, value = (
        _linear(hidden, tensors, f"{name}.{part}") for part in ("query", "key", "value")
    )
    for start in range(0, 384, 32):
        head = slice(start, start + 32)
        scores = np.exp(query[:, head] @ key[:, head].T / math.sqrt(32))
        heads.append(scores / scores.sum(axis=1, keepdims=True) @ value[:, head])
    return np.hstack(heads)


def _linear(hidden: Floats, tensors: dict[str, Floats], name: str) -> Floats:
    made: Floats = hidden @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"]
    return made


def _normed(hidden: Floats, tensors: dict[str, Floats], name: str) -> Floats:
    centred = hidden - hidden.mean(axis=1, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-12)
    made: Floats = centred / spread * tensors[f"{name}.weight"] + tensors[f"{name}.bias"]
    return made
