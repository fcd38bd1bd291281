"""`studiograph log`: show the published log of changes, or begin a new one."""

import json

import click

from resolvers.signing.keys import ProofError, key_ring_at
from resolvers.transparency.log import Log
from schema.signatures import LogHead
from sdl.scalar_types import format_instant
from studiograph.cli import json_option, pass_settings
from studiograph.settings import Settings
from studiograph.wiring.proofs import key_store, proof_store, system_clock


@click.group()
def command() -> None:
    """Show or restart the log of changes."""


@command.command()
@json_option
@pass_settings
def show(settings: Settings, *, as_json: bool) -> int:
    """Print the last published head, and the heads of former logs."""
    summary = _published_log(settings).summary
    if as_json:
        print(json.dumps(summary.to_json()))
        return 0
    print(f"{summary.origin}: {summary.tree_size} entries, {summary.rollup_hash}")
    for head in summary.former:
        until = format_instant(head.ended_at)
        print(f"{head.origin}: {head.tree_size} entries, {head.rollup_hash}, until {until}")
    return 0


@command.command()
@pass_settings
def restart(settings: Settings) -> int:
    """Begin a new log under a new name, after published entries had to be changed."""
    log = _published_log(settings)
    ended = LogHead(
        origin=log.origin,
        tree_size=log.size,
        rollup_hash=log.rollup_hash,
        checkpoint=log.checkpoint,
        ended_at=system_clock().replace(microsecond=0),
    )
    origin = proof_store(settings).restart_log(ended)
    print(
        f"{origin} begins with the next start or change of content. {log.origin} has ended with"
        f" {log.size} entries; its head stays published."
    )
    return 0


def _published_log(settings: Settings) -> Log:
    """Return the log as it was last published. Raises: ProofError."""
    store = proof_store(settings)
    current = store.current_log()
    if current is None:
        raise ProofError(
            f"{store.database.place}: there is no log yet. Fix: run `studiograph serve`, which"
            " begins one."
        )
    key = key_ring_at(key_store(settings).read(), system_clock()).active
    return Log(*current, key, store.previous_heads())
