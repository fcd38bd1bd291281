"""A proof of five revisions, and the same with one member changed in one place."""

import copy
import random
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from resolvers.db.database import Database
from resolvers.signing.keys import new_key
from resolvers.transparency.store import ProofStore
from resolvers.transparency.words import ContentTree, Words
from sdl.canonical_json import digest_of

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
KEY, OTHER_KEY = new_key("quillmere-2026-11", NOW), new_key("other-2026-11", NOW)
OWNER = "faq/who-owns-the-code"
TEXTS = {
    OWNER: {"q": "Who owns the code?", "a": "The client does. No part of it is kept."},
    "scheduling": {"workingHours": "08:30 to 17:30", "days": ["Monday", "Friday"]},
    **{f"glossary/term-{n}": {"definition": f"Meaning {n}."} for n in range(5)},
}


def words_of(data: Path, key: Any) -> Words:
    """The last of five revisions."""
    store = ProofStore(Database(f"sqlite:///{data / 'words.db'}"))
    trees = [
        ContentTree(digest_of(b"%d" % n), [*TEXTS.items(), ("status", {"n": n})]) for n in range(5)
    ]
    published = [
        store.publish_words("o/words/1", tree, key, NOW + timedelta(n))
        for n, tree in enumerate(trees)
    ]
    return published[-1]


def altered(proof: dict[str, Any], member: str, chance: random.Random) -> dict[str, Any]:
    """The proof with one member changed in one place."""
    found = copy.deepcopy(proof)
    holder = found["log"] if member.startswith("log.") else found
    name = member.removeprefix("log.")
    value = holder[name]
    if isinstance(value, int):
        holder[name] = value + chance.choice([1, -1] if value else [1])
    elif isinstance(value, list):
        place = chance.randrange(len(value))
        holder[name] = [
            *value[:place],
            *chance.choice([[], [f"sha256:{chance.randbytes(32).hex()}"], [value[place]] * 2]),
            *value[place + 1 :],
        ]
    else:
        # a digit or letter inside a text, so that JSON and base64 stay what they are
        places = [m.start() for m in re.finditer(r"(?<=[a-z0-9])[a-z0-9](?=[a-z0-9])", value)]
        if name == "checkpoint":
            places = [p for p in places if p > value.index("\n\n")]
            places = [p for p in places if p > value.rindex(" ") + 8]
        if name == "revisionLeaf":
            places = [p for p in places if "publishedAt" in value[max(0, p - 25) : p]]
        place = chance.choice(places)
        other = "b" if value[place] != "b" else "c"
        holder[name] = value[:place] + other + value[place + 1 :]
    return found
