"""Documents with one thing altered by chance, each of which must be refused.

Half of them are altered in one bit of the text, half in one value of the JSON. What nothing covers,
such as a hint, is left as it is. The reason of each kind of refusal is in the table of cases.
"""

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

from offenders import offenders
from outside_reader import plain
from verifier_cases import ANSWER, documents, proof
from verifier_scripts import both

KINDS = ("section", "keys", "checkpoint", "proof", "answer")
FREE = {"section": {"signedAt", "verificationHint"}, "keys": {"revoked"}, "answer": {"model"}}
"""Members that may be something else."""


def not_refused(kind: str, count: int, folder: Path) -> list[str]:
    """Those of so many altered documents that a verifier does not refuse."""
    file, keys = folder / "file.json", folder / "keys.json"

    def check(number: int, text: bytes) -> None:
        file.write_text(json.dumps(documents("section")))
        keys.write_text(json.dumps(documents("keys")))
        (keys if kind == "keys" else file).write_bytes(text)
        code, lines = both(file, keys)
        assert code in {1, 3}, (number, lines, text)

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


def mutations(kind: str, count: int) -> Iterator[bytes]:
    """So many altered documents of a kind, the same each time."""
    chance, whole = Random(kind), original(kind)  # noqa: S311 - choices, no secret
    text = json.dumps(whole)
    while count:
        alter = _with_a_bit if count % 2 else _with_a_value
        changed = alter(text, kind, chance)
        found = _read(changed)
        if not isinstance(found, dict) or _covered(kind, found) != _covered(kind, whole):
            count -= 1
            yield changed


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
