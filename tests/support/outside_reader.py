"""A client that checks what it reads with libraries that the service does not use.

cryptography checks Ed25519, joserfc reads keys and key sets, and two libraries make the canonical
bytes. Checkpoints and Merkle trees, for which no library is used, follow C2SP and RFC 9162.
"""

import json
import os
import subprocess
import sys
from base64 import b64decode, urlsafe_b64decode
from contextlib import redirect_stdout
from hashlib import sha256
from io import StringIO
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Any

import jcs  # type: ignore[import-untyped]
import pytest
import rfc8785
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from joserfc.errors import InvalidKeyIdError
from joserfc.jwk import KeySet, OKPKey
from joserfc.jws import JWSRegistry
from repository import SAMPLE
from running_server import Raw, Running, eventually

from studiograph.__main__ import main

KEY_SET = "/.well-known/jwks.json"
SNAPSHOT = "/api/snapshot.sig"
SECTIONS = (
    *("studio.identity", "studio.founder", "studio.practice", "studio.convictions"),
    *("studio.lookingFor", "studio.scheduling", "studio.journey", "studio.currentlyStudying"),
    *("studio.certifications", "studio.onChain"),
    *("projects", "domains", "engagement", "faq", "glossary"),
)
SNAPSHOTS = {f"{SNAPSHOT}?section={section}": section for section in SECTIONS}
ENVELOPES = ("/api/manifest.sig", "/api/changelog.sig", *SNAPSHOTS)

START_SECONDS = 60
RECENT_LINES = 400

Envelope = dict[str, Any]
Jwks = dict[str, Any]
Head = tuple[str, int, bytes]


def studio_in(folder: Path, **settings: object) -> Path:
    """A copy of the sample's content, beside a file of settings if there are any."""
    copytree(SAMPLE, folder / "content", ignore=ignore_patterns("*.py", "__pycache__"))
    lines = [f"STUDIOGRAPH_{name}={value}\n" for name, value in settings.items()]
    (folder / ".env").write_text("".join(lines))
    return folder / "content"


def started(content: Path, *words: str) -> tuple[int, str, str]:
    """The exit code, the output and the errors of a server that ends by itself."""
    done = subprocess.run(
        [sys.executable, "-m", "studiograph", "serve", *words],
        env={**os.environ, "STUDIOGRAPH_PORT": "0", "STUDIOGRAPH_CONTENT": str(content)},
        cwd=content.parent,
        capture_output=True,
        text=True,
        check=False,
        timeout=START_SECONDS,
    )
    return done.returncode, done.stdout, done.stderr


def canonical(payload: Any) -> bytes:
    """The RFC 8785 bytes, on which two libraries agree."""
    made = rfc8785.dumps(payload)
    assert jcs.canonicalize(payload) == made
    return made


def raw(text: str) -> bytes:
    """The bytes of base64url without padding."""
    assert "=" not in text
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def named(jwks: Jwks, kid: str) -> OKPKey | None:
    """The key of a published set with this name."""
    try:
        key = KeySet.import_key_set(jwks).get_by_kid(kid)  # type: ignore[arg-type]
    except InvalidKeyIdError:
        return None
    assert isinstance(key, OKPKey)
    return key


def verifies(envelope: Envelope, jwks: Jwks) -> bool:
    """Whether a published key signed the payload, on which two libraries agree."""
    key = named(jwks, envelope["publicJwk"]["kid"])
    if key is None:
        return False
    data, signature = canonical(envelope["payload"]), raw(envelope["signature"])
    found = good(raw(str(key.as_dict()["x"])), signature, data)
    assert JWSRegistry.algorithms["EdDSA"].verify(data, signature, key) is found
    return found


def good(x: bytes, signature: bytes, data: bytes) -> bool:
    """Whether the Ed25519 signature is the key's over the data."""
    try:
        Ed25519PublicKey.from_public_bytes(x).verify(signature, data)
    except InvalidSignature:
        return False
    return True


def read_checkpoint(note: str, jwks: Jwks) -> Head:
    """Origin, size and head of a note that a published key signed. Source: C2SP signed-note."""
    text, gap, marks = note.partition("\n\n")
    origin, size, head = text.split("\n")
    assert gap
    for mark in marks.splitlines():
        dash, name, data = mark.split(" ")
        assert (dash, name) == ("\N{EM DASH}", origin)
        found = b64decode(data, validate=True)
        for key in jwks["keys"]:
            x = raw(key["x"])
            known = found[:4] == sha256(f"{name}\n\x01".encode() + x).digest()[:4]
            if known and good(x, found[4:], f"{text}\n".encode()):
                return origin, int(size), b64decode(head, validate=True)
    raise AssertionError("no published key signed the checkpoint")


def digest(text: str) -> bytes:
    """The bytes of `sha256:<hex>`."""
    name, _, digits = text.partition(":")
    assert name == "sha256"
    return bytes.fromhex(digits)


def plain(body: bytes) -> Any:
    """JSON that names nothing twice and holds no fraction."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len(dict(pairs)) == len(pairs)
        return dict(pairs)

    def fraction(text: str) -> None:
        raise AssertionError(text)

    return json.loads(
        body, object_pairs_hook=members, parse_float=fraction, parse_constant=fraction
    )


def of_each(server: Running, path: str, count: int = 2) -> list[Raw]:
    """An answer of each process, told apart by its pseudonym for one address in the log."""
    asked: dict[str, Raw] = {}
    found: dict[str, Raw] = {}

    def complete() -> bool:
        said = server.get(path)
        asked[said.headers["x-request-id"]] = said
        for line in (json.loads(text) for text in server.output[-RECENT_LINES:]):
            if line["request_id"] in asked:
                found[line["address"]] = asked[line["request_id"]]
        return len(found) == count

    eventually(complete)
    return list(found.values())


def command(folder: Path, *words: str) -> int:
    """The exit code of a command that is run in a folder."""
    with pytest.MonkeyPatch.context() as place:
        place.chdir(folder)
        place.setenv("XDG_STATE_HOME", str(folder / "state"))
        return main(words)


def told(folder: Path, *words: str) -> Any:
    """The JSON that a command prints when it is run in a folder and does what it should."""
    with redirect_stdout(StringIO()) as printed:
        assert command(folder, *words, "--json") == 0
    return json.loads(printed.getvalue())
