"""`studiograph keys export|import` carries the keys of webhooks, and nothing else beside keys."""

import json
import os
from pathlib import Path

import pytest

from resolvers.db.database import Database
from resolvers.webhooks.keys import ENCRYPTION, SIGNING, load_keys
from schema.site import Site
from studiograph.__main__ import main
from studiograph.settings import Settings
from studiograph.wiring.proofs import Proofs

KEYS = Path("var", "keys")
NOTICED = "Running servers notice within seconds."


@pytest.fixture(autouse=True)
def begun(folder: Path, monkeypatch: pytest.MonkeyPatch, sample: Site) -> None:
    """The working directory is one in which the service was started once."""
    monkeypatch.chdir(folder.parent)
    for name in [name for name in os.environ if name.startswith("STUDIOGRAPH_")]:
        monkeypatch.delenv(name)
    Proofs(Settings(data=Path("var")), sample)


@pytest.fixture
def capture(capsys: pytest.CaptureFixture[str]) -> pytest.CaptureFixture[str]:
    """What is printed."""
    return capsys


def run(capture: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Exit code, output and errors of `studiograph keys`."""
    code = main(["keys", *words])
    said = capture.readouterr()
    return code, said.out, said.err


def with_beside(beside: object) -> None:
    """Put something beside the keys of an export."""
    told = json.loads(Path("file").read_text())
    Path("file").write_text(json.dumps({**told, "beside": beside}))


def test_the_keys_of_webhooks_go_with_them(
    capture: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(f"sqlite:///{Path('studio.db').absolute()}")
    here = load_keys(KEYS, database)
    code, out, err = run(capture, "export", "secret.json")
    assert (code, out, Path("secret.json").stat().st_mode & 0o777) == (0, "", 0o600)
    assert err == "3 keys are in secret.json. Keep it secret: anybody who has it can sign as you.\n"
    monkeypatch.setenv("STUDIOGRAPH_DATA", "elsewhere")
    code, _, err = run(capture, "import", "secret.json")
    assert code == 0
    assert err.endswith(f", {SIGNING}, {ENCRYPTION}. {NOTICED}\n")
    assert load_keys(Path("elsewhere", "keys"), database) == here
    assert run(capture, "import", "secret.json")[2] == f"imported: nothing new. {NOTICED}\n"


@pytest.mark.parametrize("beside", [{SIGNING: "whsk_nothing"}, {ENCRYPTION: "AAAA"}], ids=str)
def test_what_is_no_key_of_webhooks_is_not_taken_in(
    beside: dict[str, str], capture: pytest.CaptureFixture[str]
) -> None:
    run(capture, "export", "file")
    with_beside(beside)
    code, out, err = run(capture, "import", "file")
    assert (code, out) == (1, "")
    assert (
        "does not contain a valid key. Fix: export it again with `studiograph keys export`." in err
    )
    assert [file.name for file in KEYS.glob("webhook*")] == []


@pytest.mark.parametrize(
    "beside", [None, [], "webhook.key", {SIGNING: 7}, {"../odd": "x"}], ids=str
)
def test_what_else_stands_in_an_export_is_left_there(
    beside: object, capture: pytest.CaptureFixture[str]
) -> None:
    run(capture, "export", "file")
    with_beside(beside)
    assert run(capture, "import", "file")[::2] == (0, f"imported: nothing new. {NOTICED}\n")
