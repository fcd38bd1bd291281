"""Which operations are run in a block, in the thread of the test."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from sdl.running.runner import Snapshot


@contextmanager
def runs() -> Iterator[list[str]]:
    """The operations that are run."""
    ran: list[str] = []
    codes = (Snapshot.run.__code__, Snapshot.run_async.__code__)

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code in codes:
            ran.append(frame.f_locals["operation"].name)

    sys.setprofile(note)
    try:
        yield ran
    finally:
        sys.setprofile(None)
