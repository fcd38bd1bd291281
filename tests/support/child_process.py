"""What tests read of the programs that they start, with a deadline for each line and each end.

A test that waits for ever for a program says nothing; a program that is killed fails its test.
"""

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE_SECONDS = 60


@contextmanager
def killed_if_late(
    process: "subprocess.Popen[str]", seconds: float = PATIENCE_SECONDS
) -> Iterator[None]:
    """Kill a process unless the block ends in time."""
    timer = threading.Timer(seconds, process.kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def read_line(process: "subprocess.Popen[str]", seconds: float = PATIENCE_SECONDS) -> str:
    """The next line of a process's output, which is killed if none comes in time; "" at its end."""
    assert process.stdout is not None
    with killed_if_late(process, seconds):
        return process.stdout.readline()


@contextmanager
def program(*words: str) -> Iterator["subprocess.Popen[str]"]:
    """A program that reads lines and answers them, and ends when there are no more."""
    with subprocess.Popen(words, stdin=-1, stdout=-1, text=True, encoding="utf-8") as process:
        try:
            yield process
        finally:
            assert process.stdin is not None
            process.stdin.close()
            with killed_if_late(process):
                process.wait()
