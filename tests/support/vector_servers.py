"""A Chroma server in a process and a folder of its own, and vectors to put there."""

import os
import socket
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import httpx
import numpy as np
from stoppable_stores import until

from resolvers.embeddings.embedder import Vectors
from resolvers.search.chroma import VectorStore
from resolvers.search.vector_index import VectorIndex


@dataclass
class VectorServer:
    """`chroma run` on the loopback."""

    folder: Path
    port: int = field(default=0)

    def __post_init__(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Nothing, once it answers."""
        program = Path(sys.executable).with_name("chroma")
        place = ("--path", self.folder, "--host", "127.0.0.1", "--port", str(self.port))
        self._process = subprocess.Popen(
            [program, "run", *place],
            env={**os.environ, "ANONYMIZED_TELEMETRY": "False"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until(self._answers, 40)

    def kill(self) -> None:
        """Nothing, once it is gone without a word."""
        self._process.kill()
        self._process.wait()

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/api/v2/heartbeat").is_success
        except httpx.TransportError:
            return False

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()


def random_vectors(count: int, seed: int = 1) -> Vectors:
    """Vectors of unit length in all directions, the same for the same seed."""
    made = np.random.default_rng(seed).normal(size=(count, 768))
    unit: Vectors = (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)
    return unit


COUNT = 60
VECTORS = random_vectors(COUNT)


class Hands:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """The time."""
        return self.now


def shelf(store: VectorStore, name: str = "aa", clock: Hands | None = None) -> VectorIndex:
    """The vectors, filled into the store where it can be reached."""
    made = VectorIndex(store, name, VECTORS, clock or Hands())
    made.build()
    return made


def exact(vector: np.ndarray, k: int) -> list[int]:
    """What must be found."""
    return [int(place) for place in np.argsort(-(VECTORS @ vector))[:k]]
