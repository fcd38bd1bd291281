"""Where messages go when they leave this service. How each place takes them is not said here."""

from typing import Protocol


class MailTransport(Protocol):
    """A place that takes messages to the human."""

    to: str
    """The human's address, for the To of what is delivered here."""

    async def deliver(
        self, message: bytes, key: str, *, sender: str | None = None, recipient: str | None = None
    ) -> None:
        """Nothing, once the message is where it cannot be lost; under one key it is there once.

        `sender` is told of a bounce: our mailbox if None, nobody if empty. `recipient` is the
        human if None. Raises: DeliveryFailed when the message was refused or took too long,
        Unavailable when the target cannot be used.
        """

    def describe(self) -> str:
        """What the owner reads of it in logs; never a secret."""
        ...
