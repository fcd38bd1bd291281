"""How and when a person of the studio is reached."""

from typing import Annotated

from sdl.types.declare import Output, asked
from sdl.types.marks import LinkedAs
from sdl.types.scalar_types import Email, Line, TimeZone


class Contact(Output):
    """Contact addresses of the studio."""

    email: Annotated[
        Email,
        LinkedAs("email"),
        asked(
            "what is the e-mail address of the studio",
            "how can I contact the studio",
            "how do I reach the studio",
            "how do I reach the founder",
            "how do I contact the founder",
            "how do I reach a human",
            "what is the email",
            "where do I write to",
            "how do I get in touch",
            "where do I send a message",
            "contact details please",
            "who can I mail for more information",
            says="A person answers at {email}[; agents write to {programmaticEmail}].",
        ),
    ]
    """The e-mail address that a human answers."""
    programmatic_email: Annotated[
        Email | None,
        asked(
            "where should an AI agent write to",
            "which e-mail address is for agents",
            "the address for automated mail",
            says="Agents write to {programmaticEmail}.",
        ),
    ] = None
    """The e-mail address for AI agents, if they have one of their own."""
    programmatic_email_hint: Annotated[
        Line | None,
        asked(
            "what should a first message say",
            "what must I write in the first e-mail",
            "what happens to mail that an agent sends",
            "which details should an enquiry include",
            "what must my message contain so that I get an answer",
            says="{programmaticEmailHint}",
        ),
    ] = None
    """What happens to e-mail to the address for agents."""

    @property
    def agents_email(self) -> str:
        """The address for agents: their own, or the human's."""
        return self.programmatic_email or self.email


class Scheduling(Output):
    """Time zone, working hours and response time."""

    timezone: Annotated[
        TimeZone,
        asked(
            "which time zone is the studio in",
            "what time zone do they work in",
            says="Time zone: {timezone}; working hours: {workingHours}.",
        ),
    ]
    """The IANA time zone of the working hours."""
    working_hours: Annotated[
        Line,
        asked(
            "what are the working hours of the studio",
            "on which days do they work",
            "when are they at their desk",
            "when can I call or meet them",
            "are they available on weekends",
            "opening hours",
            says="Working hours ({timezone}): {workingHours}",
        ),
    ]
    """The hours in which the founder works."""
    response_sla: Annotated[
        Line, asked("how long until I get an answer in working hours", says="{responseSla}")
    ]
    """How soon a message is answered."""
