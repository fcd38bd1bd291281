"""`studiograph export DIR`: everything readable as files, for any server of static files."""

import asyncio
from pathlib import Path
from typing import cast

import click

from rest_bridge.http.ready_answers import ReadyAnswers
from studiograph.asgi import build
from studiograph.cli import failed, note, pass_settings, progress, quiet_option
from studiograph.settings import Settings
from studiograph.wiring.export import (
    ExportedFile,
    check_folder,
    exported,
    targets_of,
    write_export,
)


@click.command(epilog="Example: studiograph export public")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@quiet_option
@pass_settings
def command(settings: Settings, *, folder: Path, quiet: bool) -> int:
    """Write what the service answers to readers into DIR, with all envelopes and proofs.

    This publishes the content as `studiograph serve` does: it is signed and logged with the keys of
    the studio. DIR is new, empty or an earlier export, which is replaced.
    """
    try:
        before = check_folder(folder)
        files, revision = asyncio.run(_export(settings, quiet=quiet))
        write_export(folder, files, revision, before)
    except OSError as error:
        return failed(f"{error.filename}: {error.strerror}. Fix: make {folder} writable.")
    if not quiet:
        print(f"{folder} has {len(files)} files of {revision}.")
        if not settings.base_url:
            note(
                f"They name {settings.public_url} as their address."
                " Fix: set STUDIOGRAPH_BASE_URL to that of the file server."
            )
    return 0


async def _export(settings: Settings, *, quiet: bool) -> tuple[list[ExportedFile], str]:
    service = build(settings)
    snapshot = cast("ReadyAnswers", service.ready).current()
    targets = targets_of(snapshot)
    files = []
    with progress("Export", hidden=quiet) as show:
        async for file in exported(service, settings.public_url, targets):
            files.append(file)
            show(len(files), len(targets))
    return files, snapshot.revision or ""
