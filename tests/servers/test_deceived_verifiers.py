"""docs/verify.py and docs/verify.mjs on a service that deceives: the first wrong thing is named."""

from base64 import b64encode
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from outside_reader import ENVELOPES, KEY_SET, SNAPSHOT, studio_in
from running_server import running
from tampering import TORN, Forger, Proxy, Said, edited, tampering
from verifier_scripts import NODE, both, wrong

MANIFEST, SIGNED, CHANGELOG = "/api/manifest", "/api/manifest.sig", "/api/changelog.sig"
FAQ, DOMAINS = f"{SNAPSHOT}?section=faq", f"{SNAPSHOT}?section=domains"
CHECKPOINT, FIRST, LAST = "/api/log/checkpoint", "/api/log/proof?index=0", "/api/log/proof?index=39"
ASKED = (KEY_SET, MANIFEST, *ENVELOPES, SNAPSHOT, CHECKPOINT, FIRST, LAST)
OTHER_X = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
VERIFIERS = 2 if NODE else 1
OTHER_KEY = Ed25519PrivateKey.from_private_bytes(bytes(32))

Edit = Callable[[Any], object]
Change = Callable[[bytes], "bytes | Said"]


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("deceived")


@pytest.fixture(scope="module")
def answers(studio: Path) -> dict[str, Said]:
    """What the real service says."""
    with running(studio_in(studio)) as web:
        said = {path: web.get(path) for path in ASKED}
    return {path: (one.status, one.body) for path, one in said.items()}


@pytest.fixture(scope="module")
def relay(answers: dict[str, Said]) -> Iterator[Proxy]:
    with tampering(answers.__getitem__) as proxy:
        yield proxy


@pytest.fixture
def proxy(relay: Proxy, answers: dict[str, Said]) -> Proxy:
    """A proxy that passes everything on."""
    relay.reset(answers.__getitem__)
    return relay


@pytest.fixture
def forger(studio: Path, proxy: Proxy) -> Forger:
    """Somebody who has the key of the service."""
    assert proxy.address
    return Forger.of(studio)


def flip(text: str) -> str:
    """The text with another letter in its middle."""
    middle = len(text) // 2
    return f"{text[:middle]}{'b' if text[middle] == 'a' else 'a'}{text[middle + 1 :]}"


def swap(name: str, how: Callable[[Any], object] = flip) -> Edit:
    """The edit of one member."""
    return lambda document: document.update({name: how(document[name])})


def signature(note: bytes, how: Callable[[str], str]) -> bytes:
    """The checkpoint with another spelling of its signature."""
    text, _, blob = note.decode().rpartition(" ")
    return f"{text} {how(blob[:-1])}\n".encode()


def test_a_service_that_is_passed_on_unchanged_holds(proxy: Proxy) -> None:
    assert both(proxy.address)[0] == 0
    assert set(proxy.heard) == set(ASKED)


UNSIGNED, STRANGE = "signature does not verify", "key is not in the key set"
NO_HEAD, NOT_ALL = "is not the head of the log", "does not list its parts"
LARGE = b'{"payload": "' + b"a" * 2**24 + b'"}'

ANSWERS: list[tuple[str, Change, str]] = [
    (KEY_SET, lambda _: (404, b""), "status 404 instead of 200"),
    (KEY_SET, lambda _: b"<!doctype html>", "malformed"),
    (SIGNED, lambda _: (302, b""), "status 302 instead of 200"),
    (SIGNED, lambda _: b"", "malformed"),
    (SIGNED, lambda body: (TORN, body), "no response"),
    (SIGNED, lambda _: LARGE, "more than 16 MiB"),
    (MANIFEST, lambda body: body.replace(b"{", b'{"faq":[],', 1), "a repeated key"),
    (SNAPSHOT, lambda body: (200, body), "status 200 instead of 400"),
    (FAQ, lambda _: (503, b"{}"), "status 503 instead of 200"),
    (CHECKPOINT, lambda note: note.replace(b"\n40\n", b"\n39\n"), NO_HEAD),
    (CHECKPOINT, lambda note: note.replace(b"\n40\n", b"\n040\n"), NO_HEAD),
    (CHECKPOINT, lambda note: note.split(b"\n\n")[0], NO_HEAD),
    (CHECKPOINT, lambda note: note[:-1], STRANGE),
    (CHECKPOINT, lambda note: note.replace(b"\n\xe2\x80\x94 ", b"\n\xe2\x80\x94 a"), STRANGE),
    (CHECKPOINT, lambda note: signature(note, lambda text: f"{text[:-2]}B="), STRANGE),
    (CHECKPOINT, lambda note: signature(note, lambda text: text.rstrip("=")), STRANGE),
    (CHECKPOINT, lambda note: signature(note, flip), UNSIGNED),
    (LAST, lambda _: (404, b"{}"), "status 404 instead of 200"),
]


@pytest.mark.parametrize(("path", "change", "reason"), ANSWERS)
def test_a_wrong_answer_is_named(proxy: Proxy, path: str, change: Change, reason: str) -> None:
    proxy.changes[path] = change
    assert wrong(proxy.address) == f"WRONG  {path}: {reason}"


EDITS: list[tuple[str, Edit, str]] = [
    (KEY_SET, lambda s: s["keys"][0].update(d=OTHER_X), "members must be alg crv kid kty use x"),
    (SIGNED, swap("signature"), UNSIGNED),
    (SIGNED, lambda e: e["payload"]["studio"].update(tagline="Another."), UNSIGNED),
    (MANIFEST, lambda m: m["studio"].update(tagline="Another."), "wrong studio"),
    (MANIFEST, lambda m: m["changelog"].pop(), "wrong changelog"),
    (MANIFEST, swap("revision"), "wrong revision"),
    (MANIFEST, swap("rollupHash"), "wrong rollupHash"),
    (CHANGELOG, lambda e: e["payload"]["entries"].pop(), UNSIGNED),
    (SNAPSHOT, lambda p: p["fields"][0]["allowed"].pop(), NOT_ALL),
    (SNAPSHOT, lambda p: p["fields"].clear(), "malformed"),
    (FAQ, lambda e: e["payload"]["data"][0].update(a="Yes."), UNSIGNED),
    (FAQ, swap("thumbprint"), "wrong thumbprint"),
    *((FIRST, swap(name), f"wrong {name}") for name in ("origin", "entry", "leafHash")),
    (FIRST, swap("path", lambda path: path[1:]), "wrong path"),
    (FIRST, swap("path", lambda path: [*path, path[0]]), "wrong path"),
    (FIRST, swap("path", lambda path: path[::-1]), "wrong path"),
    (FIRST, swap("treeSize", lambda size: size + 1), "wrong treeSize"),
    (FIRST, swap("rollupHash"), "wrong rollupHash"),
    (LAST, swap("index", lambda index: index - 1), "wrong index"),
    (LAST, swap("path", lambda path: [flip(path[0]), *path[1:]]), "wrong path"),
]


@pytest.mark.parametrize(("path", "edit", "reason"), EDITS)
def test_a_changed_member_is_named(proxy: Proxy, path: str, edit: Edit, reason: str) -> None:
    proxy.changes[path] = edited(edit)
    assert wrong(proxy.address) == f"WRONG  {path}: {reason}"


KEYS: list[tuple[Edit, str]] = [
    (lambda s: s["keys"].clear(), STRANGE),
    (lambda s: s["keys"][0].update(kid="quillmere-2020-01"), STRANGE),
    (lambda s: s["keys"][0].update(x=OTHER_X), "wrong publicJwk"),
    (
        lambda s: s["revoked"].append(
            {
                "kid": s["keys"].pop()["kid"],
                "thumbprint": OTHER_X,
                "revokedAt": "2026-11-01T00:00:00Z",
            }
        ),
        "key is revoked",
    ),
]


@pytest.mark.parametrize(("edit", "reason"), KEYS)
def test_what_the_key_set_does_not_hold_signs_nothing(
    proxy: Proxy, edit: Edit, reason: str
) -> None:
    proxy.changes[KEY_SET] = edited(edit)
    assert wrong(proxy.address) == f"WRONG  {SIGNED}: {reason}"


@pytest.mark.parametrize(
    ("path", "other", "reason"),
    [
        (SIGNED, FAQ, "malformed"),
        (SIGNED, CHANGELOG, "malformed"),
        (CHANGELOG, SIGNED, "members must be entries rollupHash treeSize"),
        (FAQ, DOMAINS, "wrong data"),
        (LAST, FIRST, "wrong entry"),
    ],
)
def test_an_answer_in_the_place_of_another_is_named(
    proxy: Proxy, answers: dict[str, Said], path: str, other: str, reason: str
) -> None:
    proxy.changes[path] = lambda _: answers[other]
    assert wrong(proxy.address) == f"WRONG  {path}: {reason}"


FORGED: list[tuple[str, Edit, str]] = [
    (SIGNED, swap("revision", lambda _: "\x1b[2K\nok"), f"{SIGNED}: wrong revision"),
    (SIGNED, swap("revision"), f"{MANIFEST}: wrong revision"),
    (SIGNED, swap("changelog", lambda entries: entries[1:]), f"{MANIFEST}: wrong changelog"),
    (CHANGELOG, swap("entries", lambda entries: entries[1:]), f"{CHANGELOG}: wrong entries"),
    (CHANGELOG, swap("rollupHash"), f"{CHANGELOG}: wrong rollupHash"),
    (CHANGELOG, swap("treeSize", lambda size: size - 1), f"{CHANGELOG}: wrong treeSize"),
    (FAQ, swap("data", lambda data: data[1:]), f"{FAQ}: wrong data"),
    (FAQ, swap("section", lambda _: "domains"), f"{FAQ}: wrong section"),
    (FAQ, swap("revision"), f"{FAQ}: wrong revision"),
    (FAQ, swap("treeSize", str), f"{FAQ}: wrong treeSize"),
    (FAQ, swap("rollupHash"), f"{FAQ}: wrong rollupHash"),
]


def forged(forger: Forger, edit: Edit) -> Change:
    """The change of a payload that is well signed again."""

    def change(body: bytes) -> bytes:
        envelope = orjson.loads(body)
        edit(envelope["payload"])
        return forger.signed(envelope)

    return change


@pytest.mark.parametrize(("path", "edit", "line"), FORGED)
def test_what_is_well_signed_must_fit_the_rest(
    proxy: Proxy, forger: Forger, path: str, edit: Edit, line: str
) -> None:
    proxy.changes[path] = forged(forger, edit)
    assert wrong(proxy.address) == f"WRONG  {line}"


def test_the_head_is_made_again_of_the_entries(proxy: Proxy, forger: Forger) -> None:
    proxy.changes[SIGNED] = forged(forger, swap("rollupHash"))
    proxy.changes[MANIFEST] = edited(swap("rollupHash"))
    assert wrong(proxy.address) == f"WRONG  {MANIFEST}: wrong rollupHash"


def test_a_signed_checkpoint_of_another_head_is_named(proxy: Proxy, forger: Forger) -> None:
    proxy.changes[CHECKPOINT] = lambda note: forger.note(note, bytes(32))
    assert wrong(proxy.address) == f"WRONG  {CHECKPOINT}: {NO_HEAD}"


def countersigned(note: bytes, name: str) -> bytes:
    """A signature line of somebody else."""
    text = note.partition(b"\n\n")[0] + b"\n"
    key_id = sha256(name.encode() + b"\n\x01" + OTHER_KEY.public_key().public_bytes_raw()).digest()
    return f"\N{EM DASH} {name} {b64encode(key_id[:4] + OTHER_KEY.sign(text)).decode()}\n".encode()


def test_signatures_of_others_on_a_checkpoint_count_for_nothing(proxy: Proxy) -> None:
    def surrounded(note: bytes) -> bytes:
        text, _, mine = note.partition(b"\n\n")
        origin = note.split(b"\n")[0].decode()
        others = countersigned(note, origin) + countersigned(note, "witness.example")
        return text + b"\n\n" + others + mine + countersigned(note, origin)

    proxy.changes[CHECKPOINT] = surrounded
    assert both(proxy.address)[0] == 0
    proxy.changes[CHECKPOINT] = lambda note: (
        note.partition(b"\n\n")[0] + b"\n\n" + countersigned(note, note.split(b"\n")[0].decode())
    )
    assert wrong(proxy.address) == f"WRONG  {CHECKPOINT}: {STRANGE}"


def test_what_changed_while_it_was_read_is_read_again(proxy: Proxy, forger: Forger) -> None:
    older = swap("revision", lambda _: f"sha256:{'0' * 64}")
    first = orjson.loads(proxy.source(SNAPSHOT)[1])["fields"][0]["allowed"][0]
    section = f"{SNAPSHOT}?section={first}"

    def until_a_section_was_asked(change: Change) -> Change:
        return lambda body: body if section in proxy.heard else change(body)

    proxy.changes[SIGNED] = until_a_section_was_asked(forged(forger, older))
    proxy.changes[MANIFEST] = until_a_section_was_asked(edited(older))
    code, lines = both(proxy.address)
    assert code == 0
    assert len(lines) == len(set(lines))
    assert proxy.heard.count(KEY_SET) > VERIFIERS


def test_what_changes_all_the_time_is_read_four_times(proxy: Proxy) -> None:
    proxy.changes[MANIFEST] = edited(swap("revision", lambda _: f"sha256:{len(proxy.heard):064x}"))
    assert wrong(proxy.address) == f"WRONG  {MANIFEST}: wrong revision"
    assert proxy.heard.count(KEY_SET) == 4 * VERIFIERS


def test_what_is_wrong_and_does_not_change_is_read_once(proxy: Proxy) -> None:
    proxy.changes[FAQ] = edited(swap("signature"))
    assert wrong(proxy.address) == f"WRONG  {FAQ}: {UNSIGNED}"
    assert proxy.heard.count(KEY_SET) == VERIFIERS
