"""Builds the graph of the built-in model: a BERT encoder, mean pooling, and unit length.

Its inputs are `words` (texts x tokens x dimensions, the rows of the word table, which stays in the
file of the weights: it is half of them, and a text needs a few rows) and `mask` (texts x tokens,
int64). Its outputs are `vectors` (texts x dimensions) and `tokens` (texts x tokens x dimensions):
what the last layer says of each token, zero where there is padding; `vectors` is their mean with
unit length.

Source: Devlin et al., "BERT" (2019), in the operators of ONNX opset 17.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

VERSION = 2
LAYERS = 6
HEADS = 12
WIDTH = 384
OPSET = 17
IR_VERSION = 8  # the oldest one with this opset, for old runtimes
LAYER_NORM_EPSILON = 1e-12
WORDS = "embeddings.word_embeddings.weight"
"""The tensor whose rows are the input: one for each word piece."""
MASKED = -1e9
"""Added to the attention scores of padding, so that softmax makes them zero."""


class Tensors(Protocol):
    """The weights by name."""

    def __getitem__(self, name: str, /) -> npt.NDArray[np.float32]:
        """Return a tensor. Raises: KeyError."""
        ...


class _Graph:
    """A model under construction; the output of each node has the node's name.

    Nodes are added in place, because the functions of `onnx.helper` would copy the weights again.
    """

    def __init__(self) -> None:
        import onnx  # noqa: PLC0415 - 0.3 s, needed only to build a graph

        self._onnx = onnx
        self.model = onnx.ModelProto(ir_version=IR_VERSION)
        self.model.opset_import.append(onnx.helper.make_opsetid("", OPSET))
        self.model.graph.name = "encoder"

    def node(self, operator: str, *inputs: str, **attributes: float | list[int]) -> str:
        name = f"{operator}{len(self.model.graph.node)}"
        node = self._onnx.helper.make_node(operator, [*inputs], [name], name=name)
        for key, value in attributes.items():
            node.attribute.append(self._onnx.helper.make_attribute(key, value))
        self.model.graph.node.append(node)
        return name

    def constant(self, value: npt.ArrayLike, dtype: npt.DTypeLike = np.float32) -> str:
        array = np.ascontiguousarray(np.asarray(value, dtype=dtype))
        tensor = self.model.graph.initializer.add()
        tensor.name = f"constant{len(self.model.graph.initializer)}"
        tensor.dims.extend(array.shape)
        tensor.data_type = self._onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
        tensor.raw_data = array.tobytes()
        return str(tensor.name)

    def dims(self, *numbers: int) -> str:
        return self.constant(numbers, np.int64)

    def to_model(self, vectors: str, tokens: str) -> bytes:
        """Declare the inputs and the outputs and return the serialised model."""
        proto, describe = self._onnx.TensorProto, self._onnx.helper.make_tensor_value_info
        pieces: list[str | int] = ["texts", "pieces"]
        self.model.graph.input.append(describe("words", proto.FLOAT, [*pieces, WIDTH]))
        self.model.graph.input.append(describe("mask", proto.INT64, pieces))
        outputs = {"vectors": (vectors, pieces[:1]), "tokens": (tokens, pieces)}
        for name, (result, shape) in outputs.items():
            node = self._onnx.helper.make_node("Identity", [result], [name], name=name)
            self.model.graph.node.append(node)
            self.model.graph.output.append(describe(name, proto.FLOAT, [*shape, WIDTH]))
        data: bytes = self.model.SerializeToString()
        return data


def build_graph(tensors: Tensors) -> bytes:
    """Return the serialised model. Raises: KeyError if a tensor is missing."""
    graph = _Graph()
    hidden = _embeddings(graph, tensors)
    padding = _padding_scores(graph)
    for layer in range(LAYERS):
        weights = _Layer(tensors, f"encoder.layer.{layer}.")
        hidden = _attention(graph, weights, hidden, padding)
        hidden = _feed_forward(graph, weights, hidden)
    return graph.to_model(*_pool(graph, hidden))


@dataclass(frozen=True)
class _Layer:
    """The tensors whose names share a prefix."""

    tensors: Tensors
    prefix: str

    def weight(self, name: str) -> npt.NDArray[np.float32]:
        return self.tensors[f"{self.prefix}{name}.weight"]

    def bias(self, name: str) -> npt.NDArray[np.float32]:
        return self.tensors[f"{self.prefix}{name}.bias"]


def _embeddings(graph: _Graph, tensors: Tensors) -> str:
    """Add word, position and segment; the segment is constant, so it is added to the positions."""
    layer = _Layer(tensors, "embeddings.")
    positions = layer.weight("position_embeddings") + layer.weight("token_type_embeddings")[0]
    count = graph.node("Slice", graph.node("Shape", "mask"), graph.dims(1), graph.dims(2))
    used = graph.node("Slice", graph.constant(positions), graph.dims(0), count, graph.dims(0))
    return _layer_norm(graph, layer, "LayerNorm", graph.node("Add", "words", used))


def _padding_scores(graph: _Graph) -> str:
    """Return what is added to the attention scores: 0 for tokens, `MASKED` for padding."""
    mask = graph.node("Cast", "mask", to=1)
    broadcast = graph.node("Unsqueeze", mask, graph.dims(1, 2))
    inverse = graph.node("Sub", graph.constant(1), broadcast)
    return graph.node("Mul", inverse, graph.constant(MASKED))


def _attention(graph: _Graph, layer: _Layer, hidden: str, padding: str) -> str:
    """Self-attention of all heads at once, with the residual connection."""
    query, key, value = (
        _split_heads(graph, _linear(graph, layer, f"attention.self.{name}", hidden), order)
        for name, order in (("query", _HEADS_FIRST), ("key", _KEYS_LAST), ("value", _HEADS_FIRST))
    )
    scores = graph.node("MatMul", query, key)
    scaled = graph.node("Div", scores, graph.constant(math.sqrt(WIDTH // HEADS)))
    weights = graph.node("Softmax", graph.node("Add", scaled, padding), axis=-1)
    mixed = graph.node("Transpose", graph.node("MatMul", weights, value), perm=_HEADS_FIRST)
    joined = graph.node("Reshape", mixed, graph.dims(0, 0, WIDTH))
    dense = _linear(graph, layer, "attention.output.dense", joined)
    return _layer_norm(graph, layer, "attention.output.LayerNorm", graph.node("Add", dense, hidden))


_HEADS_FIRST = [0, 2, 1, 3]
_KEYS_LAST = [0, 2, 3, 1]


def _split_heads(graph: _Graph, hidden: str, order: list[int]) -> str:
    """Split the last dimension into heads."""
    heads = graph.node("Reshape", hidden, graph.dims(0, 0, HEADS, WIDTH // HEADS))
    return graph.node("Transpose", heads, perm=order)


def _feed_forward(graph: _Graph, layer: _Layer, hidden: str) -> str:
    """Add the feed-forward network with exact GELU (error function) and the residual connection."""
    wide = _linear(graph, layer, "intermediate.dense", hidden)
    error = graph.node("Erf", graph.node("Div", wide, graph.constant(math.sqrt(2))))
    gate = graph.node("Add", error, graph.constant(1))
    gelu = graph.node("Mul", graph.node("Mul", wide, gate), graph.constant(0.5))
    dense = _linear(graph, layer, "output.dense", gelu)
    return _layer_norm(graph, layer, "output.LayerNorm", graph.node("Add", dense, hidden))


def _pool(graph: _Graph, hidden: str) -> tuple[str, str]:
    """Return the mean over the tokens that are not padding, with unit length, and these tokens."""
    mask = graph.node("Unsqueeze", graph.node("Cast", "mask", to=1), graph.dims(-1))
    axis = graph.dims(1)
    tokens = graph.node("Mul", hidden, mask)
    total = graph.node("ReduceSum", tokens, axis, keepdims=0)
    mean = graph.node("Div", total, graph.node("ReduceSum", mask, axis, keepdims=0))
    length = graph.node("ReduceL2", mean, axes=[1], keepdims=1)
    return graph.node("Div", mean, length), tokens


def _linear(graph: _Graph, layer: _Layer, name: str, hidden: str) -> str:
    product = graph.node("MatMul", hidden, graph.constant(layer.weight(name).T))
    return graph.node("Add", product, graph.constant(layer.bias(name)))


def _layer_norm(graph: _Graph, layer: _Layer, name: str, hidden: str) -> str:
    scale, shift = graph.constant(layer.weight(name)), graph.constant(layer.bias(name))
    epsilon = LAYER_NORM_EPSILON
    return graph.node("LayerNormalization", hidden, scale, shift, axis=-1, epsilon=epsilon)
