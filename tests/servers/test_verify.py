"""A real service is verified: what holds, what is remembered of it, and what HTTP can do wrong."""

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from socket import socket
from typing import Any

import orjson
import pytest
from changelog_edits import Changelog, change, drop
from outside_reader import ENVELOPES, KEY_SET, command, studio_in
from running_server import Running, running
from second_studio import Twin
from tampering import HANGS, TORN, Forger, Proxy, Said, Source, edited, source_of, tampering
from verifier_scripts import NODE, apart, both

from sdl.running.runner import Operations

MANIFEST, SIGNED, CHECKPOINT = "/api/manifest", "/api/manifest.sig", "/api/log/checkpoint"
FAQ = "/api/snapshot.sig?section=faq"
NO_RESPONSE = "no response. Fix: start the service, and look at the name, the port and TLS"
VERIFIERS = 2 if NODE else 1
Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return studio_in(tmp_path_factory.mktemp("verify"), AI_EMBEDDER="hash")


@pytest.fixture(scope="module")
def web(content: Path) -> Iterator[Running]:
    with running(content) as started:
        yield started


@pytest.fixture(scope="module")
def source(web: Running) -> Source:
    """What the real server says, asked for once."""
    return cache(source_of(web))


@pytest.fixture(scope="module")
def relay(source: Source) -> Iterator[Proxy]:
    with tampering(source) as proxy:
        yield proxy


@pytest.fixture
def proxy(relay: Proxy, source: Source) -> Proxy:
    """A proxy that passes everything on."""
    relay.reset(source)
    return relay


@pytest.fixture
def twin(web: Running, content: Path, operations: Operations, tmp_path: Path) -> Twin:
    """Another studio with the same key."""
    assert web.address
    return Twin.of(content, tmp_path / "twin", operations)


def wrong(address: str) -> str:
    """What both verifiers say is wrong."""
    code, lines = both(address)
    assert code == 1
    return lines[-1]


def test_the_sample_holds_for_all_and_as_programs(web: Running, tmp_path: Path) -> None:
    code, lines = both(web.address)
    kid = web.get(KEY_SET).json()["keys"][0]["kid"]
    assert code == 0
    assert both(f"{web.address}/") == (code, lines)
    assert set(apart(web.address)) == {(0, "".join(f"{line}\n" for line in lines), "")}
    signed = {line.split(": ")[0] for line in lines if f": signed by {kid} at " in line}
    assert signed == {f"ok     {path}" for path in ENVELOPES}
    assert command(tmp_path, "verify", web.address, "--quiet") == 0


def test_a_log_without_entries_holds(tmp_path: Path) -> None:
    log = Changelog(studio_in(tmp_path, AI_EMBEDDER="hash") / "changelog.toml")
    log.write(["changelog = []\n"])
    with running(log.file.parent) as web:
        code, lines = both(web.address)
    assert code == 0
    assert not [line for line in lines if line.endswith(": the entry is in the log")]


def test_nobody_there_is_no_response() -> None:
    with socket() as closed:
        closed.bind(("127.0.0.1", 0))
        assert wrong(f"http://127.0.0.1:{closed.getsockname()[1]}") == (
            f"WRONG  {KEY_SET}: {NO_RESPONSE}"
        )
    assert wrong("http://127.0.0.1:99999") == f"WRONG  {KEY_SET}: {NO_RESPONSE}"


LARGE = b'"' + b"a" * 2**26 + b'"'
ODD: list[tuple[str, Callable[[bytes], Said], str]] = [
    (SIGNED, lambda body: (TORN, body[:99]), NO_RESPONSE),
    (FAQ, lambda body: (HANGS, body), NO_RESPONSE),
    (FAQ, lambda _: (200, LARGE), "more than 64 MiB"),
]


@pytest.mark.parametrize(("path", "odd", "reason"), ODD, ids=["torn", "hangs", "large"])
def test_what_is_no_whole_response_is_given_up(
    proxy: Proxy, path: str, odd: Callable[[bytes], Said], reason: str
) -> None:
    proxy.changes[path] = odd
    assert wrong(proxy.address) == f"WRONG  {path}: {reason}"


def forged(forger: Forger, edit: Callable[[Any], object]) -> Callable[[bytes], bytes]:
    """The change of a payload that is well signed again."""

    def changed(body: bytes) -> bytes:
        envelope = orjson.loads(body)
        edit(envelope["payload"])
        return forger.signed(envelope)

    return changed


def test_what_changed_while_it_was_read_is_read_again(proxy: Proxy, content: Path) -> None:
    def older(document: Any) -> None:
        document["revision"] = f"sha256:{'0' * 64}"

    def until_a_section_was_asked(change: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
        return lambda body: body if FAQ in proxy.heard else change(body)

    forger = Forger.of(content.parent)
    proxy.changes[SIGNED] = until_a_section_was_asked(forged(forger, older))
    proxy.changes[MANIFEST] = until_a_section_was_asked(edited(older))
    proxy.before = lambda path: proxy.heard.append(FAQ) if path == "/api/snapshot.sig" else None
    code, lines = both(proxy.address)
    assert code == 0
    assert len(lines) == len(set(lines))
    assert proxy.heard.count(CHECKPOINT) == VERIFIERS


def memory_of(place: Path) -> Path:
    """The file of what somebody remembers who calls the command in a folder."""
    return place / "state" / "studiograph" / "seen.json"


def seen(place: Path) -> dict[str, Any]:
    """What is remembered of the one service that was seen."""
    (known,) = json.loads(memory_of(place).read_bytes()).values()
    return dict(known)


def test_growth_is_proven_and_what_has_changed_is_named(
    proxy: Proxy, twin: Twin, tmp_path: Path, capsys: Captured
) -> None:
    assert command(tmp_path, "verify", proxy.address) == 0
    before = seen(tmp_path)
    assert (before["size"], before["words"]["size"]) == (40, 1)
    faq = twin.content / "faq.toml"
    sentence = "a trade ledger used by 38 desks, came"
    assert sentence in faq.read_text()
    faq.write_text(faq.read_text().replace(sentence, sentence.replace(",", "")))
    twin.add()
    proxy.reset(twin.source())
    capsys.readouterr()
    assert command(tmp_path, "verify", proxy.address) == 0
    out = capsys.readouterr().out
    after = seen(tmp_path)
    assert (after["size"], after["words"]["size"]) == (41, 2)
    assert "/api/log/consistency?from=40: the log still begins with what was seen before, 40" in out
    revisions = f"between {before['words']['revision']} and {after['words']['revision']}"
    changed = {line.split()[2] for line in out.splitlines() if line.endswith(revisions)}
    assert changed >= {"faq", "faq/what-is-quillmere", "changelog/2026-11-20-more"}


@pytest.mark.parametrize("rewriting", [change, drop], ids=lambda each: each.__name__)
def test_a_rewritten_log_is_told_each_time_and_what_was_seen_is_not_forgotten(
    rewriting: Callable[[Changelog], object],
    proxy: Proxy,
    twin: Twin,
    tmp_path: Path,
    capsys: Captured,
) -> None:
    assert command(tmp_path, "verify", proxy.address, "--quiet") == 0
    before = memory_of(tmp_path).read_bytes()
    rewriting(twin.log)
    proxy.reset(twin.source())
    for _ in range(2):
        assert command(tmp_path, "verify", proxy.address, "--quiet") == 1
        assert capsys.readouterr().out.startswith("WRONG  /api/log/c")
    assert memory_of(tmp_path).read_bytes() == before


def test_a_log_restarted_in_the_open_is_green_and_said(
    proxy: Proxy, twin: Twin, tmp_path: Path, capsys: Captured
) -> None:
    assert command(tmp_path, "verify", proxy.address) == 0
    twin.restart()
    proxy.reset(twin.source())
    assert command(tmp_path, "verify", proxy.address) == 0
    line = "ok     /api/log: quillmere.example/changelog has ended; a new log has begun"
    assert line in capsys.readouterr().out.splitlines()
    assert seen(tmp_path)["origin"] == "quillmere.example/changelog/2"


def test_a_memory_that_cannot_be_kept_is_told_and_changes_nothing(
    web: Running, tmp_path: Path, capsys: Captured
) -> None:
    (tmp_path / "state").write_text("in the way")
    assert command(tmp_path, "verify", web.address, "--quiet") == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"note   {memory_of(tmp_path)} cannot be written, so the next check ")
    assert "Fix: set XDG_STATE_HOME" in err
    assert both(web.address, "--seen", memory_of(tmp_path))[0] == 0


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
