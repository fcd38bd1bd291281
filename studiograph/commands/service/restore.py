"""`studiograph restore FILE`: what `studiograph backup` saved, brought back."""

from pathlib import Path

import click

from studiograph.cli import failed, note, pass_settings, quiet_option
from studiograph.settings import Settings
from studiograph.wiring.backup import restore_backup
from studiograph.wiring.proofs import system_clock

RETRY = "see that the data folder can be written and has space, and restore again in a second"


@click.command(epilog="Example: studiograph restore studio-2026-11-23.tar.gz")
@click.argument("file", type=Path)
@click.option(
    "--roll-back", is_flag=True, help="Even if published entries of the log are then gone."
)
@quiet_option
@pass_settings
def command(settings: Settings, *, file: Path, roll_back: bool, quiet: bool) -> int:
    """Bring back what FILE holds into the data folder, while the service is stopped."""
    if settings.database_url:
        return failed(
            "the state is in STUDIOGRAPH_DATABASE_URL, which this does not write to. Fix: use the"
            " restore of that database, and copy the folders keys and inbox to the data folder."
        )
    try:
        before = restore_backup(file, settings.data, system_clock(), roll_back=roll_back)
    except OSError as error:
        place = Path(error.filename or settings.data)
        fix = "name a file made by `studiograph backup`" if place == file else RETRY
        return failed(f"{place}: {error.strerror}. Fix: {fix}.")
    if not quiet:
        note(f"{settings.data} is as it was saved.")
        if before is not None:
            note(f"What was there before is in {before}.")
    return 0
