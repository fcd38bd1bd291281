"""`studiograph github`: what a GitHub account shows, as a file of the content folder."""

import argparse
import asyncio
import json
from pathlib import Path

from content.reader import MAX_FILE_BYTES
from content.writer import toml_text
from resolvers.github import GithubFault, snapshot_of
from schema.github import GithubSnapshot
from schema.words import instant_text
from studiograph.commands.failure import failed
from studiograph.github import account_of, looking
from studiograph.proofs import system_clock
from studiograph.settings import Settings


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser("github", help="what the GitHub account shows")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    sync = actions.add_parser("sync", help="write what it shows now into the content folder")
    sync.add_argument("--json", action="store_true", help="print JSON")
    sync.add_argument("--quiet", action="store_true", help="print nothing but faults")
    sync.set_defaults(run=_sync)


def _sync(arguments: argparse.Namespace, settings: Settings) -> int:
    """0, or 1 where GitHub was not read or the file not written."""
    file = settings.content / "github.toml"
    try:
        snapshot = _snapshot(settings)
        _write(file, toml_text(snapshot))
    except GithubFault as fault:
        return failed(str(fault), as_json=arguments.json)
    except OSError as error:
        wrong = f"{file}: {error.strerror}. Fix: set STUDIOGRAPH_CONTENT to a folder to write in."
        return failed(wrong, as_json=arguments.json)
    as_of = instant_text(snapshot.as_of)
    if arguments.json:
        print(json.dumps({"ok": True, "file": str(file), "asOf": as_of}))
    elif not arguments.quiet:
        print(
            f"{file}: {snapshot.profile.login} as of {as_of}, {len(snapshot.activity)} events,"
            f" {len(snapshot.stars)} stars, {len(snapshot.repos)} repositories"
        )
    return 0


def _snapshot(settings: Settings) -> GithubSnapshot:
    account, now = account_of(settings), system_clock()
    pages = asyncio.run(looking()(account, {}, system_clock)) if account.user else {}
    snapshot = snapshot_of([page.part for page in pages.values()], now)
    if snapshot is None:
        raise GithubFault("STUDIOGRAPH_GITHUB_USER is not set. Fix: set it to a GitHub login.")
    return snapshot


def _write(file: Path, text: str) -> None:
    """Write the file whole or not at all. Raises: GithubFault, OSError."""
    if len(text.encode()) > MAX_FILE_BYTES:
        raise GithubFault(
            f"{file} would be larger than 1 MiB. Fix: leave it as it is; a server with"
            " STUDIOGRAPH_GITHUB_USER shows all of it."
        )
    beside = file.with_suffix(".new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(file)
