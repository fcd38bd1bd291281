"""`studiograph verify` remembers the log it saw: what may have become of it since, and what not."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from changelog_edits import Changelog, change, drop, fork
from outside_reader import ENVELOPES, command, plain, studio_in
from running_server import Running, eventually, running
from second_studio import Twin
from tampering import HANGS, Proxy, Source, edited, source_of, tampering

from sdl.runner import Operations

CHECKPOINT, LOG = "/api/log/checkpoint", "/api/log"
FAQ = "/api/snapshot.sig?section=faq"
PATIENCE_SECONDS = 60
FORKED = (
    f"{LOG}/consistency?from=40: the log no longer begins with the entries seen by the last check"
)
SHRUNK = f"{CHECKPOINT}: the log had 40 entries and has fewer now"

Captured = pytest.CaptureFixture[str]
Hung = tuple["subprocess.Popen[str]", str]


def memory_of(place: Path) -> Path:
    """The file of what somebody remembers who calls the command in a folder."""
    return place / "state" / "studiograph" / "seen.json"


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return studio_in(tmp_path_factory.mktemp("memory"))


@pytest.fixture(scope="module")
def web(content: Path) -> Iterator[Running]:
    with running(content) as started:
        yield started


@pytest.fixture(scope="module")
def source(web: Running) -> Source:
    """What the real server says, asked for once."""
    return cache(source_of(web))


@pytest.fixture(scope="module")
def hung(source: Source, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hung]:
    """A check, begun before all else, of a service that answers everything but one envelope."""
    with tampering(source) as proxy:
        proxy.changes[FAQ] = lambda body: (HANGS, body)
        words = [sys.executable, "-m", "studiograph", "verify", proxy.address, "--quiet"]
        place = tmp_path_factory.mktemp("hung")
        with subprocess.Popen(words, cwd=place, stdout=subprocess.PIPE, text=True) as process:
            yield process, proxy.address
            process.kill()


@pytest.fixture(scope="module")
def relay(source: Source, hung: Hung) -> Iterator[Proxy]:
    assert hung[1]
    with tampering(source) as proxy:
        yield proxy


@pytest.fixture(scope="module")
def remembered(relay: Proxy, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What somebody remembers who has checked the service once."""
    place = tmp_path_factory.mktemp("seen")
    assert command(place, "verify", relay.address) == 0
    return memory_of(place).read_text()


@pytest.fixture
def seen(remembered: str, tmp_path: Path) -> Path:
    """The same memory, in a folder of its own."""
    file = memory_of(tmp_path)
    file.parent.mkdir(parents=True)
    file.write_text(remembered)
    return file


@pytest.fixture
def proxy(relay: Proxy, source: Source, seen: Path) -> Proxy:
    """The proxy that was seen, passing everything on."""
    assert seen.is_file()
    relay.reset(source)
    return relay


@pytest.fixture
def twin(web: Running, content: Path, operations: Operations, tmp_path: Path) -> Twin:
    """Another studio with the same key."""
    assert web.address
    return Twin.of(content, tmp_path / "twin", operations)


@pytest.fixture(scope="module")
def restarted(
    web: Running, content: Path, operations: Operations, tmp_path_factory: pytest.TempPathFactory
) -> Source:
    """What a studio says with the same key, whose log has been restarted in the open."""
    assert web.address
    twin = Twin.of(content, tmp_path_factory.mktemp("restarted"), operations)
    twin.restart()
    return twin.source()


def memory(place: Path) -> dict[str, Any]:
    """What is remembered of the one service that was seen."""
    (known,) = json.loads(memory_of(place).read_text()).values()
    return dict(known)


def test_the_head_of_the_log_is_remembered_by_address(seen: Path, proxy: Proxy) -> None:
    origin, size, _ = proxy.source(CHECKPOINT)[1].decode().split("\n")[:3]
    rollup = plain(proxy.source("/api/manifest")[1])["rollupHash"]
    (address,), (known,) = zip(*json.loads(seen.read_text()).items(), strict=True)
    words = plain(proxy.source("/api/words")[1])
    statements = {each["name"]: each["leafHash"] for each in words["statements"]}
    assert address == proxy.address
    assert known.pop("words") == {
        "origin": words["origin"],
        "size": 1,
        "head": words["rollupHash"],
        "revision": plain(proxy.source("/api/manifest")[1])["revision"],
        "statements": statements,
    }
    assert known == {"origin": origin, "size": int(size), "head": rollup}


def test_a_log_that_has_grown_is_green_and_its_growth_is_proven(
    twin: Twin, proxy: Proxy, tmp_path: Path, capsys: Captured
) -> None:
    twin.add()
    proxy.reset(twin.source())
    assert command(tmp_path, "verify", proxy.address) == 0
    line = f"ok     {LOG}/consistency?from=40: the log still begins with the 40 entries seen before"
    assert line in capsys.readouterr().out.splitlines()
    assert memory(tmp_path)["size"] == 41


FUTURES: dict[Callable[[Changelog], object], str] = {
    **dict.fromkeys((change, fork), FORKED),
    drop: SHRUNK,
}


@pytest.mark.parametrize("rewriting", FUTURES, ids=lambda each: each.__name__)
def test_a_rewritten_log_is_told_each_time_and_what_was_seen_is_not_forgotten(
    rewriting: Callable[[Changelog], object], twin: Twin, proxy: Proxy, capsys: Captured
) -> None:
    place = twin.content.parents[1]
    before = memory(place)
    rewriting(twin.log)
    proxy.reset(twin.source())
    for _ in range(2):
        assert command(place, "verify", proxy.address, "--quiet") == 1
        assert capsys.readouterr() == (f"WRONG  {FUTURES[rewriting]}\n", "")
    assert memory(place) == before


def test_a_forged_proof_of_growth_proves_nothing(
    twin: Twin, proxy: Proxy, tmp_path: Path, capsys: Captured
) -> None:
    twin.add()
    proxy.reset(twin.source())
    where = f"{LOG}/consistency?from=40"
    for edit in (lambda p: p["path"].pop(), lambda p: p.update(path=[]), lambda p: p.pop("path")):
        proxy.changes[where] = edited(edit)
        assert command(tmp_path, "verify", proxy.address, "--quiet") == 1
        assert capsys.readouterr().out.startswith(f"WRONG  {where}: ")


HIDDEN: dict[str, Callable[[Any], object]] = {
    "not named": lambda log: log.update(former=[]),
    "another head": lambda log: log["former"][0].update(rollupHash=f"sha256:{'0' * 64}"),
    "fewer entries": lambda log: log["former"][0].update(treeSize=3),
    "another checkpoint": lambda log: log["former"][0].update(checkpoint="trust me"),
    "no head": lambda log: log["former"][0].pop("rollupHash"),
    "no size": lambda log: log["former"][0].pop("treeSize"),
    "no list": lambda log: log.update(former=7),
    "no objects": lambda log: log.update(former=[7]),
}


def test_a_log_restarted_in_the_open_is_green_and_said(
    restarted: Source, proxy: Proxy, tmp_path: Path, capsys: Captured
) -> None:
    proxy.reset(restarted)
    assert command(tmp_path, "verify", proxy.address) == 0
    line = f"ok     {LOG}: quillmere.example/changelog has ended; a new log has begun"
    assert line in capsys.readouterr().out.splitlines()
    assert memory(tmp_path)["origin"] == "quillmere.example/changelog/2"


@pytest.mark.parametrize("name", HIDDEN)
def test_a_log_restarted_without_naming_the_old_head_is_told_in_one_line(
    name: str, restarted: Source, proxy: Proxy, seen: Path, capsys: Captured
) -> None:
    before = seen.read_text()
    proxy.reset(restarted)
    proxy.changes[LOG] = edited(HIDDEN[name])
    assert command(seen.parents[2], "verify", proxy.address, "--quiet") == 1
    out, err = capsys.readouterr()
    assert (err, out.count("\n"), out.startswith(f"WRONG  {LOG}: ")) == ("", 1, True)
    assert seen.read_text() == before


@pytest.mark.parametrize("path", [ENVELOPES[9], CHECKPOINT])
def test_a_service_that_publishes_while_it_is_checked_is_green(
    path: str, twin: Twin, proxy: Proxy, source: Source, tmp_path: Path
) -> None:
    twin.add()
    later = twin.source()

    def publish(asked: str) -> None:
        if asked == path and proxy.source is source:
            proxy.reset(later)

    proxy.before = publish
    assert command(tmp_path, "verify", proxy.address) == 0
    assert proxy.source is later
    assert memory(tmp_path)["size"] == 41


def test_a_service_that_changes_its_key_while_it_is_checked_is_green(
    content: Path, web: Running, relay: Proxy, tmp_path: Path
) -> None:
    def signer() -> str:
        kid: str = plain(web.get(ENVELOPES[-1]).body)["publicJwk"]["kid"]
        return kid

    first = signer()

    def change_keys(asked: str) -> None:
        relay.kept.clear()
        if asked == ENVELOPES[9] and signer() == first:
            assert command(content.parent, "keys", "rotate", "--now") == 0
            assert command(content.parent, "keys", "revoke", first) == 0
            eventually(lambda: signer() != first)

    relay.reset(source_of(web))
    relay.before = change_keys
    assert command(tmp_path, "verify", relay.address) == 0
    assert signer() != first


@pytest.mark.parametrize("text", ["", "[]", "{", '{"%s": 7}', '{"%s": {"origin": "x"}}'])
def test_a_memory_that_cannot_be_read_is_told_and_named(
    text: str, seen: Path, proxy: Proxy, capsys: Captured
) -> None:
    seen.write_text(text.replace("%s", proxy.address))
    assert command(seen.parents[2], "verify", proxy.address) == 1
    assert "seen.json" in "".join(capsys.readouterr())


def test_a_folder_that_cannot_remember_is_told_and_is_no_fault_of_the_service(
    proxy: Proxy, seen: Path, tmp_path: Path, capsys: Captured
) -> None:
    """A file stands where a folder is needed, or a folder where the file is."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "state").write_text("in the way")
    seen.unlink()
    seen.mkdir()
    for place in (tmp_path / "elsewhere", tmp_path):
        assert command(place, "verify", proxy.address) == 0
        printed = capsys.readouterr()
        assert "WRONG" not in printed.out
        assert "seen.json" in printed.err
        assert "Fix: set XDG_STATE_HOME to" in printed.err
    proxy.changes[FAQ] = lambda body: (200, body.replace(b"payload", b"payloud"))
    assert command(tmp_path / "elsewhere", "verify", proxy.address) == 1
    assert "WRONG" in capsys.readouterr().out


def test_what_an_older_version_remembers_is_known_and_moves(
    proxy: Proxy, seen: Path, tmp_path: Path, capsys: Captured
) -> None:
    older = tmp_path / "var" / "seen.json"
    older.parent.mkdir()
    seen.rename(older)
    right = older.read_text()
    older.write_text(right.replace('"size": 40', '"size": 41', 1))
    assert command(tmp_path, "verify", proxy.address) == 1
    assert "the log had 41 entries and has fewer now" in capsys.readouterr().out
    older.write_text(right)
    assert command(tmp_path, "verify", proxy.address) == 0
    assert json.loads(seen.read_text()) == json.loads(right)


def test_a_service_that_keeps_one_waiting_is_given_up(hung: Hung) -> None:
    process, address = hung
    assert process.wait(PATIENCE_SECONDS) == 1
    assert process.stdout is not None
    fix = "Fix: start the service, and look at the name, the port and TLS"
    assert process.stdout.read() == f"WRONG  {FAQ}: no response from {address}. {fix}\n"
