"""How the weights come into the data folder when their owner asks for it. Nothing else asks.

What does not have the digest that is pinned never gets the file's name.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from resolvers.embeddings.errors import ModelError
from resolvers.embeddings.weights import MINILM, FileDigest, ModelFiles, verify
from resolvers.files import atomic_replace

if TYPE_CHECKING:
    import httpx

MODEL_URL = (
    "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/"
    "c9745ed1d9f207416be6d2e6f8de32d1f16199bf"
)
"""One revision of the model at its publisher's, which does not change."""
SETTING = "STUDIOGRAPH_AI_MODEL_URL"
CONNECT_SECONDS = 10
READ_SECONDS = 30
CHUNK_BYTES = 1 << 18

Progress = Callable[[int, int], None]
"""Told how much is done, and how much there is in all."""


def download(
    url: str,
    folder: Path,
    progress: Progress,
    client: "httpx.Client | None" = None,
    pinned: ModelFiles = MINILM,
) -> bool:
    """Whether anything was fetched; in the end every file of the model is in the folder, verified.

    Units: the progress counts bytes. Raises: ModelFault, OSError.
    """
    import httpx  # noqa: PLC0415 - only where something is fetched

    total = sum(pin.size for pin in pinned.pins.values())
    done, fetched = 0, False
    timeout = httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS)
    own = httpx.Client(follow_redirects=True, timeout=timeout)
    with nullcontext(client) if client is not None else own as asking:
        for name, pin in pinned.pins.items():
            with atomic_replace(folder / name) as beside:  # another process may be fetching it now
                if not _is_there(folder / name, pin):
                    pieces = _pieces(asking, f"{url.rstrip('/')}/{name}", pin)
                    for count in _kept(pieces, beside, pin):
                        progress(done + count, total)
                    fetched = True
            done += pin.size
            progress(done, total)
    return fetched


def _is_there(path: Path, pin: FileDigest) -> bool:
    try:
        verify(path, pin)
    except (ModelError, FileNotFoundError):
        return False
    return True


def _pieces(client: "httpx.Client", address: str, pin: FileDigest) -> Iterator[bytes]:
    """What comes from the address, as far as it is not too much. Raises: ModelFault."""
    import httpx  # noqa: PLC0415 - loaded by now

    host = address.partition("://")[2].partition("/")[0].rpartition("@")[2]
    try:
        with client.stream("GET", address, headers={"accept-encoding": "identity"}) as answer:
            if answer.status_code != httpx.codes.OK:
                raise ModelError(
                    f"{host} answered {answer.status_code} instead of the model. Fix: see what"
                    f" {SETTING} says, or leave it out."
                )
            count = 0
            for piece in answer.iter_bytes(CHUNK_BYTES):
                count += len(piece)
                if count > pin.size:  # it has the wrong digest, however long it goes on
                    return
                yield piece
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise ModelError(
            f"The model cannot be fetched from {host} ({type(error).__name__}). Fix: see that this"
            f" machine reaches it, or set {SETTING} to where the files are."
        ) from None


def _kept(pieces: Iterable[bytes], file: Path, pin: FileDigest) -> Iterator[int]:
    """How many bytes are in the file, again and again, until all are. Raises: ModelFault."""
    digest, count = hashlib.sha256(), 0
    with file.open("wb") as opened:
        for piece in pieces:
            opened.write(piece)
            digest.update(piece)
            count += len(piece)
            yield count
    if digest.hexdigest() != pin.sha256:
        raise ModelError(
            f"What came as {file.stem} is not what this model was published with, and is not kept."
            f" Fix: see what {SETTING} says, or leave it out."
        )
