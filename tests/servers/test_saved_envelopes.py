"""docs/verify.py and docs/verify.mjs on envelopes that were saved: one change, one line says it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from outside_reader import KEY_SET, SNAPSHOT, studio_in
from running_server import running
from verifier_scripts import apart, both, wrong

Edit = Callable[[Any], object]

SAVED = {
    "faq.json": f"{SNAPSHOT}?section=faq",
    "manifest.json": "/api/manifest.sig",
    "changelog.json": "/api/changelog.sig",
    "jwks.json": KEY_SET,
}
OTHER_X = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"  # RFC 8037 A.2
OTHER_PRINT = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"  # RFC 8037 A.3
MEMBERS = "canonicalizationProfile payload publicJwk signature signedAt thumbprint verificationHint"
BOUND = MEMBERS.replace("publicJwk", "publicJwk rollupHash")
KEY = "alg crv kid kty use x"


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    with running(studio_in(tmp_path_factory.mktemp("answers"))) as web:
        return {name: web.get(path).body for name, path in SAVED.items()}


@pytest.fixture
def saved(answers: dict[str, bytes], tmp_path: Path) -> Path:
    """A folder with three envelopes and the key set."""
    for name, body in answers.items():
        (tmp_path / name).write_bytes(body)
    return tmp_path


def rewrite(file: Path, edit: Edit) -> None:
    """Change the JSON in a file."""
    document = json.loads(file.read_bytes())
    edit(document)
    file.write_text(json.dumps(document))


@pytest.mark.parametrize("name", [name for name in SAVED if name != "jwks.json"])
def test_a_saved_envelope_holds_by_a_key_set_and_by_its_own_key(saved: Path, name: str) -> None:
    kid = json.loads((saved / name).read_bytes())["publicJwk"]["kid"]
    assert both(saved / name, saved / "jwks.json") == (0, ["ok  jwks.json", f"ok  {name}  {kid}"])
    assert both(saved / name) == (0, [f"ok  {name}  {kid}"])


def test_the_programs_end_with_1_if_an_envelope_is_wrong(saved: Path) -> None:
    rewrite(saved / "faq.json", lambda e: e.update(signature=flip(e["signature"])))
    line = f"WRONG  {saved}/faq.json: signature does not verify\n"
    assert set(apart(saved / "faq.json")) == {(1, line, "")}


def flip(text: str) -> str:
    """The text with another letter in its middle."""
    middle = len(text) // 2
    return f"{text[:middle]}{'B' if text[middle] == 'A' else 'A'}{text[middle + 1 :]}"


def swap(name: str, how: Callable[[str], object]) -> Edit:
    """The edit that changes one member."""
    return lambda document: document.update({name: how(document[name])})


def put(*names: str | int, value: object) -> Edit:
    """The edit that sets a member, however deep."""

    def edit(document: Any) -> None:
        for name in names[:-1]:
            document = document[name]
        document[names[-1]] = value

    return edit


ENVELOPE_EDITS: dict[str, list[Edit]] = {
    "signature does not verify": [
        lambda e: e["payload"]["data"][0].update(a="Yes."),
        put("payload", "section", value="projects"),
        put("payload", "new", value=1),
        swap("signature", flip),
    ],
    "wrong signature": [
        swap("signature", lambda text: text[:-1]),
        swap("signature", lambda text: f"{text}=="),
        swap("signature", lambda text: f"{text[:-1]}{chr(ord(text[-1]) + 1)}"),
        swap("signature", lambda text: f"+{text[1:]}"),
        put("signature", value=None),
    ],
    "wrong thumbprint": [swap("thumbprint", flip), put("thumbprint", value=5)],
    "wrong canonicalizationProfile": [put("canonicalizationProfile", value="jcs")],
    "wrong signedAt": [
        *(
            put("signedAt", value=f"2026-11-21T17:51:33{zone}")
            for zone in ("", "+00:00", ".5Z", "z")
        ),
        *(put("signedAt", value=f"2026-{date}Z") for date in ("13-01T00:00:00", "11-21T24:00:00")),
        put("signedAt", value=5),
    ],
    "wrong verificationHint": [put("verificationHint", value=5), put("verificationHint", value="")],
    "wrong rollupHash": [swap("rollupHash", flip), put("payload", "rollupHash", value="sha256:")],
    "wrong payload": [
        lambda e: (e.pop("rollupHash"), e.update(payload=[])),
        lambda e: (e.pop("rollupHash"), e.update(payload=None)),
    ],
    "malformed": [
        lambda e: e.pop("payload"),
        lambda e: e.pop("publicJwk"),
        put("publicJwk", value=5),
    ],
    f"members must be {BOUND}": [
        lambda e: e.pop("signature"),
        lambda e: e.pop("rollupHash"),
        put("new", value=1),
    ],
    f"members must be {MEMBERS}": [lambda e: e["payload"].pop("section")],
    "key is not in the key set": [put("publicJwk", "kid", value="quillmere-2020-01")],
    "wrong publicJwk": [
        put("publicJwk", "x", value=OTHER_X),
        put("publicJwk", "d", value=OTHER_X),
        put("publicJwk", "alg", value="none"),
    ],
}


@pytest.mark.parametrize(
    ("reason", "edit"),
    [(reason, edit) for reason, edits in ENVELOPE_EDITS.items() for edit in edits],
)
def test_a_changed_envelope_is_wrong(saved: Path, reason: str, edit: Edit) -> None:
    rewrite(saved / "faq.json", edit)
    line = wrong(saved / "faq.json", saved / "jwks.json")
    assert line == f"WRONG  {saved}/faq.json: {reason}"


def gone(**members: str) -> dict[str, str]:
    """What a key set says of a revoked key."""
    since = "2026-11-01T00:00:00Z"
    return {"kid": "a-2025-01", "thumbprint": OTHER_PRINT, "revokedAt": since, **members}


KEY_EDITS: dict[str, list[Edit]] = {
    "wrong kty": [put("keys", 0, "kty", value="EC")],
    "wrong crv": [put("keys", 0, "crv", value="X25519")],
    "wrong use": [put("keys", 0, "use", value="enc")],
    "wrong alg": [put("keys", 0, "alg", value="Ed25519")],
    "wrong x": [
        put("keys", 0, "x", value=f"{OTHER_X}="),
        put("keys", 0, "x", value=OTHER_X[:-1]),
        put("keys", 0, "x", value=f"{OTHER_X[:-1]}p"),
        put("keys", 0, "x", value=[OTHER_X]),
    ],
    "wrong kid": [
        put("keys", 0, "kid", value=kid)
        for kid in (
            "quillmere",
            "quillmere-2026-13",
            "quillmere-2026-11-1",
            "-2026-1",
            ["a-2026-01"],
        )
    ],
    f"members must be {KEY}": [
        put("keys", 0, "d", value=OTHER_X),
        lambda s: s["keys"][0].pop("use"),
        put("keys", 0, value=5),
    ],
    "a key is listed twice or is revoked": [
        lambda s: s["keys"].append(s["keys"][0]),
        lambda s: s["revoked"].append(gone(kid=s["keys"][0]["kid"])),
        lambda s: (s["keys"][0].update(x=OTHER_X), s.update(revoked=[gone()])),
    ],
    "members must be kid revokedAt thumbprint": [put("revoked", value=[{}])],
    "wrong revokedAt": [put("revoked", value=[gone(revokedAt="2026-11-01")])],
    "members must be keys revoked": [lambda s: s.pop("revoked"), put("next", value=[])],
    "wrong keys": [put("keys", value={})],
}


@pytest.mark.parametrize(
    ("reason", "edit"), [(reason, edit) for reason, edits in KEY_EDITS.items() for edit in edits]
)
def test_a_wrong_key_set_is_named_before_the_envelope(saved: Path, reason: str, edit: Edit) -> None:
    rewrite(saved / "jwks.json", edit)
    line = wrong(saved / "faq.json", saved / "jwks.json")
    assert line == f"WRONG  {saved}/jwks.json: {reason}"


def test_an_empty_key_set_is_no_reason_to_trust_the_envelopes_own_key(saved: Path) -> None:
    rewrite(saved / "jwks.json", lambda s: s["keys"].clear())
    line = wrong(saved / "faq.json", saved / "jwks.json")
    assert line == f"WRONG  {saved}/faq.json: key is not in the key set"


def test_a_revoked_key_signs_nothing(saved: Path) -> None:
    kid = json.loads((saved / "jwks.json").read_bytes())["keys"][0]["kid"]
    rewrite(saved / "jwks.json", lambda s: s.update(keys=[], revoked=[gone(kid=kid)]))
    assert (
        wrong(saved / "faq.json", saved / "jwks.json") == f"WRONG  {saved}/faq.json: key is revoked"
    )


RAW_EDITS: dict[str, list[Callable[[bytes], bytes]]] = {
    "a repeated key": [lambda body: body.replace(b'"a":', b'"a":"No.","a":', 1)],
    "a number is no safe integer": [
        lambda body: body.replace(b'"treeSize":40', b'"treeSize":40.0')
    ],
    "a lone surrogate": [lambda body: body.replace(b'"a":"', b'"a":"\\ud800', 1)],
    "malformed": [
        *(lambda body: body[:-1], lambda body: b"\xef\xbb\xbf" + body, lambda _: b""),
        *(lambda body: body.replace(b'"a":"', b'"a":"\xff', 1), lambda body: b"[" + body + b"]"),
    ],
}


@pytest.mark.parametrize(
    ("reason", "edit"), [(reason, edit) for reason, edits in RAW_EDITS.items() for edit in edits]
)
def test_an_envelope_that_could_be_read_in_two_ways_is_wrong(
    saved: Path, reason: str, edit: Callable[[bytes], bytes]
) -> None:
    file = saved / "faq.json"
    file.write_bytes(edit(file.read_bytes()))
    assert wrong(file, saved / "jwks.json") == f"WRONG  {file}: {reason}"
