"""Downloads the model's weights into the data folder, for `studiograph models pull`.

A download gets the file's name only after its digest was verified.
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
"""A fixed revision of the model at its publisher."""
SETTING = "STUDIOGRAPH_AI_MODEL_URL"
CONNECT_SECONDS = 10
READ_SECONDS = 30
CHUNK_BYTES = 1 << 18

Progress = Callable[[int, int], None]
"""Called with the number of bytes done and the total."""


def download(
    url: str,
    folder: Path,
    progress: Progress,
    client: "httpx.Client | None" = None,
    pinned: ModelFiles = MINILM,
) -> bool:
    """Download the model's missing files and verify them; return whether any was missing.

    Raises: ModelError, OSError.
    """
    import httpx  # noqa: PLC0415 - needed only for a download

    total = sum(pin.size for pin in pinned.pins.values())
    done, is_new = 0, False
    timeout = httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS)
    own = httpx.Client(follow_redirects=True, timeout=timeout)
    with nullcontext(client) if client is not None else own as http:
        for name, pin in pinned.pins.items():
            # The lock is taken first, because another process may be downloading the file now.
            with atomic_replace(folder / name) as partial:
                if not _is_valid(folder / name, pin):
                    chunks = _chunks(http, f"{url.rstrip('/')}/{name}", pin)
                    for count in _write(chunks, partial, pin):
                        progress(done + count, total)
                    is_new = True
            done += pin.size
            progress(done, total)
    return is_new


def _is_valid(path: Path, pin: FileDigest) -> bool:
    try:
        verify(path, pin)
    except (ModelError, FileNotFoundError):
        return False
    return True


def _chunks(client: "httpx.Client", url: str, pin: FileDigest) -> Iterator[bytes]:
    """Yield the response of the URL, but not more than the file's size. Raises: ModelError."""
    import httpx  # noqa: PLC0415 - imported by now

    host = url.partition("://")[2].partition("/")[0].rpartition("@")[2]
    try:
        with client.stream("GET", url, headers={"accept-encoding": "identity"}) as response:
            if response.status_code != httpx.codes.OK:
                raise ModelError(
                    f"{host} answered {response.status_code} instead of the model. Fix: correct"
                    f" {SETTING}, or remove it."
                )
            count = 0
            for chunk in response.iter_bytes(CHUNK_BYTES):
                count += len(chunk)
                if count > pin.size:  # too long, so the digest cannot be right
                    return
                yield chunk
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise ModelError(
            f"The model cannot be downloaded from {host} ({type(error).__name__}). Fix: make sure"
            f" that this machine can reach it, or set {SETTING} to the URL of the files."
        ) from None


def _write(chunks: Iterable[bytes], file: Path, pin: FileDigest) -> Iterator[int]:
    """Write the chunks and yield the size after each. Raises: ModelError if the digest is wrong."""
    digest, count = hashlib.sha256(), 0
    with file.open("wb") as opened:
        for chunk in chunks:
            opened.write(chunk)
            digest.update(chunk)
            count += len(chunk)
            yield count
    if digest.hexdigest() != pin.sha256:
        raise ModelError(
            f"The download of {file.stem} is not the published file, and was discarded."
            f" Fix: correct {SETTING}, or remove it."
        )
