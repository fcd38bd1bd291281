"""The interface of the two ways to deliver mail: the inbox folder and a mail server."""

from typing import Protocol


class MailTransport(Protocol):
    """A way to deliver messages to the human."""

    to: str
    """The human's address, for the `To` field."""

    async def deliver(
        self, message: bytes, key: str, *, sender: str | None = None, recipient: str | None = None
    ) -> None:
        """Deliver a message and return when it is stored safely.

        A folder stores a message once for each key. `sender` gets the bounces: None means our
        mailbox, an empty text nobody. `recipient` None means the human.

        Raises: DeliveryFailedError if the message was refused or took too long, UnavailableError
        if the transport cannot be used.
        """

    def describe(self) -> str:
        """Return a description for logs, without secrets."""
        ...
