"""A watched folder may be replaced as a whole, and is watched again afterwards."""

from pathlib import Path
from shutil import copytree

from running_server import eventually, running


def set_tagline(folder: Path, words: str) -> None:
    """Write another tagline into the folder's studio file."""
    path = folder / "studio.toml"
    lines = path.read_text().splitlines(keepends=True)
    index = next(i for i, line in enumerate(lines) if line.startswith("tagline = "))
    lines[index] = f'tagline = "{words}"\n'
    path.write_text("".join(lines))


def test_a_replaced_folder_is_read_and_watched(folder: Path, tmp_path: Path) -> None:
    with running(folder, "--reload") as server:

        def shows(words: str) -> bool:
            return bool(server.get("/api/about").json()["studio"]["tagline"] == words)

        other = copytree(folder, tmp_path / "other")
        set_tagline(other, "The second folder")
        folder.rename(tmp_path / "old")
        other.rename(folder)
        eventually(lambda: shows("The second folder"))
        set_tagline(folder, "The second folder, changed")
        eventually(lambda: shows("The second folder, changed"))
