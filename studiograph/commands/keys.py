"""What proves who the studio is: `keys`, `log`, `identity` and `registry`."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from urllib.parse import urlsplit

import click

from content.reading.revision import read_revision
from mcp_bridge.description import registry_entry
from mcp_bridge.listing import Registry
from mcp_bridge.tools.all_tools import ToolOptions
from resolvers.identity.claims import Record, dns_records
from resolvers.signing.keys import Key, KeyState, ProofError, key_ring_at
from resolvers.transparency.log import Log
from resolvers.webhooks import keys as webhook_keys
from schema.services.signatures import LogHead
from sdl.types.scalar_types import Line, format_instant
from studiograph.application import make_application
from studiograph.cli import file_errors, json_option, note, pass_settings
from studiograph.commands.publish import check_text
from studiograph.settings import Settings
from studiograph.wiring.documents import REGISTRY_PATH, key_file, make_key, proof_record
from studiograph.wiring.proofs import Proofs, key_store, proof_store, system_clock

RELOAD_NOTE = "Running servers notice within seconds."


@click.group()
def keys_command() -> None:
    """Manage the signing keys."""


@keys_command.command("list")
@json_option
@pass_settings
def list_keys(settings: Settings, *, as_json: bool) -> int:
    """List every key and its state."""
    store = key_store(settings)
    _print(key_ring_at(store.read(), system_clock()).states, as_json=as_json)
    return 0


@keys_command.command()
@click.option("--now", is_flag=True, help="Sign with it at once.")
@json_option
@pass_settings
def rotate(settings: Settings, *, now: bool, as_json: bool) -> int:
    """Publish a new key, which signs an hour later."""
    store = key_store(settings)
    key = store.rotate(at_once=now)
    states = key_ring_at(store.read(), system_clock()).states
    _print([pair for pair in states if pair[0].kid == key.kid], as_json=as_json)
    note(f"{key.kid} signs from {format_instant(key.active_from)}. {RELOAD_NOTE}")
    return 0


@keys_command.command(
    epilog="Example: studiograph keys revoke studio-2026-11, of `studiograph keys list`"
)
@click.argument("kid")
@json_option
@pass_settings
def revoke(settings: Settings, *, kid: str, as_json: bool) -> int:
    """Revoke the key KID for ever; another key signs in its place."""
    store = key_store(settings)
    replacement = store.revoke(kid)
    _print(key_ring_at(store.read(), system_clock()).states, as_json=as_json)
    signs = f" {replacement.kid} signs in its place." if replacement else ""
    note(f"{kid} is revoked; its secret is gone.{signs} {RELOAD_NOTE}")
    return 0


@keys_command.command(epilog="Example: studiograph keys export keys.json")
@click.argument("file", type=Path)
@pass_settings
def export(settings: Settings, *, file: Path) -> int:
    """Write the secret keys to the new file FILE."""
    store = key_store(settings)
    with file_errors("name a file that does not exist yet", file):
        count = store.export(file, webhook_keys.export_keys(store.path))
    note(f"{count} keys are in {file}. Keep it secret: anybody who has it can sign as you.")
    return 0


@keys_command.command("import", epilog="Example: studiograph keys import keys.json")
@click.argument("file", type=Path)
@pass_settings
def import_keys(settings: Settings, *, file: Path) -> int:
    """Import the keys of the exported file FILE."""
    store = key_store(settings)
    with file_errors("name a file made by `keys export`", file):
        imported = store.import_keys(file)
        others = webhook_keys.import_keys(store.path, store.other_keys_in(file))
    names = [*(key.kid for key in imported), *others]
    note(f"imported: {', '.join(names) or 'nothing new'}. {RELOAD_NOTE}")
    return 0


def _print(states: Iterable[tuple[Key, KeyState]], *, as_json: bool) -> None:
    rows = [_row(key, state) for key, state in states]
    if as_json:
        print(json.dumps(rows))
        return
    for row in rows:
        when = f"revoked {row['revokedAt']}" if "revokedAt" in row else f"from {row['activeFrom']}"
        print(f"{row['state']:<12} {row['kid']}  {row['thumbprint']}  {when}")


def _row(key: Key, state: KeyState) -> dict[str, str]:
    row = {
        "kid": key.kid,
        "state": state.value,
        "thumbprint": key.thumbprint,
        "activeFrom": format_instant(key.active_from),
    }
    return row | ({"revokedAt": format_instant(key.revoked_at)} if key.revoked_at else {})


@click.group()
def log_command() -> None:
    """Show or restart the log of changes."""


@log_command.command()
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


@log_command.command(epilog='Example: studiograph log restart --reason "An entry named a client"')
@click.option("--reason", help="Why, in one line; it is published.")
@click.option("--yes", is_flag=True, help="Begin the new log without asking.")
@pass_settings
def restart(settings: Settings, *, reason: str | None, yes: bool) -> int:
    """Begin a new log under a new name, after published entries had to be changed."""
    log = _published_log(settings)
    if log.size:
        reason = (reason or click.prompt("Why, in one line, for all to see")).strip()
        check_text("--reason", Line, reason)
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


TTL_SECONDS = 3600


@click.command()
@json_option
@pass_settings
def identity_command(settings: Settings, *, as_json: bool) -> int:
    """Print the DNS and ENS records to publish, by which others can verify your keys."""
    site = read_revision(settings.content, **settings.reading).site
    records = dns_records(site, Proofs(settings, site).key_ring)
    if as_json:
        print(json.dumps({"records": [asdict(record) for record in records]}))
    else:
        for record in records:
            print(_zone_line(record))
    return 0


def _zone_line(record: Record) -> str:
    """Return the record as a line of a zone file; an ENS record becomes a comment."""
    if record.where == "DNS":
        return f'{record.name}. {TTL_SECONDS} IN {record.type} "{record.value}"'
    return f"; ENS: {record.name} {record.type} = {record.value}"


@click.command()
@click.option(
    "--make-key", "make", is_flag=True, help="Make the key of the proof if there is none."
)
@pass_settings
def registry_command(settings: Settings, *, make: bool) -> int:
    """Print server.json for the MCP registry, and the line that proves whose domain this is."""
    file = key_file(settings)
    with file_errors("make its folder writable", file):
        if make and make_key(settings):
            note(f"The key is in {file}. Restart the server, which then serves {REGISTRY_PATH}.")
    record = proof_record(settings)
    app = make_application(settings, preview=True)
    entry = registry_entry(app.current(), Registry(app.operations, ToolOptions()))
    print(json.dumps(entry, indent=2, ensure_ascii=False), flush=True)
    note(
        f"{REGISTRY_PATH}: {record}"
        if record
        else f"{REGISTRY_PATH}: no key yet. Fix: call this with --make-key."
    )
    host = urlsplit(settings.public_url)
    if host.scheme != "https":
        note(f"The registry lists public https addresses alone, and this is {settings.public_url}.")
    elif record:
        publish = f'mcp-publisher login http --domain {host.hostname} --private-key "$(cat {file})"'
        note(f"To publish: {publish}, then mcp-publisher publish")
    return 0
