"""`studiograph log`: the log of changes as it was published, and a new beginning."""

import json

import click

from resolvers.signing.errors import ProofError
from resolvers.signing.keys import key_ring_at
from resolvers.transparency.log import Log
from schema.signatures import LogHead
from sdl.scalar_types import format_instant
from studiograph.cli import json_option, pass_settings
from studiograph.settings import Settings
from studiograph.wiring.proofs import key_store, proof_store, system_clock


@click.group()
def command() -> None:
    """The log of changes, as it was published."""


@command.command()
@json_option
@pass_settings
def show(settings: Settings, *, as_json: bool) -> int:
    """Print the head that was last published, and those of former logs."""
    published = _published(settings).summary
    if as_json:
        print(json.dumps(published.to_json()))
        return 0
    print(f"{published.origin}: {published.tree_size} entries, {published.rollup_hash}")
    for head in published.former:
        until = format_instant(head.ended_at)
        print(f"{head.origin}: {head.tree_size} entries, {head.rollup_hash}, until {until}")
    return 0


@command.command()
@pass_settings
def restart(settings: Settings) -> int:
    """Begin a new log under a new name, because history had to be rewritten."""
    published = _published(settings)
    ended = LogHead(
        origin=published.origin,
        tree_size=published.size,
        rollup_hash=published.rollup_hash,
        checkpoint=published.checkpoint,
        ended_at=system_clock().replace(microsecond=0),
    )
    origin = proof_store(settings).restart_log(ended)
    print(
        f"{origin} begins with the next start or change of content; {published.origin} ended with"
        f" {published.size} entries and stays published at its head."
    )
    return 0


def _published(settings: Settings) -> Log:
    """The log as it was last published. Raises: ProofFault."""
    journal = proof_store(settings)
    known = journal.current_log()
    if known is None:
        raise ProofError(
            f"{journal.database.place}: there is no log yet. Fix: `studiograph serve` begins one."
        )
    key = key_ring_at(key_store(settings).read(), system_clock()).active
    return Log(*known, key, journal.previous_heads())
