"""What each command prints and returns, in this process and as a process of its own."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import httpx
import pytest
from minimal_studio import write_minimal_studio
from repository import ROOT

from content.reading.revision import read_revision
from studiograph.__main__ import main
from studiograph.commands.dev import schema_texts

FOLDERS = ("schema", "content", "resolvers", "sdl", "rest_bridge", "mcp_bridge", "studiograph")

Captured = pytest.CaptureFixture[str]
CapturedBytes = pytest.CaptureFixture[bytes]


@pytest.fixture(autouse=True)
def at_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working directory is one with a `content` folder, and nothing else is set."""
    monkeypatch.chdir(folder.parent)
    for name in [name for name in os.environ if name.startswith("STUDIOGRAPH_")]:
        monkeypatch.delenv(name)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the product, to be broken; coverage looks at the original alone."""
    root = tmp_path_factory.mktemp("tree")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    return root


def process(
    *words: str, cwd: Path | None = None, program: Sequence[str] = (sys.executable, "-m")
) -> "subprocess.CompletedProcess[str]":
    """The command as a process of its own, of the copy that stands in `cwd` if there is one."""
    mine = {} if cwd is None else {"PYTHONPATH": str(cwd)}
    kept = {k: v for k, v in os.environ.items() if cwd is None or not k.startswith("COVERAGE")}
    return subprocess.run(
        [*program, *words],
        cwd=cwd,
        env={**kept, **mine},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def broken(folder: Path) -> None:
    """Two faults in two files."""
    faq, domains = folder / "faq.toml", folder / "domains.toml"
    faq.write_text(faq.read_text().replace("[[faq]]", "[[faq]]\nprice = 1", 1))
    domains.write_text(domains.read_text().replace('tagline = "', 'tagline = "<b>', 1))


def test_check_says_that_sound_content_is_sound(folder: Path, capsys: Captured) -> None:
    assert main(["check"]) == 0
    out, err = capsys.readouterr()
    *open_questions, last = out.splitlines()
    assert (last, err) == (f"content is valid: {read_revision(folder).digest}", "")
    assert len(open_questions) == 4
    for line in open_questions:
        assert line.startswith('content/faq.toml:1: faq: nothing answers "')
        assert line.endswith(" (a warning)")


def test_check_is_silent_about_sound_content_when_asked_to_be(capsys: Captured) -> None:
    assert main(["check", "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")


def test_check_of_a_new_studio_is_short_and_says_how_to_see_each_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    content = write_minimal_studio(tmp_path / "new" / "content")
    monkeypatch.setenv("STUDIOGRAPH_CONTENT", str(content))
    assert main(["check"]) == 0
    rest, last = capsys.readouterr().out.splitlines()
    assert rest == (
        "27 of the 30 questions that agents ask first have no answer;"
        " studiograph check --all names each with its fix"
    )
    assert main(["check", "--all"]) == 0
    *each, end = capsys.readouterr().out.splitlines()
    assert (len(each), end) == (27, last)
    assert all('nothing answers "' in line and "Fix: " in line for line in each)


@pytest.mark.parametrize("more", [[], ["--quiet"]])
def test_check_tells_every_fault_with_its_place_and_fix(
    folder: Path, capsys: Captured, more: list[str]
) -> None:
    broken(folder)
    assert main(["check", *more]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert {line.split(":")[0] for line in lines} == {"content/faq.toml", "content/domains.toml"}
    for line in lines:
        assert re.fullmatch(r"content/\w+\.toml:\d+: .+: .+\. Fix: .+\.", line)


def test_check_tells_faults_as_json(folder: Path, capsys: Captured) -> None:
    assert main(["check", "--json"]) == 0
    sound = json.loads(capsys.readouterr().out)
    assert (sound["ok"], sound["faults"]) == (True, [])
    assert all({"file", "line", "rule"} < set(warning) for warning in sound["warnings"])
    broken(folder)
    assert main(["check", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["ok"] is False
    assert {fault["file"] for fault in told["faults"]} == {
        "content/faq.toml",
        "content/domains.toml",
    }
    assert all(set(f) == {"file", "line", "key", "named", "rule", "fix"} for f in told["faults"])


def test_check_tells_faults_of_content_and_operations_together(tree: Path, tmp_path: Path) -> None:
    copy = tmp_path / "tree"
    shutil.copytree(tree, copy)
    broken(copy / "content")
    thesis = copy / "sdl" / "operations" / "get_thesis.graphql"
    thesis.write_text(thesis.read_text().replace("thesis\n}", "theses\n}"))
    done = process("studiograph", "check", cwd=copy)
    assert done.returncode == 1
    assert done.stderr == ""
    assert "content/faq.toml:" in done.stdout
    assert re.search(r"sdl/operations/get_thesis\.graphql:\d+:\d+: .*'theses'", done.stdout)


@pytest.mark.parametrize(
    ("path", "code"),
    [("api/projects", 0), ("/api/nothing", 1), ("/api/projects?x=1", 1)],
)
def test_get_returns_whether_it_was_answered(
    path: str, code: int, capfdbinary: CapturedBytes
) -> None:
    assert main(["get", path]) == code
    assert isinstance(json.loads(capfdbinary.readouterr().out), dict if code else list)


@pytest.mark.parametrize("path", ["/llms.txt", "/api/manifest", "/api/projects/tidebook.md"])
def test_get_prints_the_bytes_that_the_server_sends(
    path: str, client: httpx.Client, capfdbinary: CapturedBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIOGRAPH_PORT", str(client.base_url.port))
    assert main(["get", path]) == 0
    assert capfdbinary.readouterr() == (client.get(path).content, b"")


def test_absolute_addresses_begin_with_the_base_url(
    capfdbinary: CapturedBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIOGRAPH_BASE_URL", "https://studio.example/")
    assert main(["get", "/api/feed.json"]) == 0
    feed = json.loads(capfdbinary.readouterr().out)
    assert feed["feed_url"] == "https://studio.example/api/feed.json"


def test_get_asks_for_the_form_that_accept_names(capfdbinary: CapturedBytes) -> None:
    assert main(["get", "/api/thesis", "--accept", "text/markdown"]) == 0
    assert capfdbinary.readouterr().out.startswith(b"> The index of everything")
    assert main(["get", "/api/thesis", "--accept", "image/png"]) == 1
    assert json.loads(capfdbinary.readouterr().out)["status"] == 406


def test_schema_prints_the_public_one(capsys: Captured) -> None:
    assert main(["schema"]) == 0
    assert capsys.readouterr() == (schema_texts()["public.graphql"], "")


def test_schema_check_names_each_file_that_has_drifted(tree: Path, tmp_path: Path) -> None:
    copy = tmp_path / "tree"
    shutil.copytree(tree, copy)
    public, full = copy / "sdl" / "public.graphql", copy / "sdl" / "full.graphql"
    for path in (public, full):
        path.write_text(schema_texts()[path.name])
    public.write_text(public.read_text().replace("The project's slug.", "A slug."))
    full.unlink()
    done = process("studiograph", "schema", "--check", cwd=copy)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        "sdl/public.graphql is out of date. Fix: make sdl.",
        "sdl/full.graphql is out of date. Fix: make sdl.",
    ]


def test_the_script_and_the_module_are_the_same_program() -> None:
    script = str(Path(sys.executable).with_name("studiograph"))
    done = process("--version", program=[script])
    assert (done.returncode, done.stdout) == (0, f"studiograph {version('studiograph')}\n")
    done = process("studiograph", "get", "/api/nothing")
    assert (done.returncode, json.loads(done.stdout)["status"]) == (1, 404)


def test_without_descriptions_nothing_starts() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "studiograph", "get", "/openapi.json"],
        env={**os.environ, "PYTHONOPTIMIZE": "2"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "Fix: unset PYTHONOPTIMIZE, or set it to 1" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["sing"],
        ["check", "--loud"],
        ["get"],
        ["get", "/a", "/b"],
        ["get", "/a\nb"],
        ["get", "/", "--accept", "text/markdówn"],
        ["get", "/" + "a" * 70_000],
        ["schema", "--check", "--out", "x"],
        *(["serve", "--workers", text] for text in ("0", "65", "two")),
        ["keys", "sing"],
        ["log", "show", "--now"],
        ["inbox", "show"],
        ["inbox", "x"],
        ["subscribers", "remove", "a", "b"],
        ["jobs", "list", "--status", "lost"],
        ["webhook", "test"],
    ],
)
def test_a_wrong_call_is_told_in_one_line_with_the_help_and_code_2(
    words: list[str], capsys: Captured
) -> None:
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert re.fullmatch(r"studiograph.*: .+\. See `studiograph.* --help`\.\n", err)


@pytest.mark.parametrize("words", [["check"], ["get", "/"], ["keys", "list"], ["serve"]])
def test_no_command_starts_with_an_unknown_setting(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("STUDIOGRAPH_PROT", "1")
    monkeypatch.setenv("STUDIOGRAPH_PORT", "x")
    assert main(words) == 1
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 2)


def test_a_reader_that_has_had_enough_is_no_crash() -> None:
    receiving, sending = os.pipe()
    os.close(receiving)
    with os.fdopen(sending, "wb") as closed:
        done = subprocess.run(
            [sys.executable, "-m", "studiograph", "get", "/llms-full.txt"],
            stdout=closed,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
    assert (done.returncode, done.stderr) == (1, b"")
