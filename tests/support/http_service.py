"""An HTTP server on a free port of the loopback, with a thread for each connection."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from typing import Any


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # so that closing it waits for them

    def get_request(self) -> tuple[socket.socket, Any]:
        """A connection whose pieces are sent at once: a body does not wait 40 ms for its head."""
        connection, address = super().get_request()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
        return connection, address


@contextmanager
def http_service(
    handler: Callable[..., Any], closing: Callable[[], object] = lambda: None
) -> Iterator[str]:
    """The address of a server whose requests a handler answers.

    At the end `closing` is called, to release handlers that wait, and then all of them are awaited.
    """
    server = _Server(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        closing()
        server.shutdown()
        thread.join()
        server.server_close()
