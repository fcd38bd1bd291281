"""The embedder for content in other languages than English: multilingual-e5-small, in 4 bits.

It is an extra. Its package has the model and the code that runs it, and tells nothing of tokens.

Source: Wang et al., "Multilingual E5 Text Embeddings" (2024).
"""

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from resolvers.embeddings.config import INSTALL_MULTILINGUAL, MULTILINGUAL
from resolvers.embeddings.embedder import Vectors
from resolvers.embeddings.errors import ModelError
from resolvers.embeddings.hybrid import HashedHalf
from sdl.tools.byte_cache import ByteCache

QUESTION_BYTES = 2**20
ANYTHING = (
    *("What does it cost?", "Where is it?", "A report of the year.", "The rain has stopped."),
    *("Wie funktioniert das?", "Eine Liste der Namen.", "Der Zug ist schon weg."),
    *("Qui êtes-vous ?", "Le jardin est grand.", "¿Cuándo empieza?", "El libro es nuevo."),
    *("Het werk is klaar.", "Kiedy otwieracie?", "Güneş doğdu."),
    *("谁负责这件事?", "今天天气很好。", "料金を教えてください。", "كم عدد الصفحات؟"),
)
"""Texts of no one matter. Any two texts are much alike to this model (cosines of .7 to 1), so what
these have in common is taken from each vector; then those of another matter are near zero."""


class Multilingual(HashedHalf):
    """An `Embedder` of whole texts. Threads may share it."""

    def __init__(self, load: Callable[[str], Any] = importlib.import_module) -> None:
        """Load the model. Raises: ModelError."""
        try:
            package = load(MULTILINGUAL)
            self._model = package.E5(num_threads=1)  # questions run in parallel, each on one core
        except (ImportError, OSError, RuntimeError):
            raise ModelError(
                "STUDIOGRAPH_AI_EMBEDDER=multilingual needs a package that is not installed, or"
                f" does not run on this machine. Fix: {INSTALL_MULTILINGUAL}."
            ) from None
        super().__init__("e5-small", package.__version__)
        self._passages = self._model.passage([*ANYTHING]).mean(axis=0)
        self._queries = self._model.query([*ANYTHING]).mean(axis=0)
        self._questions: ByteCache[Vectors] = ByteCache(QUESTION_BYTES)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts to be searched: one row of unit length for each text. Blocks.

        Raises: ModelError.
        """
        return self.joined(
            texts, _unit(self._model.passage([*map(_readable, texts)]) - self._passages)
        )

    def embed_query(self, text: str) -> Vectors:
        """Embed the text of a search; what was asked lately is kept. Blocks. Raises: ModelError."""
        vector = self._questions.get(text)
        if vector is None:
            vector = self.joined(
                [text], _unit(self._model.query([_readable(text)]) - self._queries)
            )[0]
            self._questions.add(text, vector, vector.nbytes + 2 * len(text))
        return vector


def _unit(vectors: Vectors) -> Vectors:
    unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def _readable(text: str) -> str:
    """Replace what the model's code cannot read: lone surrogates, and the end of a string in C."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")
