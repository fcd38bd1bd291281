"""`studiograph backup FILE`: the keys, the state and the inbox in one file, while serving."""

from pathlib import Path

import click

from studiograph.cli import failed, note, pass_settings, quiet_option
from studiograph.settings import Settings
from studiograph.wiring.backup import write_backup


@click.command(epilog="Example: studiograph backup studio-2026-11-23.tar.gz")
@click.argument("file", type=Path)
@quiet_option
@pass_settings
def command(settings: Settings, *, file: Path, quiet: bool) -> int:
    """Save keys, state and inbox in FILE, which is new. The service may run meanwhile."""
    if settings.database_url:
        return failed(
            "the state is in STUDIOGRAPH_DATABASE_URL, which this does not save. Fix: use the"
            " backup of that database, and copy the folders keys and inbox of the data folder."
        )
    if file.exists():
        return failed(f"{file}: is there already. Fix: name a new file, or move that one away.")
    try:
        write_backup(settings.data, file)
    except OSError as error:
        return failed(f"{error.filename or file}: {error.strerror}. Fix: name a writable file.")
    if not quiet:
        note(
            f"{file} is written. It holds the signing keys: keep it secret. The content is no"
            " part of it."
        )
    return 0
