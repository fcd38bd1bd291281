"""The same question is given the same bytes, again and in another process."""

import os
import subprocess
import sys

import pytest
from model_weights import needs_weights
from repository import ROOT, SUPPORT


def answers(kind: str, seed: str) -> bytes:
    """What a process with this order of its sets prints."""
    paths = os.pathsep.join([str(SUPPORT), str(ROOT)])
    done = subprocess.run(
        [sys.executable, SUPPORT / "fact_answers_program.py", kind],
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": paths},
        capture_output=True,
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize("kind", ["words", pytest.param("meaning", marks=needs_weights)])
def test_two_processes_with_different_hash_seeds_say_the_same(kind: str) -> None:
    first, second = answers(kind, "0"), answers(kind, "4242")
    assert len(first.splitlines()) > 80
    assert first == second
