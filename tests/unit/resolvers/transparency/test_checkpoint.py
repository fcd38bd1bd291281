"""Checkpoints: their form, read by a second reader."""

import re
from base64 import b64decode
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from nacl.signing import SigningKey
from vectors import cases, named

from resolvers.signing.keys import Key
from resolvers.transparency.checkpoint import Checkpoint, signed_note, verifier_key

ORIGIN = "studio.example/changelog"
DASH = "\N{EM DASH}"


def key(number: int) -> Key:
    signing = SigningKey(bytes([number]) * 32)
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    return Key(f"studio-2026-01-{number}", bytes(signing.verify_key), moment, bytes(signing))


KEY, OTHER = key(1), key(2)
CHECKPOINT = Checkpoint(ORIGIN, 37, sha256(b"head").digest())
NOTE = signed_note(CHECKPOINT, KEY)


@dataclass(frozen=True)
class Verifier:
    """A reader of signed notes, written from C2SP's signed-note alone."""

    name: str
    key_id: bytes
    key: bytes

    @classmethod
    def of(cls, text: str) -> "Verifier":
        """The one that a verifier key describes."""
        found = re.fullmatch(r"([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)", text)
        assert found, text
        data = b64decode(found[3], validate=True)
        assert (len(data), data[0]) == (33, 1)
        assert sha256(found[1].encode() + b"\n" + data).digest()[:4].hex() == found[2]
        return cls(found[1], bytes.fromhex(found[2]), data[1:])

    def opened(self, note: str) -> str:
        """The text this key signed."""
        text, _, marks = note.rpartition("\n\n")
        assert marks.endswith("\n")
        for line in marks[:-1].split("\n"):
            found = re.fullmatch(rf"{DASH} ([^+\s]+) ([A-Za-z0-9+/]+=*)", line)
            assert found, line
            data = b64decode(found[2], validate=True)
            if (found[1], data[:4]) == (self.name, self.key_id):
                Ed25519PublicKey.from_public_bytes(self.key).verify(data[4:], f"{text}\n".encode())
                return f"{text}\n"
        raise AssertionError(note)


@pytest.mark.parametrize("case", cases("ed25519/signed-note"), ids=named)
def test_known_verifier_keys_are_written_as_they_are_known(case: dict[str, str]) -> None:
    verifier = Verifier.of(case["verifierKey"])
    assert verifier_key(verifier.name, verifier.key) == case["verifierKey"]
    if "note" in case:
        assert verifier.opened(case["note"]).startswith("If you think cryptography is the answer")


def test_a_checkpoint_has_its_origin_its_size_its_head_and_one_signature() -> None:
    origin, size, head, empty, mark, end = NOTE.split("\n")
    assert (origin, size, empty, end) == (ORIGIN, "37", "", "")
    assert b64decode(head, validate=True) == CHECKPOINT.head
    dash, name, signature = mark.split(" ")
    assert (dash, name) == (DASH, ORIGIN)
    data = b64decode(signature, validate=True)
    assert data[:4] == sha256(f"{ORIGIN}\n".encode() + b"\x01" + KEY.x).digest()[:4]
    assert data[4:] == KEY.sign(f"{ORIGIN}\n37\n{head}\n".encode())
    assert len(data) == 68


@pytest.mark.parametrize("size", [0, 1, 10, 2**31 - 1, 2**63])
@pytest.mark.parametrize("origin", [ORIGIN, "a", "studio.example/changelog/2", "stüdio.example"])
@pytest.mark.parametrize("signer", [KEY, OTHER], ids=["one", "other"])
def test_a_second_reader_opens_every_checkpoint(size: int, origin: str, signer: Key) -> None:
    checkpoint = Checkpoint(origin, size, sha256(origin.encode()).digest())
    note = signed_note(checkpoint, signer)
    verifier = Verifier.of(verifier_key(origin, signer.x))
    assert verifier.opened(note) == checkpoint.text


def test_a_checkpoint_is_signed_the_same_every_time() -> None:
    assert signed_note(CHECKPOINT, KEY) == NOTE
