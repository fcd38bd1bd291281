"""Checkpoints: the head of a log as a signed note.

Source: C2SP signed-note and tlog-checkpoint.
"""

import re
from base64 import b64decode, b64encode
from dataclasses import dataclass
from hashlib import sha256

from resolvers.signing.keys import Key, ProofError, verify_signature

_ED25519 = b"\x01"
_NAME, _BASE64 = r"[^\s+\x00-\x20\x7f-\x9f\ud800-\udfff]+", r"[A-Za-z0-9+/]"
_DASH = "\N{EM DASH}"
_NOTE = re.compile(
    rf"({_NAME})\n(0|[1-9][0-9]{{0,18}})\n({_BASE64}{{43}}=)\n\n"
    rf"((?:{_DASH} {_NAME} {_BASE64}+={{0,2}}\n)+)"
)


@dataclass(frozen=True)
class Checkpoint:
    """The head of a log."""

    origin: str
    size: int
    head: bytes

    @property
    def text(self) -> str:
        """The text that is signed."""
        return f"{self.origin}\n{self.size}\n{b64encode(self.head).decode()}\n"


def signed_note(checkpoint: Checkpoint, key: Key) -> str:
    """Return the checkpoint as a note, signed with the key."""
    signature = key.sign(checkpoint.text.encode())
    blob = b64encode(_key_id(checkpoint.origin, key.x) + signature).decode()
    return f"{checkpoint.text}\n{_DASH} {checkpoint.origin} {blob}\n"


def verifier_key(origin: str, x: bytes) -> str:
    """Return the public key in the form verifiers of signed notes expect: name, id and key."""
    return f"{origin}+{_key_id(origin, x).hex()}+{b64encode(_ED25519 + x).decode()}"


def read_note(note: str, keys: tuple[bytes, ...]) -> Checkpoint:
    """Return the checkpoint of a note; raise `ProofError` unless one of the keys signed it."""
    checkpoint, signature_lines = _parse(note)
    for line in signature_lines.removesuffix("\n").split("\n"):
        _, name, blob = line.split(" ")
        signature = _b64decode_strict(blob)
        for x in keys if name == checkpoint.origin else ():
            if signature[:4] == _key_id(name, x) and verify_signature(
                x, signature[4:], checkpoint.text.encode()
            ):
                return checkpoint
    raise ProofError("no key of the key set has signed the checkpoint")


def parse_unverified(note: str) -> Checkpoint:
    """Return the checkpoint of a note without checking its signatures. Raises: ProofError."""
    return _parse(note)[0]


def _parse(note: str) -> tuple[Checkpoint, str]:
    """Return the checkpoint and the signature lines. Raises: ProofError."""
    match = _NOTE.fullmatch(note)
    if match is None:
        raise ProofError(
            "the checkpoint must consist of name, size and head, an empty line and signatures"
        )
    origin, size, head, signature_lines = match.groups()
    return Checkpoint(origin, int(size), _b64decode_strict(head)), signature_lines


def _key_id(name: str, x: bytes) -> bytes:
    return sha256(f"{name}\n".encode() + _ED25519 + x).digest()[:4]


def _b64decode_strict(text: str) -> bytes:
    """Decode base64 in its canonical spelling; return no bytes for any other text."""
    try:
        data = b64decode(text, validate=True)
    except ValueError:
        return b""
    return data if b64encode(data).decode() == text else b""
