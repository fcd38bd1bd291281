"""Checkpoints: the head of a log as a signed note.

Source: C2SP signed-note and tlog-checkpoint.
"""

from base64 import b64encode
from dataclasses import dataclass
from hashlib import sha256

from resolvers.signing.keys import Key

_ED25519 = b"\x01"
_DASH = "\N{EM DASH}"


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


def _key_id(name: str, x: bytes) -> bytes:
    return sha256(f"{name}\n".encode() + _ED25519 + x).digest()[:4]
