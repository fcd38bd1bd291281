"""Look for published advisories against everything that the locks hold.

    python requirements/audit.py [--osv-url URL]

Asks the OSV database by pip-audit. Exit codes: 0 when every package was looked up and none has an
advisory, 1 when some have, which are listed, and 3, `could not look`, when the database did not
answer or a package was left out: pip-audit itself takes packages that it skipped for safe.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

LOCKS = [Path(__file__).parent / f"{name}.txt" for name in ("dev", "uv", "model")]
"""The locks of what is installed here. All of `run.txt` stands in `dev.txt` too."""
FOUND, COULD_NOT_LOOK = 1, 3

Package = dict[str, Any]


def main(words: Sequence[str]) -> int:
    """Print what was found; return the exit code."""
    locks = [word for lock in LOCKS for word in ("--requirement", str(lock))]
    done = subprocess.run(  # noqa: S603 - our own words
        [
            *(sys.executable, "-m", "pip_audit", "--vulnerability-service", "osv", "--strict"),
            *("--require-hashes", "--disable-pip", "--progress-spinner", "off"),
            *("--format", "json", *locks, *words),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    packages = _packages(done.stdout)
    if packages is None:
        lines = done.stderr.strip().splitlines() or ["pip-audit said nothing"]
        return _could_not_look(lines[-1])
    skipped = [package["name"] for package in packages if "skip_reason" in package]
    if skipped or not packages:
        return _could_not_look(f"left out: {', '.join(skipped) or 'all'}")
    lines = [
        f"{package['name']} {package['version']}: {each['id']}"
        f" (fixed in {', '.join(each['fix_versions']) or 'no version'})"
        for package in packages
        for each in package["vulns"]
    ]
    print("\n".join([*lines, f"{len(packages)} packages, {len(lines)} advisories"]))
    return FOUND if lines else 0


def _packages(output: str) -> list[Package] | None:
    """Return what pip-audit looked up; None where it came to no end."""
    try:
        packages: list[Package] = json.loads(output)["dependencies"]
    except ValueError:
        return None
    return packages


def _could_not_look(reason: str) -> int:
    print(f"could not look: {reason}", file=sys.stderr)
    return COULD_NOT_LOOK


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
