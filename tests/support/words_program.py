"""Publishes one revision after another until it is killed, and prints where each stands.

python words_program.py DATABASE_URL NAME
"""

import json
import sys
from datetime import UTC, datetime
from itertools import count
from time import sleep

from resolvers.db.database import Database
from resolvers.signing.keys import new_key
from resolvers.transparency.store import ProofStore
from resolvers.transparency.words import ContentTree
from sdl.tools.canonical_json import digest_of

STATEMENTS = 20
PAUSE_SECONDS = 0.005
"""SQLite has no queue: who waits tries again each tenth of a second, and would never meet a gap."""


def main() -> None:
    """Publish for ever; every revision changes some statements and removes one."""
    url, name = sys.argv[1:]
    store = ProofStore(Database(url))
    after, key = None, new_key("k-2026-01", datetime.now(UTC))
    for number in count():
        texts = {
            f"faq/{i}": f"{name} {number if i % 5 == number % 5 else 0}" for i in range(STATEMENTS)
        }
        texts.pop(f"faq/{number % STATEMENTS}")
        who = f"{name} {number}"
        tree = ContentTree(digest_of(who.encode()), [*texts.items(), ("who", who)])
        words = store.publish_words("words", tree, key, datetime.now(UTC), after=after)
        after = words.index
        line = json.dumps([after, words.published.hashes[after].hex()])
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
        sleep(PAUSE_SECONDS)


if __name__ == "__main__":
    main()
