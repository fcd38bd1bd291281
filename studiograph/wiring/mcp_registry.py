"""The key that proves to the MCP registry whose domain this is, and the document that names it.

It signs nothing else, and exists only where `studiograph registry --make-key` was called: whoever
has lost it makes another. Source: the registry's HTTP authentication.
"""

import base64
import os
import re
from pathlib import Path

from nacl.signing import SigningKey

from resolvers.files import atomic_write
from resolvers.signing.keys import ProofError
from resolvers.signing.keystore import check_permissions
from rest_bridge.discovery.documents import Document
from studiograph.settings import Settings

PATH = "/.well-known/mcp-registry-auth"
_SEED_BYTES = 32
_SEED = re.compile(rf"[0-9a-f]{{{2 * _SEED_BYTES}}}")


def key_file(settings: Settings) -> Path:
    """Return where the key is: a file with its seed in hexadecimal, as the publisher takes it."""
    return settings.data / "keys" / "mcp-registry.key"


def make_key(settings: Settings) -> bool:
    """Make the key; return whether there was none. Raises: OSError."""
    file = key_file(settings)
    if file.exists():
        return False
    atomic_write(file, f"{os.urandom(_SEED_BYTES).hex()}\n".encode())
    return True


def proof_record(settings: Settings) -> str | None:
    """Return the line that names the public key; None if there is no key. Raises: ProofError."""
    file = key_file(settings)
    if not file.exists():
        return None
    check_permissions(file)
    seed = file.read_text("ascii", errors="replace").strip()
    if not _SEED.fullmatch(seed):
        raise ProofError(
            f"{file}: is not a key of 64 hexadecimal digits. Fix: remove it, and make another with"
            " `studiograph registry --make-key`."
        )
    public = bytes(SigningKey(bytes.fromhex(seed)).verify_key)
    return f"v=MCPv1; k=ed25519; p={base64.b64encode(public).decode('ascii')}"


def registry_documents(settings: Settings) -> tuple[Document, ...]:
    """Return the document with that line, if there is a key. Raises: ProofError."""
    record = proof_record(settings)
    if record is None:
        return ()
    note = "The public key that proves to the MCP registry whose domain this is."
    body = f"{record}\n".encode()
    return (Document(PATH, "text/plain", "MCP registry proof", note, lambda _: body),)
