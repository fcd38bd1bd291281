"""docs/verify.py, docs/verify.mjs and `studiograph verify` say the same of one table of cases."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from shutil import copyfile
from zipfile import ZipFile

import pytest
from http_service import http_service
from offenders import offenders
from outside_reader import command
from repository import ROOT
from verifier_cases import Case, all_cases, documents
from verifier_mutations import KINDS as ALTERED
from verifier_mutations import not_refused
from verifier_scripts import JAVASCRIPT, PYTHON, apart, both

KINDS = ("keys", "envelope", "checkpoint", "proof", "answer", "service", "history")
Captured = pytest.CaptureFixture[str]
SERVED: dict[str, Case] = {}
"""The case whose service stands at an address, by the first part of the path."""


class Services(BaseHTTPRequestHandler):
    """Answers as the service of a case does."""

    def do_GET(self) -> None:
        number, _, path = self.path.removeprefix("/").partition("/")
        case, place = SERVED[number], f"/{path}"
        body = case.texts.get(place)
        listed = 400 if path == "api/snapshot.sig" else 200
        self.send_response(404 if body is None else case.statuses.get(place, listed))
        for header in case.headers.get(place, {}).items():
            self.send_header(*header)
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, format: str, *_: object) -> None:  # noqa: A002 - the base's name
        pass


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with http_service(Services) as found:
        yield found


def expected(case: Case, places: dict[str, str]) -> list[str]:
    """The lines that a case must have, as they are printed."""
    place = places.get(case.at, case.at)
    if case.exit == 1:
        return [f"WRONG  {place}: {case.says[0]}"]
    words = ("in part  ", "unproven  ", "not covered  ")
    own = [line.replace("{memory}", places.get("memory", "")) for line in case.says]
    target = f"{places['file']}: " if "file" in places else ""
    return [line if line.startswith(words) else f"ok     {target}{line}" for line in own]


def check(case: Case, folder: Path, address: str, capsys: Captured) -> None:
    """Ask all of them about a case."""
    state = folder / "state" / "studiograph"
    state.mkdir(parents=True, exist_ok=True)
    places = {"memory": str(state / "seen.json")}
    seen = ["--seen", places["memory"]] if "memory" in case.texts else []
    if case.is_service:
        number = str(len(SERVED))
        SERVED[number] = case
        target = [f"{address}/{number}"]
        if seen:
            text = case.texts["memory"]
            whole = b'{"%s": %s}' % (target[0].encode(), text) if text[:1] == b"{" else text
            (folder / "memory.json").write_bytes(whole)
            copyfile(folder / "memory.json", places["memory"])
    else:
        for name in ("file", "keys"):
            places[name] = str(folder / f"{name}.json")
            Path(places[name]).write_bytes(case.texts.get(name, b""))
        target = [places["file"], *([places["keys"]] if "keys" in case.texts else [])]
    code, lines = both(*target, *seen, *case.words, before=partial(_again, folder, places, seen))
    assert code == case.exit, lines[-1]
    wanted = expected(case, places)
    assert [line for line in wanted if line not in lines] == [], lines
    assert case.exit != 1 or lines[-1:] == wanted
    _again(folder, places, seen)
    own = [target[0], *(["--keys", target[1]] if len(target) > 1 else []), *case.words]
    capsys.readouterr()
    assert command(folder, "verify", *own) == case.exit
    assert capsys.readouterr().out.splitlines() == lines


def _again(folder: Path, places: dict[str, str], seen: list[str]) -> None:
    """Remember again what was seen before, for the next verifier."""
    if seen:
        copyfile(folder / "memory.json", places["memory"])


@pytest.mark.parametrize("kind", KINDS)
def test_all_say_the_same_of_each_case(
    kind: str, address: str, tmp_path: Path, capsys: Captured
) -> None:
    SERVED.clear()
    ask = partial(check, folder=tmp_path, address=address, capsys=capsys)
    found = [*all_cases(kind)]
    assert len(found) > 20
    assert offenders(ask, found) == []


@pytest.mark.parametrize("kind", ALTERED)
def test_what_is_altered_by_chance_is_refused(kind: str, tmp_path: Path) -> None:
    assert not_refused(kind, 40, tmp_path) == []


@pytest.mark.parametrize("path", [PYTHON, JAVASCRIPT], ids=lambda path: path.suffix)
def test_a_verifier_is_one_file_with_nothing_of_ours_in_it(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    taken = re.findall(r"^(?:from|import) (\w+)|\"(node):", text, re.MULTILINE)
    known = {"nacl", "node", *sys.stdlib_module_names}
    assert {python or node for python, node in taken} <= known


@pytest.mark.parametrize(
    "words",
    [
        *([], ["{0}", "{0}", "{0}"], ["{0}.none"], ["{1}"], ["--help"], [""], ["{0}", "--seen"]),
        *(["https://"], ["https:///api"], ["ftp://localhost"], ["{0}", "{0}.none"]),
        *(["http://localhost", "{0}"], ["{0}", "http://localhost"], ["{0}", "--seen", "{1}/x"]),
        *(["{0}", "--address", "x"], ["http://localhost", "--address", "http://localhost"]),
    ],
)
def test_a_wrong_call_is_told_how_to_call(tmp_path: Path, words: list[str]) -> None:
    file = tmp_path / "envelope.json"
    file.write_text("{}")
    assert both(*(word.format(file, tmp_path) for word in words)) == (2, [])


@pytest.mark.parametrize(
    "words",
    [
        *(["gone.json"], ["."], ["file.json", "--keys", "gone.json"]),
        *(["http://localhost", "--keys", "file.json"], ["ftp://localhost"], ["--surfaces"]),
        ["http://localhost", "--address", "http://localhost"],
    ],
)
def test_a_wrong_call_of_the_command_ends_with_2(
    tmp_path: Path, words: list[str], capsys: Captured
) -> None:
    (tmp_path / "file.json").write_text("{}")
    assert command(tmp_path, "verify", *words) == 2
    out, err = capsys.readouterr()
    assert (out, err.startswith("studiograph verify: ")) == ("", True)


def test_the_command_prints_problems_alone_or_json(tmp_path: Path, capsys: Captured) -> None:
    answer = {**documents("answer"), "answer": "The client does. [1] It is sunny."}
    for name, document in (("answer", answer), ("keys", documents("keys"))):
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    words = ("verify", "answer.json", "--keys", "keys.json")
    assert command(tmp_path, *words, "--quiet") == 3
    assert capsys.readouterr().out == "unproven  It is sunny.\n"
    assert command(tmp_path, *words, "--json") == 3
    told = json.loads(capsys.readouterr().out)
    assert (told["ok"], told["unproven"], told["wrong"]) == (False, ["It is sunny."], None)
    assert told["notCovered"] == ["citations/score, citations/title, model"]
    assert len(told["holds"]) == 4
    assert command(tmp_path, "verify", "keys.json", "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert told["wrong"] == {"where": "keys.json", "why": "is no envelope, proof or answer"}


def test_the_programs_print_and_end_as_they_do_here(tmp_path: Path) -> None:
    assert {code for code, *_ in apart()} == {2}
    assert {errors.split("\n")[0] for _, _, errors in apart()} == {
        "usage: verify.py URL [--seen FILE]"
    }
    file = tmp_path / "file.json"
    file.write_text(json.dumps({**documents("section"), "signature": "A" * 86}))
    line = f"WRONG  {file}: signature does not verify\n"
    assert set(apart(file)) == {(1, line, "")}


def test_a_wheel_brings_the_verifier_and_its_command_runs_it(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    ZipFile(wheel).extractall(tmp_path / "installed")
    (tmp_path / "file.json").write_text(json.dumps(documents("section")))
    outputs = [
        subprocess.run(
            [sys.executable, "-m", *words, "file.json"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(tmp_path / "installed")},
            check=True,
            capture_output=True,
        ).stdout
        for words in (["studiograph_verifier"], ["studiograph", "verify"])
    ]
    assert outputs[0] == outputs[1]
    assert outputs[0].startswith(b"ok     file.json: signed by ")
