"""A transport that reads on for a moment before it closes.

Closing a socket while its peer is still sending resets the connection, and the reset can reach the
peer before the answer that said why: a proxy in front of the service then reports 502 instead of
413. So the sending half is closed first, and what still comes is dropped.

Source: RFC 9112 section 9.6.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

LINGER_SECONDS = 1.5
"""With the ten seconds for a head or a body, a slow caller is gone within twelve."""


class LingeringTransport(asyncio.Transport):
    """The transport of a connection; `is_receiving` says whether a request is still arriving."""

    def __init__(
        self,
        transport: asyncio.Transport,
        loop: asyncio.AbstractEventLoop,
        is_receiving: Callable[[], bool],
    ) -> None:
        """Stand before a transport."""
        super().__init__()
        self._transport, self._loop, self._is_receiving = transport, loop, is_receiving
        self.is_lingering = False
        self._is_lost = False

    def lose(self) -> None:
        """Drop what is still written: the connection is gone, which uvloop takes for a mistake."""
        self._is_lost = True

    def close(self) -> None:
        """Send what is written; close at once, or, while a request is arriving, in a moment."""
        if self.is_closing():
            return
        if not (self._is_receiving() and self._transport.can_write_eof()):
            self._transport.close()
            return
        try:
            self._transport.write_eof()
        except OSError:  # the peer has reset the connection
            self._transport.close()
            return
        self.is_lingering = True
        if not self._transport.is_reading():
            self._transport.resume_reading()
        self._loop.call_later(LINGER_SECONDS, self._transport.close)

    def is_closing(self) -> bool:
        """Whether nothing more can be written."""
        return self.is_lingering or self._transport.is_closing()

    def abort(self) -> None:
        """Close at once, without sending what is written."""
        self._transport.abort()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send bytes."""
        if not self._is_lost:
            self._transport.write(data)

    def writelines(self, list_of_data: Iterable[bytes | bytearray | memoryview]) -> None:
        """Send bytes, one after the other."""
        if not self._is_lost:
            self._transport.writelines(list_of_data)

    def get_write_buffer_size(self) -> int:
        """Return how many bytes are not sent yet."""
        return self._transport.get_write_buffer_size()

    def pause_reading(self) -> None:
        """Take no more data from the peer."""
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Take data from the peer again."""
        self._transport.resume_reading()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return what is known of the connection, such as its addresses."""
        return self._transport.get_extra_info(name, default)
