"""Contact: a message to the founder, its receipt and the automatic reply to e-mail."""

from typing import Annotated

from sdl.types.declare import Input, Output
from sdl.types.marks import CallerName
from sdl.types.scalar_types import Email, Flag, Instant, Line, Text, TextConstraint


class ContactInput(Input):
    """A message to the founder."""

    name: Annotated[str, TextConstraint(2, 120)]
    """The sender: the person who writes, or for whom an agent writes."""
    email: Email
    """The e-mail address to reply to."""
    company: Annotated[str, TextConstraint(0, 120)] | None = None
    """The sender's company, if there is one."""
    message: Annotated[str, TextConstraint(20, 4000, multiline=True)]
    """The message, as plain text."""
    agent: Annotated[str, TextConstraint(0, 120), CallerName()] | None = None
    """Name and version of the calling AI agent; please always give it."""
    dry_run: Flag = False
    """Validate everything and send nothing."""


class Receipt(Output):
    """The receipt for a delivered message, or the result of a dry run."""

    ok: Flag
    """Always true; a failure is an error response."""
    id: Line
    """The message's id; the same message on the same day has the same id."""
    delivered_at: Instant | None = None
    """When it was delivered; absent after a dry run."""
    dry_run: Flag | None = None
    """True after a dry run: nothing was sent."""
    response_within: Line
    """The response target, for example 24h."""


class AutoReply(Output):
    """The automatic reply to e-mail to the agents' mailbox."""

    subject: Line
    """The subject line."""
    text: Text
    """The text, with the URLs of what agents can read and query."""
