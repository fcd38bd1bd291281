"""The folder of a vector store, which one process has at a time. Opens no store, loads nothing."""

from pathlib import Path

from resolvers.embeddings.errors import ModelError
from resolvers.files import try_lock

_TAKEN = (
    "Another process uses the vector store in the folder `chroma` of the data folder. Fix: stop"
    " it, or set STUDIOGRAPH_VECTOR_STORE to chroma-ephemeral, or to chroma-http with a server"
    " that all processes share."
)


def lock_folder(folder: Path) -> int:
    """Return the open folder, this process's alone until it is closed. Raises: ModelError."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = try_lock(folder, is_folder=True)
    except OSError as error:
        raise ModelError(
            f"{folder} cannot be used ({error.strerror}). Fix: set STUDIOGRAPH_DATA to a folder to"
            " write in."
        ) from None
    if descriptor is None:
        raise ModelError(_TAKEN)
    return descriptor
