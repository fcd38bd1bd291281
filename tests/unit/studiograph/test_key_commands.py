"""`studiograph keys`: what each command does, prints and refuses, and what then starts."""

import json
import os
import stat
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from command_runs import Run, runs

from schema.site import Site
from studiograph.__main__ import main
from studiograph.settings import Settings
from studiograph.wiring.proofs import Proofs

KEY_SET = "/.well-known/jwks.json"
KEYS = Path("var", "keys")
NOTICED = "Running servers notice within seconds."

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def at_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working directory is one with a `content` folder, and nothing else is set."""
    monkeypatch.chdir(folder.parent)
    for name in [name for name in os.environ if name.startswith("STUDIOGRAPH_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def run(capsys: Captured) -> Run:
    """`run("list")`: the exit code of `studiograph keys list`, its output and its errors."""

    return runs(capsys, "keys")


@pytest.fixture
def starts(capsys: Captured) -> Callable[[], tuple[int, Any, str]]:
    """What a start comes to: its exit code, the key set that is then published, its errors."""

    def start() -> tuple[int, Any, str]:
        code = main(["get", KEY_SET])
        out, err = capsys.readouterr()
        return code, json.loads(out or "null"), err

    return start


Starts = Callable[[], tuple[int, Any, str]]


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory, sample: Site) -> Path:
    """A data folder after the first start."""
    data = tmp_path_factory.mktemp("begun") / "var"
    Proofs(Settings(data=data), sample)
    return data


@pytest.fixture
def kid(begun: Path, at_home: None) -> str:
    """The name of the key that the first start made in the working directory."""
    assert at_home is None
    copytree(begun, "var")
    (file,) = KEYS.glob("*.json")
    return file.stem


def rows(run: Run) -> dict[str, Any]:
    """What `list` says of each key, in its order."""
    code, out, err = run("list", "--json")
    assert (code, err) == (0, "")
    return {row["kid"]: row for row in json.loads(out)}


def states(run: Run) -> list[tuple[str, str]]:
    """Each key and where it stands, in the order of `list`."""
    return [(kid, row["state"]) for kid, row in rows(run).items()]


def document(kid: str) -> dict[str, str]:
    """What the file of a key holds."""
    found: dict[str, str] = json.loads((KEYS / f"{kid}.json").read_bytes())
    return found


def second() -> str:
    """The name of the second key in the working directory."""
    (file,) = KEYS.glob("*-2.json")
    return file.stem


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("words", [["list"], ["rotate"], ["revoke", "a-2026-01"], ["export", "x"]])
def test_before_the_first_start_there_is_no_key_and_a_way_to_make_one(
    words: list[str], run: Run
) -> None:
    code, out, err = run(*words)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "Fix: run `studiograph serve`" in err


def test_list_says_where_each_key_stands(run: Run, kid: str, starts: Starts) -> None:
    code, out, err = run("list")
    assert (code, err) == (0, "")
    row = rows(run)[kid]
    assert set(row) == {"kid", "state", "thumbprint", "activeFrom"}
    assert out == f"active       {kid}  {row['thumbprint']}  from {row['activeFrom']}\n"
    assert starts()[1] == {"keys": [starts()[1]["keys"][0]], "revoked": []}


def test_rotate_makes_the_next_key_which_signs_in_an_hour(run: Run, kid: str) -> None:
    code, out, err = run("rotate", "--json")
    (row,) = json.loads(out)
    assert (code, row["state"]) == (0, "next")
    assert err == f"{row['kid']} signs from {row['activeFrom']}. {NOTICED}\n"
    assert states(run) == [(kid, "active"), (row["kid"], "next")]
    begun = rows(run)[kid]["activeFrom"]
    wait = datetime.fromisoformat(row["activeFrom"]) - datetime.fromisoformat(begun)
    assert timedelta(hours=1) <= wait < timedelta(hours=1, minutes=1)


def test_rotate_now_makes_the_key_that_signs(run: Run, kid: str, starts: Starts) -> None:
    code, out, err = run("rotate", "--now")
    made = second()
    assert code == 0
    assert out.startswith(f"active       {made}  ")
    assert err.startswith(f"{made} signs from ")
    assert states(run) == [(made, "active"), (kid, "verify-only")]
    assert [key["kid"] for key in starts()[1]["keys"]] == [made, kid]


def test_revoke_destroys_the_secret_and_names_the_key_that_signs_instead(
    run: Run, kid: str, starts: Starts
) -> None:
    thumbprint, seed = rows(run)[kid]["thumbprint"], document(kid)["seed"]
    code, out, err = run("revoke", kid, "--json")
    made = second()
    assert code == 0
    assert [row["state"] for row in json.loads(out)] == ["active", "revoked"]
    assert err == (f"{kid} is revoked; its secret is gone. {made} signs in its place. {NOTICED}\n")
    revoked = document(kid)["revokedAt"]
    assert all(seed not in file.read_text() for file in KEYS.iterdir())
    assert starts()[1]["revoked"] == [{"kid": kid, "thumbprint": thumbprint, "revokedAt": revoked}]
    assert rows(run)[kid]["revokedAt"] == revoked


def test_revoke_of_no_key_names_those_there_are(run: Run, kid: str) -> None:
    assert run("revoke", "a-2026-01") == (
        *(1, ""),
        f"a-2026-01: there is no such key. Fix: name one of: {kid}.\n",
    )
    run("revoke", kid)
    assert run("revoke", kid)[::2] == (1, f"{kid}: the key is already revoked.\n")


def test_exported_keys_are_taken_in_elsewhere_and_sign_there(
    run: Run, kid: str, starts: Starts, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("rotate")
    run("rotate", "--now")
    run("revoke", kid)
    code, out, err = run("export", "secret.json")
    assert (code, out, mode(Path("secret.json"))) == (0, "", 0o600)
    assert err == "3 keys are in secret.json. Keep it secret: anybody who has it can sign as you.\n"
    here, listed, made = starts()[1], states(run), rows(run)
    assert len(made) == 3
    monkeypatch.setenv("STUDIOGRAPH_DATA", "elsewhere")
    code, out, err = run("import", "secret.json")
    assert (code, out) == (0, "")
    assert err.startswith("imported: ")
    assert err.endswith(f". {NOTICED}\n")
    assert all(name in err for name in made)
    assert (starts()[1], states(run)) == (here, listed)
    assert {mode(file) for file in Path("elsewhere", "keys").iterdir()} == {0o600}
    assert run("import", "secret.json")[2] == f"imported: nothing new. {NOTICED}\n"


def test_export_overwrites_nothing(run: Run, kid: str) -> None:
    Path("kept").write_text(kid)
    for target in ("kept", "no/folder/file"):
        code, out, err = run("export", target)
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert err.startswith(f"{target}: ")
        assert " Fix: name a file that does not exist yet." in err
    assert Path("kept").read_text() == kid


def test_import_takes_nothing_that_others_could_read_and_nothing_that_is_not_there(
    run: Run, kid: str
) -> None:
    run("export", "shared")
    Path("shared").chmod(0o640)
    assert run("import", "shared")[2] == "shared: others can read it. Fix: chmod 600 shared\n"
    code, out, err = run("import", "gone")
    assert (code, out) == (1, "")
    assert err == "gone: No such file or directory. Fix: name a file made by `keys export`.\n"
    assert states(run) == [(kid, "active")]


def test_no_command_prints_a_secret(run: Run, kid: str) -> None:
    said = [run("rotate", "--json"), run("rotate", "--now"), run("export", "secret")]
    seeds = [document(file.stem)["seed"] for file in KEYS.glob("*.json")]
    said += [run("list"), run("list", "--json"), run("revoke", kid), run("import", "secret")]
    assert len(seeds) == 3
    assert [seed for seed in seeds if seed in str(said)] == []
