"""Downloads the model's files into the data folder, for `studiograph models pull`.

A download gets the file's name only after its digest was verified.
"""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from resolvers.embeddings.errors import ModelError
from resolvers.embeddings.weights import MINILM, ModelFiles, PinnedFile, verify
from resolvers.files import atomic_replace, sha256_of

if TYPE_CHECKING:
    import httpx

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
                    for count in _fetch(http, f"{url.rstrip('/')}/{name}", partial, pin):
                        progress(done + count, total)
                    is_new = True
            done += pin.size
            progress(done, total)
    return is_new


def _is_valid(path: Path, pin: PinnedFile) -> bool:
    try:
        verify(path, pin)
    except (ModelError, FileNotFoundError):
        return False
    return True


def _fetch(client: "httpx.Client", url: str, file: Path, pin: PinnedFile) -> Iterator[int]:
    """Write a verified file and yield the size after each chunk. Raises: ModelError, OSError."""
    import httpx  # noqa: PLC0415 - imported by now

    host = url.partition("://")[2].partition("/")[0].rpartition("@")[2]
    count = 0
    try:
        with (
            client.stream("GET", url, headers={"accept-encoding": "identity"}) as response,
            file.open("wb") as opened,
        ):
            if response.status_code != httpx.codes.OK:
                raise ModelError(
                    f"{host} answered {response.status_code} instead of the model."
                    f" Fix: correct {SETTING}."
                )
            for chunk in response.iter_bytes(CHUNK_BYTES):
                opened.write(chunk)
                count += len(chunk)
                if count > pin.size:  # too long, so the digest cannot be right
                    break
                yield count
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise ModelError(
            f"The model cannot be downloaded from {host} ({type(error).__name__}). Fix: make sure"
            f" that this machine can reach it, or correct {SETTING}."
        ) from None
    if sha256_of(file) != pin.sha256:
        raise ModelError(
            f"The download of {file.stem} is not the published file, and was discarded."
            f" Fix: correct {SETTING}."
        )
