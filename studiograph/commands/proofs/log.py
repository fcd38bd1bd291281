"""`studiograph log`: show the published log of changes, or begin a new one."""

import json

import click
from pydantic import TypeAdapter, ValidationError

from resolvers.signing.keys import ProofError, key_ring_at
from resolvers.transparency.log import Log
from schema.services.signatures import LogHead
from sdl.types.scalar_types import Line, format_instant
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
        why = f": {head.reason}" if head.reason else ""
        print(f"{head.origin}: {head.tree_size} entries, {head.rollup_hash}, until {until}{why}")
    return 0


@command.command(epilog='Example: studiograph log restart --reason "An entry named a client"')
@click.option("--reason", help="Why, in one line; it is published.")
@click.option("--yes", is_flag=True, help="Begin the new log without asking.")
@pass_settings
def restart(settings: Settings, *, reason: str | None, yes: bool) -> int:
    """Begin a new log under a new name, after published entries had to be changed."""
    log = _published_log(settings)
    if log.size:
        reason = _checked(reason or click.prompt("Why, in one line, for all to see"))
    question = f"End {log.origin} with {log.size} entries for good, for all to see?"
    if log.size and not yes and not click.confirm(question):
        return 1
    ended = LogHead(
        origin=log.origin,
        tree_size=log.size,
        rollup_hash=log.rollup_hash,
        checkpoint=log.checkpoint,
        ended_at=system_clock().replace(microsecond=0),
        reason=reason,
    )
    origin = proof_store(settings).restart_log(ended)
    print(
        f"{origin} begins with the next start or change of content. {log.origin} has ended with"
        f" {log.size} entries; its head stays published."
    )
    return 0


def _checked(reason: str) -> str:
    """Return the reason if it is one line of plain text."""
    try:
        line: str = TypeAdapter(Line).validate_python(reason.strip())
    except ValidationError as error:
        text = error.errors()[0]["msg"].rstrip(".")
        raise click.BadParameter(text, param_hint="--reason") from None
    return line


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
