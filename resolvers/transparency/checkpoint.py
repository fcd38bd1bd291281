"""Checkpoints: the head of a log as a signed note.

Source: C2SP signed-note and tlog-checkpoint.
"""

import re
from base64 import b64decode, b64encode
from dataclasses import dataclass
from hashlib import sha256

from resolvers.signing.errors import ProofError
from resolvers.signing.keys import Key, verify_signature

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
        """What is signed."""
        return f"{self.origin}\n{self.size}\n{b64encode(self.head).decode()}\n"


def signed_note(checkpoint: Checkpoint, key: Key) -> str:
    """The checkpoint with the key's signature under it."""
    signature = key.sign(checkpoint.text.encode())
    mark = b64encode(_key_id(checkpoint.origin, key.x) + signature).decode()
    return f"{checkpoint.text}\n{_DASH} {checkpoint.origin} {mark}\n"


def verifier_key(origin: str, x: bytes) -> str:
    """The key as verifiers of signed notes take it: name, id and key."""
    return f"{origin}+{_key_id(origin, x).hex()}+{b64encode(_ED25519 + x).decode()}"


def read_note(note: str, keys: tuple[bytes, ...]) -> Checkpoint:
    """The checkpoint of a note that one of the public keys signed. Raises: ProofFault."""
    checkpoint, marks = _read(note)
    for mark in marks.removesuffix("\n").split("\n"):
        _, name, encoded = mark.split(" ")
        signature = _decoded(encoded)
        for x in keys if name == checkpoint.origin else ():
            if signature[:4] == _key_id(name, x) and verify_signature(
                x, signature[4:], checkpoint.text.encode()
            ):
                return checkpoint
    raise ProofError("the checkpoint is signed by no key of the key set")


def parse_unverified(note: str) -> Checkpoint:
    """The checkpoint of a note, whoever signed it. Raises: ProofFault."""
    return _read(note)[0]


def _read(note: str) -> tuple[Checkpoint, str]:
    found = _NOTE.fullmatch(note)
    if found is None:
        raise ProofError("the checkpoint is not name, size and head, an empty line and signatures")
    origin, size, head, marks = found.groups()
    return Checkpoint(origin, int(size), _decoded(head)), marks


def _key_id(name: str, x: bytes) -> bytes:
    return sha256(f"{name}\n".encode() + _ED25519 + x).digest()[:4]


def _decoded(text: str) -> bytes:
    """The bytes of base64 that is written the one way there is; nothing else gives any."""
    try:
        data = b64decode(text, validate=True)
    except ValueError:
        return b""
    return data if b64encode(data).decode() == text else b""
