"""`studiograph verify` against the real server, and against one whose answers are tampered with."""

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from outside_reader import ENVELOPES, KEY_SET, SNAPSHOT, command, studio_in
from running_server import Running, running
from tampering import TORN, Proxy, Said, Source, edited, source_of, tampering

MANIFEST, CHANGELOG = "/api/manifest", "/api/changelog"
LOG = "/api/log"
CHECKPOINT, FIRST, LAST = f"{LOG}/checkpoint", f"{LOG}/proof?index=0", f"{LOG}/proof?index=39"
FAQ, DOMAINS = f"{SNAPSHOT}?section=faq", f"{SNAPSHOT}?section=domains"
ASKED = (KEY_SET, MANIFEST, CHANGELOG, *ENVELOPES[:3], ENVELOPES[-1], CHECKPOINT, FIRST, LAST)

Change = Callable[[bytes], "bytes | Said"]
Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return studio_in(tmp_path_factory.mktemp("verify"))


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


def change(where: str, edit: Callable[[Any], object]) -> tuple[str, Change]:
    """What is changed in the JSON at a path."""
    return where, edited(edit)


def member(name: str, value: object) -> Callable[[Any], object]:
    """The edit that sets a member of an object."""
    return lambda document: document.update({name: value})


def flipped(text: str) -> str:
    """The text with another letter in its middle."""
    middle = len(text) // 2
    return f"{text[:middle]}{'A' if text[middle] != 'A' else 'B'}{text[middle + 1 :]}"


NO_NOTE = "the checkpoint must consist of name, size and head, an empty line and signatures"
OTHER_X = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
TAMPERED: dict[str, tuple[str, Change, str]] = {
    "payload": (
        *change("/api/manifest.sig", lambda e: e["payload"]["studio"].update(tagline="Another.")),
        "the signature does not verify",
    ),
    "payload of the changelog": (
        *change("/api/changelog.sig", lambda e: e["payload"]["entries"].pop()),
        "the signature does not verify",
    ),
    "data of a section": (
        *change(FAQ, lambda e: e["payload"]["data"][0].update(a="Yes.")),
        "the signature does not verify",
    ),
    "revision": (
        *change(FAQ, lambda e: e["payload"].update(revision=f"sha256:{'0' * 64}")),
        "the signature does not verify",
    ),
    "signature": (
        *change(FAQ, lambda e: e.update(signature=flipped(e["signature"]))),
        "the signature does not verify",
    ),
    "signature's form": (
        *change(FAQ, lambda e: e.update(signature=f"{e['signature']}==")),
        "is not a valid envelope: check its publicJwk, signature, signedAt and payload",
    ),
    "key": (
        *change(FAQ, lambda e: e["publicJwk"].update(x=OTHER_X)),
        "the key {kid} is not published",
    ),
    "kid": (
        *change(FAQ, lambda e: e["publicJwk"].update(kid="quillmere-2020-01")),
        "the key quillmere-2020-01 is not published",
    ),
    "algorithm": (
        *change(FAQ, lambda e: e["publicJwk"].update(alg="none")),
        "is not a valid envelope: check its publicJwk, signature, signedAt and payload",
    ),
    "thumbprint": (
        *change(FAQ, lambda e: e.update(thumbprint=flipped(e["thumbprint"]))),
        "thumbprint is not that of the key in publicJwk",
    ),
    "profile": (
        *change(FAQ, member("canonicalizationProfile", "jcs")),
        "canonicalizationProfile is not jcs-rfc8785-subset",
    ),
    "date": (
        *change(FAQ, member("signedAt", "yesterday")),
        "is not a valid envelope: check its publicJwk, signature, signedAt and payload",
    ),
    "date's form": (
        *change(FAQ, member("signedAt", "2026-11-21T18:00:00+01:00")),
        "signedAt is not an instant in UTC with whole seconds",
    ),
    "rollup beside": (
        *change(FAQ, member("rollupHash", f"sha256:{'0' * 64}")),
        "rollupHash differs from the one in the signed payload",
    ),
    "member more": (
        *change(FAQ, member("note", "trust me")),
        "an envelope must have exactly the members",
    ),
    "member less": (
        *change(FAQ, lambda e: e.pop("verificationHint")),
        "an envelope must have exactly the members",
    ),
    "a fraction": (
        *change(FAQ, lambda e: e["payload"].update(treeSize=40.0)),
        "is not a valid envelope: check its publicJwk, signature, signedAt and payload",
    ),
    "the manifest only": (
        *change(MANIFEST, lambda m: m["projects"].pop()),
        "differs from /api/manifest",
    ),
    "the manifest's yes": (
        *change(MANIFEST, lambda m: m["studio"]["practice"][0].update(active=1)),
        "differs from /api/manifest",
    ),
    "the changelog only": (
        *change(CHANGELOG, lambda entries: entries.pop(3)),
        "differs from /api/manifest",
    ),
    "checkpoint": (
        CHECKPOINT,
        lambda body: body.replace(b"\n40\n", b"\n41\n"),
        "no key of the key set has signed the checkpoint",
    ),
    "checkpoint's name": (
        CHECKPOINT,
        lambda body: body.replace(b"quillmere", b"quilmere"),
        "no key of the key set has signed the checkpoint",
    ),
    "checkpoint's form": (
        CHECKPOINT,
        lambda body: body.replace(b"\n40\n", b"\n040\n"),
        NO_NOTE,
    ),
    "checkpoint's end": (
        CHECKPOINT,
        lambda body: body.partition(b"\n\n")[0],
        NO_NOTE,
    ),
    "path of a proof": (
        *change(LAST, lambda p: p["path"].reverse()),
        "does not prove that the entry is in the log",
    ),
    "path's form": (
        *change(FIRST, lambda p: p["path"].append("sha256:0")),
        "is not a valid proof",
    ),
    "no keys": (*change(KEY_SET, member("keys", [])), "has no key"),
    "a key twice": (
        *change(KEY_SET, lambda s: s["keys"].append(s["keys"][0])),
        "has two keys with the same kid",
    ),
    "a key of another kind": (
        *change(KEY_SET, lambda s: s["keys"][0].update(crv="X25519")),
        "is not a set of Ed25519 signing keys",
    ),
    "no JSON": (FAQ, lambda body: body[:-1] + b",}", "is not valid JSON"),
    "a key of JSON twice": (FAQ, lambda body: b'{"payload":0,' + body[1:], "is not valid JSON"),
    "no body": (FAQ, lambda _: b"", "is not valid JSON"),
    "half a body": (FAQ, lambda body: (TORN, body[: len(body) // 2]), "no response from {address}"),
    "a redirection": (FAQ, lambda body: (302, body), "answers 302"),
}


def test_the_sample_is_all_green(web: Running, tmp_path: Path, capsys: Captured) -> None:
    assert command(tmp_path, "verify", web.address) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert err == ""
    assert all(line.startswith("ok     /") for line in lines)
    for path in (KEY_SET, CHANGELOG, *ENVELOPES, CHECKPOINT, FIRST, LAST):
        assert any(line.startswith(f"ok     {path}: ") for line in lines)


def test_green_is_silent_when_asked_to_be_and_json_when_asked_for(
    web: Running, tmp_path: Path, capsys: Captured
) -> None:
    assert command(tmp_path, "verify", web.address, "--quiet") == 0
    assert capsys.readouterr() == ("", "")
    assert command(tmp_path, "verify", f"{web.address}/", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (set(told), told["ok"], told["wrong"]) == ({"ok", "holds", "wrong"}, True, None)
    assert len(told["holds"]) == 25


@pytest.mark.parametrize("name", TAMPERED)
def test_what_is_tampered_with_is_told_in_one_line(
    name: str, proxy: Proxy, tmp_path: Path, capsys: Captured
) -> None:
    where, tamper, why = TAMPERED[name]
    proxy.changes[where] = tamper
    assert command(tmp_path, "verify", proxy.address, "--quiet") == 1
    _check(capsys, where, why, proxy)


@pytest.mark.parametrize("why", ["is not published", "is revoked"])
def test_an_envelope_of_a_key_that_is_not_trusted_is_refused(
    why: str, proxy: Proxy, tmp_path: Path, capsys: Captured
) -> None:
    thumbprint = json.loads(proxy.says(FAQ)[1])["thumbprint"]

    def withdraw(jwks: Any) -> None:
        (key,) = jwks["keys"]
        jwks["keys"] = [{**key, "kid": "quillmere-2020-01", "x": OTHER_X}]
        named = {"kid": key["kid"], "thumbprint": thumbprint, "revokedAt": "2026-11-21T00:00:00Z"}
        jwks["revoked"] = [named] if why == "is revoked" else []

    proxy.changes[KEY_SET] = edited(withdraw)
    assert command(tmp_path, "verify", proxy.address, "--quiet") == 1
    _check(capsys, "/api/manifest.sig", f"the key {{kid}} {why}", proxy)


@pytest.mark.parametrize("path", ASKED)
def test_an_answer_of_500_is_told_where_it_is(
    path: str, proxy: Proxy, tmp_path: Path, capsys: Captured
) -> None:
    proxy.changes[path] = lambda _: (500, b"{}")
    assert command(tmp_path, "verify", proxy.address, "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["ok"], told["wrong"]) == (False, {"where": path, "why": "answers 500"})


def _check(capsys: Captured, where: str, why: str, proxy: Proxy) -> None:
    out, err = capsys.readouterr()
    kid = json.loads(proxy.kept[KEY_SET][1])["keys"][0]["kid"]
    assert (err, out.count("\n")) == ("", 1)
    where = "/api/manifest.sig" if where == MANIFEST else where
    assert out.startswith(f"WRONG  {where}: {why.format(kid=kid, address=proxy.address)}")
