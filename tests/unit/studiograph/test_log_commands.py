"""`studiograph log`: the log as it was published, and how a new one is begun."""

import json
import os
import re
from io import StringIO
from pathlib import Path
from shutil import copytree, rmtree
from typing import Any

import pytest
from command_runs import Run, runs
from outside_reader import read_checkpoint
from repository import SAMPLE

from resolvers.signing.keys import ProofError
from schema.site import Site
from studiograph.__main__ import main
from studiograph.settings import Settings
from studiograph.wiring.proofs import Proofs

WHY = ("--reason", "An entry named a client.")
ORIGIN = "quillmere.example/changelog"
NO_LOG = "there is no log yet. Fix: run `studiograph serve`, which begins one.\n"
INSTANT = r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ"

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working directory is an empty folder, and nothing but the content is set."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("STUDIOGRAPH_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("STUDIOGRAPH_CONTENT", str(SAMPLE))


@pytest.fixture
def run(capsys: Captured) -> Run:
    """`run("show")`: the exit code of `studiograph log show`, its output and its errors."""

    return runs(capsys, "log")


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory, sample: Site) -> Path:
    """A data folder after the first start."""
    data = tmp_path_factory.mktemp("begun") / "var"
    proofs = Proofs(Settings(data=data), sample)
    proofs.log(sample, proofs.key_ring.active)
    return data


@pytest.fixture
def served(begun: Path, at_home: None) -> None:
    """The working directory has such a data folder."""
    assert at_home is None
    copytree(begun, "var")


def start(site: Site, entries: int) -> Any:
    """What a start with the oldest entries publishes. Raises: ProofFault."""
    proofs = Proofs(Settings(), site)
    oldest = sorted(site.changelog, key=lambda entry: entry.published_at)[:entries]
    log = proofs.log(site.model_copy(update={"changelog": oldest}), proofs.key_ring.active)
    return log.summary.to_json()


def shown(run: Run) -> Any:
    """What `show` says."""
    code, out, err = run("show", "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


@pytest.mark.parametrize("words", [["show"], ["restart"]])
def test_before_the_first_start_there_is_no_log(words: list[str], run: Run) -> None:
    code, out, err = run(*words)
    assert (code, out) == (1, "")
    assert err.endswith(NO_LOG)


def test_an_error_is_json_to_who_asks_for_json(run: Run) -> None:
    code, out, err = run("show", "--json")
    assert (code, err) == (1, "")
    assert json.loads(out)["wrong"].endswith(NO_LOG.rstrip())


@pytest.mark.usefixtures("served")
def test_show_says_what_is_published(run: Run, capsys: Captured) -> None:
    told = shown(run)
    assert main(["get", "/api/log"]) == 0
    looked_at = json.loads(capsys.readouterr().out)
    assert looked_at.pop("verifierKey") != told["verifierKey"]  # a preview signs for itself
    assert looked_at.items() <= told.items()
    assert (told["origin"], told["treeSize"], told["former"]) == (ORIGIN, 40, [])
    assert run("show") == (0, f"{ORIGIN}: 40 entries, {told['rollupHash']}\n", "")


@pytest.mark.usefixtures("served")
def test_restart_ends_the_log_under_its_name_and_the_next_start_begins_another(
    run: Run, sample: Site
) -> None:
    before = shown(run)
    with pytest.raises(ProofError, match="has been dropped"):
        start(sample, 30)
    code, out, err = run("restart", *WHY, "--yes")
    assert (code, err) == (0, "")
    assert out == (
        f"{ORIGIN}/2 begins with the next start or change of content."
        f" {ORIGIN} has ended with 40 entries; its head stays published.\n"
    )
    told = shown(run)
    assert (told["origin"], told["treeSize"]) == (f"{ORIGIN}/2", 0)
    (former,) = told["former"]
    assert former["rollupHash"] == before["rollupHash"]
    assert re.fullmatch(INSTANT, former["endedAt"])
    assert former["reason"] == WHY[1]
    begun = start(sample, 30)
    assert (begun["origin"], begun["treeSize"], begun["former"]) == (f"{ORIGIN}/2", 30, [former])
    assert shown(run) == begun


@pytest.mark.usefixtures("served")
def test_the_head_of_a_former_log_verifies_with_the_key_of_its_time(run: Run, sample: Site) -> None:
    key = Proofs(Settings(), sample).key_ring.active
    run("restart", *WHY, "--yes")
    assert main(["keys", "rotate", "--now"]) == 0
    (former,) = start(sample, 40)["former"]
    jwks = {"keys": [key.public.to_json()]}
    origin, size, head = read_checkpoint(former["checkpoint"], jwks)
    found = (origin, size, f"sha256:{head.hex()}")
    assert found == (former["origin"], former["treeSize"], former["rollupHash"])


@pytest.mark.usefixtures("served")
def test_a_log_may_be_restarted_again_and_every_head_stays(run: Run, sample: Site) -> None:
    for size in (30, 20):
        run("restart", *WHY, "--yes")
        start(sample, size)
    told = shown(run)
    assert (told["origin"], told["treeSize"]) == (f"{ORIGIN}/3", 20)
    assert [(log["origin"], log["treeSize"]) for log in told["former"]] == [
        (f"{ORIGIN}/2", 30),
        (ORIGIN, 40),
    ]


@pytest.mark.usefixtures("served")
def test_show_writes_a_line_for_each_log_and_dates_as_everywhere_else(run: Run) -> None:
    run("restart", *WHY, "--yes")
    former = shown(run)["former"][0]
    code, out, _ = run("show")
    current, ended = out.splitlines()
    assert (code, current.split(":")[0]) == (0, f"{ORIGIN}/2")
    assert ended == (
        f"{ORIGIN}: 40 entries, {former['rollupHash']}, until {former['endedAt']}: {WHY[1]}"
    )


@pytest.mark.usefixtures("served")
def test_restart_asks_and_nothing_ends_unless_the_owner_agrees(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = shown(run)
    monkeypatch.setattr("sys.stdin", StringIO("n\n"))
    code, out, _ = run("restart", *WHY)
    assert (code, shown(run)) == (1, before)
    assert f"End {ORIGIN} with 40 entries for good" in out
    monkeypatch.setattr("sys.stdin", StringIO("A client was named.\ny\n"))
    assert run("restart")[0] == 0
    assert shown(run)["origin"] == f"{ORIGIN}/2"
    assert shown(run)["former"][0]["reason"] == "A client was named."


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize("reason", ["<b>why</b>", "two\nlines", "x" * 401])
def test_a_reason_is_one_line_of_plain_text(reason: str, run: Run) -> None:
    before = shown(run)
    code, _, err = run("restart", "--reason", reason, "--yes")
    assert (code, shown(run)) == (2, before)
    assert "--reason: must be one line of plain text" in " ".join(err.split())


@pytest.mark.usefixtures("served")
def test_a_log_that_has_not_begun_is_not_ended(run: Run, sample: Site) -> None:
    assert run("restart", *WHY, "--yes")[0] == 0
    before = shown(run)
    for words in ([], [*WHY, "--yes"]):
        code, out, err = run("restart", *words)
        assert (code, out) == (1, "")
        assert f"{ORIGIN}/2: this log has no entry yet" in err
        assert "Fix: run `studiograph serve`" in err
    assert shown(run) == before
    start(sample, 40)
    assert run("restart", *WHY, "--yes")[0] == 0


@pytest.mark.usefixtures("served")
def test_without_its_key_no_log_is_ended(run: Run, sample: Site) -> None:
    rmtree("var/keys")
    code, out, err = run("restart", *WHY, "--yes")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "Fix: " in err
    rmtree("var")
    assert start(sample, 40)["former"] == []
