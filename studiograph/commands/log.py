"""`studiograph log`: the log of changes as it was published, and a new beginning."""

import argparse
import json

from resolvers.proofs.faults import ProofFault
from resolvers.proofs.keys import standing
from resolvers.proofs.log import Log
from schema.signed import LogHead
from schema.words import instant_text
from studiograph.proofs import journal_of, key_folder_of, system_clock
from studiograph.settings import Settings


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser("log", help="the log of changes")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    shows = actions.add_parser("show", help="the head that was last published, and former ones")
    shows.add_argument("--json", action="store_true", help="print JSON")
    shows.set_defaults(run=_show)
    restarts = actions.add_parser(
        "restart", help="begin a new log under a new name, because history had to be rewritten"
    )
    restarts.set_defaults(run=_restart)


def _show(arguments: argparse.Namespace, settings: Settings) -> int:
    published = _published(settings).document
    if arguments.json:
        print(json.dumps(published.plain()))
        return 0
    print(f"{published.origin}: {published.tree_size} entries, {published.rollup_hash}")
    for head in published.former:
        until = instant_text(head.ended_at)
        print(f"{head.origin}: {head.tree_size} entries, {head.rollup_hash}, until {until}")
    return 0


def _restart(_: argparse.Namespace, settings: Settings) -> int:
    published = _published(settings)
    ended = LogHead(
        origin=published.origin,
        tree_size=published.size,
        rollup_hash=published.rollup_hash,
        checkpoint=published.checkpoint,
        ended_at=system_clock().replace(microsecond=0),
    )
    origin = journal_of(settings).restart(ended)
    print(
        f"{origin} begins with the next start or change of content; {published.origin} ended with"
        f" {published.size} entries and stays published at its head."
    )
    return 0


def _published(settings: Settings) -> Log:
    """The log as it was last published. Raises: ProofFault."""
    journal = journal_of(settings)
    known = journal.published()
    if known is None:
        raise ProofFault(
            f"{journal.database.place}: there is no log yet. Fix: `studiograph serve` begins one."
        )
    key = standing(key_folder_of(settings).read(), system_clock()).active
    return Log(*known, key, journal.former())
