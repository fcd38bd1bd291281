"""A notice to the owner's own address that somebody has written, without a word of the message.

It is a POST of plain text, as ntfy and similar services take it. It is sent beside the message and
tried once: a message that is delivered does not wait for it, nor fail with it.
"""

import asyncio
import logging

from resolvers.contact.transport import MailTransport

TIMEOUT_SECONDS = 5

log = logging.getLogger("studiograph.contact")


class Notices:
    """The notices of one process."""

    def __init__(self, url: str, studio: str) -> None:
        """Send notices to a URL, which may hold a secret, so that no log names it."""
        self._url = url
        self._text = f"Somebody has written to {studio}. `studiograph inbox`, or your mail, has it."
        self._tasks: set[asyncio.Task[None]] = set()

    def send(self) -> None:
        """Begin to send a notice."""
        task = asyncio.create_task(self._post())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Wait for the notices that are under way."""
        await asyncio.gather(*self._tasks)

    async def _post(self) -> None:
        import httpx  # noqa: PLC0415 - 0.1 s, only where somebody has written

        headers = {"title": "studiograph", "content-type": "text/plain; charset=utf-8"}
        try:
            async with httpx.AsyncClient(timeout=TIMEOUT_SECONDS) as client:
                answer = await client.post(self._url, content=self._text, headers=headers)
            answer.raise_for_status()
        except httpx.HTTPStatusError as error:
            log.warning("the notice was answered %s", error.response.status_code)
        except httpx.HTTPError as error:
            log.warning("the notice was not sent: %s", type(error).__name__)


class NoticeTransport(MailTransport):
    """A transport after which the owner gets a notice of each message to the human."""

    def __init__(self, transport: MailTransport, notices: Notices) -> None:
        """Deliver by another transport."""
        self.to = transport.to
        self._transport, self._notices = transport, notices

    async def deliver(
        self, message: bytes, key: str, *, sender: str | None = None, recipient: str | None = None
    ) -> None:
        """Deliver a message, and begin to send a notice if it is for the human."""
        await self._transport.deliver(message, key, sender=sender, recipient=recipient)
        if recipient is None:
            self._notices.send()

    def describe(self) -> str:
        """Return the description of the other transport."""
        return self._transport.describe()
