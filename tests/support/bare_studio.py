"""A studio that has nothing that a studio may be without."""

import re
import shutil
from pathlib import Path

from repository import SAMPLE

LISTS = {
    "studio.certifications": "/api/certifications",
    "studio.convictions": "/api/convictions",
    "studio.lookingFor": "/api/looking-for",
    "studio.journey": "/api/journey",
    "headlineNumbers": "/api/headline-numbers",
    "glossary": "/api/glossary",
}
OBJECTS = {"studio.onChain": "/api/onchain", "studio.scheduling": "/api/scheduling"}
PATHS = {*LISTS.values(), *OBJECTS.values()}
"""The addresses of what it does not have."""


def write_bare_studio(folder: Path) -> Path:
    """Write its content: the sample's, without every optional file and key."""
    folder.mkdir(parents=True)
    left_out = {*LISTS, *OBJECTS, "studio.currentlyStudying", "github"}
    for file in SAMPLE.glob("*.toml"):
        if file.stem not in left_out:
            shutil.copy(file, folder)
    _edit(folder / "studio.toml", "ens", "programmaticEmail", "programmaticEmailHint")
    _edit(folder / "studio.founder.toml", "ens")
    founder = folder / "studio.founder.toml"
    kept = founder.read_text().partition("traits = [")[0]  # personality and the lists stand last
    founder.write_text(kept)
    changelog, practice = folder / "changelog.toml", folder / "studio.practice.toml"
    changelog.write_text(re.sub(r"refs = \[[^\]]*\]\n", "", changelog.read_text()))
    gone = r'\s*"(?:onchain|certification)/[^"]*",?'
    practice.write_text(re.sub(gone, "", practice.read_text()))
    return folder


def _edit(file: Path, *keys: str) -> None:
    """Remove the lines of these keys."""
    lines = file.read_text().splitlines(keepends=True)
    names = tuple(f"{key} = " for key in keys)
    file.write_text("".join(line for line in lines if not line.startswith(names)))
