"""The bill of materials names everything that is installed, and that is what the locks hold.

`make sbom` also checks it against the schema of CycloneDX, which takes twenty seconds.
"""

import json
import re
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path

from packaging.utils import canonicalize_name
from repository import ROOT

LOCKS = ("dev", "uv", "model")
OWN = "studiograph"


def locked() -> set[tuple[str, str]]:
    """Each version that a lock holds of a package."""
    texts = [(ROOT / "requirements" / f"{name}.txt").read_text() for name in LOCKS]
    return {pin for text in texts for pin in re.findall(r"(?m)^([a-z0-9-]+)==(\S+)", text)}


def test_the_bill_of_materials_is_what_is_installed_and_locked(tmp_path: Path) -> None:
    file = tmp_path / "sbom.json"
    words = ["environment", "--pyproject", "pyproject.toml", "--no-validate"]
    program = str(Path(sys.executable).parent / "cyclonedx-py")
    subprocess.run(
        [program, *words, "--output-reproducible", "--output-file", str(file), sys.executable],
        check=True,
        capture_output=True,
        cwd=ROOT,
        timeout=60,
    )
    bill = json.loads(file.read_text())
    assert bill["bomFormat"] == "CycloneDX"
    named = {(canonicalize_name(c["name"]), c["version"]) for c in bill["components"]}
    named = {pin for pin in named if pin[0] != OWN}
    installed = {(canonicalize_name(d.name), d.version) for d in distributions()}
    assert named == {pin for pin in installed if pin[0] != OWN}
    assert named - locked() == set()
    assert str(ROOT) not in file.read_text()
