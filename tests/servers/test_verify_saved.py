"""`studiograph verify FILE`: a saved envelope, by its own key or by a saved key set."""

import json
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

import orjson
import pytest
from local_service import asking
from outside_reader import ENVELOPES, KEY_SET, command, studio_in
from tampering import edited

from sdl.runner import Operations
from studiograph.asgi import build
from studiograph.settings import Settings

Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory, operations: Operations) -> Path:
    """A folder of what a service said: each envelope, and its keys now and after a revocation."""
    content = studio_in(tmp_path_factory.mktemp("saved"))
    settings = Settings(content=content, data=content.parent / "var")
    folder = content.parent / "said"
    folder.mkdir()
    ask = asking(build(settings, operations=operations))
    for number, path in enumerate(ENVELOPES):
        (folder / f"{number}.json").write_bytes(ask(path).content)
    (folder / "keys.json").write_bytes(ask(KEY_SET).content)
    (key,) = json.loads((folder / "keys.json").read_bytes())["keys"]
    assert command(content.parent, "keys", "revoke", key["kid"]) == 0
    later = asking(build(settings, operations=operations))(KEY_SET).content
    (folder / "later.json").write_bytes(later)
    return folder


@pytest.fixture
def place(saved: Path, tmp_path: Path) -> Path:
    """A copy of that folder."""
    copytree(saved, tmp_path / "said")
    return tmp_path / "said"


@pytest.mark.parametrize("number", range(len(ENVELOPES)))
def test_a_saved_envelope_is_checked_by_its_own_key_or_by_saved_ones(
    number: int, saved: Path, capsys: Captured
) -> None:
    name = f"{number}.json"
    envelope = json.loads((saved / name).read_bytes())
    kid, signed_at = envelope["publicJwk"]["kid"], envelope["signedAt"]
    said = f"ok     {name}: signed by {kid} at {signed_at}; the key is"
    print_of = f"ok     {name}: thumbprint {envelope['thumbprint']}"
    assert command(saved, "verify", name) == 0
    own = "its own: compare the thumbprint, or use --keys"
    assert capsys.readouterr().out.splitlines() == [f"{said} {own}", print_of]
    assert command(saved, "verify", name, "--keys", "keys.json") == 0
    assert capsys.readouterr().out.splitlines() == [f"{said} published in keys.json", print_of]


def test_a_saved_envelope_whose_key_was_revoked_since_is_refused(
    saved: Path, capsys: Captured
) -> None:
    kid = json.loads((saved / "0.json").read_bytes())["publicJwk"]["kid"]
    assert command(saved, "verify", "0.json", "--keys", "later.json") == 1
    assert capsys.readouterr() == (f"WRONG  0.json: the key {kid} is revoked\n", "")


def test_a_saved_envelope_is_told_as_json_or_not_at_all(saved: Path, capsys: Captured) -> None:
    assert command(saved, "verify", "0.json", "--quiet") == 0
    assert capsys.readouterr() == ("", "")
    assert command(saved, "verify", "0.json", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["ok"], len(told["holds"]), told["wrong"]) == (True, 2, None)
    assert command(saved, "verify", "0.json", "--keys", "later.json", "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["ok"], told["holds"], told["wrong"]["where"]) == (False, [], "0.json")


EDITS: dict[str, tuple[Callable[[Any], object], str]] = {
    "payload": (lambda e: e["payload"].update(more=1), "the signature does not verify"),
    "kid": (lambda e: e["publicJwk"].update(kid="a-2026-01"), "the key a-2026-01 is not published"),
    "key": (lambda e: e["publicJwk"].update(x="A" * 43), " is not published"),
    "secret": (lambda e: e["publicJwk"].update(d="A" * 43), "is not a valid envelope"),
    "thumbprint": (
        lambda e: e.update(thumbprint="A" * 43),
        "thumbprint is not that of the key in publicJwk",
    ),
    "no signature": (lambda e: e.pop("signature"), "an envelope must have exactly the members"),
    "a list for a key": (lambda e: e.update(publicJwk=[]), "is not a valid envelope"),
    "a number for a signature": (lambda e: e.update(signature=1), "is not a valid envelope"),
    "a date without a zone": (lambda e: e.update(signedAt="2026-11-21T10:00:00"), "signedAt"),
}


@pytest.mark.parametrize("name", EDITS)
def test_a_saved_envelope_that_was_edited_is_told_in_one_line(
    name: str, place: Path, capsys: Captured
) -> None:
    edit, why = EDITS[name]
    file = place / "5.json"
    file.write_bytes(edited(edit)(file.read_bytes()))
    assert command(place, "verify", "5.json", "--keys", "keys.json") == 1
    out, err = capsys.readouterr()
    assert (err, out.count("\n")) == ("", 1)
    assert out.startswith("WRONG  5.json: ")
    assert why in out


ODD = {
    "empty": b"",
    "no object": b"[]",
    "null": b"null",
    "no JSON": b"{",
    "no text": b"\xff\xfe\x00",
    "a key twice": b'{"payload": 1, "payload": 2}',
    "no end": b"[" * 200_000,
    "a number of 5000 digits": b'{"payload": ' + b"9" * 5000 + b"}",
    "no number": b'{"payload": NaN}',
}


@pytest.mark.parametrize("name", ODD)
def test_a_file_that_is_no_envelope_is_told_in_one_line(
    name: str, tmp_path: Path, capsys: Captured
) -> None:
    (tmp_path / "odd.json").write_bytes(ODD[name])
    assert command(tmp_path, "verify", "odd.json") == 1
    out, err = capsys.readouterr()
    assert (err, out.count("\n"), out[:17]) == ("", 1, "WRONG  odd.json: ")


@pytest.mark.parametrize("name", ODD)
def test_a_file_that_is_no_key_set_is_told_in_one_line(
    name: str, place: Path, capsys: Captured
) -> None:
    (place / "odd.json").write_bytes(ODD[name])
    assert command(place, "verify", "0.json", "--keys", "odd.json") == 1
    out, err = capsys.readouterr()
    assert (err, out.count("\n"), out[:17]) == ("", 1, "WRONG  odd.json: ")


@pytest.mark.parametrize("words", [["gone.json"], ["0.json", "--keys", "gone.json"], ["."]])
def test_a_file_that_cannot_be_read_is_named(
    words: list[str], saved: Path, capsys: Captured
) -> None:
    assert command(saved, "verify", *words) == 1
    out, err = capsys.readouterr()
    assert (err, out.count("\n")) == ("", 1)
    assert out.startswith(("WRONG  gone.json: No such file", "WRONG  .: Is a directory"))


def test_a_problem_document_is_no_envelope(place: Path, capsys: Captured) -> None:
    (place / "odd.json").write_bytes(orjson.dumps({"ok": False, "error": "unknown_section"}))
    assert command(place, "verify", "odd.json") == 1
    assert capsys.readouterr().out.startswith(
        "WRONG  odd.json: an envelope must have exactly the members"
    )
