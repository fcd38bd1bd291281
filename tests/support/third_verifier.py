"""Check a proof, or an answer of chat with its `proofs`: third_verifier.py FILE KEYS (a key set).

Written from docs/signatures.md alone, with no code in view, as a judge of that page.

It prints `ok ...` and `not proven ...`, and `WRONG ...` for the first thing that does not hold.
"""

import base64
import hashlib
import json
import re
import sys
from collections.abc import Generator, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

__all__ = ["RefusedError", "check_answer", "check_proof", "main"]

HEAD = r"([^\x00-\x1f]+)\n(0|[1-9][0-9]{0,15})\n([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)\n"
NOTE = re.compile(rf"({HEAD})\n((?:\u2014 [^\s+\x00-\x1f]+ [!-~]+\n)+)")
SIGNATURE = re.compile("[A-Za-z0-9+/]{90}[AEIMQUYcgkosw048]=")  # 68 bytes: four bits at the end
PUBLIC_KEY = re.compile("[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]")  # 32 bytes
WHITE = r"[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"  # White_Space
ENDS = re.compile(rf"(\[[0-9]+\](?:{WHITE}*\[[0-9]+\])*)|\n{WHITE}*\n")  # marks, or an empty line
BOUNDS = ".!?:;)\"'"


class RefusedError(Exception):
    """Something does not hold; the message says what and why."""


def must(holds: object, reason: str) -> None:
    """Refuse for a reason, unless something holds."""
    if not holds:
        raise RefusedError(reason)


def parse(text: Any, what: str) -> Any:
    """Read JSON in which no object repeats a key; a fraction stays as it is written."""

    def fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        must(len(found := dict(pairs)) == len(pairs), f"{what} has an object that repeats a key")
        return found

    try:  # `int` refuses NaN and Infinity, which are not JSON
        return json.loads(text, object_pairs_hook=fields, parse_float=Decimal, parse_constant=int)
    except (TypeError, ValueError, ArithmeticError, RecursionError) as error:
        raise RefusedError(f"{what} is no JSON: {error}") from None


def member(document: Any, name: str, kind: type, what: str, default: Any = None) -> Any:
    """Take a member that must be a text, a list, an object or a whole number from 0 up."""
    value = document.get(name, default) if isinstance(document, dict) else None
    wrong = isinstance(value, bool) or (isinstance(value, int) and not 0 <= value < 2**53)
    must(isinstance(value, kind) and not wrong, f"{what} has no fit `{name}` ({kind.__name__})")
    return value


def sha256(*parts: bytes | str) -> bytes:
    """Hash bytes and texts; half a surrogate pair gets bytes that no other text has."""
    raw = (p.encode(errors="surrogatepass") if isinstance(p, str) else p for p in parts)
    return hashlib.sha256(b"".join(raw)).digest()


def trusted_keys(keys: Any) -> dict[bytes, str]:
    """Give the Ed25519 keys of a key set that are not revoked, each with its `kid`."""
    revoked: list[Any] = []
    for entry in member(keys, "revoked", list, "the key set", default=[]):
        names = [*map(entry.get, ("kid", "thumbprint"))] if isinstance(entry, dict) else [entry]
        must(any(isinstance(n, str) for n in names), f"the key set revokes no name: {entry!r}")
        revoked += [name for name in names if name is not None]
    trusted, distrusted = dict[bytes, str](), set[bytes]()
    for key in member(keys, "keys", list, "the key set"):
        if not isinstance(key, dict) or key.get("kty") != "OKP" or key.get("crv") != "Ed25519":
            continue  # RFC 7517: a key of another kind is ignored
        x = member(key, "x", str, "a key")
        must(PUBLIC_KEY.fullmatch(x), f"`x` of a key is not 32 bytes in base64url: {x!r}")
        raw = base64.urlsafe_b64decode(x + "=")
        own = base64.urlsafe_b64encode(sha256(f'{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}'))
        trusted[raw] = str(key.get("kid"))
        if any(n in revoked for n in (key.get("kid"), key.get("thumbprint"), own.decode()[:43])):
            distrusted.add(raw)
    return {raw: kid for raw, kid in trusted.items() if raw not in distrusted}


def open_note(note: str, origin: str, keys: dict[bytes, str]) -> tuple[int, str, str]:
    """Check the signed head of a log; give its size, its head and the `kid` of its signer."""
    if not (parts := NOTE.fullmatch(note)):
        raise RefusedError("the note is not a name, a size, a head, an empty line and signatures")
    must(parts[2] == origin, f"the note is of {parts[2]!r}, and `log.origin` says {origin!r}")
    signers: list[str] = []
    for name, text in (line.split(" ")[1:] for line in parts[5].removesuffix("\n").split("\n")):
        signed = base64.b64decode(text) if name == origin and SIGNATURE.fullmatch(text) else b""
        for raw, kid in keys.items():
            if signed[:4] == sha256(origin, b"\n\x01", raw)[:4]:
                try:
                    Ed25519PublicKey.from_public_bytes(raw).verify(signed[4:], parts[1].encode())
                except (InvalidSignature, ValueError):
                    raise RefusedError(f"the signature by {kid!r} does not verify") from None
                signers.append(kid)
    must(signers, "no key that is to be trusted has signed the note")
    return int(parts[3]), f"sha256:{base64.b64decode(parts[4]).hex()}", signers[0]


def climb(leaf: bytes, index: int, size: int, path: list[Any], head: str, what: str) -> None:
    """Refuse a leaf's hash that does not lead to a head, by RFC 9162, section 2.1.3.2."""
    must(index < size, f"{what} has index {index}, but its tree has {size} leaves")
    node, fn, sn = leaf, index, size - 1
    for step in path:
        must(re.fullmatch("sha256:[0-9a-f]{64}", str(step)), f"{what} has no hash in its path")
        must(sn > 0, f"the path of {what} has a hash too many")
        other = bytes.fromhex(step.removeprefix("sha256:"))
        left = fn & 1 or fn == sn
        node = sha256(b"\x01", other, node) if left else sha256(b"\x01", node, other)
        while left and fn and not fn & 1:
            fn, sn = fn >> 1, sn >> 1
        fn, sn = fn >> 1, sn >> 1
    must(sn == 0, f"the path of {what} has a hash too few")
    must(f"sha256:{node.hex()}" == head, f"{what} leads to another head than {head!r}")


def prove(proof: Any, keys: dict[bytes, str]) -> Generator[str, None, tuple[str, Any]]:
    """Check a proof step by step, and return the name and data of its statement."""
    texts = ("name", "statement", "revisionLeaf", "contentRoot", "leafHash")
    name, text, leaf_text, root, leaf_hash = (member(proof, t, str, "the proof") for t in texts)
    index, size = (member(proof, number, int, "the proof") for number in ("index", "size"))
    path, log = member(proof, "path", list, "the proof"), member(proof, "log", dict, "the proof")
    origin, note = (member(log, text, str, "`log`") for text in ("origin", "checkpoint"))
    log_index, log_path = member(log, "index", int, "`log`"), member(log, "path", list, "`log`")
    log_size, head, signer = open_note(note, origin, keys)
    must(member(log, "size", int, "`log`") == log_size, "`log.size` is not the size in the note")
    yield f"ok {name!r}: {signer!r} signed the head of {origin!r} at size {log_size}"
    climb(sha256(b"\x00", leaf_text), log_index, log_size, log_path, head, f"the leaf of {name!r}")
    yield f"ok {name!r}: its revision is leaf {log_index} of {log_size} in the log"
    leaf = parse(leaf_text, "`revisionLeaf`")
    must(member(leaf, "contentRoot", str, "the leaf") == root, f"{name!r}: wrong `contentRoot`")
    must(member(leaf, "statements", int, "the leaf") == size, f"{name!r}: `size` is wrong")
    yield f"ok {name!r}: its revision has {size} statements under {root!r}"
    climb(hashed := sha256(b"\x00", text), index, size, path, root, f"`statement` of {name!r}")
    must(f"sha256:{hashed.hex()}" == leaf_hash, f"{name!r}: `leafHash` is wrong")
    yield f"ok {name!r}: the statement, {leaf_hash!r}, is leaf {index} of {size} in the content"
    named = member(statement := parse(text, "`statement`"), "name", str, "`statement`")
    must(named == name and "data" in statement, f"{name!r}: wrong name or no `data`: {named!r}")
    yield f"ok {name!r} was published, at {leaf.get('publishedAt')!r}"
    return name, statement["data"]


def squeeze(text: str) -> str:
    """Replace each run of white space by one space, and drop it at both ends."""
    return re.sub(f"{WHITE}+", " ", text).strip(" ")


def values(data: Any, lengths: bool = False) -> Iterator[str]:
    """Give each text and number at any depth, and if asked the length of each list; no name."""
    waiting = [data]
    for item in waiting:  # the list grows while it is read
        if isinstance(item, list | dict):
            waiting += item.values() if isinstance(item, dict) else item
        if isinstance(item, list) and lengths:
            yield str(len(item))
        if isinstance(item, str | int | Decimal) and not isinstance(item, bool):
            yield squeeze(item) if isinstance(item, str) else str(item).lower()  # as RFC 8785 does


def is_quoted(text: str, data: Any) -> bool:
    """Say whether a text stands in a value, from the end of a sentence to the end of one."""
    pattern = rf"(?:\A|[{BOUNDS}] ?){re.escape(text)}" + ("" if text[-1] in BOUNDS else r"\Z")
    return any(re.search(pattern, value) for value in values(data))


def part_of(text: str, data: Any, pointer: Any) -> str:
    """Give what holds of a text: its end behind a colon, or a value at a pointer (RFC 6901)."""
    for colon in re.finditer(": ", text):
        if is_quoted(end := text[colon.end() :], data):
            return end
    if not isinstance(pointer, str) or not re.fullmatch("(?:/(?:[^~/]|~[01])*)*", pointer):
        return ""
    for escaped in pointer.split("/")[1:]:
        token = escaped.replace("~1", "/").replace("~0", "~")
        at = {str(i): v for i, v in enumerate(data)} if isinstance(data, list) else data
        if not isinstance(at, dict) or token not in at:
            return ""
        data = at[token]
    if isinstance(data, bool):
        word = "Yes" if data else "No"
        return word if re.match(rf"{word}(?!\w)", text) else ""
    found = (v for v in values(data, True) if re.search(rf"(?<!\w){re.escape(v)}(?!\w)", text))
    return max(found, key=len, default="")  # an empty value holds nothing


def judge(answer: Any, keys: dict[bytes, str]) -> Iterator[str]:
    """Check an answer: each of its proofs, and each text before marks."""
    proven: list[tuple[str, Any]] = []
    for number, proof in enumerate(member(answer, "proofs", list, "the answer")):
        proven.append((yield from prove(parse(proof, f"`proofs/{number}`"), keys)))
    pieces: list[Any] = [*ENDS.split(member(answer, "answer", str, "the answer")), None]
    cited: dict[str, list[tuple[str, Any]]] = {}
    for citation in member(answer, "citations", list, "the answer", default=[]):
        name = member(citation, "url", str, "a citation").partition("/api/")[2]
        n = str(member(citation, "n", int, "a citation"))
        cited.setdefault(n, []).append((name, citation.get("pointer")))
    for text, marks in zip(map(squeeze, pieces[:-1:2]), pieces[1::2], strict=True):
        quoted, partly = [], []
        for mark in dict.fromkeys(re.findall("[0-9]+", marks or "")) if text else ():
            held = [(p, *r) for url, p in cited.get(mark, []) for r in proven if r[0] == url]
            if not held:
                yield f"not proven [{mark}] leads to no proof: {text!r}"
            for pointer, name, data in held:
                if is_quoted(text, data):
                    quoted.append(f"[{mark}] {name!r}")
                elif part := part_of(text, data, pointer):
                    partly.append(f"{part!r} by [{mark}] {name!r}")
        if text and not marks:
            yield f"not proven no marks follow: {text!r}"
        elif quoted:
            yield f"ok quoted from {', '.join(quoted)}: {text!r}"
        elif partly:
            yield f"ok in part, for {', '.join(partly)}: {text!r}"
            yield f"not proven all else in this text: {text!r}"
        else:
            must(not text, f"is not in what it cites: {text}")


def check_proof(document: dict[str, Any], keys: dict[str, Any]) -> list[str]:
    """Check a proof; give a line for all that holds, and raise RefusedError for what does not."""
    return list(prove(document, trusted_keys(keys)))


def check_answer(document: dict[str, Any], keys: dict[str, Any]) -> list[str]:
    """Check an answer and its proofs; give the lines, and raise RefusedError for what is wrong."""
    return list(judge(document, trusted_keys(keys)))


def main(words: list[str]) -> int:
    """Check the file that is named, print what was found, and give the exit code."""
    try:
        must(len(words) == 2, "usage: third_verifier.py FILE KEYS")
        given, keys = (parse(Path(name).read_bytes().decode(), name) for name in words)
        check = judge if isinstance(given, dict) and "proofs" in given else prove
        for line in check(given, trusted_keys(keys)):
            print(line)
    except (RefusedError, OSError, UnicodeDecodeError) as error:
        print("WRONG", re.sub(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]", "\ufffd", str(error)))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
