"""`studiograph keys`: list, rotate, revoke, export and import the signing keys."""

import json
from collections.abc import Iterable
from pathlib import Path

import click

from resolvers.signing.keys import Key, KeyState, key_ring_at
from resolvers.webhooks import keys as webhook_keys
from sdl.scalar_types import format_instant
from studiograph.cli import failed, json_option, note, pass_settings
from studiograph.settings import Settings
from studiograph.wiring.proofs import key_store, system_clock

NOTICED = "Running servers notice within seconds."


@click.group()
def command() -> None:
    """The signing keys."""


@command.command("list")
@json_option
@pass_settings
def list_keys(settings: Settings, *, as_json: bool) -> int:
    """List every key and where it stands."""
    folder = key_store(settings)
    _print(key_ring_at(folder.read(), system_clock()).states, as_json=as_json)
    return 0


@command.command()
@click.option("--now", is_flag=True, help="Let it sign at once.")
@json_option
@pass_settings
def rotate(settings: Settings, *, now: bool, as_json: bool) -> int:
    """Publish a new key, which signs after an hour."""
    folder = key_store(settings)
    key = folder.rotate(at_once=now)
    states = key_ring_at(folder.read(), system_clock()).states
    _print([pair for pair in states if pair[0].kid == key.kid], as_json=as_json)
    note(f"{key.kid} signs from {format_instant(key.active_from)}. {NOTICED}")
    return 0


@command.command()
@click.argument("kid")
@json_option
@pass_settings
def revoke(settings: Settings, *, kid: str, as_json: bool) -> int:
    """Take the key KID out of use for ever; another signs in its place."""
    folder = key_store(settings)
    replacement = folder.revoke(kid)
    _print(key_ring_at(folder.read(), system_clock()).states, as_json=as_json)
    signs = f" {replacement.kid} signs in its place." if replacement else ""
    note(f"{kid} is revoked; its secret is gone.{signs} {NOTICED}")
    return 0


@command.command()
@click.argument("file", type=Path)
@pass_settings
def export(settings: Settings, *, file: Path) -> int:
    """Write the keys to the new file FILE, which is secret."""
    folder = key_store(settings)
    try:
        count = folder.export(file, webhook_keys.export_keys(folder.path))
    except OSError as error:
        return failed(f"{file}: {error.strerror}. Fix: name a file that is not there yet.")
    note(f"{count} keys are in {file}. Whoever has it can sign as you.")
    return 0


@command.command("import")
@click.argument("file", type=Path)
@pass_settings
def import_keys(settings: Settings, *, file: Path) -> int:
    """Take in the keys of the exported file FILE."""
    folder = key_store(settings)
    try:
        taken = folder.import_keys(file)
        others = webhook_keys.import_keys(folder.path, folder.other_keys_in(file))
    except OSError as error:
        return failed(f"{file}: {error.strerror}. Fix: name a file made by `keys export`.")
    names = [*(key.kid for key in taken), *others]
    note(f"taken in: {', '.join(names) or 'nothing new'}. {NOTICED}")
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
