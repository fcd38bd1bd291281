"""`studiograph keys`: list, rotate, revoke, export and import the signing keys."""

import json
from collections.abc import Iterable
from pathlib import Path

import click

from resolvers.signing.keys import Key, KeyState, key_ring_at
from resolvers.webhooks import keys as webhook_keys
from sdl.types.scalar_types import format_instant
from studiograph.cli import failed, json_option, note, pass_settings
from studiograph.settings import Settings
from studiograph.wiring.proofs import key_store, system_clock

RELOAD_NOTE = "Running servers notice within seconds."


@click.group()
def command() -> None:
    """Manage the signing keys."""


@command.command("list")
@json_option
@pass_settings
def list_keys(settings: Settings, *, as_json: bool) -> int:
    """List every key and its state."""
    store = key_store(settings)
    _print(key_ring_at(store.read(), system_clock()).states, as_json=as_json)
    return 0


@command.command()
@click.option("--now", is_flag=True, help="Sign with it at once.")
@json_option
@pass_settings
def rotate(settings: Settings, *, now: bool, as_json: bool) -> int:
    """Publish a new key, which signs from an hour on."""
    store = key_store(settings)
    key = store.rotate(at_once=now)
    states = key_ring_at(store.read(), system_clock()).states
    _print([pair for pair in states if pair[0].kid == key.kid], as_json=as_json)
    note(f"{key.kid} signs from {format_instant(key.active_from)}. {RELOAD_NOTE}")
    return 0


@command.command(
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


@command.command(epilog="Example: studiograph keys export keys.json")
@click.argument("file", type=Path)
@pass_settings
def export(settings: Settings, *, file: Path) -> int:
    """Write the secret keys to the new file FILE."""
    store = key_store(settings)
    try:
        count = store.export(file, webhook_keys.export_keys(store.path))
    except OSError as error:
        return failed(f"{file}: {error.strerror}. Fix: name a file that does not exist yet.")
    note(f"{count} keys are in {file}. Keep it secret: anybody who has it can sign as you.")
    return 0


@command.command("import", epilog="Example: studiograph keys import keys.json")
@click.argument("file", type=Path)
@pass_settings
def import_keys(settings: Settings, *, file: Path) -> int:
    """Import the keys of the exported file FILE."""
    store = key_store(settings)
    try:
        imported = store.import_keys(file)
        others = webhook_keys.import_keys(store.path, store.other_keys_in(file))
    except OSError as error:
        return failed(f"{file}: {error.strerror}. Fix: name a file made by `keys export`.")
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
