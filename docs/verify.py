"""Verify a studiograph service, or what was saved from it, from outside. Copy this file freely.

    python verify.py https://studio.example [--seen FILE]
    python verify.py FILE [KEY_SET_FILE] [--address URL]

The first form checks everything that a service signs, and both of its logs; with `--seen` it
remembers the heads of the logs and checks that they only grow. The second form checks a saved
envelope, proof or answer of chat; without a key set, an envelope is checked by the key in it.
`--address` is the address of the service, where the citations of an answer may lead there.

Exit code 0: all is right. 1: the line WRONG says what is not. 2: wrong usage.
3: nothing is wrong, but the lines `in part` and `unproven` say what is not proven.

Needs Python 3.11 and PyNaCl. docs/signatures.md says what is signed and how; verify.mjs is the same
in JavaScript, and says the same of every case in tests/vectors/verifier.json.
"""

import json
import os
import re
import sys
import time
from base64 import b64decode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import quote

from nacl.bindings import crypto_core_ed25519_is_valid_point
from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

Line = tuple[str, str]
"""A word (`ok`, `in part`, `unproven`, `not covered`, `note`, `WRONG`) and what it is said of."""


class Wrong(Exception):  # noqa: N818 - what is printed
    """Something does not hold; the text says what."""


def fail(reason: str) -> NoReturn:
    """Raise Wrong."""
    raise Wrong(reason)


def need(condition: object, reason: str) -> None:
    """Raise Wrong unless the condition holds."""
    if not condition:
        raise Wrong(reason)


# JSON that can be read in one way only, and its canonical text (RFC 8785).

DEEPEST = 100
"""JSON with more levels counts as none, because not every reader can read it."""
UNSAFE = 2**53
"""From here on, not every reader has the same number."""
SURROGATE = re.compile("[\ud800-\udfff]")
ANSWER = {"answer", "citations", "proofs"}
"""The members that only an answer of chat has. Its other members may hold fractions."""


def parse(data: bytes, *, fractions: bool = False) -> Any:
    """Return the value of JSON in UTF-8; `fractions` allows them in an answer. Raises: Wrong."""
    is_repeated = False

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal is_repeated
        found = dict(pairs)
        is_repeated = is_repeated or len(found) != len(pairs)
        return found

    def integer(digits: str) -> int:  # `int` has a limit of its own
        return int(digits) if len(digits) < 20 else UNSAFE  # noqa: PLR2004 - digits of 64 bits

    def no_json(name: str) -> NoReturn:  # NaN and Infinity
        raise ValueError(name)

    text = decode(data)
    try:
        value = json.loads(
            text, object_pairs_hook=members, parse_int=integer, parse_constant=no_json
        )
    except (ValueError, RecursionError):
        raise Wrong("is not JSON") from None
    need(depth(value) <= DEEPEST, "is not JSON")
    need(not is_repeated, "a repeated key")
    has_fractions = fractions and is_object(value) and not ANSWER.isdisjoint(value)
    scalars = [*scalars_of(value)]
    for number in (scalar for scalar in scalars if type(scalar) in (int, float)):
        is_safe = abs(number) < UNSAFE if type(number) is int else has_fractions
        need(is_safe, "a number is no safe integer")
    need(not any(type(s) is str and SURROGATE.search(s) for s in scalars), "a lone surrogate")
    return value


def decode(data: bytes) -> str:
    """Return text in UTF-8. Raises: Wrong."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Wrong("is not UTF-8") from None


def depth(value: Any, level: int = 0) -> int:
    """Return how deep a value is nested, or a number above DEEPEST."""
    if level > DEEPEST or not isinstance(value, dict | list):
        return level
    inner = value.values() if isinstance(value, dict) else value
    return max((depth(each, level + 1) for each in inner), default=level + 1)


def scalars_of(value: Any) -> Iterator[Any]:
    """Yield the names and scalar values in a value."""
    if isinstance(value, dict):
        yield from value
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from scalars_of(inner)
    else:
        yield value


def canonical(value: Any) -> str:
    """Return the RFC 8785 text of a parsed value without fractions."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return f"{{{','.join(f'{canonical(name)}:{canonical(value[name])}' for name in names)}}}"
    if isinstance(value, list):
        return f"[{','.join(map(canonical, value))}]"
    return json.dumps(value, ensure_ascii=False)


# The form that a member must have: a pattern for a text, a function, or the value itself.

HASH = re.compile("sha256:[0-9a-f]{64}")
TEXT = re.compile(".+", re.DOTALL)
KID = re.compile("[a-z0-9-]{1,80}-[0-9]{4}-(0[1-9]|1[0-2])(-([2-9]|[1-9][0-9]+))?")
BYTES_32 = re.compile("[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]")
"""32 bytes in base64url without padding, in the one spelling that leaves no bit over."""
BYTES_64 = re.compile("[A-Za-z0-9_-]{85}[AQgw]")
INSTANT = re.compile(
    "([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    "T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z"
)


def is_object(value: Any) -> bool:
    """Return whether a value is a JSON object."""
    return isinstance(value, dict)


def is_list(value: Any) -> bool:
    """Return whether a value is a JSON array."""
    return isinstance(value, list)


def is_count(value: Any) -> bool:
    """Return whether a value is a whole number from 0 up."""
    return type(value) in (int, float) and 0 <= value < UNSAFE and value == int(value)


def is_empty(value: Any) -> bool:
    """Return whether a value says nothing."""
    return value in (None, "", [], {})


def is_instant(value: Any) -> bool:
    """Return whether a value is an instant in UTC with whole seconds, on a day that exists."""
    match = INSTANT.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return False
    year, month, day = map(int, match.groups())
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return day <= (31, 29 if is_leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]


def is_public_key(value: Any) -> bool:
    """Return whether a value is an Ed25519 public key in base64url.

    A point of small order is none, because anybody can sign for it. Neither is one outside of the
    group of prime order, or in another spelling than that of RFC 8032: on those, libraries differ.
    """
    is_written = isinstance(value, str) and BYTES_32.fullmatch(value) is not None
    return is_written and crypto_core_ed25519_is_valid_point(base64url(value))


def fits(value: Any, form: Any) -> bool:
    """Return whether a value has a form."""
    if isinstance(form, re.Pattern):
        return isinstance(value, str) and form.fullmatch(value) is not None
    return bool(form(value)) if callable(form) else canonical(value) == canonical(form)


def agree(value: Any, forms: dict[str, Any], where: str = "", *, more: bool = False) -> None:
    """Check the members of an object; with `more`, it may have others. Raises: Wrong."""
    names = sorted(forms)
    is_whole = is_object(value) and (
        value.keys() >= forms.keys() if more else sorted(value) == names
    )
    need(is_whole, f"members must be {' '.join(f'{where}{name}' for name in names)}")
    for name in names:
        need(fits(value[name], forms[name]), f"wrong {where}{name}")


# Keys (RFC 8037, RFC 7638) and envelopes.

KEY = {
    "kty": "OKP",
    "crv": "Ed25519",
    "x": is_public_key,
    "use": "sig",
    "alg": "EdDSA",
    "kid": KID,
}
ENVELOPE = {
    "payload": is_object,
    "signature": BYTES_64,
    "publicJwk": is_object,
    "thumbprint": BYTES_32,
    "canonicalizationProfile": "jcs-rfc8785-subset",
    "signedAt": is_instant,
    "verificationHint": TEXT,
}


@dataclass(frozen=True)
class Keys:
    """A key set: the keys to trust by kid, and the kids and thumbprints of revoked keys."""

    trusted: dict[str, dict[str, str]]
    revoked: set[str]


def read_keys(document: Any) -> Keys:
    """Return a key set in which no key is listed twice, under whatever name. Raises: Wrong."""
    agree(document, {"keys": is_list, "revoked": is_list})
    twice = "a key is listed twice or is revoked"
    revoked = set[str]()
    for key in document["revoked"]:
        agree(key, {"kid": KID, "thumbprint": BYTES_32, "revokedAt": is_instant})
        names = {key["kid"], key["thumbprint"]}
        need(revoked.isdisjoint(names), twice)
        revoked |= names
    trusted, seen = dict[str, dict[str, str]](), set(revoked)
    for key in document["keys"]:
        agree(key, KEY)
        names = {key["kid"], thumbprint(key["x"])}
        need(seen.isdisjoint(names), twice)
        seen |= names
        trusted[key["kid"]] = key
    return Keys(trusted, revoked)


def thumbprint(x: str) -> str:
    """Return the thumbprint of a public key."""
    digest = sha256(f'{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}'.encode()).digest()
    return urlsafe_b64encode(digest).decode().rstrip("=")


def base64url(text: str) -> bytes:
    """Return the bytes of base64url without padding."""
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def check_signature(x: str, signature: bytes, data: bytes) -> None:
    """Check an Ed25519 signature. Raises: Wrong."""
    need(crypto_core_ed25519_is_valid_point(signature[:32]), "signature does not verify")
    try:
        VerifyKey(base64url(x)).verify(data, signature)
    except BadSignatureError:
        raise Wrong("signature does not verify") from None


def check_envelope(envelope: Any, keys: Keys | None, **members: Any) -> Any:
    """Return the payload that a key has signed; by the envelope's own key if there are no others.

    `members` are the forms of what the payload must have. Raises: Wrong.
    """
    payload: Any = envelope.get("payload") if is_object(envelope) else None
    is_bound = is_object(payload) and "section" in payload
    rollup = payload.get("rollupHash") if is_bound else None
    of_section = {"rollupHash": lambda value: fits(value, HASH) and value == rollup}
    agree(envelope, {**ENVELOPE, **(of_section if is_bound else {})})
    jwk = envelope["publicJwk"]
    kid, x = jwk.get("kid"), jwk.get("x")
    if keys is None:
        keys = read_keys({"keys": [jwk], "revoked": []})
    need(fits(kid, KID) and is_public_key(x), "wrong publicJwk")
    own = thumbprint(x)
    need(keys.revoked.isdisjoint({kid, own}), "key is revoked")
    need(kid in keys.trusted, "key is not in the key set")
    agree(envelope, {"publicJwk": keys.trusted[kid], "thumbprint": own}, more=True)
    check_signature(x, base64url(envelope["signature"]), canonical(payload).encode())
    if members:
        agree(payload, members)
    return payload


# Merkle trees (RFC 9162). Hashes are 32 bytes, written as `sha256:` and hexadecimal digits.


def leaf_hash(text: str) -> bytes:
    """Return the hash of a leaf."""
    return sha256(b"\x00" + text.encode()).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of an inner node."""
    return sha256(b"\x01" + left + right).digest()


def written(digest: bytes) -> str:
    """Return a hash as it is written."""
    return f"sha256:{digest.hex()}"


def read_hash(text: str) -> bytes:
    """Return the hash that is written so."""
    return bytes.fromhex(text.removeprefix("sha256:"))


def read_path(path: Any) -> list[bytes]:
    """Return the hashes of a proof. Raises: Wrong."""
    need(is_list(path) and all(fits(step, HASH) for step in path), "wrong path")
    return [read_hash(step) for step in path]


def tree_head(leaves: Iterable[bytes]) -> bytes:
    """Return the head of the tree over hashes of leaves. Source: section 2.1.1."""
    level = [*leaves]
    while len(level) > 1:
        pairs = [level[place : place + 2] for place in range(0, len(level), 2)]
        level = [node_hash(*pair) if len(pair) == 2 else pair[0] for pair in pairs]  # noqa: PLR2004 - a pair
    return level[0] if level else sha256().digest()


def climb(leaf: bytes, index: int, size: int, path: list[bytes]) -> bytes | None:
    """Return the head that a path leads to from a leaf, or None. Source: section 2.1.3.2."""
    if not 0 <= index < size:
        return None
    node, last, digest = index, size - 1, leaf
    for step in path:
        if last == 0:
            return None
        if node % 2 or node == last:
            digest = node_hash(step, digest)
            while node and node % 2 == 0:
                node, last = node >> 1, last >> 1
        else:
            digest = node_hash(digest, step)
        node, last = node >> 1, last >> 1
    return digest if last == 0 else None


def has_grown(old: "Head", new: "Head", path: list[bytes]) -> bool:
    """Return whether a larger tree begins with a smaller one. Source: section 2.1.4.2."""
    if not (0 < old.size < new.size and path):
        return False
    is_whole = old.size & (old.size - 1) == 0
    first, *steps = [old.digest, *path] if is_whole else path
    node, last = old.size - 1, new.size - 1
    while node % 2:
        node, last = node >> 1, last >> 1
    before = now = first
    for step in steps:
        if last == 0:
            return False
        if node % 2 or node == last:
            before, now = node_hash(step, before), node_hash(step, now)
            while node and node % 2 == 0:
                node, last = node >> 1, last >> 1
        else:
            now = node_hash(now, step)
        node, last = node >> 1, last >> 1
    return last == 0 and (before, now) == (old.digest, new.digest)


# Checkpoints: the head of a log, signed (C2SP signed-note, tlog-checkpoint).

WHITE = "\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""White space, as Unicode defines it. Python and JavaScript have each another idea of it."""
NAME = f"[^+\x00-\x20\x7f-\x9f{WHITE}]+"
NOTE = re.compile(
    f"({NAME})\n(0|[1-9][0-9]{{0,14}})\n([A-Za-z0-9+/]{{42}}[AEIMQUYcgkosw048]=)\n\n"
    f"((?:\u2014 {NAME} [A-Za-z0-9+/]+={{0,2}}\n)+)"
)
BYTES_68 = re.compile("[A-Za-z0-9+/]{90}[AEIMQUYcgkosw048]=")


@dataclass(frozen=True)
class Head:
    """The head of a log."""

    origin: str
    size: int
    digest: bytes


def read_note(note: str) -> tuple[Head, str]:
    """Return the head in a checkpoint and the lines of its signatures. Raises: Wrong."""
    if (match := NOTE.fullmatch(note)) is None:
        fail("malformed checkpoint")
    origin, size, digest, signatures = match.groups()
    return Head(origin, int(size), b64decode(digest)), signatures


def check_note(note: str, keys: Keys) -> Head:
    """Return the head in a checkpoint that a trusted key has signed. Raises: Wrong."""
    head, signatures = read_note(note)
    signed, is_signed = note[: note.index("\n\n") + 1].encode(), False
    for line in signatures.split("\n")[:-1]:
        _, name, blob = line.split(" ")
        if name != head.origin or not BYTES_68.fullmatch(blob):
            continue  # somebody else's, which says nothing to us
        key_id, signature = b64decode(blob)[:4], b64decode(blob)[4:]
        for key in keys.trusted.values():
            if key_id == sha256(f"{name}\n\x01".encode() + base64url(key["x"])).digest()[:4]:
                check_signature(key["x"], signature, signed)
                is_signed = True
    need(is_signed, "key is not in the key set")
    return head


# Proofs: that a statement was published.

PROOF = {
    "name": TEXT,
    "statement": TEXT,
    "leafHash": HASH,
    "index": is_count,
    "size": is_count,
    "path": is_list,
    "contentRoot": HASH,
    "revisionLeaf": TEXT,
    "log": is_object,
}
LOGGED = {"origin": TEXT, "index": is_count, "size": is_count, "path": is_list, "checkpoint": TEXT}
LEAF = {
    "revision": HASH,
    "contentRoot": HASH,
    "statements": is_count,
    "publishedAt": is_instant,
    "interface": HASH,
}


@dataclass(frozen=True)
class Statement:
    """What a proof proves, and of when."""

    name: str
    data: Any
    published: str
    host: str
    """The host that names the log."""


def check_proof(proof: Any, keys: Keys) -> Statement:
    """Return what a proof proves. Raises: Wrong."""
    agree(proof, PROOF)
    log = proof["log"]
    agree(log, LOGGED, "log.")
    head = check_note(log["checkpoint"], keys)
    need(log["origin"] == head.origin, "wrong log.origin")
    need(log["size"] == head.size, "wrong log.size")
    leaf = read_leaf(proof["revisionLeaf"])
    logged = leaf_hash(proof["revisionLeaf"])
    found = climb(logged, log["index"], log["size"], read_path(log["path"]))
    need(found == head.digest, "revisionLeaf is not in the log")
    need(leaf["contentRoot"] == proof["contentRoot"], "wrong contentRoot")
    need(leaf["statements"] == proof["size"], "wrong size")
    said = leaf_hash(proof["statement"])
    need(written(said) == proof["leafHash"], "wrong leafHash")
    found = climb(said, proof["index"], proof["size"], read_path(proof["path"]))
    need(found == read_hash(proof["contentRoot"]), "statement is not in the revision")
    statement = parse(proof["statement"].encode())
    need(canonical(statement) == proof["statement"], "wrong statement")
    agree(statement, {"name": proof["name"], "data": lambda _: True})
    published = (
        f"at {leaf['publishedAt']} in {leaf['revision']}, entry {log['index']} of {head.origin}"
    )
    return Statement(proof["name"], statement["data"], published, head.origin.split("/")[0])


def read_leaf(text: str) -> Any:
    """Return what the log says of a revision. Raises: Wrong."""
    leaf = parse(text.encode())
    need(canonical(leaf) == text, "wrong revisionLeaf")
    agree(leaf, LEAF, "revisionLeaf.", more=True)
    return leaf


# Answers of chat: which of their sentences stand in what they cite.

MARKS = re.compile(f"((?:[{WHITE}]*\\[[0-9]+\\])+|\n[{WHITE}]*\n)")
"""The marks behind a text, or the empty line: what ends with it cites nothing."""
ENDS = ".!?:;)\"'"
"""What can stand before and at the end of a sentence."""
POINTER = re.compile("(/([^~/]|~[01])*)*")
ADDRESS = re.compile(
    "(?:https?://([a-z0-9.-]+|\\[::1\\])(?::[0-9]{1,5})?)?"
    f"/api/([^\\\\\x00-\x20\x7f-\x9f{WHITE}]+)"
)
HERE = {"localhost", "127.0.0.1", "[::1]"}
"""The reader's own machine, where a studio is tried out."""


def check_answer(answer: Any, keys: Keys, address: str | None) -> list[Line]:
    """Return a line for each proof and text of an answer. Raises: Wrong."""
    agree(answer, {"answer": TEXT, "citations": is_list, "proofs": is_list}, more=True)
    need(all(fits(proof, TEXT) for proof in answer["proofs"]), "wrong proofs")
    found = [check_proof(parse(proof.encode()), keys) for proof in answer["proofs"]]
    statements = {statement.name: statement for statement in found}
    need(len(statements) == len(found), "wrong proofs")
    lines = [("ok", f"{each.name} was published {each.published}") for each in statements.values()]
    hosts = {each.host.removeprefix("www.") for each in found}
    if address is not None and (match := URL.fullmatch(address)):
        hosts.add(re.sub(":[0-9]*$", "", match[2]).lower())
    cited = dict[int, tuple[Any, str]]()
    for citation in answer["citations"]:
        n, name = read_citation(citation, hosts)
        need(n not in cited, "wrong n")
        cited[n] = citation, name
    parts = MARKS.split(f"{answer['answer']}\n\n")
    for text, marks in zip(map(plain, parts[:-1:2]), parts[1::2], strict=True):
        numbers = [int(number) for number in re.findall(r"\[(0|[1-9][0-9]{0,8})\]", marks)]
        if text and "[" not in marks:
            lines.append(("unproven", text))
        elif text:
            known = [cited[n] for n in numbers if n in cited]
            proven = [(each, statements[name]) for each, name in known if name in statements]
            lines.append(standing(text, proven))
    covered = {"answer", "citations", "proofs", "citations/n", "citations/url", "citations/pointer"}
    names = {*answer, *(f"citations/{name}" for each in answer["citations"] for name in each)}
    if others := sorted(names - covered):
        lines.append(("not covered", ", ".join(others)))
    return lines


def read_citation(citation: Any, hosts: set[str]) -> tuple[int, str]:
    """Return the number of a citation and the name of what it cites. Raises: Wrong.

    A citation leads nowhere but to the service. Over MCP its address is whole; then its host is
    that of the log, one below it, or one of these.
    """
    agree(citation, {"n": is_count, "url": TEXT}, more=True)
    need(fits(citation.get("pointer", ""), POINTER), "wrong pointer")
    for member in ("proof", "url"):
        value = citation.get(member, "/api/proof")
        match = ADDRESS.fullmatch(value) if isinstance(value, str) else None
        if match is None:
            fail(f"wrong {member}")
        host = match[1]
        is_below = any(own and f".{host}".endswith(f".{own}") for own in hosts)
        need(host is None or host in HERE or is_below, f"wrong {member}")
        name = match[2]
    return int(citation["n"]), name


def standing(text: str, cited: list[tuple[Any, Statement]]) -> Line:
    """Return how a text stands in what it cites. Raises: Wrong."""
    for _, statement in cited:
        if is_quoted(text, statement.data):
            return "ok", f"quoted from {statement.name}: {text}"
    for citation, statement in cited:
        if part := part_of(text, statement.data, citation.get("pointer")):
            return "in part", f"{text} (of {statement.name}: {part})"
    fail(f"is not in what it cites: {text}")


def is_quoted(text: str, data: Any) -> bool:
    """Return whether a text stands in a value as a whole, with no word left out at an end."""
    for value in values_in(data):
        start = value.find(text)
        while start >= 0:
            before, after = value[:start].rstrip(" "), value[start + len(text) :]
            if (not before or before[-1] in ENDS) and (not after or text[-1] in ENDS):
                return True
            start = value.find(text, start + 1)
    return False


def part_of(text: str, data: Any, pointer: str | None) -> str:
    """Return what of a text holds: its end, or a value at the pointer; or an empty text."""
    for match in re.finditer("[:.!?] ", text):
        if is_quoted(tail := text[match.end() :], data):
            return tail
    if pointer is None:
        return ""
    for part in pointer.split("/")[1:]:  # RFC 6901
        key = part.replace("~1", "/").replace("~0", "~")
        members = {str(n): each for n, each in enumerate(data)} if is_list(data) else data
        data = members.get(key) if is_object(members) else None
    if isinstance(data, bool):
        word = "Yes" if data else "No"
        return word if re.match(rf"{word}(?!\w)", text) else ""
    found = (v for v in values_in(data, lengths=True) if v and holds_word(text, v))
    return next(found, "")


def holds_word(text: str, value: str) -> bool:
    """Return whether a value stands in a text, between what is no letter, digit or `_`."""
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text) is not None


def values_in(value: Any, *, lengths: bool = False) -> Iterator[str]:
    """Yield each text and number in a value, and the length of each list if asked for."""
    if isinstance(value, dict | list):
        if lengths and isinstance(value, list):
            yield str(len(value))
        for inner in value.values() if isinstance(value, dict) else value:
            yield from values_in(inner, lengths=lengths)
    elif type(value) in (str, int):
        yield plain(str(value))


def plain(text: str) -> str:
    """Return a text with single spaces, and none at its ends."""
    return re.sub(f"[{WHITE}]+", " ", text).strip(" ")


# A saved file.


def check_file(file: str, key_file: str | None, address: str | None) -> list[Line]:
    """Return what holds of a saved envelope, proof or answer, and the first thing that is wrong."""
    place = key_file or file
    try:
        keys = read_keys(parse(Path(key_file).read_bytes())) if key_file else None
        place = file
        document = parse(Path(file).read_bytes(), fractions=True)
        return [(w, f"{file}: {t}" if w == "ok" else t) for w, t in check(document, keys, address)]
    except Wrong as error:
        return [("WRONG", f"{place}: {error}")]


def check(document: Any, keys: Keys | None, address: str | None) -> list[Line]:
    """Return what holds of a saved document. Raises: Wrong."""
    names = {*document} if is_object(document) else set[str]()
    if names & ENVELOPE.keys():
        check_envelope(document, keys)
        signer = f"signed by {document['publicJwk']['kid']} at {document['signedAt']}"
        trust = "from the key set" if keys else "its own: compare the thumbprint, or give a key set"
        return [
            ("ok", f"{signer}; the key is {trust}"),
            ("ok", f"thumbprint {document['thumbprint']}"),
        ]
    if names & ANSWER:
        return check_answer(document, keys or needs_keys(), address)
    if names & PROOF.keys():
        proven = check_proof(document, keys or needs_keys())
        return [("ok", f"{proven.name} was published {proven.published}")]
    return fail("is no envelope, proof or answer")


def needs_keys() -> NoReturn:
    """Raise Wrong: only an envelope has a key in it."""
    fail("needs a key set")


# A service, and what was seen of it before.

SECTIONS = (
    *("studio.identity", "studio.founder", "studio.practice", "studio.convictions"),
    *("studio.lookingFor", "studio.scheduling", "studio.journey", "studio.currentlyStudying"),
    *("studio.certifications", "studio.onChain"),
    *("projects", "domains", "engagement", "faq", "glossary"),
)
"""What every studio signs, if it says something of it."""
SECTION = re.compile("[A-Za-z0-9.-]{1,64}")
MOST_SECTIONS = 100
INTERFACE = ("operation/", "fragment/", "tool/", "prompt/", "resource/", "document/")
"""How the names of those statements begin that are no content."""
READINGS = 4
"""How often a service is read that publishes something new meanwhile."""
Get = Callable[[str, tuple[int, ...]], bytes]
"""Returns the body at a path, if it has one of these statuses. Raises: Wrong."""


class Service:
    """One reading of a service: the lines so far, and the heads of its logs."""

    def __init__(self, get: Get, seen: dict[str, Any] | None) -> None:
        self.get, self.seen = get, seen
        self.lines = list[Line]()
        self.place = ""
        self.read = dict[str, bytes]()
        self.heads: dict[str, Any] | None = None
        """What is to be remembered, once all holds."""

    def run(self) -> None:
        """Check everything, up to the first thing that is wrong."""
        try:
            self.check_content()
            heads = {**self.check_log(), "words": self.check_words()}
        except Wrong as error:
            self.lines.append(("WRONG", f"{self.place}: {error}"))
        else:
            self.heads = heads

    def has_changed(self) -> bool:
        """Return whether the service says something else by now of its keys or its content."""
        paths = [
            path for path in ("/.well-known/jwks.json", "/api/manifest.sig") if path in self.read
        ]
        try:
            return any(self.read[path] != self.get(path, (200,)) for path in paths)
        except Wrong:
            return False

    def bytes_at(self, path: str, *statuses: int) -> bytes:
        """Return the body at a path. Raises: Wrong."""
        self.place = path
        self.read[path] = self.get(path, statuses or (200,))
        return self.read[path]

    def json_at(self, path: str, *statuses: int) -> Any:
        """Return the value at a path. Raises: Wrong."""
        return parse(self.bytes_at(path, *statuses))

    def holds(self, text: str) -> None:
        """Say what holds of what was read last."""
        self.lines.append(("ok", f"{self.place}: {text}"))

    def payload_at(self, path: str, **members: Any) -> Any:
        """Return what is signed at a path. Raises: Wrong."""
        envelope = self.json_at(path)
        payload = check_envelope(envelope, self.keys, **members)
        self.holds(f"signed by {envelope['publicJwk']['kid']} at {envelope['signedAt']}")
        return payload

    def check_content(self) -> None:
        """Check the keys, every envelope, and that all of them say the same."""
        self.keys = read_keys(self.json_at("/.well-known/jwks.json"))
        self.holds(f"{len(self.keys.trusted)} keys, {len(self.keys.revoked) // 2} revoked")
        manifest = self.payload_at("/api/manifest.sig")
        forms = {"revision": HASH, "studio": is_object, "changelog": is_list}
        agree(manifest, forms, more=True)
        for entry in manifest["changelog"]:
            agree(entry, {"id": TEXT, "publishedAt": is_instant}, more=True)
        self.manifest, changelog = manifest, manifest["changelog"]
        self.entries = sorted(changelog, key=lambda entry: str(entry["publishedAt"]))
        leaves = [leaf_hash(canonical(entry)) for entry in self.entries]
        self.log_head = {"rollupHash": written(tree_head(leaves)), "treeSize": len(leaves)}
        expected = {**manifest, "rollupHash": self.log_head["rollupHash"]}
        agree(self.json_at("/api/manifest"), expected)
        self.payload_at("/api/changelog.sig", entries=changelog, **self.log_head)
        body = self.json_at("/api/changelog")
        need(fits(body, changelog), "differs from /api/manifest")
        self.holds(f"{len(leaves)} entries, {self.log_head['rollupHash']}")
        self.check_sections()

    def check_sections(self) -> None:
        """Check the envelope of each section, and that none is left out."""
        # a service lists them in an error, a folder of exported files in a file
        listed = self.json_at("/api/snapshot.sig", 400, 200)
        fields = listed.get("fields") if is_object(listed) else None
        first: Any = fields[0] if is_list(fields) and fields else None
        names: Any = first.get("allowed") if is_object(first) else None
        if not is_list(names) or not all(fits(name, SECTION) for name in names):
            fail("does not list its sections")
        need(len({*names}) == len(names) <= MOST_SECTIONS, "does not list its sections")
        studio = {f"studio.{name}": value for name, value in self.manifest["studio"].items()}
        rest = {name[7:]: studio[name] for name in studio if name not in {*names, *SECTIONS}}
        parts = {**self.manifest, **studio, "studio.identity": rest}
        for name in SECTIONS:
            need(name in names or is_empty(parts.get(name)), f"has no section {name}")
        for name in names:
            data = parts.get(name)
            form = (lambda value: value in ([], {})) if is_empty(data) else data
            members = {"section": name, "data": form, "revision": self.manifest["revision"]}
            self.payload_at(f"/api/snapshot.sig?section={name}", **members, **self.log_head)

    def check_log(self) -> dict[str, Any]:
        """Return the head of the log of changes, once its entries and its history hold."""
        head = check_note(decode(self.bytes_at("/api/log/checkpoint")), self.keys)
        found = {"rollupHash": written(head.digest), "treeSize": head.size}
        need(found == self.log_head, "is not the head of the log")
        self.holds(f"{head.origin}, {head.size} entries")
        for index in sorted({0, head.size - 1}) if head.size else ():
            entry, proof = self.entries[index], self.json_at(f"/api/log/proof?index={index}")
            leaf = leaf_hash(canonical(entry))
            members = {"origin": head.origin, "index": index, "entry": entry["id"], "path": is_list}
            agree(proof, {**members, "leafHash": written(leaf), **self.log_head})
            steps = read_path(proof["path"])
            need(climb(leaf, index, head.size, steps) == head.digest, "wrong path")
            self.holds("the entry is in the log")
        if self.seen is not None:
            self.check_history(known_head(self.seen), head)
        return as_seen(head)

    def check_history(self, old: Head, new: Head) -> None:
        """Check that the log of changes goes on as it was seen, or that its end is published."""
        if old.origin != new.origin:
            self.check_restart(old)
            return
        self.place = "/api/log/checkpoint"
        need(new.size >= old.size, f"the log had {old.size} entries and has fewer now")
        self.check_growth("/api/log/consistency", old, new, "entries")

    def check_growth(self, path: str, old: Head, new: Head, leaves: str) -> None:
        """Check that a log that is not smaller begins as it did."""
        if old.size == new.size:
            reason = f"the log of size {old.size} has another head than the last check saw"
            need(old.digest == new.digest, reason)
            self.holds(f"the log still has the size seen before, {old.size}, and the same head")
            return
        if old.size:
            proof = self.json_at(f"{path}?from={old.size}")
            agree(proof, {"path": is_list}, more=True)
            is_proven = has_grown(old, new, read_path(proof["path"]))
            need(is_proven, f"the log no longer begins with the {leaves} seen by the last check")
        self.holds(f"the log still begins with what was seen before, {old.size} {leaves}")

    def check_restart(self, old: Head) -> None:
        """Check that the log that was seen is listed as a former one that was not shortened."""
        log = self.json_at("/api/log")
        agree(log, {"former": is_list}, more=True)
        former = [each for each in log["former"] if is_object(each)]
        ended = next((each for each in former if each.get("origin") == old.origin), None)
        gone = f"the log {old.origin} was seen by the last check and is not published now"
        need(ended is not None, gone)
        agree(ended, {"treeSize": is_count, "rollupHash": HASH, "checkpoint": TEXT}, more=True)
        assert ended is not None  # noqa: S101 - for type checkers
        need(ended["treeSize"] >= old.size, gone)
        note, _ = read_note(ended["checkpoint"])
        head = Head(old.origin, ended["treeSize"], read_hash(ended["rollupHash"]))
        need(note == head, f"the checkpoint of {old.origin} has another head")
        is_same = head.size > old.size or head == old
        need(is_same, f"the log {old.origin} ended with another head than the last check saw")
        self.holds(f"{old.origin} has ended; a new log has begun")

    def check_words(self) -> dict[str, Any]:
        """Return the head of the log of words, once its latest revision and its history hold."""
        log = self.json_at("/api/words")
        forms = {"origin": TEXT, "treeSize": is_count, "rollupHash": HASH, "contentRoot": HASH}
        agree(log, {**forms, "revisionLeaf": TEXT, "statements": is_list}, more=True)
        for statement in log["statements"]:
            agree(statement, {"name": TEXT, "leafHash": HASH})
        statements = {each["name"]: each["leafHash"] for each in log["statements"]}
        is_sorted = [each["name"] for each in log["statements"]] == sorted(statements)
        need(is_sorted, "its statements are not sorted by name")
        hashes = {name: read_hash(digest) for name, digest in statements.items()}
        interface = [digest for name, digest in hashes.items() if name.startswith(INTERFACE)]
        leaf, revision = read_leaf(log["revisionLeaf"]), self.manifest["revision"]
        head = written(tree_head(hashes.values()))
        found = (revision, head, written(tree_head(interface)), len(hashes))
        said = (leaf["revision"], leaf["contentRoot"], leaf["interface"], leaf["statements"])
        is_said = said == found and log["contentRoot"] == head
        need(is_said, "its statements are not those of the revision's leaf")
        self.holds(f"{len(statements)} statements, revision {revision}")
        new = check_note(decode(self.bytes_at("/api/words/checkpoint")), self.keys)
        listed = Head(log["origin"], log["treeSize"], read_hash(log["rollupHash"]))
        need(new == listed, "differs from /api/words")
        self.holds(f"{new.origin}, size {new.size}")
        for name in [*statements][:1]:
            proof = self.json_at(f"/api/proof?name={quote(name, safe='')}")
            check_proof(proof, self.keys)
            is_same = (proof["revisionLeaf"], proof["leafHash"]) == (
                log["revisionLeaf"],
                statements[name],
            )
            need(is_same and proof["name"] == name, "differs from /api/words")
            self.holds("the statement is in the revision, and the revision in the log")
        if self.seen is not None and (old := self.seen.get("words")):
            self.check_history_of_words(old, new, statements)
        return {**as_seen(new), "revision": revision, "statements": statements}

    def check_history_of_words(
        self, seen: dict[str, Any], new: Head, statements: dict[str, str]
    ) -> None:
        """Check that the log of words goes on as it was seen, and name what has changed."""
        old, before = known_head(seen), seen["statements"]
        self.place = "/api/words"
        connected = f"the log {old.origin} was seen by the last check; now {new.origin} is there"
        need(old.origin == new.origin, f"{connected}, and nothing connects the two")
        self.place = "/api/words/checkpoint"
        shrunk = f"the log had size {old.size} and has size {new.size} now"
        need(new.size >= old.size, shrunk)
        self.check_growth("/api/words/consistency", old, new, "revisions")
        self.place = "/api/words"
        for name in sorted({*before, *statements}):
            if before.get(name) != statements.get(name):
                how = (
                    "added"
                    if name not in before
                    else "changed"
                    if name in statements
                    else "removed"
                )
                between = f"{seen['revision']} and {self.manifest['revision']}"
                self.holds(f"{name} was {how} between {between}")


def as_seen(head: Head) -> dict[str, Any]:
    """Return a head as it is remembered."""
    return {"origin": head.origin, "size": head.size, "head": written(head.digest)}


def known_head(seen: dict[str, Any]) -> Head:
    """Return the head that was remembered so."""
    return Head(seen["origin"], seen["size"], read_hash(seen["head"]))


def check_service(address: str, memory: str | None) -> list[Line]:
    """Return what holds of a service, and the first thing that is wrong.

    It is read again if it published something meanwhile. `memory` is the file of what was seen.
    """
    base, lines = address.rstrip("/"), list[Line]()
    known: dict[str, Any] = {}
    try:
        known = read_memory(memory) if memory else {}
    except OSError:
        lines.append(("note", f"{memory} cannot be read, so nothing is compared with it."))
    except Wrong:
        said = "was not written by a verifier, so the history is not checked. Fix: remove it."
        lines, memory = [("unproven", f"{memory} {said}")], None
    service = Service(getting(base), known.get(base))
    service.run()
    for _ in range(READINGS - 1):
        if service.heads is not None or not service.has_changed():
            break
        service = Service(service.get, known.get(base))
        service.run()
    if memory and service.heads is not None:
        try:
            write_memory(memory, {**known, base: service.heads})
        except OSError:
            said = "cannot be written, so the next check cannot notice a rewritten history."
            lines = [("note", f"{memory} {said}")]
    return [*lines, *service.lines]


SEEN = {"origin": TEXT, "size": is_count, "head": HASH}
OF_WORDS = {**SEEN, "revision": HASH, "statements": is_object}


def read_memory(file: str) -> dict[str, Any]:
    """Return what was seen of each service. Raises: Wrong, OSError if it cannot be read."""
    try:
        data = Path(file).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    known = parse(data)
    need(is_object(known), "is no object")
    for seen in known.values():
        agree(seen, SEEN, more=True)
        if seen.get("words") is not None:
            agree(seen["words"], OF_WORDS)
    return dict(known)


def write_memory(file: str, known: dict[str, Any]) -> None:
    """Remember what was seen: the whole file or nothing. Raises: OSError."""
    new = Path(f"{file}.new")
    new.parent.mkdir(parents=True, exist_ok=True)
    new.write_text(canonical(known), encoding="utf-8")
    os.replace(new, file)  # noqa: PTH105 - a name, not a path


# Reading a service over HTTP.

URL = re.compile(r"(https?)://([^/?#@\s]+)((?:/[^?#\s]*)?)")
NO_RESPONSE = "no response. Fix: start the service, and look at the name, the port and TLS"
MOST_BYTES = 2**26
SILENCE_SECONDS, RESPONSE_SECONDS = 10, 60
"""How long a service may be silent, and how long a response may take."""


def getting(base: str) -> Get:
    """Return what reads a path of the service at an address."""
    match = URL.fullmatch(base)
    scheme, host, prefix = match.groups() if match else ("", "", "")
    connect = HTTPSConnection if scheme == "https" else HTTPConnection

    def get(path: str, statuses: tuple[int, ...]) -> bytes:
        data, until = bytearray(), time.monotonic() + RESPONSE_SECONDS
        headers = {"Accept": "*/*", "Accept-Encoding": "identity", "Connection": "close"}
        try:
            connection = connect(host, timeout=SILENCE_SECONDS)
            try:
                connection.request("GET", f"{prefix}{path}", headers=headers)
                response = connection.getresponse()
                expected = " or ".join(map(str, statuses))
                need(response.status in statuses, f"status {response.status} instead of {expected}")
                need(not response.headers["content-encoding"], "has a content encoding")
                while chunk := response.read1(2**16):
                    data += chunk
                    need(len(data) <= MOST_BYTES, f"more than {MOST_BYTES >> 20} MiB")
                    need(time.monotonic() < until, NO_RESPONSE)
                need(not response.length, NO_RESPONSE)  # it broke off
            finally:
                connection.close()
        except (OSError, HTTPException, ValueError, OverflowError):
            raise Wrong(NO_RESPONSE) from None
        return bytes(data)

    return get


# The command line.

USAGE = """usage: verify.py URL [--seen FILE]
       verify.py FILE [KEY_SET_FILE] [--address URL]
"""
UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What would change a terminal, or the order of what it shows."""


def verify(
    target: str, keys: str | None = None, *, seen: str | None = None, address: str | None = None
) -> list[Line] | None:
    """Return the lines on a service or a file, or None if the call is wrong."""
    if URL.fullmatch(target):
        return None if keys or address else check_service(target, seen)
    files = [target] if keys is None else [target, keys]
    is_wrong = seen or (address and not URL.fullmatch(address))
    if is_wrong or not all(Path(file).is_file() for file in files):
        return None
    return check_file(target, keys, address)


def exit_code(lines: list[Line]) -> int:
    """Return the exit code that lines mean."""
    words = {word for word, _ in lines}
    return 1 if "WRONG" in words else 3 if words & {"in part", "unproven"} else 0


def shown(line: Line) -> str:
    """Return a line as it is printed."""
    return UNSEEN.sub("\ufffd", f"{line[0]:<5}  {line[1]}")


def main(words: list[str]) -> int:
    """Verify what the words of a command line say, print the lines and return the exit code."""
    options: dict[str, str] = {}
    places = list[str]()
    rest = iter(words)
    for word in rest:
        if word in ("--seen", "--address"):
            options[word[2:]] = next(rest, "")
        else:
            places.append(word)
    is_usage = len(places) not in (1, 2) or not all(options.values())
    lines = None if is_usage else verify(*places, **options)
    if lines is None:
        sys.stderr.write(USAGE)
        return 2
    for line in lines:
        sys.stdout.write(f"{shown(line)}\n")
    return exit_code(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
