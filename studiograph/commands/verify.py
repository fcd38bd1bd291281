"""`studiograph verify`: run the verifier of one file, docs/verify.py, which has nothing of ours.

An installed package has it as the module `studiograph_verifier`. Here is only what an installation
adds: a place where the heads of logs are remembered, JSON, and silence.
"""

import json
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import click

from studiograph.cli import json_option, note
from studiograph.settings import state_folder

MEMORY = "seen.json"
"""The file of the heads that were seen, by the address of their service."""
_FIX = "Fix: set XDG_STATE_HOME to the absolute path of a folder that you can write to."
_ROOT = Path(__file__).parents[2]
"""The folder of the sources, or the one that has all installed packages."""


@click.command(epilog="Example: studiograph verify https://studio.example")
@click.argument("target", metavar="URL|FILE")
@click.option("--keys", metavar="FILE", help="A saved key set, for a saved file.")
@click.option("--address", metavar="URL", help="Where citations of a saved answer may lead.")
@json_option
@click.option("--quiet", is_flag=True, help="Print only problems.")
def verify_command(
    *, target: str, keys: str | None, address: str | None, as_json: bool, quiet: bool
) -> int:
    """Check the service at URL, or a saved envelope, proof or answer, as an outsider would."""
    verifier = _verifier()
    is_service = verifier.URL.fullmatch(target) is not None
    if is_service and keys:
        raise click.UsageError("--keys is for a saved file; a service publishes its own.")
    if is_service and address:
        raise click.UsageError("--address is for a saved answer.")
    seen = _memory() if is_service else None
    lines = verifier.verify(target, keys, seen=seen, address=address)
    if lines is None:
        raise click.UsageError(
            "name a saved file that can be read, or an address that begins with https://"
        )
    if is_service and seen is None:
        lines.append(("note", "There is no home, so the next check has nothing to compare with."))
    code: int = verifier.exit_code(lines)
    if as_json:
        print(json.dumps(_as_json(lines, code)))
        return code
    for line in lines:
        if line[0] == "note":
            note(f"{verifier.shown(line)} {_FIX}")
        elif not quiet or line[0] not in {"ok", "not covered"}:
            print(verifier.shown(line))
    return code


def _as_json(lines: list[tuple[str, str]], code: int) -> dict[str, Any]:
    """Return what holds, what is not proven, and what is wrong."""
    wrong = next((text.split(": ", 1) for word, text in lines if word == "WRONG"), None)
    return {
        "ok": code == 0,
        "holds": [text for word, text in lines if word == "ok"],
        "unproven": [text for word, text in lines if word in {"in part", "unproven"}],
        "notCovered": [text for word, text in lines if word == "not covered"],
        "notes": [text for word, text in lines if word == "note"],
        "wrong": {"where": wrong[0], "why": wrong[1]} if wrong else None,
    }


def _memory() -> str | None:
    """Return the file of what was seen; None for somebody who has no home."""
    try:
        return str(state_folder() / MEMORY)
    except RuntimeError:  # Python's word for it
        return None


@cache
def _verifier() -> Any:
    """Return the verifier's module: that of the sources, or else the installed one."""
    file = _ROOT / "docs" / "verify.py"
    if not (file.is_file() and (_ROOT / "pyproject.toml").is_file()):
        return import_module("studiograph_verifier")
    spec = spec_from_file_location("studiograph_verifier", file)
    if spec is None or spec.loader is None:
        raise ImportError(file)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
