"""`studiograph keys`: list, rotate, revoke, export and import the signing keys."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from resolvers.proofs.key_folder import KeyFolder
from resolvers.proofs.keys import Key, State, standing
from schema.words import instant_text
from studiograph import webhook_keys
from studiograph.proofs import key_folder_of, system_clock
from studiograph.settings import Settings

NOTICED = "Running servers notice within seconds."

Action = Callable[[argparse.Namespace, KeyFolder], int]


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser("keys", help="the signing keys")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    lister = _action(actions, "list", _list, "every key and where it stands")
    rotate = _action(actions, "rotate", _rotate, "publish a new key, which signs after an hour")
    revoke = _action(actions, "revoke", _revoke, "take a key out of use for ever")
    export = _action(actions, "export", _export, "write the keys to a new file, which is secret")
    take_in = _action(actions, "import", _import, "take in the keys of an exported file")
    for made in (lister, rotate, revoke):
        made.add_argument("--json", action="store_true", help="print JSON")
    rotate.add_argument("--now", action="store_true", help="let it sign at once")
    revoke.add_argument("kid", metavar="KID", help="the key's identifier")
    export.add_argument("file", metavar="FILE", type=Path)
    take_in.add_argument("file", metavar="FILE", type=Path)


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """0 when it is done. Raises: ProofFault."""
    action: Action = arguments.action
    return action(arguments, key_folder_of(settings))


def _action(
    actions: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    action: Action,
    summary: str,
) -> argparse.ArgumentParser:
    parser = actions.add_parser(name, help=summary)
    parser.set_defaults(run=run, action=action)
    return parser


def _list(arguments: argparse.Namespace, folder: KeyFolder) -> int:
    _print(standing(folder.read(), system_clock()).states, as_json=arguments.json)
    return 0


def _rotate(arguments: argparse.Namespace, folder: KeyFolder) -> int:
    key = folder.rotate(at_once=arguments.now)
    states = standing(folder.read(), system_clock()).states
    _print([pair for pair in states if pair[0].kid == key.kid], as_json=arguments.json)
    _note(f"{key.kid} signs from {instant_text(key.active_from)}. {NOTICED}")
    return 0


def _revoke(arguments: argparse.Namespace, folder: KeyFolder) -> int:
    replacement = folder.revoke(arguments.kid)
    _print(standing(folder.read(), system_clock()).states, as_json=arguments.json)
    signs = f" {replacement.kid} signs in its place." if replacement else ""
    _note(f"{arguments.kid} is revoked; its secret is gone.{signs} {NOTICED}")
    return 0


def _export(arguments: argparse.Namespace, folder: KeyFolder) -> int:
    try:
        count = folder.export(arguments.file, webhook_keys.exported(folder.path))
    except OSError as error:
        _note(f"{arguments.file}: {error.strerror}. Fix: name a file that is not there yet.")
        return 1
    _note(f"{count} keys are in {arguments.file}. Whoever has it can sign as you.")
    return 0


def _import(arguments: argparse.Namespace, folder: KeyFolder) -> int:
    try:
        taken = folder.take_in(arguments.file)
        others = webhook_keys.take_in(folder.path, folder.beside(arguments.file))
    except OSError as error:
        _note(f"{arguments.file}: {error.strerror}. Fix: name a file made by `keys export`.")
        return 1
    names = [*(key.kid for key in taken), *others]
    _note(f"taken in: {', '.join(names) or 'nothing new'}. {NOTICED}")
    return 0


def _print(states: Iterable[tuple[Key, State]], *, as_json: bool) -> None:
    rows = [_row(key, state) for key, state in states]
    if as_json:
        print(json.dumps(rows))
        return
    for row in rows:
        when = f"revoked {row['revokedAt']}" if "revokedAt" in row else f"from {row['activeFrom']}"
        print(f"{row['state']:<12} {row['kid']}  {row['thumbprint']}  {when}")


def _row(key: Key, state: State) -> dict[str, str]:
    row = {
        "kid": key.kid,
        "state": state.value,
        "thumbprint": key.thumbprint,
        "activeFrom": instant_text(key.active_from),
    }
    return row | ({"revokedAt": instant_text(key.revoked_at)} if key.revoked_at else {})


def _note(text: str) -> None:
    print(text, file=sys.stderr)
