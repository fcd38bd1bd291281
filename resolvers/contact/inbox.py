"""The human's inbox on this machine: the messages of a Maildir, as its owner reads them.

What a stranger wrote reaches nobody here but as plain text without controls. Sends nothing.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from stat import S_ISREG

from resolvers.contact.headers import AGENT, CHANNEL, NAME, PREFIX
from resolvers.contact.mail_parser import ReceivedMail, read_mail
from resolvers.contact.message import SUBJECT
from sdl.errors import StudiographError

ANSWERED_WITHIN = timedelta(hours=24)
MIN_ID_PREFIX = 8
_SEEN, _REPLIED = "S", "R"
_READ_BYTES = 128 * 1024  # what stands deeper in a mail is of no use for a look at it
_ABOUT_CHARACTERS = 120


class InboxError(StudiographError):
    """Something is wrong with the inbox or with what was asked of it; the text names the fix."""


@dataclass(frozen=True)
class InboxMessage:
    """A message in the inbox."""

    id: str
    file: Path
    flags: str
    received_at: datetime
    channel: str
    agent: str = field(repr=False)
    name: str = field(repr=False)
    email: str = field(repr=False)
    about: str = field(repr=False)
    text: str = field(repr=False)

    @property
    def is_read(self) -> bool:
        """Whether it was shown."""
        return _SEEN in self.flags

    @property
    def is_answered(self) -> bool:
        """Whether it was answered, or needs no answer."""
        return _REPLIED in self.flags

    @property
    def due_at(self) -> datetime:
        """When it is to be answered."""
        return self.received_at + ANSWERED_WITHIN


class Inbox:
    """The messages of one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def messages(self) -> list[InboxMessage]:
        """Every message, the newest first. Raises: InboxFault."""
        found: list[InboxMessage] = []
        try:
            for file in self._files():
                with suppress(FileNotFoundError):  # another command has just marked it
                    found.append(_entry(file))
        except OSError as error:
            raise self._unusable(error) from None
        return sorted(
            found, key=lambda one: (one.received_at, one.id, not one.is_answered), reverse=True
        )

    def find(self, name: str) -> InboxMessage:
        """The message whose id begins like this. Raises: InboxFault."""
        newest_last = reversed(self.messages())
        found = {entry.id: entry for entry in newest_last if entry.id.startswith(name)}
        if name not in found and len(found) != 1:
            raise InboxError(
                f"{len(found) or 'no'} messages have an id that begins like that."
                " Fix: name one of `studiograph inbox list --all`."
            )
        return found.get(name) or next(iter(found.values()))

    def mark_read(self, entry: InboxMessage) -> InboxMessage:
        """The message, marked as seen. Raises: InboxFault."""
        return self._mark(entry, _SEEN)

    def mark_answered(self, entry: InboxMessage) -> InboxMessage:
        """The message, marked as answered. Raises: InboxFault."""
        return self._mark(entry, _REPLIED + _SEEN)

    def _mark(self, entry: InboxMessage, more: str) -> InboxMessage:
        flags = "".join(sorted({*entry.flags, *more}))  # in their order, as others read them
        file = self.folder / "cur" / f"{entry.id}:2,{flags}"
        try:
            entry.file.replace(file)
        except OSError as error:
            raise self._unusable(error) from None
        return replace(entry, file=file, flags=flags)

    def _files(self) -> Iterable[Path]:
        parts = (self.folder / part for part in ("new", "cur") if self.folder.exists())
        return [file for part in parts for file in part.iterdir() if _is_letter(file)]

    def _unusable(self, error: OSError) -> InboxError:
        return InboxError(
            f"{self.folder}: cannot be used ({error.strerror}). Fix: see that it is a folder of"
            " this user, and try again."
        )


def short_ids(entries: Iterable[InboxMessage]) -> dict[str, str]:
    """The shortest beginnings by which the ids can be told apart, by id."""
    names = {entry.id for entry in entries}
    length = MIN_ID_PREFIX
    while len({name[:length] for name in names}) < len(names):
        length += 1
    return {name: name[:length] for name in names}


def _is_letter(file: Path) -> bool:
    """Whether it is a file that a writer of ours could have named."""
    return file.name[0] != "." and file.name.isprintable() and S_ISREG(file.lstat().st_mode)


def _entry(file: Path) -> InboxMessage:
    name, _, flags = file.name.partition(":2,")
    with file.open("rb") as opened:
        mail = read_mail(opened.read(_READ_BYTES))
    return InboxMessage(
        id=name,
        file=file,
        flags=flags,
        received_at=_moment(mail, file),
        channel=mail.display_value(CHANNEL.lower()),
        agent=mail.display_value(AGENT.lower()),
        name=mail.display_value(NAME.lower()),
        email=mail.display_value("reply-to"),
        about=_about(mail),
        text=mail.text,
    )


def _moment(mail: ReceivedMail, file: Path) -> datetime:
    """When it came: its date, which we wrote, or the file's where it is not ours."""
    try:
        return parsedate_to_datetime(mail.first("date")).astimezone(UTC)
    except (ValueError, OverflowError):
        return datetime.fromtimestamp(int(file.stat().st_mtime), UTC)


def _about(mail: ReceivedMail) -> str:
    """The subject that its writer chose, or the first words."""
    subject = mail.display_value("subject")
    if subject.startswith(SUBJECT):
        subject = " ".join(mail.text.partition("\n\n")[2].split())
    return subject.removeprefix(PREFIX).strip()[:_ABOUT_CHARACTERS]
