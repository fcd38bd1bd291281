"""`studiograph verify` on a service whose owner lies or signs nonsense."""

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import pytest
from outside_reader import KEY_SET, SNAPSHOT, command, studio_in
from running_server import Running, running
from tampering import Forger, Proxy, Source, edited, source_of, tampering

MANIFEST, CHECKPOINT, LOG = "/api/manifest", "/api/log/checkpoint", "/api/log"
SECTIONS_ARE = b'{"fields": [{"allowed": %s}]}'
FAQ, DOMAINS = f"{SNAPSHOT}?section=faq", f"{SNAPSHOT}?section=domains"

Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return studio_in(tmp_path_factory.mktemp("lies"))


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


LIES: dict[str, tuple[str, Callable[[Any], object]]] = {
    "the manifest": ("/api/manifest.sig", lambda p: p["studio"].update(tagline="Another.")),
    "the changelog": ("/api/changelog.sig", lambda p: p["entries"].pop()),
    "the size of the log": ("/api/changelog.sig", lambda p: p.update(treeSize=39)),
    "a section": (FAQ, lambda p: p["data"].pop()),
    "a section's name": (FAQ, lambda p: p.update(section="domains")),
    "a section's revision": (FAQ, lambda p: p.update(revision=f"sha256:{'0' * 64}")),
    "a section's log": (FAQ, lambda p: p.update(rollupHash=f"sha256:{'0' * 64}")),
}


@pytest.mark.parametrize("name", LIES)
def test_who_signs_one_thing_and_says_another_is_found_out(
    name: str, proxy: Proxy, content: Path, tmp_path: Path, capsys: Captured
) -> None:
    where, edit = LIES[name]
    forger = Forger.of(content.parent)

    def lie(body: bytes) -> bytes:
        envelope = json.loads(body)
        edit(envelope["payload"])
        if "rollupHash" in envelope:
            envelope["rollupHash"] = envelope["payload"]["rollupHash"]
        return forger.signed(envelope)

    proxy.changes[where] = lie
    assert command(tmp_path, "verify", proxy.address, "--quiet") == 1
    assert capsys.readouterr() == (f"WRONG  {where}: differs from /api/manifest\n", "")


def test_one_section_s_envelope_is_not_taken_for_another_s(
    proxy: Proxy, tmp_path: Path, capsys: Captured
) -> None:
    proxy.changes[FAQ] = lambda _: proxy.says(DOMAINS)
    assert command(tmp_path, "verify", proxy.address, "--quiet") == 1
    assert capsys.readouterr() == (f"WRONG  {FAQ}: differs from /api/manifest\n", "")


def test_another_head_that_is_well_signed_is_refused(
    proxy: Proxy, content: Path, tmp_path: Path, capsys: Captured
) -> None:
    forger = Forger.of(content.parent)
    proxy.changes[CHECKPOINT] = lambda body: forger.note(body, head=bytes(32))
    assert command(tmp_path, "verify", proxy.address, "--quiet") == 1
    assert capsys.readouterr() == (f"WRONG  {CHECKPOINT}: differs from /api/manifest\n", "")


def test_a_service_that_does_not_name_all_its_sections_is_refused(
    proxy: Proxy, tmp_path: Path, capsys: Captured
) -> None:
    def fewer(problem: Any) -> None:
        problem["fields"][0]["allowed"].remove("faq")

    proxy.changes[SNAPSHOT] = edited(fewer)
    assert command(tmp_path, "verify", proxy.address, "--quiet") == 1
    assert capsys.readouterr().out.startswith(f"WRONG  {SNAPSHOT}")


def nonsense(edit: Callable[[Any], Any]) -> Callable[[Forger], dict[str, Any]]:
    """The changes by which a manifest is another, and well signed."""

    def changes(forger: Forger) -> dict[str, Any]:
        def signed(body: bytes) -> bytes:
            envelope = orjson.loads(body)
            return forger.signed({**envelope, "payload": edit(envelope["payload"])})

        return {
            MANIFEST: lambda body: orjson.dumps(edit(orjson.loads(body))),
            f"{MANIFEST}.sig": signed,
        }

    return changes


def without(name: str) -> Callable[[Any], Any]:
    return lambda document: {key: document[key] for key in document if key != name}


NONSENSE: dict[str, Callable[[Forger], dict[str, Any]]] = {
    "a manifest that is a list": nonsense(lambda _: []),
    "a manifest that is a text": nonsense(lambda _: "trust me"),
    "no changelog": nonsense(without("changelog")),
    "no studio": nonsense(without("studio")),
    "no rollup": nonsense(without("rollupHash")),
    "no revision": nonsense(without("revision")),
    "entries that are numbers": nonsense(lambda m: {**m, "changelog": [1, 2]}),
    "entries without a date": nonsense(
        lambda m: {**m, "changelog": [without("publishedAt")(e) for e in m["changelog"]]}
    ),
    "a changelog that is none": nonsense(lambda m: {**m, "changelog": 7}),
    "a size of 5000 digits": lambda _: {
        CHECKPOINT: lambda body: body.replace(b"\n40\n", b"\n" + b"9" * 5000 + b"\n")
    },
    "a head of no bytes": lambda forger: {CHECKPOINT: lambda body: forger.note(body, head=b"")},
    "sections that are numbers": lambda _: {SNAPSHOT: lambda _: (400, SECTIONS_ARE % b"[1, 2]")},
    "sections with two lines": lambda _: {
        SNAPSHOT: lambda _: (400, SECTIONS_ARE % b'["faq\\nok     all is well"]')
    },
    "a key set in a list": lambda _: {KEY_SET: lambda body: b"[" + body + b"]"},
    "a key set without end": lambda _: {KEY_SET: lambda _: b"[" * 200_000},
}


@pytest.mark.parametrize("name", NONSENSE)
def test_whatever_a_service_says_is_told_in_one_line(
    name: str, proxy: Proxy, content: Path, tmp_path: Path, capsys: Captured
) -> None:
    proxy.changes.update(NONSENSE[name](Forger.of(content.parent)))
    assert command(tmp_path, "verify", proxy.address, "--quiet") == 1
    out, err = capsys.readouterr()
    assert (err, out.count("\n"), out[:8]) == ("", 1, "WRONG  /")
