"""`studiograph backup` and `restore`: what a studio cannot make again, saved in one file.

The archive is a gzipped tar with the names of the data folder: `studio.db`, `keys/`, `inbox/`. The
database is copied first, by SQLite's own backup, so that it is whole while the service writes to
it; then keys and messages, of which there are never fewer than the database knows.
"""

import sqlite3
import tarfile
from collections.abc import Sequence
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from resolvers.db.database import Database
from resolvers.files import atomic_replace
from resolvers.transparency.log import Leaf
from resolvers.transparency.store import ProofStore
from studiograph.cli import CommandError, file_errors, note, pass_settings, quiet_option
from studiograph.settings import Settings
from studiograph.wiring.proofs import system_clock

DATABASE, FOLDERS = "studio.db", ("keys", "inbox")
_NAME = "Fix: name a file made by `studiograph backup`."
LOOKS = 3
"""How often a file that was moved is looked for again."""
REPLACED = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", *FOLDERS)


class BackupError(CommandError):
    """A backup cannot be written or brought back; the text names the fix."""


def write_backup(data: Path, file: Path) -> None:
    """Save what is in a data folder. Raises: BackupError, OSError."""
    if not (data / DATABASE).is_file():
        raise BackupError(f"{data}: there is nothing to save yet. Fix: start the service once.")
    with TemporaryDirectory(prefix="studiograph-backup-") as folder:
        copy = Path(folder) / DATABASE
        try:
            with (
                closing(sqlite3.connect(f"file:{data / DATABASE}?mode=ro", uri=True)) as source,
                closing(sqlite3.connect(copy)) as target,
            ):
                source.backup(target)
        except sqlite3.Error as error:
            raise BackupError(
                f"{data / DATABASE}: cannot be copied to {folder} ({error}). Fix: see that there"
                " is space, or name another folder in TMPDIR."
            ) from None
        file.absolute().parent.mkdir(parents=True, exist_ok=True)
        with atomic_replace(file) as temporary:
            temporary.touch(mode=0o600)  # it holds the signing keys
            with tarfile.open(temporary, "w:gz") as archive:
                archive.add(copy, DATABASE)
                for name in FOLDERS:
                    if (data / name).is_dir():
                        _add(archive, data / name)


def restore_backup(file: Path, data: Path, now: datetime, *, roll_back: bool) -> Path | None:
    """Bring a backup back; return the folder of what was there before, if something was.

    Raises: BackupError, also if the log here has entries that the backup has not, unless
    `roll_back`; OSError.
    """
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    with TemporaryDirectory(dir=data, prefix="restore-") as folder:
        new = Path(folder)
        try:
            with tarfile.open(file, "r:gz") as archive:
                archive.extractall(new, filter="data")
        except (tarfile.TarError, EOFError) as error:
            raise BackupError(f"{file}: is no backup of studiograph ({error}). {_NAME}") from None
        for path in new.rglob("*"):  # extraction leaves modes to the umask
            path.chmod(0o700 if path.is_dir() else 0o600)
        if not (new / DATABASE).is_file() or not (new / "keys").is_dir():
            raise BackupError(f"{file}: is no backup of studiograph. {_NAME}")
        if (data / DATABASE).is_file() and not roll_back:
            for name, leaves in (("log", _leaves), ("log of words", _words)):
                _check_log(name, leaves(data / DATABASE), leaves(new / DATABASE))
        present = [data / name for name in REPLACED if (data / name).exists()]
        before = data / f"before-{now:%Y%m%dT%H%M%SZ}" if present else None
        if before is not None:
            before.mkdir(mode=0o700)
            for path in present:
                path.rename(before / path.name)
        for path in new.iterdir():
            path.rename(data / path.name)
    return before


def _add(archive: tarfile.TarFile, folder: Path) -> None:
    """Add a folder with the files that are in it now, wherever the service moves them meanwhile.

    A message that is read moves from `new` to `cur`, and one that is answered is renamed there. A
    file that three looks do not find is taken for deleted.
    """
    root = folder.parent
    for place in (folder, *sorted(path for path in folder.rglob("*") if path.is_dir())):
        archive.add(place, str(place.relative_to(root)), recursive=False, filter=_ours)
    due = {_message_name(path) for path in _files(folder)}
    for _ in range(LOOKS):
        for path in _files(folder):
            if (name := _message_name(path)) in due:
                with suppress(FileNotFoundError):
                    archive.add(path, str(path.relative_to(root)), filter=_ours)
                    due.remove(name)


def _files(folder: Path) -> list[Path]:
    """Return what is in a folder, but for mails that are still being written."""
    paths = sorted(folder.rglob("*"))
    return [path for path in paths if path.parent.name != "tmp" and not path.is_dir()]


def _message_name(path: Path) -> str:
    """Return the name of a file without the flags of Maildir, which change."""
    return path.name.partition(":")[0]


def _ours(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Return a file or folder without its owner's name; None for locks and what is neither."""
    if Path(entry.name).name == ".lock":
        return None
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry if entry.isfile() or entry.isdir() else None


def _leaves(file: Path) -> list[Leaf]:
    store = ProofStore(Database(f"sqlite:///{file.absolute()}"))
    log = store.current_log()
    return log[1] if log is not None else []


def _words(file: Path) -> Sequence[bytes]:
    return ProofStore(Database(f"sqlite:///{file.absolute()}")).published_words().hashes


def _check_log(name: str, here: Sequence[object], saved: Sequence[object]) -> None:
    """Raise `BackupError` if published entries would be gone."""
    if saved[: len(here)] != here:
        raise BackupError(
            f"the {name} here has {len(here)} entries, and the backup {len(saved)}, which do not"
            " continue it. Whoever saw the others will find that this service took something back."
            " Fix: keep what is here, or add --roll-back if it is lost anyway."
        )


@click.command(epilog="Example: studiograph backup studio-2026-11-23.tar.gz")
@click.argument("file", type=Path)
@quiet_option
@pass_settings
def backup_command(settings: Settings, *, file: Path, quiet: bool) -> int:
    """Save keys, state and inbox in FILE, which is new. The service may run meanwhile."""
    if settings.database_url:
        raise BackupError(
            "the state is in STUDIOGRAPH_DATABASE_URL, which this does not save. Fix: use the"
            " backup of that database, and copy the folders keys and inbox of the data folder."
        )
    if file.exists():
        raise BackupError(f"{file}: is there already. Fix: name a new file, or move that one away.")
    with file_errors("name a writable file"):
        write_backup(settings.data, file)
    if not quiet:
        note(
            f"{file} is written. It holds the signing keys: keep it secret. The content is no"
            " part of it."
        )
    return 0


RETRY = "see that the data folder can be written and has space, and restore again in a second"


@click.command(epilog="Example: studiograph restore studio-2026-11-23.tar.gz")
@click.argument("file", type=Path)
@click.option(
    "--roll-back", is_flag=True, help="Even if published entries of the log are then gone."
)
@quiet_option
@pass_settings
def restore_command(settings: Settings, *, file: Path, roll_back: bool, quiet: bool) -> int:
    """Bring back what FILE holds into the data folder, while the service is stopped."""
    if settings.database_url:
        raise BackupError(
            "the state is in STUDIOGRAPH_DATABASE_URL, which this does not write to. Fix: use the"
            " restore of that database, and copy the folders keys and inbox to the data folder."
        )
    try:
        before = restore_backup(file, settings.data, system_clock(), roll_back=roll_back)
    except OSError as error:
        place = Path(error.filename or settings.data)
        fix = "name a file made by `studiograph backup`" if place == file else RETRY
        raise BackupError(f"{place}: {error.strerror}. Fix: {fix}.") from None
    if not quiet:
        note(f"{settings.data} is as it was saved.")
        if before is not None:
            note(f"What was there before is in {before}.")
    return 0
