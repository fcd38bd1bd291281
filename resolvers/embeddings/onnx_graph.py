"""The graph of the embedded model: a BERT encoder, mean pooling and unit length, made of weights.

Takes `ids` and `mask` (texts x word pieces, int64), gives `vectors` (texts x dimensions). Runs
nothing and reads no file.

Source: Devlin et al., "BERT" (2019), in the operators of ONNX opset 17.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

VERSION = 1
LAYERS = 6
HEADS = 12
WIDTH = 384
OPSET = 17
IR_VERSION = 8  # the one that came with the opset, so that no runtime is too old for it
LAYER_NORM_EPSILON = 1e-12
MASKED = -1e9
"""Added to what a word piece would hear from padding; of it nothing is left after softmax."""


class Tensors(Protocol):
    """The weights by their names."""

    def __getitem__(self, name: str, /) -> npt.NDArray[np.float32]:
        """One of them."""
        ...


class _Graph:
    """The model as it grows; every node's only output is named by its number.

    It grows in place: whatever takes finished parts copies the weights once more.
    """

    def __init__(self) -> None:
        import onnx  # noqa: PLC0415 - heavy, and only where a graph is made

        self._onnx = onnx
        self.model = onnx.ModelProto(ir_version=IR_VERSION)
        self.model.opset_import.append(onnx.helper.make_opsetid("", OPSET))
        self.model.graph.name = "encoder"

    def node(self, operator: str, *inputs: str, **attributes: float | list[int]) -> str:
        name = f"{operator}{len(self.model.graph.node)}"
        made = self._onnx.helper.make_node(operator, [*inputs], [name], name=name)
        for key, value in attributes.items():
            made.attribute.append(self._onnx.helper.make_attribute(key, value))
        self.model.graph.node.append(made)
        return name

    def constant(self, value: npt.ArrayLike, dtype: npt.DTypeLike = np.float32) -> str:
        array = np.ascontiguousarray(np.asarray(value, dtype=dtype))
        made = self.model.graph.initializer.add()
        made.name = f"constant{len(self.model.graph.initializer)}"
        made.dims.extend(array.shape)
        made.data_type = self._onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
        made.raw_data = array.tobytes()
        return str(made.name)

    def dims(self, *numbers: int) -> str:
        return self.constant(numbers, np.int64)

    def to_model(self, vectors: str) -> bytes:
        """The model, with its inputs and its output declared."""
        proto, describe = self._onnx.TensorProto, self._onnx.helper.make_tensor_value_info
        self.model.graph.node[-1].output[0] = vectors
        for name in ("ids", "mask"):
            self.model.graph.input.append(describe(name, proto.INT64, ["texts", "pieces"]))
        self.model.graph.output.append(describe(vectors, proto.FLOAT, ["texts", WIDTH]))
        serialized: bytes = self.model.SerializeToString()
        return serialized


def build_graph(tensors: Tensors) -> bytes:
    """The model that an ONNX runtime loads. Raises: KeyError, where a tensor is missing."""
    graph = _Graph()
    hidden = _embeddings(graph, tensors)
    unheard = _unheard(graph)
    for layer in range(LAYERS):
        named = _Layer(tensors, f"encoder.layer.{layer}.")
        hidden = _attention(graph, named, hidden, unheard)
        hidden = _feed_forward(graph, named, hidden)
    _pooled(graph, hidden)
    return graph.to_model("vectors")


@dataclass(frozen=True)
class _Layer:
    """The tensors whose names begin alike."""

    tensors: Tensors
    prefix: str

    def weight(self, name: str) -> npt.NDArray[np.float32]:
        return self.tensors[f"{self.prefix}{name}.weight"]

    def bias(self, name: str) -> npt.NDArray[np.float32]:
        return self.tensors[f"{self.prefix}{name}.bias"]


def _embeddings(graph: _Graph, tensors: Tensors) -> str:
    """Word, place and segment; the segment is always the first, so it is part of the place."""
    named = _Layer(tensors, "embeddings.")
    places = named.weight("position_embeddings") + named.weight("token_type_embeddings")[0]
    words = graph.node("Gather", graph.constant(named.weight("word_embeddings")), "ids")
    count = graph.node("Slice", graph.node("Shape", "ids"), graph.dims(1), graph.dims(2))
    placed = graph.node("Slice", graph.constant(places), graph.dims(0), count, graph.dims(0))
    return _normed(graph, named, "LayerNorm", graph.node("Add", words, placed))


def _unheard(graph: _Graph) -> str:
    """What is added to every score of attention: nothing, or so little that it is not heard."""
    mask = graph.node("Cast", "mask", to=1)
    spread = graph.node("Unsqueeze", mask, graph.dims(1, 2))
    absent = graph.node("Sub", graph.constant(1), spread)
    return graph.node("Mul", absent, graph.constant(MASKED))


def _attention(graph: _Graph, layer: _Layer, hidden: str, unheard: str) -> str:
    """Each word piece with what it hears from the others, in all heads at once."""
    query, key, value = (
        _split(graph, _linear(graph, layer, f"attention.self.{name}", hidden), order)
        for name, order in (("query", _FORTH), ("key", _ACROSS), ("value", _FORTH))
    )
    scores = graph.node("MatMul", query, key)
    scaled = graph.node("Div", scores, graph.constant(math.sqrt(WIDTH // HEADS)))
    heard = graph.node("Softmax", graph.node("Add", scaled, unheard), axis=-1)
    mixed = graph.node("Transpose", graph.node("MatMul", heard, value), perm=_FORTH)
    joined = graph.node("Reshape", mixed, graph.dims(0, 0, WIDTH))
    dense = _linear(graph, layer, "attention.output.dense", joined)
    return _normed(graph, layer, "attention.output.LayerNorm", graph.node("Add", dense, hidden))


_FORTH = [0, 2, 1, 3]
_ACROSS = [0, 2, 3, 1]


def _split(graph: _Graph, hidden: str, order: list[int]) -> str:
    """The heads apart."""
    apart = graph.node("Reshape", hidden, graph.dims(0, 0, HEADS, WIDTH // HEADS))
    return graph.node("Transpose", apart, perm=order)


def _feed_forward(graph: _Graph, layer: _Layer, hidden: str) -> str:
    """Each word piece by itself, wider and back; GELU by the error function, not by tanh."""
    wide = _linear(graph, layer, "intermediate.dense", hidden)
    error = graph.node("Erf", graph.node("Div", wide, graph.constant(math.sqrt(2))))
    gate = graph.node("Add", error, graph.constant(1))
    bent = graph.node("Mul", graph.node("Mul", wide, gate), graph.constant(0.5))
    dense = _linear(graph, layer, "output.dense", bent)
    return _normed(graph, layer, "output.LayerNorm", graph.node("Add", dense, hidden))


def _pooled(graph: _Graph, hidden: str) -> str:
    """The mean over the word pieces that are there, of unit length."""
    mask = graph.node("Unsqueeze", graph.node("Cast", "mask", to=1), graph.dims(-1))
    along = graph.dims(1)
    total = graph.node("ReduceSum", graph.node("Mul", hidden, mask), along, keepdims=0)
    mean = graph.node("Div", total, graph.node("ReduceSum", mask, along, keepdims=0))
    return graph.node("Div", mean, graph.node("ReduceL2", mean, axes=[1], keepdims=1))


def _linear(graph: _Graph, layer: _Layer, name: str, hidden: str) -> str:
    product = graph.node("MatMul", hidden, graph.constant(layer.weight(name).T))
    return graph.node("Add", product, graph.constant(layer.bias(name)))


def _normed(graph: _Graph, layer: _Layer, name: str, hidden: str) -> str:
    scale, shift = graph.constant(layer.weight(name)), graph.constant(layer.bias(name))
    epsilon = LAYER_NORM_EPSILON
    return graph.node("LayerNormalization", hidden, scale, shift, axis=-1, epsilon=epsilon)
