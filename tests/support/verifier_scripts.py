"""The two verifiers of docs/, run as a stranger would, and how they read JSON. No claims here."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from io import StringIO
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import pytest
from repository import ROOT

NODE = shutil.which("node")
PYTHON, JAVASCRIPT = ROOT / "docs" / "verify.py", ROOT / "docs" / "verify.mjs"
PATIENCE_SECONDS = 60

READER = """
import { createInterface } from "node:readline";
const { canonical, parsed } = await import(process.argv[1]);
for await (const line of createInterface({ input: process.stdin })) {
  let said;
  try { said = [canonical(parsed(JSON.parse(line))), ""]; }
  catch (error) { said = ["", error.constructor.name === "Wrong" ? error.message : "wrong form"]; }
  console.log(JSON.stringify(said));
}
"""

Said = tuple[int, str, str]
"""Exit code, output and errors."""

needs_node = pytest.mark.skipif(
    NODE is None and "CI" not in os.environ, reason="node is not here: verify.mjs is not run"
)


@cache
def python() -> Any:
    """verify.py, imported."""
    spec = spec_from_file_location("verify", PYTHON)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def both(*words: object) -> tuple[int, list[str]]:
    """The exit code and the lines, on which the verifiers agree."""
    second = started(NODE, JAVASCRIPT, *words) if NODE else None
    first = _here([str(word) for word in words])
    assert second is None or ended(second) == first
    return first[0], first[1].splitlines()


def wrong(*words: object) -> str:
    """The last line, which alone says that something is wrong."""
    code, lines = both(*words)
    assert code == 1
    assert all(line.startswith("ok  ") for line in lines[:-1])
    return lines[-1]


def started(program: str, script: Path, *words: object) -> "Popen[str]":
    """The process of a verifier."""
    command = [program, str(script), *map(str, words)]
    return Popen(command, stdout=PIPE, stderr=PIPE, text=True)


def ended(process: "Popen[str]") -> Said:
    """What it has said."""
    out, errors = process.communicate(timeout=PATIENCE_SECONDS)
    return process.returncode, out, errors.replace(JAVASCRIPT.name, PYTHON.name)


def _here(words: list[str]) -> Said:
    """What verify.py says when it is called in this process, which spares its start."""
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as errors:
        code = python().main(words)
    return code, out.getvalue(), errors.getvalue()


@dataclass
class Reader:
    """How the verifiers read JSON."""

    node: "Popen[str] | None"

    def read(self, text: str) -> tuple[str, str]:
        """The canonical text or what is wrong, on which they agree."""
        said = self._by_python(text)
        if self.node is not None:
            assert self.node.stdin is not None
            assert self.node.stdout is not None
            self.node.stdin.write(f"{json.dumps(text)}\n")
            self.node.stdin.flush()
            assert tuple(json.loads(self.node.stdout.readline())) == said
        return said

    def _by_python(self, text: str) -> tuple[str, str]:
        try:
            return python().canonical(python().parsed(text.encode())), ""
        except AssertionError as fault:
            return "", str(fault)
        except (ValueError, RecursionError):
            return "", "wrong form"


@contextmanager
def reading() -> Iterator[Reader]:
    """Both readers, the second in a process of its own."""
    if NODE is None:
        yield Reader(None)
        return
    words = [NODE, "--input-type=module", "-e", READER, JAVASCRIPT.as_uri()]
    with Popen(words, stdin=PIPE, stdout=PIPE, text=True, encoding="utf-8") as node:
        yield Reader(node)
