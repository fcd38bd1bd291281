"""Checkpoints: their form, read by a second reader, and what a damaged one is refused for."""

import re
from base64 import b64decode, b64encode
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from nacl.signing import SigningKey
from vectors import cases, named

from resolvers.signing.keys import Key, ProofError
from resolvers.transparency.checkpoint import Checkpoint, read_note, signed_note, verifier_key

ORIGIN = "studio.example/changelog"
DASH = "\N{EM DASH}"
BOGUS = b64encode(bytes(68)).decode()


def key(number: int) -> Key:
    signing = SigningKey(bytes([number]) * 32)
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    return Key(f"studio-2026-01-{number}", bytes(signing.verify_key), moment, bytes(signing))


KEY, OTHER = key(1), key(2)
CHECKPOINT = Checkpoint(ORIGIN, 37, sha256(b"head").digest())
NOTE = signed_note(CHECKPOINT, KEY)
MARK = NOTE.splitlines()[-1]


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
    assert read_note(note, (signer.x,)) == checkpoint


def test_a_checkpoint_is_signed_the_same_every_time() -> None:
    assert signed_note(CHECKPOINT, KEY) == NOTE


def test_one_of_several_keys_is_enough_wherever_it_stands() -> None:
    assert read_note(NOTE, (OTHER.x, KEY.x)) == read_note(NOTE, (KEY.x, OTHER.x)) == CHECKPOINT


@pytest.mark.parametrize("first", [True, False])
def test_signatures_of_unknown_keys_are_passed_over(first: bool) -> None:  # noqa: FBT001 - a case
    theirs = signed_note(CHECKPOINT, OTHER).splitlines()[-1]
    witness = f"{DASH} witness.example {BOGUS}"
    marks = [theirs, witness, MARK] if first else [MARK, theirs, witness]
    note = NOTE.replace(MARK, "\n".join(marks))
    assert read_note(note, (KEY.x,)) == CHECKPOINT


@pytest.mark.parametrize("keys", [(), (OTHER.x,), (bytes(32),), (b"",)])
def test_a_checkpoint_that_no_key_of_ours_signed_is_refused(keys: tuple[bytes, ...]) -> None:
    with pytest.raises(ProofError, match="no key of the key set has signed"):
        read_note(NOTE, keys)


def resigned(text: str) -> str:
    """A text of any form that our key has signed."""
    return f"{text}\n{DASH} {ORIGIN} {_mark(KEY.sign(text.encode()))}\n"


def _mark(signature: bytes, signer: Key = KEY, name: str = ORIGIN) -> str:
    key_id = sha256(f"{name}\n".encode() + b"\x01" + signer.x).digest()[:4]
    return b64encode(key_id + signature).decode()


HEAD = b64encode(CHECKPOINT.head).decode()
SIGNATURE = KEY.sign(CHECKPOINT.text.encode())

EARLIER = signed_note(Checkpoint(ORIGIN, 36, CHECKPOINT.head), KEY).splitlines()[-1]

DAMAGED: dict[str, str] = {
    "nothing": "",
    "only line ends": "\n\n",
    "no signature": f"{CHECKPOINT.text}\n",
    "no empty line": NOTE.replace("\n\n", "\n"),
    "two empty lines": NOTE.replace("\n\n", "\n\n\n"),
    "an empty line at the head": f"\n{NOTE}",
    "another origin": NOTE.replace(ORIGIN, "studio.example/other", 1),
    "another origin everywhere": NOTE.replace(ORIGIN, "studio.example/other"),
    "another name in the signature": NOTE.replace(f"{DASH} {ORIGIN}", f"{DASH} other.example"),
    "another size": NOTE.replace("\n37\n", "\n38\n"),
    "another head": NOTE.replace(HEAD, b64encode(bytes(32)).decode()),
    "a head of zero bytes": NOTE.replace(HEAD, ""),
    "size and head swapped": NOTE.replace(f"37\n{HEAD}", f"{HEAD}\n37"),
    "a line dropped": NOTE.replace("37\n", "", 1),
    "a line added": NOTE.replace(f"{HEAD}\n", f"{HEAD}\nmore\n"),
    "an extension line, signed": resigned(f"{CHECKPOINT.text}more\n"),
    "a leading zero, signed": resigned(f"{ORIGIN}\n037\n{HEAD}\n"),
    "a sign, signed": resigned(f"{ORIGIN}\n+37\n{HEAD}\n"),
    "a space, signed": resigned(f"{ORIGIN}\n 37\n{HEAD}\n"),
    "other digits, signed": resigned(f"{ORIGIN}\n\u0663\u0667\n{HEAD}\n"),
    "a negative size, signed": resigned(f"{ORIGIN}\n-37\n{HEAD}\n"),
    "no size, signed": resigned(f"{ORIGIN}\n\n{HEAD}\n"),
    "a size of 5000 digits": NOTE.replace("\n37\n", f"\n{'9' * 5000}\n"),
    "a head that is no base64, signed": resigned(f"{ORIGIN}\n37\n!!!\n"),
    "a short head, signed": resigned(f"{ORIGIN}\n37\n{b64encode(bytes(31)).decode()}\n"),
    "an empty head, signed": resigned(f"{ORIGIN}\n37\n\n"),
    "an empty origin, signed": resigned(f"\n37\n{HEAD}\n"),
    "the signature of another text": NOTE.replace(MARK, EARLIER),
    "another key's signature": signed_note(CHECKPOINT, OTHER),
    "another key's id": NOTE.replace(MARK, f"{DASH} {ORIGIN} {_mark(SIGNATURE, OTHER)}"),
    "another name's id": NOTE.replace(MARK, f"{DASH} {ORIGIN} {_mark(SIGNATURE, name='other')}"),
    "no key id": NOTE.replace(MARK, f"{DASH} {ORIGIN} {b64encode(SIGNATURE).decode()}"),
    "a short signature": NOTE.replace(MARK, f"{DASH} {ORIGIN} {_mark(SIGNATURE[:-1])}"),
    "a long signature": NOTE.replace(MARK, f"{DASH} {ORIGIN} {_mark(SIGNATURE + bytes(1))}"),
    "no base64": NOTE.replace(MARK, f"{MARK[:-4]}!!!="),
    "base64url": NOTE.replace(MARK, MARK.replace("+", "-")),
    "a hyphen for the dash": NOTE.replace(DASH, "-"),
    "no dash and no name": NOTE.replace(f"{DASH} {ORIGIN} ", ""),
    "no space after the dash": NOTE.replace(f"{DASH} ", DASH),
    "a mark before the dash": NOTE.replace(DASH, f"> {DASH}"),
    "a space at the line's end": f"{NOTE[:-1]} \n",
    "no line end": NOTE[:-1],
    "an empty line after the signatures": f"{NOTE}\n",
    "another paragraph after the signatures": f"{NOTE}\nmore\n",
    "a line of something else after the signatures": f"{NOTE}more\n",
    "line ends of another system": NOTE.replace("\n", "\r\n"),
    "one line end of another system": f"{NOTE[:-1]}\r\n",
    "a line separator for the last line end": f"{NOTE[:-1]}\u2028",
    "a tab": NOTE.replace(f"{DASH} ", f"{DASH}\t"),
    "a byte order mark": f"\ufeff{NOTE}",
    "a lone surrogate": NOTE.replace(ORIGIN, f"{ORIGIN}\ud800"),
}


@pytest.mark.parametrize("note", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_checkpoint_is_refused(note: str) -> None:
    assert note != NOTE
    with pytest.raises(ProofError):
        read_note(note, (KEY.x,))


@pytest.mark.parametrize("part", [CHECKPOINT.text, f"{DASH} {ORIGIN} "], ids=["text", "name"])
def test_every_changed_or_missing_character_is_refused(part: str) -> None:
    start = NOTE.index(part)
    for place in range(start, start + len(part)):
        for instead in ("", "?", NOTE[place] * 2, chr(ord(NOTE[place]) ^ 1)):
            with pytest.raises(ProofError):
                read_note(NOTE[:place] + instead + NOTE[place + 1 :], (KEY.x,))


def test_every_changed_bit_of_the_signature_is_refused() -> None:
    data = b64decode(MARK.split()[-1])
    for bit in range(len(data) * 8):
        wrong = bytearray(data)
        wrong[bit // 8] ^= 1 << bit % 8
        note = NOTE.replace(MARK, f"{DASH} {ORIGIN} {b64encode(wrong).decode()}")
        with pytest.raises(ProofError):
            read_note(note, (KEY.x,))


def test_a_checkpoint_cut_off_anywhere_is_refused() -> None:
    for size in range(len(NOTE)):
        with pytest.raises(ProofError):
            read_note(NOTE[:size], (KEY.x,))
