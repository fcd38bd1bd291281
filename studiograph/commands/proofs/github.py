"""`studiograph github`: save a snapshot of the GitHub account in the content folder."""

import json
from errno import ENOENT
from os import strerror
from pathlib import Path

import click

from content.importing.toml_writer import toml_text
from content.reading.sizes import MEBIBYTE
from resolvers.files import atomic_write
from resolvers.github.client import fetch_snapshot
from resolvers.github.convert import GithubError
from sdl.types.scalar_types import format_instant
from studiograph.cli import failed, json_option, pass_settings, quiet_option
from studiograph.settings import Settings
from studiograph.wiring.github import account_of
from studiograph.wiring.proofs import system_clock


@click.group()
def command() -> None:
    """Read the GitHub account."""


@command.command()
@json_option
@quiet_option
@pass_settings
def sync(settings: Settings, *, as_json: bool, quiet: bool) -> int:
    """Save a snapshot of the GitHub account as github.toml in the content folder."""
    file = settings.content / "github.toml"
    try:
        snapshot = fetch_snapshot(account_of(settings), system_clock)
        _write(file, toml_text(snapshot), settings.content_file_mib)
    except GithubError as error:
        return failed(str(error), as_json=as_json)
    except OSError as error:
        problem = f"{file}: {error.strerror}. Fix: set STUDIOGRAPH_CONTENT to a writable folder."
        return failed(problem, as_json=as_json)
    as_of = format_instant(snapshot.as_of)
    if as_json:
        print(json.dumps({"ok": True, "file": str(file), "asOf": as_of}))
    elif not quiet:
        print(
            f"{file}: {snapshot.profile.login} as of {as_of}, {len(snapshot.activity)} events,"
            f" {len(snapshot.stars)} stars, {len(snapshot.repos)} repositories"
        )
    return 0


def _write(file: Path, text: str, max_mib: int) -> None:
    """Write the file whole or not at all. Raises: GithubError, OSError."""
    if len(text.encode()) > max_mib * MEBIBYTE:
        raise GithubError(
            f"{file} would be larger than {max_mib} MiB. Fix: set STUDIOGRAPH_GITHUB_USER"
            " for the server instead, which then shows the whole account."
        )
    if not file.parent.is_dir():
        raise FileNotFoundError(ENOENT, strerror(ENOENT))
    atomic_write(file, text.encode(), 0o644)
