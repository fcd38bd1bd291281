"""The built-in model, all-MiniLM-L6-v2 with weights of one byte, run by onnxruntime.

Texts are run one by one. In a batch, the last digits of a text's vector would depend on the other
texts, and padding would cost time; several threads use several cores as well.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from resolvers.embeddings.embedder import TextTokens, Vectors
from resolvers.embeddings.weights import Weights

WIDTH = 384
MAX_TOKENS = 256
"""The model's limit; the rest of a longer text is ignored."""


class MiniLM:
    """The loaded model. It is immutable, so threads may share it."""

    def __init__(self, weights: Weights) -> None:
        """Load the verified files. Blocks for half a second."""
        import onnxruntime  # type: ignore[import-untyped]  # noqa: PLC0415 - 0.2 s, only with this model
        from tokenizers import Tokenizer  # noqa: PLC0415 - only with this model

        self._tokenizer: Any = Tokenizer.from_file(str(weights.tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # questions run in parallel, each on one core
        options.inter_op_num_threads = 1
        options.enable_mem_pattern = False  # it plans for one shape, and texts differ in length
        options.enable_cpu_mem_arena = False  # it would keep the memory of the longest text forever
        options.log_severity_level = 3
        self._session: Any = onnxruntime.InferenceSession(
            str(weights.model), options, providers=["CPUExecutionProvider"]
        )

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed texts: one row of 384 numbers and unit length for each text."""
        rows = [text.vector for text in self.embed_tokens(texts)]
        return np.array(rows, dtype=np.float32).reshape(-1, WIDTH)

    def embed_tokens(self, texts: Sequence[str]) -> list[TextTokens]:
        """Embed texts token by token; their vectors are those of `embed`.

        The marks of beginning and end are left out; a text without pieces has that of the end.
        """
        return [self._read(text) for text in texts]

    def _read(self, text: str) -> TextTokens:
        # Lone surrogates, which UTF-8 cannot encode, become question marks.
        encoded = self._tokenizer.encode(text.encode("utf-8", "replace").decode("utf-8"))
        ids = np.array([encoded.ids], dtype=np.int64)
        inputs = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        hidden: Vectors = self._session.run(["last_hidden_state"], inputs)[0][0]
        mean = hidden.mean(axis=0)
        inner = slice(1, max(2, len(hidden) - 1))
        return TextTokens(
            ids[0, inner].astype(np.int32),
            np.array(encoded.offsets[inner], dtype=np.int32).reshape(-1, 2),
            hidden[inner],
            mean / np.linalg.norm(mean),
        )
