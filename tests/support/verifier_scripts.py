"""The two verifiers of docs/, run on command lines and on single JSON texts.

verify.py is called in this process, verify.mjs in one node process that takes many cases; `apart`
starts both in processes of their own.
"""

import atexit
import json
import shutil
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from io import StringIO
from subprocess import PIPE, Popen
from typing import Any

from child_process import PATIENCE_SECONDS, killed_if_late, read_line
from repository import ROOT

NODE = shutil.which("node")
PYTHON, JAVASCRIPT = ROOT / "docs" / "verify.py", ROOT / "docs" / "verify.mjs"

DRIVER = """
import { createInterface } from "node:readline";
const { canonical, main, parse } = await import(process.argv[1]);
const print = console.log;
let out = "", errors = "";
console.log = (text) => { out += `${text}\\n`; };
console.error = (text) => { errors += `${text}\\n`; };
const read = (text) => {
  try { return [canonical(parse(new TextEncoder().encode(text))), ""]; }
  catch (error) { return ["", error.message]; }
};
for await (const line of createInterface({ input: process.stdin })) {
  const { text, words } = JSON.parse(line);
  [out, errors] = ["", ""];
  print(JSON.stringify(words ? [await main(words), out, errors] : read(text)));
}
"""
"""Feeds verify.mjs in one process: its command line with words, or its reader with a text."""

Said = tuple[int, str, str]
"""Exit code, output and errors."""


@cache
def python() -> Any:
    """verify.py, imported."""
    spec = spec_from_file_location("verify", PYTHON)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Node:
    """verify.mjs in one process, which spares its start for every case."""

    def __init__(self) -> None:
        assert NODE is not None
        words = [NODE, "--input-type=module", "-e", DRIVER, JAVASCRIPT.as_uri()]
        self._process = Popen(words, stdin=PIPE, stdout=PIPE, text=True, encoding="utf-8")

    def send(self, **case: object) -> None:
        """Begin a case: `words` of a command line, or a `text` to read."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{json.dumps(case)}\n")
        self._process.stdin.flush()

    def receive(self) -> Any:
        """The result of the case."""
        return json.loads(read_line(self._process))

    def close(self) -> None:
        """End the process."""
        with killed_if_late(self._process), self._process:
            pass


@cache
def node() -> Node | None:
    """The process of verify.mjs, where there is a node to run it."""
    if NODE is None:
        return None
    process = Node()
    atexit.register(process.close)
    return process


def both(*words: object, before: Callable[[], object] = str) -> tuple[int, list[str]]:
    """The exit code and the lines, on which the verifiers agree; `before` is done before each."""
    texts, javascript = [str(word) for word in words], node()
    before()
    first = _here(texts)
    if javascript is not None:
        before()
        javascript.send(words=texts)
        code, out, errors = javascript.receive()
        assert (code, out, errors.replace(JAVASCRIPT.name, PYTHON.name)) == first
    return first[0], first[1].splitlines()


def apart(*words: object) -> list[Said]:
    """What each verifier says in a process of its own, as a stranger starts it."""
    programs = [(sys.executable, PYTHON), *([(NODE, JAVASCRIPT)] if NODE else [])]
    return [
        _ended(Popen([program, str(script), *map(str, words)], stdout=PIPE, stderr=PIPE, text=True))
        for program, script in programs
    ]


def _ended(process: "Popen[str]") -> Said:
    out, errors = process.communicate(timeout=PATIENCE_SECONDS)
    return process.returncode, out, errors.replace(JAVASCRIPT.name, PYTHON.name)


def _here(words: list[str]) -> Said:
    """What verify.py says when it is called in this process, which spares its start."""
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as errors:
        code = python().main(words)
    return code, out.getvalue(), errors.getvalue()


def read(text: str) -> tuple[str, str]:
    """The canonical text of JSON or what is wrong with it, on which the verifiers agree."""
    result = _read_by_python(text)
    if (javascript := node()) is not None:
        javascript.send(text=text)
        assert tuple(javascript.receive()) == result
    return result


def _read_by_python(text: str) -> tuple[str, str]:
    try:
        return python().canonical(python().parse(text.encode())), ""
    except python().Wrong as error:
        return "", str(error)
