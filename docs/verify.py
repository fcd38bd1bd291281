"""Verify a studiograph service, or what was saved from it, from outside. Copy this file freely.

    python verify.py https://studio.example   everything the service signs, and its log
    python verify.py FILE [JWKS_FILE]         an envelope; with a key set also a proof or an answer
Needs Python 3.11 and `cryptography`. Exit code 0: all is right; 1: see the line WRONG; 2: usage.
"""

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
projects domains engagement faq glossary"""  # what every studio signs, if it has it
UTC = re.compile(r'(?a)"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3])(:[0-5]\d){2}Z"')
KID = re.compile(r'(?a)"[\w.-]+-\d{4}-(0[1-9]|1[0-2])(-([2-9]|[1-9]\d+))?"')
PATTERNS = r'(?a)"[\w-]{42}[AEIMQUYcgkosw048]"', r'(?a)"[\w-]{85}[AQgw]"'
BYTES_32, BYTES_64 = map(re.compile, PATTERNS)  # in base64url, canonical spelling
BYTES_68, HASH = "([A-Za-z0-9+/]{90}[AEIMQUYcgkosw048]=)", "sha256:[0-9a-f]{64}"
MARKS = re.compile(r"((?:\s*\[[0-9]+\])+|\n\s*\n)")
TEXT, ARRAY, OBJECT, EMPTY = map(re.compile, ('".+"', r"\[.*", r"\{.*", r"\[\]|\{\}"))
KEY = {"kty": "OKP", "crv": "Ed25519", "x": BYTES_32, "use": "sig", "alg": "EdDSA", "kid": KID}
ENVELOPE = {"payload": OBJECT, "signature": BYTES_64, "signedAt": UTC, "verificationHint": TEXT}


def _need(condition: object, what: str) -> Any:
    if not condition:
        raise AssertionError(what)


def canonical(value: Any) -> str:
    """Return the RFC 8785 text of a value without fractions."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        return f"{{{','.join(f'{canonical(name)}:{canonical(value[name])}' for name in names)}}}"
    if isinstance(value, list):
        return f"[{','.join(map(canonical, value))}]"
    integer = type(value) is int and abs(value) < 2**53
    _need(integer or type(value) not in (int, float), "a number is no safe integer")
    text = json.dumps(value, ensure_ascii=False)
    return _need(not re.search("[\ud800-\udfff]", text), "a lone surrogate") or text


def parsed(data: bytes) -> Any:
    """Return the value of JSON text; raise AssertionError or ValueError if it is ambiguous."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        return _need(len(dict(pairs)) == len(pairs), "a repeated key") or dict(pairs)

    value = json.loads(data.decode(), object_pairs_hook=unique, parse_constant=int)
    return value if isinstance(value, dict) and "proofs" in value else canonical(value) and value


def _agree(value: Any, members: dict[str, Any]) -> Any:  # members may be patterns
    names = " ".join(sorted(members))
    _need(isinstance(value, dict) and " ".join(sorted(value)) == names, f"members must be {names}")
    for name, want in sorted(members.items()):
        text, is_pattern = canonical(value[name]), isinstance(want, re.Pattern)
        _need(want.fullmatch(text) if is_pattern else text == canonical(want), f"wrong {name}")


def _key_set(value: Any) -> dict[str, Any]:  # by kid, None for revoked ones. RFC 8037, RFC 7638
    _agree(value, {"keys": ARRAY, "revoked": ARRAY})
    keys: dict[str, Any] = {}
    for old in value["revoked"]:
        _agree(old, {"kid": KID, "thumbprint": BYTES_32, "revokedAt": UTC})
        keys |= {old["kid"]: None, old["thumbprint"]: None}
    for jwk in value["keys"]:
        _agree(jwk, KEY)
        digest = sha256(f'{{"crv":"Ed25519","kty":"OKP","x":"{jwk["x"]}"}}'.encode()).digest()
        thumbprint = urlsafe_b64encode(digest).decode().rstrip("=")
        _need(not {jwk["kid"], thumbprint} & {*keys}, "a key is listed twice or is revoked")
        keys[jwk["kid"]] = {"publicJwk": jwk, "thumbprint": thumbprint}
    return keys


def _envelope(value: Any, keys: dict[str, Any], **members: Any) -> Any:  # returns its payload
    payload, jwk = value["payload"], value["publicJwk"]
    _need(jwk["kid"] in keys, "key is not in the key set")
    _need(keys[jwk["kid"]], "key is revoked")
    bound = {"rollupHash": payload["rollupHash"]} if "section" in (payload or {}) else {}
    profile = {"canonicalizationProfile": "jcs-rfc8785-subset"}
    _agree(value, {**ENVELOPE, **keys[jwk["kid"]], **profile, **bound})
    x, signature = (urlsafe_b64decode(text + "==") for text in (jwk["x"], value["signature"]))
    Ed25519PublicKey.from_public_bytes(x).verify(signature, canonical(payload).encode())
    return _agree(payload, members or payload) or payload


def _root(entries: list[Any]) -> str:  # the head of their tree. RFC 9162 2.1.1
    data = b"".join(b"\0" + canonical(entry).encode() for entry in entries)
    if len(entries) > 1:
        mid = 1 << (len(entries) - 1).bit_length() - 1
        data = b"\1" + b"".join(bytes.fromhex(_root(e)[7:]) for e in (entries[:mid], entries[mid:]))
    return f"sha256:{sha256(data).hexdigest()}"


def _climb(text: str, index: int, size: int, path: list[str]) -> str:  # the head. RFC 9162 2.1.3
    data, inner = b"\0" + text.encode(), (index ^ size - 1).bit_length()
    _need(0 <= index < size and len(path) == inner + (index >> inner).bit_count(), "wrong path")
    for step, digest in enumerate(path):
        _need(re.fullmatch(HASH, digest), "wrong path")
        pair = sha256(data).digest(), bytes.fromhex(digest[7:])
        data = b"\1" + b"".join(pair if step < inner and not index >> step & 1 else pair[::-1])
    return f"sha256:{sha256(data).hexdigest()}"


def _checkpoint(note: str, keys: dict[str, Any], size: int, head: str) -> str:  # C2SP: its origin
    origin, root = note.partition("\n")[0], b64encode(bytes.fromhex(head[7:])).decode()
    text = f"{origin}\n{size}\n{root}\n"
    _need(note.startswith(f"{text}\n— "), "is not the head of the log")
    for blob in re.findall(f"\n— {re.escape(origin)} {BYTES_68}(?=\n)", note):
        for key in filter(None, keys.values()):
            x, signature = urlsafe_b64decode(key["publicJwk"]["x"] + "=="), b64decode(blob)
            if signature[:4] == sha256(f"{origin}\n\1".encode() + x).digest()[:4]:
                Ed25519PublicKey.from_public_bytes(x).verify(signature[4:], text.encode())
                return origin
    raise AssertionError("key is not in the key set")


def _proof(value: Any, keys: dict[str, Any]) -> Any:  # returns what the statement says
    log, root, size = value["log"], value["contentRoot"], value["size"]
    said, leaf = (parsed(value[name].encode()) for name in ("statement", "revisionLeaf"))
    head = _climb(value["revisionLeaf"], log["index"], log["size"], log["path"])
    _need(_checkpoint(log["checkpoint"], keys, log["size"], head) == log["origin"], "wrong origin")
    _need((leaf["contentRoot"], leaf["statements"]) == (root, size), "contentRoot or size differs")
    _need(_root([said]) == value["leafHash"], "wrong leafHash")
    _need(_climb(value["statement"], value["index"], size, value["path"]) == root, "wrong path")
    return _need(said["name"] == value["name"], "wrong name") or said["data"]


def _answer(value: Any, keys: dict[str, Any]) -> list[str]:  # a line for what is not proven
    def texts(value: Any) -> list[str]:  # each text and number, and the length of each list
        if isinstance(value, dict | list):
            inner = [*value.values()] if isinstance(value, dict) else [len(value), *value]
            return [text for item in inner for text in texts(item)]
        return [" ".join(str(value).split())] if type(value) in (str, int) else []

    def stands(sentence: str, citation: dict[str, Any]) -> str:
        data, end = proven.get(citation["url"].partition("/api/")[2]), "[.!?:;)\"']"
        for tail in (sentence[match.end() :] for match in re.finditer("^|: ", sentence)):
            whole = re.compile(f"(?:^|{end} ?){re.escape(tail)}(?:$|(?<={end}))")
            if any(map(whole.search, texts(data))):
                return "quoted" if tail == sentence else "in part"
        for part in citation.get("pointer", "/\0").split("/")[1:]:  # RFC 6901
            members = {str(n): x for n, x in enumerate(data)} if isinstance(data, list) else data
            key = part.replace("~1", "/").replace("~0", "~")
            data = members.get(key) if isinstance(members, dict) else None
        values = [rf"(?<!\w){re.escape(text)}(?!\w)" for text in texts(data) if text]
        values += ["^Yes\\b" if data else "^No\\b"] if isinstance(data, bool) else []
        return "in part" if any(re.search(value, sentence) for value in values) else ""

    proofs = map(parsed, map(str.encode, value["proofs"])) if "proofs" in value else [value]
    proven = {proof["name"]: _proof(proof, keys) for proof in proofs}
    cited, lines = {str(each["n"]): each for each in value.get("citations", [])}, list[str]()
    parts = [" ".join(part.split()) for part in MARKS.split(value.get("answer", "") + "\n\n")]
    for sentence, marks in ((s, m) for s, m in zip(parts[:-1:2], parts[1::2], strict=True) if s):
        found = {stands(sentence, cited[n]) for n in re.findall("[0-9]+", marks) if n in cited}
        _need(found - {""} or not marks, f"is not in what it cites: {sentence}")
        lines += [f"{'in part' if marks else 'unproven'}  {sentence}"] * ("quoted" not in found)
    return lines


def _service() -> Any:  # yields each path to read and is sent its value
    keys = _key_set((yield "/.well-known/jwks.json"))
    manifest = _envelope((yield "/api/manifest.sig"), keys)
    _need(re.fullmatch(HASH, manifest["revision"]), "wrong revision")
    entries = sorted(manifest["changelog"], key=lambda entry: entry["publishedAt"])
    log = {"rollupHash": (head := _root(entries)), "treeSize": len(entries)}
    _agree((yield "/api/manifest"), {**manifest, "rollupHash": head})
    _envelope((yield "/api/changelog.sig"), keys, entries=manifest["changelog"], **log)
    allowed = (yield "/api/snapshot.sig")["fields"][0]["allowed"]
    studio = {f"studio.{name}": value for name, value in manifest["studio"].items()}
    rest = {n[7:]: studio[n] for n in studio if n not in {*allowed, *SECTIONS.split()}}
    parts = {n: v for n, v in {**manifest, **studio, "studio.identity": rest}.items() if v}
    _need({*SECTIONS.split()} & {*parts} <= {*allowed}, "does not list its parts")
    for n in allowed:
        bound = {"section": n, "data": parts.get(n, EMPTY), "revision": manifest["revision"], **log}
        _envelope((yield f"/api/snapshot.sig?section={n}"), keys, **bound)
    origin = _checkpoint((yield "/api/log/checkpoint")["note"].decode(), keys, len(entries), head)
    for index in sorted({0, len(entries) - 1} if entries else {}):
        proof = {"origin": origin, "index": index, "entry": entries[index]["id"], "path": ARRAY}
        leaf, said = canonical(entries[index]), (yield f"/api/log/proof?index={index}")
        _agree(said, {**proof, **log, "leafHash": _root([entries[index]])})
        _need(_climb(leaf, index, len(entries), said["path"]) == head, "wrong path")
    yield ()


def _saved(file: str, jwks: str = "") -> Any:
    keys = _key_set((yield jwks)) if jwks else {}
    value = yield file
    if "payload" in value:
        _envelope(value, keys if jwks else _key_set({"keys": [value["publicJwk"]], "revoked": []}))
    yield () if "payload" in value else _answer(value, _need(jwks, "needs a key set") or keys)


def _fetch(url: str) -> bytes:
    scheme, _, host, path = url.split("/", 3)
    connection = (HTTPSConnection if scheme == "https:" else HTTPConnection)(host, timeout=10)
    connection.request("GET", f"/{path}", headers={"Connection": "close"})
    response, status = connection.getresponse(), 400 if path.endswith("api/snapshot.sig") else 200
    body = response.read(2**24 + 1) if response.status == status else b""
    connection.close()
    _need(response.status == status, f"status {response.status} instead of {status}")
    _need(len(body) <= 2**24, "more than 16 MiB")
    return _need(not response.length, "no response") or body


def _run(steps: Any, read: Any) -> list[str]:  # a line for each step until one is wrong
    lines, place = list[str](), next(steps)
    try:
        while isinstance(place, str):
            value = {"note": read(place)} if place.endswith("/checkpoint") else parsed(read(place))
            name = value.get("publicJwk", value).get("kid", value.get("revision", ""))
            done, place = place, steps.send(value)
            lines.append(f"ok  {done.rpartition('/')[2]}  {name}".rstrip())
        lines += place
    except Exception as error:  # noqa: BLE001 - any error means a wrong response
        names = {AssertionError: str(error), InvalidSignature: "signature does not verify"}
        other = "no response" if isinstance(error, OSError | HTTPException) else "malformed"
        lines.append(f"WRONG  {place}: {names.get(type(error), other)}")
    return lines


def main(words: list[str]) -> int:
    """Verify, print the lines and return the exit code."""
    base, look, lines = "".join(words[:1]).rstrip("/"), ("/api/manifest", ()), list[str]()
    if len(words) == 1 and re.match("https?://[^/]", base):
        for _ in range(4):  # again if a new revision was published meanwhile
            jobs = ((path for path in look), _service(), (path for path in look))
            before, lines, after = (_run(job, lambda path: _fetch(base + path)) for job in jobs)
            if before == after:
                break
    elif len(words) in (1, 2) and all(Path(word).is_file() for word in words):
        lines = _run(_saved(*words), lambda path: Path(path).read_bytes())
    else:
        return sys.stderr.write("usage: verify.py BASE_URL | FILE [JWKS_FILE]\n") and 2
    sys.stdout.write("\n".join([*lines, ""]))
    return int(lines[-1].startswith("WRONG"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
