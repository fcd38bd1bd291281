"""The folder of a vector store: one process has it at a time. Opens no store, loads nothing."""

import fcntl
import os
from pathlib import Path

from resolvers.answers.faults import ModelFault

_TAKEN = (
    "Another process uses the vector store in the folder `chroma` of the data folder. Fix: stop"
    " it, or set STUDIOGRAPH_VECTOR_STORE to chroma-ephemeral, or to chroma-http with a server"
    " that all processes share."
)


def held_folder(folder: Path) -> int:
    """The open folder, which is this process's alone until it is closed. Raises: ModelFault."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        held = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise ModelFault(
            f"{folder} cannot be used ({error.strerror}). Fix: set STUDIOGRAPH_DATA to a folder to"
            " write in."
        ) from None
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(held)
        raise ModelFault(_TAKEN) from None
    return held
