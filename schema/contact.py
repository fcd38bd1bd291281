"""What a caller sends to the studio's human, and the receipt."""

from typing import Annotated

from sdl.declare import Input, Output
from sdl.scalar_types import Email, Flag, Instant, Line, Text
from sdl.text_constraints import TextConstraint


class ContactInput(Input):
    """A message to the studio's human."""

    name: Annotated[str, TextConstraint(2, 120)]
    """Who writes: a person, or the one for whom an agent writes."""
    email: Email
    """Where the answer goes."""
    company: Annotated[str, TextConstraint(0, 120)] | None = None
    """The company that the message is for, if there is one."""
    message: Annotated[str, TextConstraint(20, 4000, multiline=True)]
    """The message, as plain text."""
    agent: Annotated[str, TextConstraint(0, 120)] | None = None
    """The AI that sends this, by name and version; please always say it."""
    dry_run: Flag = False
    """Check everything and send nothing."""


class Receipt(Output):
    """What became of a message."""

    ok: Flag
    """Always true; what went wrong is an error."""
    id: Line
    """The message's id. The same message of the same day has the same."""
    delivered_at: Instant | None = None
    """When it was delivered; absent where nothing was sent."""
    dry_run: Flag | None = None
    """True where nothing was sent because that was asked for."""
    response_within: Line
    """How soon the human means to answer."""


class AutoReply(Output):
    """The automatic answer to a mail to the agents' mailbox."""

    subject: Line
    """The subject."""
    text: Text
    """The text, with the addresses of what agents can read and ask."""
