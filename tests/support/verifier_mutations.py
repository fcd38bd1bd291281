"""Documents with one thing altered by chance, and the reasons for which each may be refused.

Half of them are altered in one bit of the text, half in one value of the JSON. What an outsider's
reader makes of it says which reasons are right: those of JSON if it cannot read it, and otherwise
those of the members that are not what they were. What nothing covers, such as a hint, is left out.
"""

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from offenders import offenders
from outside_reader import plain
from verifier_cases import ANSWER, documents, proof
from verifier_scripts import both

NO_JSON = {"is not JSON", "is not UTF-8", "a repeated key"}
AMBIGUOUS = {"a number is no safe integer", "a lone surrogate", "is not JSON"}
UNSIGNED = "signature does not verify"
MEMBERS = "members must be "
STRANGE = "key is not in the key set"
NO_PLACE = "is not in what it cites: "
NOTE = {"malformed checkpoint", UNSIGNED, STRANGE}
PROVEN = {
    **{name: {f"wrong {name}"} for name in ("contentRoot", "leafHash", "name")},
    "index": {"wrong index", "statement is not in the revision"},
    "path": {"wrong path", "statement is not in the revision"},
    "size": {"wrong size"},
    "statement": {"wrong statement", "wrong leafHash"},
    "revisionLeaf": {"wrong revisionLeaf", "revisionLeaf is not in the log", *NO_JSON, MEMBERS},
    "log": {"wrong log", "revisionLeaf is not in the log", "wrong path", MEMBERS, *NOTE},
    "": {MEMBERS},
}
REASONS: dict[str, dict[str, set[str]]] = {
    "section": {
        "payload": {"wrong payload", UNSIGNED, "wrong rollupHash", MEMBERS},
        "publicJwk": {"wrong publicJwk", STRANGE},
        **{name: {f"wrong {name}"} for name in ("canonicalizationProfile", "rollupHash")},
        "thumbprint": {"wrong thumbprint"},
        "signature": {"wrong signature", UNSIGNED},
        "": {MEMBERS},
    },
    "keys": {
        "keys": {
            *(f"wrong {name}" for name in ("keys", "alg", "crv", "kid", "kty", "use", "x")),
            *("wrong publicJwk", STRANGE, MEMBERS, "a key is listed twice"),
        },
        "": {MEMBERS},
    },
    "checkpoint": {"log": {"wrong log.checkpoint", MEMBERS, *NOTE}},
    "proof": PROVEN,
    "answer": {
        "answer": {"wrong answer", NO_PLACE, "in part", "unproven"},
        "citations": {"wrong citations", NO_PLACE, "wrong n", "wrong url", MEMBERS},
        "proofs": {"wrong proofs", NO_PLACE, *NO_JSON, *AMBIGUOUS, *set().union(*PROVEN.values())},
        "": {MEMBERS},
    },
}
"""By kind and by the member that differs, how the reason may begin; "": one is added or missing."""
FREE = {"section": {"signedAt", "verificationHint"}, "keys": {"revoked"}, "answer": {"model"}}
"""Members that may be something else."""


@dataclass(frozen=True)
class Mutation:
    """A document in which something is altered, and how the reason may begin."""

    kind: str
    text: bytes
    reasons: set[str]


def not_refused(kind: str, count: int, folder: Path) -> list[str]:
    """Those of so many altered documents that the verifiers do not refuse for a right reason."""
    file, keys = folder / "file.json", folder / "keys.json"

    def check(number: int, mutation: Mutation) -> None:
        altered = keys if kind == "keys" else file
        file.write_text(json.dumps(documents("section")))
        keys.write_text(json.dumps(documents("keys")))
        altered.write_bytes(mutation.text)
        code, lines = both(file, keys)
        said = [re.sub(rf"^WRONG  {folder}/\w+\.json: ", "", line) for line in lines]
        right = [line for line in said if line.startswith(tuple(mutation.reasons))]
        assert (code in {1, 3}, bool(right)) == (True, True), (number, lines, mutation.text)

    return offenders(check, [*enumerate(mutations(kind, count))])


def original(kind: str) -> Any:
    """The document that is altered."""
    if kind == "answer":
        first = documents("answer")["citations"][0]
        cited = {name: first[name] for name in ("n", "url")}
        return {
            **ANSWER,
            "citations": [cited],
            "proofs": [json.dumps(proof("faq/who-owns-the-code"))],
        }
    return documents("proof" if kind == "checkpoint" else kind)


def mutations(kind: str, count: int) -> Iterator[Mutation]:
    """So many altered documents of a kind, the same each time."""
    chance, whole = Random(kind), original(kind)  # noqa: S311 - choices, no secret
    text = json.dumps(whole)
    while count:
        alter = _with_a_bit if count % 2 else _with_a_value
        changed = alter(text, kind, chance)
        reasons = _reasons(kind, whole, changed)
        if reasons:
            count -= 1
            yield Mutation(kind, changed, reasons)


def _with_a_bit(text: str, kind: str, chance: Random) -> bytes:
    data = bytearray(text.encode())
    start = text.index('"checkpoint"') if kind == "checkpoint" else 0
    data[chance.randrange(start, len(data))] ^= 1 << chance.randrange(8)
    return bytes(data)


def _with_a_value(text: str, kind: str, chance: Random) -> bytes:
    document = json.loads(text)
    if kind == "checkpoint":
        document["log"]["checkpoint"] = _other(document["log"]["checkpoint"], chance)
        return json.dumps(document).encode()
    holder, key = chance.choice([*_places(document)])
    if chance.random() < 0.2:
        del holder[key]
    elif chance.random() < 0.1 and isinstance(holder, list):
        holder.insert(key, deepcopy(holder[key]))
    elif chance.random() < 0.1 and isinstance(holder, dict):
        holder[f"{key}{chance.choice('xyz')}"] = holder[key]
    else:
        holder[key] = _other(holder[key], chance)
    return json.dumps(document).encode()


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each place in a document: what holds it, and its name or number there."""
    for key in range(len(value)) if isinstance(value, list) else [*value]:
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])


def _other(value: Any, chance: Random) -> Any:
    """Another value, often one of the same type."""
    if chance.random() < 0.2:
        return chance.choice([None, True, 0, 1, -1, "", "x", [], {}, [value], {"x": value}])
    if isinstance(value, str) and value:
        place = chance.randrange(len(value))
        how = chance.choice(["", value[place] * 2, chance.choice("aZ0_-+/= \n\u00e9\u2028")])
        return value[:place] + how + value[place + 1 :]
    if isinstance(value, int):
        return value + chance.choice([1, -1])
    if isinstance(value, list):
        return chance.choice([value[::-1], value[1:], value * 2])
    return chance.choice([None, [], "x"])


def _reasons(kind: str, whole: Any, changed: bytes) -> set[str]:
    """How the reason may begin; nothing if all that is covered is what it was."""
    try:
        found = plain(changed)
    except (ValueError, AssertionError, RecursionError):
        return NO_JSON | AMBIGUOUS
    before, after = _covered(kind, whole), _covered(kind, found)
    known = REASONS[kind]
    names = {n for n in {*before, *after} if n not in after or before.get(n) != after[n]}
    reasons = set[str]().union(*(known.get(name, {MEMBERS}) for name in names))
    if names and {*before} != {*after}:
        reasons |= known.get("", {MEMBERS})
    return reasons | (AMBIGUOUS if names and _is_ambiguous(found) else set())


def _covered(kind: str, document: Any) -> dict[str, Any]:
    """What a signature or a proof covers, if the document is still an object."""
    found = {n: v for n, v in document.items() if n not in FREE.get(kind, ())}
    if kind == "answer":
        found = {n: v for n, v in found.items() if n in ANSWER or n == "proofs"}
        if isinstance(text := found.get("answer"), str):
            found["answer"] = " ".join(text.split())  # white space says nothing
        if isinstance(cited := found.get("citations"), list):
            found["citations"] = [_cited(citation) for citation in cited]
        if isinstance(proofs := found.get("proofs"), list):
            found["proofs"] = [_read(text) for text in proofs]
    return found


def _read(text: Any) -> Any:
    """What a text says in JSON; the text itself, if it says nothing."""
    try:
        return plain(text)
    except (TypeError, ValueError, AssertionError, RecursionError):
        return text


def _cited(citation: Any) -> Any:
    names = ("n", "url")
    return (
        {n: v for n, v in citation.items() if n in names}
        if isinstance(citation, dict)
        else citation
    )


def _is_ambiguous(value: Any) -> bool:
    """Whether a value has half a surrogate pair, or a number that is not safe."""
    if isinstance(value, dict | list):
        inner = [*value, *value.values()] if isinstance(value, dict) else value
        return any(map(_is_ambiguous, inner))
    if isinstance(value, str):
        return any("\ud800" <= letter <= "\udfff" for letter in value)
    return isinstance(value, int) and abs(value) >= 2**53
