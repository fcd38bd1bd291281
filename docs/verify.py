"""Check a studiograph service, or an envelope saved from it, from outside.

    python verify.py https://studio.example      everything the service signs, and its log
    python verify.py saved.json [jwks.json]      one saved envelope, by a saved key set

Needs Python 3.11 and the package `cryptography`; has no code of the service in it: copy it freely.
A line for each thing checked. Exit 0: all of it holds; 1: the line WRONG says what does not; 2: bad
call. Without a key set an envelope is checked by the key in it, and you must know whose that is.
"""  # noqa: INP001 - a file to be copied, not of a package

import json
import re
import sys
from base64 import b64decode, b64encode, urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

SECTIONS = """studio.identity studio.founder studio.practice studio.convictions studio.lookingFor
studio.scheduling studio.journey studio.currentlyStudying studio.certifications studio.onChain
projects domains engagement faq glossary"""
IDENTITY = "name url tagline oneLiner description founded ens contact social languages thesis"
DATE = r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
TIME = re.compile(rf'"{DATE}T([01]\d|2[0-3])(:[0-5]\d){{2}}Z"', re.ASCII)
KID = re.compile(r'"[\w.-]+-\d{4}-(0[1-9]|1[0-2])(-([2-9]|[1-9]\d+))?"', re.ASCII)
BYTES_32 = re.compile(r'"[\w-]{42}[AEIMQUYcgkosw048]"', re.ASCII)  # base64url in its one spelling
BYTES_64 = re.compile(r'"[\w-]{85}[AQgw]"', re.ASCII)
TEXT, ARRAY, OBJECT = re.compile('".+"'), re.compile(r"\[.*"), re.compile(r"\{.*")
KEY = {"kty": "OKP", "crv": "Ed25519", "x": BYTES_32, "use": "sig", "alg": "EdDSA", "kid": KID}
ENVELOPE = {"payload": OBJECT, "signature": BYTES_64, "signedAt": TIME, "verificationHint": TEXT}
MAX_INTEGER, MAX_BYTES, SECONDS, READINGS = 2**53 - 1, 16 << 20, 10, 4


def need(true: object, what: str) -> Any:
    """Nothing, if it is true."""
    if not true:
        raise AssertionError(what)


def canonical(value: Any) -> str:
    """RFC 8785 text of a value without fractions."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        return f"{{{','.join(f'{canonical(name)}:{canonical(value[name])}' for name in names)}}}"
    if isinstance(value, list):
        return f"[{','.join(map(canonical, value))}]"
    integer = type(value) is int and abs(value) <= MAX_INTEGER
    need(integer or type(value) not in (int, float), "a number is no integer within 2^53-1")
    text = json.dumps(value, ensure_ascii=False)
    need(not re.search("[\ud800-\udfff]", text), "a lone surrogate")
    return text


def parsed(data: bytes) -> Any:
    """The value of JSON text that has a canonical form."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        return need(len(dict(pairs)) == len(pairs), "a key stands twice") or dict(pairs)

    value = json.loads(data.decode(), object_pairs_hook=once, parse_constant=int)
    return canonical(value) and value


def agree(value: Any, members: dict[str, Any]) -> None:
    """Nothing, if the value has these members, equal or of that pattern, and no others."""
    names = " ".join(sorted(members))
    need(isinstance(value, dict) and " ".join(sorted(value)) == names, f"members are not {names}")
    for name, wanted in sorted(members.items()):
        given, pattern = canonical(value[name]), isinstance(wanted, re.Pattern)
        need(wanted.fullmatch(given) if pattern else given == canonical(wanted), f"wrong {name}")


def key_set(value: Any) -> dict[str, Any]:
    """What an envelope says of its key, by kid; of a revoked key nothing (RFC 7638, 8037)."""
    agree(value, {"keys": ARRAY, "revoked": ARRAY})
    for old in value["revoked"]:
        agree(old, {"kid": KID, "thumbprint": BYTES_32, "revokedAt": TIME})
    keys: dict[str, Any] = {old["kid"]: None for old in value["revoked"]}
    for jwk in value["keys"]:
        agree(jwk, KEY)
        digest = sha256(f'{{"crv":"Ed25519","kty":"OKP","x":"{jwk["x"]}"}}'.encode()).digest()
        thumbprint = urlsafe_b64encode(digest).decode().rstrip("=")
        revoked = thumbprint in [old["thumbprint"] for old in value["revoked"]]
        need(jwk["kid"] not in keys and not revoked, "a key stands twice or is revoked")
        keys[jwk["kid"]] = {"publicJwk": jwk, "thumbprint": thumbprint}
    return keys


def envelope(value: Any, keys: dict[str, Any], **members: Any) -> Any:
    """The payload, with these members, of an envelope that one of the keys signed."""
    payload, jwk = value["payload"], value["publicJwk"]
    need(jwk["kid"] in keys, "key is not in the key set")
    need(keys[jwk["kid"]], "revoked key")
    bound = {"rollupHash": payload["rollupHash"]} if "section" in payload else {}
    profile = {"canonicalizationProfile": "jcs-rfc8785-subset"}
    agree(value, {**ENVELOPE, **keys[jwk["kid"]], **profile, **bound})
    signature = urlsafe_b64decode(value["signature"] + "==")
    key = Ed25519PublicKey.from_public_bytes(urlsafe_b64decode(jwk["x"] + "="))
    key.verify(signature, canonical(payload).encode())
    agree(payload, members or payload)
    return payload


def tree(entries: list[Any]) -> tuple[str, list[list[str]]]:
    """The head of the log of these entries, and the path to it from each (RFC 9162 2.1)."""
    if len(entries) <= 1:
        data = b"".join(b"\0" + canonical(entry).encode() for entry in entries)
        return f"sha256:{sha256(data).hexdigest()}", [[] for _ in entries]
    half = 1 << (len(entries) - 1).bit_length() - 1
    (left, lefts), (right, rights) = tree(entries[:half]), tree(entries[half:])
    head = sha256(b"\1" + bytes.fromhex(left[7:] + right[7:])).hexdigest()
    return f"sha256:{head}", [[*path, right] for path in lefts] + [[*path, left] for path in rights]


def checkpoint(note: str, keys: dict[str, Any], size: int, head: str) -> str:
    """The origin of a C2SP checkpoint of this head that one of the keys signed."""
    origin, root = note.partition("\n")[0], b64encode(bytes.fromhex(head[7:])).decode()
    text = f"{origin}\n{size}\n{root}\n"
    need(note.startswith(f"{text}\n— "), "not the head of the log")
    for blob in re.findall(f"\n— {re.escape(origin)} ([^\n]+)(?=\n)", note):
        for key in filter(None, keys.values()):
            x, found = urlsafe_b64decode(key["publicJwk"]["x"] + "="), b64decode(blob)
            if found[:4] == sha256(f"{origin}\n\1".encode() + x).digest()[:4]:
                need(blob == b64encode(found).decode(), "wrong signature")
                Ed25519PublicKey.from_public_bytes(x).verify(found[4:], text.encode())
                return origin
    raise AssertionError("key is not in the key set")


def service() -> Any:
    """Yield what to read of a service, and check what is sent back."""
    keys = key_set((yield "/.well-known/jwks.json"))
    manifest = envelope((yield "/api/manifest.sig"), keys)
    entries = sorted(manifest["changelog"], key=lambda entry: entry["publishedAt"])
    head, paths = tree(entries)
    log = {"rollupHash": head, "treeSize": len(entries)}
    agree((yield "/api/manifest"), {**manifest, "rollupHash": head})
    envelope((yield "/api/changelog.sig"), keys, entries=manifest["changelog"], **log)
    allowed = (yield "/api/snapshot.sig")["fields"][0]["allowed"]
    need(sorted(allowed) == sorted(SECTIONS.split()), "allowed are not the 15 sections")
    studio = manifest["studio"]
    parts = manifest | {f"studio.{name}": value for name, value in studio.items()}
    parts["studio.identity"] = {name: studio[name] for name in IDENTITY.split() if name in studio}
    for name in SECTIONS.split():
        bound = {"section": name, "data": parts[name], "revision": manifest["revision"], **log}
        envelope((yield f"/api/snapshot.sig?section={name}"), keys, **bound)
    origin = checkpoint((yield "/api/log/checkpoint"), keys, len(entries), head)
    for index in sorted({0, len(entries) - 1} if entries else {}):
        proof = {"origin": origin, "index": index, "path": paths[index], **log}
        leaf = {"entry": entries[index], "leafHash": tree([entries[index]])[0]}
        agree((yield f"/api/log/proof?index={index}"), {**proof, **leaf})


def saved(file: str, jwks: str = "") -> Any:
    """The same for a saved envelope."""
    keys = key_set((yield jwks)) if jwks else {}
    value = yield file
    envelope(value, keys or key_set({"keys": [value["publicJwk"]], "revoked": []}))


def fetch(url: str) -> bytes:
    """The body of the answer."""
    scheme, _, host, path = url.split("/", 3)
    connection = (HTTPSConnection if scheme == "https:" else HTTPConnection)(host, timeout=SECONDS)
    connection.request("GET", f"/{path}", headers={"Connection": "close"})
    answer, status = connection.getresponse(), 400 if path.endswith("api/snapshot.sig") else 200
    need(answer.status == status, f"status {answer.status} instead of {status}")
    body = answer.read(MAX_BYTES + 1)
    need(len(body) <= MAX_BYTES, "more than 16 MiB")
    need(not answer.length, "no answer")
    return body


def run(steps: Any, read: Any) -> list[str]:
    """A line for each step, up to the first that is wrong."""
    lines: list[str] = []
    place = next(steps)
    try:
        while place:
            data = read(place)
            value = data.decode() if place.endswith("/checkpoint") else parsed(data)
            done, place = place, steps.send(value)
            kid = value["publicJwk"]["kid"] if "publicJwk" in value else ""
            lines.append(f"ok  {done.rpartition('/')[2]}  {kid}".rstrip())
    except Exception as error:  # noqa: BLE001 - whatever an answer breaks, the answer is wrong
        names = {AssertionError: str(error), InvalidSignature: "signature does not verify"}
        other = "no answer" if isinstance(error, OSError | HTTPException) else "not as promised"
        lines.append(f"WRONG  {place}: {names.get(type(error), other)}")
    return lines


def main(words: list[str]) -> int:
    """The exit code."""
    if len(words) == 1 and re.match("https?://[^/]", words[0]):
        base = words[0].rstrip("/")
        for _ in range(READINGS):
            jobs = (place for place in [""])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
