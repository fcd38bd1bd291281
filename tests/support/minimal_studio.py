"""A studio of which its owner says no more than five things."""

from pathlib import Path

WORDS = """name = "Saltmarsh"
url = "https://saltmarsh.example"
oneLiner = "Saltmarsh draws tide tables for small harbours"

[founder]
name = "Ana Silva"

[contact]
email = "ana@saltmarsh.example"
"""


def write_minimal_studio(folder: Path) -> Path:
    """Write its content, which is one file."""
    folder.mkdir(parents=True)
    (folder / "studio.toml").write_text(WORDS)
    return folder
