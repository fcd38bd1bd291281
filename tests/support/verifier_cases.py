"""The cases of tests/vectors/verifier.json, made of small documents and of what each case alters.

The documents are signed by other libraries than the verifiers use, with keys that anybody can make:
32 bytes of one, and 32 bytes of two. An edit is an object, whose members are taken in this order:

- `in`: what is altered: `file` (the default), `keys`, `memory`, or the path of a service;
- `whole`, `status`, `headers`: another value, and what a service sends with it;
- `set`, `copy`, `remove`: members by their JSON pointers (`-` is behind the last of a list);
- `note`: members of the head in a checkpoint, signed anew; `by` names the signers, `more` is text
  behind it, and `blank` text behind the root;
- `sign`: the key that signs the payload anew;
- `text`, `encoding`: what is replaced in the text, and in which encoding it is sent.

A case is one edit or a list of them.
"""

import json
from base64 import b64decode, b64encode, urlsafe_b64encode
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from merkle_reference import Tree
from outside_reader import SECTIONS, canonical
from vectors import cases

KEYS = {
    name: Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32)
    for n, name in enumerate(("key", "other"), 1)
}
NOW = "2026-11-20T12:00:00Z"
KID = "quillmere-2026-11"
JWKS, WORDS, CHECKPOINT = "/.well-known/jwks.json", "/api/words", "/api/log/checkpoint"
OWNER = "faq/who-owns-the-code"
SAID: dict[str, Any] = {
    "about": {"studio": {"name": "Quillmere"}},
    OWNER: {"q": "Who owns the code?", "a": "The client does. No part of it is kept."},
    "operation/ListFaq": {"document": "query ListFaq { faq { q a } }"},
    "scheduling": {"workingHours": "08:30 to 17:30", "days": ["Monday", "Friday"]},
    "status": {
        "open": True,
        "a/b": 12,
        "none": None,
        "note": "Open to all. Closed in May.",
        "caf\u00e9": "Sk\u00e5ne \U0001f600 (south).",
    },
}
ANSWER = {
    "answer": "The client does. [1] No part of it is kept. [1]",
    "citations": [
        {"n": 1, "url": f"/api/{OWNER}", "pointer": "/a", "title": "Who?", "score": 0.5},
        {"n": 2, "url": "/api/scheduling", "pointer": "/workingHours", "score": 1.0},
        {"n": 3, "url": "/api/status", "pointer": "", "score": 0.25},
    ],
    "model": "extractive-v3",
}


def b64url(data: bytes) -> str:
    """Bytes in base64url without padding."""
    return urlsafe_b64encode(data).decode().rstrip("=")


def public(name: str) -> bytes:
    """The public key of one of the two."""
    return KEYS[name].public_key().public_bytes_raw()


def jwk(name: str = "key", kid: str = KID) -> dict[str, str]:
    """A key as a key set lists it."""
    x = b64url(public(name))
    return {"kty": "OKP", "crv": "Ed25519", "x": x, "use": "sig", "alg": "EdDSA", "kid": kid}


def thumbprint(key: dict[str, str]) -> str:
    """The thumbprint of a key. Source: RFC 7638."""
    return b64url(sha256(canonical({m: key[m] for m in ("crv", "kty", "x")})).digest())


def signature(payload: Any, name: str = "key") -> str:
    """The signature over a payload, if it has a canonical form."""
    return b64url(KEYS[name].sign(canonical(payload)))


def envelope(payload: dict[str, Any]) -> dict[str, Any]:
    """The envelope of a payload."""
    bound = {"rollupHash": payload["rollupHash"]} if "section" in payload else {}
    return {
        "payload": payload,
        "signature": signature(payload),
        "publicJwk": jwk(),
        "thumbprint": thumbprint(jwk()),
        "canonicalizationProfile": "jcs-rfc8785-subset",
        "signedAt": NOW,
        "verificationHint": "See /.well-known/jwks.json.",
        **bound,
    }


def digest(data: bytes) -> str:
    """A hash as it is written."""
    return f"sha256:{data.hex()}"


def note(origin: str, size: int, head: str, by: tuple[str, ...] = ("key",), blank: str = "") -> str:
    """A signed checkpoint. Source: C2SP signed-note."""
    text = f"{origin}\n{size}\n{b64encode(bytes.fromhex(head[7:])).decode()}\n{blank}"
    lines = []
    for name in by:
        key_id = sha256(f"{origin}\n\x01".encode() + public(name)).digest()[:4]
        blob = b64encode(key_id + KEYS[name].sign(text.encode())).decode()
        lines.append(f"\N{EM DASH} {origin} {blob}\n")
    return "\n".join([text, "".join(lines)])


def revision_leaf(number: int, said: dict[str, Any]) -> bytes:
    """What the log of words has of a revision."""
    texts = {n: canonical({"name": n, "data": said[n]}) for n in sorted(said)}
    own = Tree([text for name, text in texts.items() if name.startswith("operation/")])
    return canonical(
        {
            "revision": digest(sha256(b"%d" % number).digest()),
            "contentRoot": digest(Tree([*texts.values()]).head(0, len(texts))),
            "statements": len(texts),
            "publishedAt": f"2026-11-2{number}T12:00:00Z",
            "changed": [],
            "interface": digest(own.head(0, len(own.leaves))),
        }
    )


REVISIONS = [revision_leaf(n, {**SAID, "about": {"n": n}} if n < 2 else SAID) for n in range(3)]
WORDS_TREE = Tree(REVISIONS)
WORDS_ORIGIN, LOG_ORIGIN = "quillmere.example/words/1", "quillmere.example/changelog"


def proof(name: str) -> dict[str, Any]:
    """The proof of a statement of the last revision."""
    texts = [canonical({"name": n, "data": SAID[n]}) for n in sorted(SAID)]
    tree, place, size = Tree(texts), sorted(SAID).index(name), len(REVISIONS)
    return {
        "name": name,
        "statement": texts[place].decode(),
        "leafHash": digest(tree.leaves[place]),
        "index": place,
        "size": len(texts),
        "path": [digest(step) for step in tree.path(place, 0, len(texts))],
        "contentRoot": digest(tree.head(0, len(texts))),
        "revisionLeaf": REVISIONS[-1].decode(),
        "log": {
            "origin": WORDS_ORIGIN,
            "index": size - 1,
            "size": size,
            "path": [digest(step) for step in WORDS_TREE.path(size - 1, 0, size)],
            "checkpoint": note(WORDS_ORIGIN, size, digest(WORDS_TREE.head(0, size))),
        },
    }


ENTRIES = [
    {"id": f"2026-11-{n:02}-change", "publishedAt": f"2026-11-{n:02}T09:00:00Z", "title": f"{n}"}
    for n in range(1, 6)
]
LOG_TREE = Tree([canonical(entry) for entry in ENTRIES])


@cache
def service() -> dict[str, Any]:
    """What a small service says, by path."""
    size, words_size = len(ENTRIES), len(REVISIONS)
    head: dict[str, Any] = {"rollupHash": digest(LOG_TREE.head(0, size)), "treeSize": size}
    newest_first = ENTRIES[::-1]
    manifest = {
        "studio": {"name": "Quillmere", "tagline": "Tides.", "scheduling": {"days": 2}},
        "faq": [{"q": "Who owns the code?", "a": "The client does."}],
        "projects": [],
        "changelog": newest_first,
        "revision": json.loads(REVISIONS[-1])["revision"],
        "rollupHash": head["rollupHash"],
    }
    parts: dict[str, Any] = {section: [] for section in SECTIONS}
    parts |= {"faq": manifest["faq"], "studio.scheduling": {"days": 2}, "studio.onChain": {}}
    parts["studio.identity"] = {"name": "Quillmere", "tagline": "Tides."}
    bound = {"revision": manifest["revision"], **head}
    found: dict[str, Any] = {
        JWKS: documents("keys"),
        "/api/manifest": manifest,
        "/api/manifest.sig": envelope(manifest),
        "/api/changelog": newest_first,
        "/api/changelog.sig": envelope({"entries": newest_first, **head}),
        "/api/snapshot.sig": {"ok": False, "fields": [{"path": "section", "allowed": [*parts]}]},
        CHECKPOINT: note(LOG_ORIGIN, size, head["rollupHash"]),
        "/api/log": {"origin": LOG_ORIGIN, "former": []},
    }
    for section, data in parts.items():
        own = envelope({"section": section, "data": data, **bound})
        found[f"/api/snapshot.sig?section={section}"] = own
    for index in (0, size - 1):
        found[f"/api/log/proof?index={index}"] = {
            "origin": LOG_ORIGIN,
            "index": index,
            "entry": ENTRIES[index]["id"],
            "leafHash": digest(LOG_TREE.leaves[index]),
            "path": [digest(step) for step in LOG_TREE.path(index, 0, size)],
            **head,
        }
    for tree, path, last in ((LOG_TREE, "/api/log", size), (WORDS_TREE, WORDS, words_size)):
        for old in range(1, last):
            steps = [digest(step) for step in tree.proof(old, last)]
            found[f"{path}/consistency?from={old}"] = {"path": steps}
    first = proof("about")
    found[WORDS] = {
        "origin": WORDS_ORIGIN,
        "treeSize": words_size,
        "rollupHash": digest(WORDS_TREE.head(0, words_size)),
        "contentRoot": first["contentRoot"],
        "revisionLeaf": first["revisionLeaf"],
        "statements": [{"name": n, "leafHash": proof(n)["leafHash"]} for n in sorted(SAID)],
    }
    found[f"{WORDS}/checkpoint"] = first["log"]["checkpoint"]
    found["/api/proof?name=about"] = first
    return found


def memory() -> dict[str, Any]:
    """What a check remembers that saw two entries and two revisions less."""
    leaf = json.loads(REVISIONS[0])
    words = {
        "origin": WORDS_ORIGIN,
        "size": 1,
        "head": digest(WORDS_TREE.head(0, 1)),
        "revision": leaf["revision"],
        "statements": {"about": digest(bytes(32)), "gone": digest(bytes(32))},
    }
    return {"origin": LOG_ORIGIN, "size": 3, "head": digest(LOG_TREE.head(0, 3)), "words": words}


def documents(name: str) -> Any:
    """The document of a name that a case alters."""
    if name == "keys":
        return {"keys": [jwk()], "revoked": []}
    if name == "answer":
        names = [OWNER, "scheduling", "status"]
        return {**ANSWER, "proofs": [json.dumps(proof(each)) for each in names]}
    if name == "proof":
        return proof(OWNER)
    path = {"section": "/api/snapshot.sig?section=faq", "manifest": "/api/manifest.sig"}[name]
    return service()[path]


@dataclass
class Case:
    """Documents as texts, what to call a verifier with, and what it must say."""

    name: str
    exit: int
    says: list[str]
    """Lines; of a wrong one only the reason, behind the place where it is."""
    at: str
    """The place that is wrong: `file`, `keys`, or a path."""
    words: list[str]
    """More words of the command line."""
    texts: dict[str, bytes] = field(default_factory=dict)
    statuses: dict[str, int] = field(default_factory=dict)
    headers: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def is_service(self) -> bool:
        """Whether a service is checked."""
        return JWKS in self.texts


def all_cases(kind: str) -> Iterator[Case]:
    """The cases of a kind."""
    for group in cases("verifier"):
        if group["kind"] != kind:
            continue
        for number, edits in enumerate(group.get("edits", [[]])):
            steps = edits if isinstance(edits, list) else [edits]
            yield _case(group, f"{group['exit']} {group['says']} {number}", steps)


def _case(group: dict[str, Any], name: str, edits: list[dict[str, Any]]) -> Case:
    of, says = group["of"], group["says"]
    files = {} if of == "service" else {"file": documents(of), "keys": documents("keys")}
    world = json.loads(json.dumps(files or service()))  # nothing in it is shared
    if group.get("memory"):
        world["memory"] = memory()
    default = group.get("in", "file")
    lines = says if isinstance(says, list) else [says]
    case = Case(name, group["exit"], lines, group.get("at", default), group.get("words", []))
    for edit in edits:
        _alter(world, edit, edit.get("in", default), case)
    for place, value in world.items():
        if place not in case.texts:
            case.texts[place] = _text(value)
    for place in group.get("without", []):
        del case.texts[place]
    return case


def _text(value: Any) -> bytes:
    return (value if isinstance(value, str) else json.dumps(value)).encode()


def _alter(world: dict[str, Any], edit: dict[str, Any], place: str, case: Case) -> None:
    if "whole" in edit:
        world[place] = edit["whole"]
    if "status" in edit:
        case.statuses[place] = edit["status"]
    case.headers[place] = edit.get("headers", {})
    for pointer, value in edit.get("set", {}).items():
        _set(world[place], pointer, value)
    for pointer, source in edit.get("copy", {}).items():
        _set(world[place], pointer, deepcopy(_at(world[place], source)))
    for pointer in edit.get("remove", []):
        holder, key = _holder(world[place], pointer)
        del holder[key]
    if "note" in edit:
        _note(world, place, edit["note"])
    if "sign" in edit:
        world[place]["signature"] = signature(world[place]["payload"], edit["sign"])
    if "text" in edit or "encoding" in edit:
        text = case.texts.get(place, _text(world[place])).decode()
        for old, new in edit.get("text", []):
            assert old in text, old
            text = text.replace(old, new, 1)
        case.texts[place] = text.encode(edit.get("encoding", "utf-8"), "surrogatepass")


def _note(world: dict[str, Any], place: str, members: dict[str, Any]) -> None:
    pointer = "/log/checkpoint" if place == "file" else ""
    old = _at(world[place], pointer) if pointer else world[place]
    origin, size, head = old.split("\n")[:3]
    found: dict[str, Any] = {
        "origin": origin,
        "size": size,
        "head": digest(b64decode(head)),
        "by": ["key"],
        **members,
    }
    more = found.pop("more", "")
    made = note(**found) + more
    if pointer:
        _set(world[place], pointer, made)
    else:
        world[place] = made


def _parts(pointer: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def _at(value: Any, pointer: str) -> Any:
    for part in _parts(pointer):
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


def _holder(value: Any, pointer: str) -> tuple[Any, Any]:
    *above, last = _parts(pointer)
    for part in above:
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value, int(last) if isinstance(value, list) and last != "-" else last


def _set(value: Any, pointer: str, new: Any) -> None:
    holder, key = _holder(value, pointer)
    if key == "-" and isinstance(holder, list):
        holder.append(new)
    else:
        holder[key] = new
