"""The human's inbox on this machine: the messages of a Maildir folder.

All text of a message is returned as plain text without control characters.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from stat import S_ISREG

from resolvers.contact.mail_parser import ReceivedMail, read_mail
from resolvers.contact.message import AGENT, CHANNEL, NAME, PREFIX, SIGNED_BY, SUBJECT
from sdl.errors import StudiographError

ANSWERED_WITHIN = timedelta(hours=24)
MIN_ID_PREFIX = 8
_SEEN_FLAG, _REPLIED_FLAG = "S", "R"
_READ_BYTES = 128 * 1024  # enough for the header and the text that is shown
_ABOUT_CHARACTERS = 120


class InboxError(StudiographError):
    """The inbox or the request for a message is wrong; the text names the fix."""


@dataclass(frozen=True)
class InboxMessage:
    """A message in the inbox."""

    id: str
    file: Path
    flags: str
    received_at: datetime
    channel: str
    agent: str = field(repr=False)
    signed_by: str
    """The host of the agent that signed the request; empty if none did, or it was not verified."""
    name: str = field(repr=False)
    email: str = field(repr=False)
    about: str = field(repr=False)
    text: str = field(repr=False)

    @property
    def is_read(self) -> bool:
        """Whether the owner has seen it."""
        return _SEEN_FLAG in self.flags

    @property
    def is_answered(self) -> bool:
        """Whether it is marked as answered, or as needing no answer."""
        return _REPLIED_FLAG in self.flags

    @property
    def due_at(self) -> datetime:
        """The time by which it should be answered."""
        return self.received_at + ANSWERED_WITHIN


class Inbox:
    """The messages of one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def messages(self) -> list[InboxMessage]:
        """Return every message, the newest first. Raises: InboxError."""
        messages: list[InboxMessage] = []
        try:
            for file in self._files():
                with suppress(FileNotFoundError):  # another command has just marked it
                    messages.append(_read_message(file))
        except OSError as error:
            raise self._unusable(error) from None
        return sorted(
            messages,
            key=lambda message: (message.received_at, message.id, not message.is_answered),
            reverse=True,
        )

    def find(self, prefix: str) -> InboxMessage:
        """Return the message with this id, or the only one whose id begins with this text.

        Raises: InboxError.
        """
        newest_last = reversed(self.messages())
        matches = {message.id: message for message in newest_last if message.id.startswith(prefix)}
        if prefix not in matches and len(matches) != 1:
            raise InboxError(
                f"{len(matches) or 'no'} messages have an id that begins like that."
                " Fix: choose an id from `studiograph inbox list --all`."
            )
        return matches.get(prefix) or next(iter(matches.values()))

    def mark_read(self, message: InboxMessage) -> InboxMessage:
        """Mark a message as seen and return it. Raises: InboxError."""
        return self._mark(message, _SEEN_FLAG)

    def mark_answered(self, message: InboxMessage) -> InboxMessage:
        """Mark a message as answered and return it. Raises: InboxError."""
        return self._mark(message, _REPLIED_FLAG + _SEEN_FLAG)

    def _mark(self, message: InboxMessage, new_flags: str) -> InboxMessage:
        flags = "".join(sorted({*message.flags, *new_flags}))  # Maildir wants them sorted
        file = self.folder / "cur" / f"{message.id}:2,{flags}"
        try:
            message.file.replace(file)
        except OSError as error:
            raise self._unusable(error) from None
        return replace(message, file=file, flags=flags)

    def _files(self) -> Iterable[Path]:
        parts = (self.folder / part for part in ("new", "cur") if self.folder.exists())
        return [file for part in parts for file in part.iterdir() if _is_message(file)]

    def _unusable(self, error: OSError) -> InboxError:
        return InboxError(
            f"{self.folder}: cannot be used ({error.strerror}). Fix: see that it is a folder of"
            " this user, and try again."
        )


def short_ids(messages: Iterable[InboxMessage]) -> dict[str, str]:
    """Return a prefix of each id, of the shortest common length at which all are distinct."""
    ids = {message.id for message in messages}
    length = MIN_ID_PREFIX
    while len({message_id[:length] for message_id in ids}) < len(ids):
        length += 1
    return {message_id: message_id[:length] for message_id in ids}


def _is_message(file: Path) -> bool:
    """Return whether it is a regular file with a name that our writers could have chosen."""
    return file.name[0] != "." and file.name.isprintable() and S_ISREG(file.lstat().st_mode)


def _read_message(file: Path) -> InboxMessage:
    name, _, flags = file.name.partition(":2,")
    with file.open("rb") as stream:
        mail = read_mail(stream.read(_READ_BYTES))
    return InboxMessage(
        id=name,
        file=file,
        flags=flags,
        received_at=_received_at(mail, file),
        channel=mail.display_value(CHANNEL.lower()),
        agent=mail.display_value(AGENT.lower()),
        signed_by=mail.display_value(SIGNED_BY.lower()),
        name=mail.display_value(NAME.lower()),
        email=mail.display_value("reply-to"),
        about=_summary(mail),
        text=mail.text,
    )


def _received_at(mail: ReceivedMail, file: Path) -> datetime:
    """Return the time in the Date field, or the file's time if the field is invalid."""
    try:
        return parsedate_to_datetime(mail.first("date")).astimezone(UTC)
    except (ValueError, OverflowError):
        return datetime.fromtimestamp(int(file.stat().st_mtime), UTC)


def _summary(mail: ReceivedMail) -> str:
    """Return the author's subject, or the first words of a message without one."""
    subject = mail.display_value("subject")
    if subject.startswith(SUBJECT):
        subject = " ".join(mail.text.partition("\n\n")[2].split())
    return subject.removeprefix(PREFIX).strip()[:_ABOUT_CHARACTERS]
