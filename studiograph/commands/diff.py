"""`studiograph diff`: what a publication would change of what is published."""

import json
from collections.abc import Mapping
from typing import cast

import click

from resolvers.context import RequestContext
from studiograph.application import make_application
from studiograph.cli import json_option, pass_settings
from studiograph.settings import Settings
from studiograph.wiring.proofs import proof_store

NEW, CHANGED, REMOVED = "new", "changed", "removed"
REPEATING = ("manifest", "about")
"""The statements that repeat others, and so change with them."""


@click.command(epilog="Example: studiograph diff --json")
@json_option
@pass_settings
def command(settings: Settings, *, as_json: bool) -> int:
    """Print what publishing the content would change, by statement; publish nothing.

    It is compared with the revision that was published last, by a start of the service, a reload or
    an export. Each statement is named by its path without /api/, as in faq/what-it-costs.
    """
    snapshot = make_application(settings, preview=True).current()
    said = cast("RequestContext", snapshot.context).words().content.hashes
    published = proof_store(settings).published_words().statements()
    changes = changes_of(published, said)
    if as_json:
        print(json.dumps({"published": bool(published), "changes": changes}))
    elif not published:
        print(f"Nothing is published yet. The first publication says {len(said)} statements.")
    elif not changes:
        print("Nothing would change.")
    else:
        for name, change in changes.items():
            print(f"{change:8} {name}")
    return 0


def changes_of(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> dict[str, str]:
    """Return what becomes of each statement that differs, without lists of those that are named."""
    changes = {name: NEW for name in after if name not in before}
    changes |= {name: REMOVED for name in before if name not in after}
    changes |= {n: CHANGED for n in after if n in before and before[n] != after[n]}
    named = {name.partition("/")[0] for name in changes if "/" in name}
    repeated = {n for n, change in changes.items() if change == CHANGED and n in named}
    single = changes.keys() - repeated - {*REPEATING}
    return {name: changes[name] for name in sorted(single or changes)}
