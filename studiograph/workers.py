"""Server processes that are forks of the first one, which has built the service for all of them.

So each takes hundredths of a second to begin, and shares the memory of what is never changed. The
first process never serves: it has one thread and no open connection that a fork could inherit.
"""

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import parent_process
from multiprocessing.context import ForkProcess
from socket import socket
from types import FrameType

import uvicorn
from uvicorn.supervisors import Multiprocess, multiprocess

from rest_bridge.http.access_log import access_log

FORK = multiprocessing.get_context("fork")
PARENT_SECONDS = 0.5
_HELD_BACK = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}

Target = Callable[..., None]


class Workers(Multiprocess):
    """Server processes that reload their content on SIGHUP instead of being replaced."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket]) -> None:
        # uvicorn has no setting for it: its supervisor makes processes by this function alone.
        multiprocess.get_subprocess = self._fork  # type: ignore[attr-defined, assignment]
        self._are_first = True
        super().__init__(config, sockets)

    def init_processes(self) -> None:
        """Start the processes."""
        with _blocked_signals():
            super().init_processes()
        self._are_first = False

    def keep_subprocess_alive(self) -> None:
        """Replace each process that has died."""
        with _blocked_signals():
            super().keep_subprocess_alive()

    def handle_hup(self) -> None:
        """Send SIGHUP to every process."""
        for process in self.processes:
            if process.pid is not None:
                os.kill(process.pid, signal.SIGHUP)

    def _fork(self, _: uvicorn.Config, target: Target, sockets: list[socket]) -> ForkProcess:
        """Return a process that is still to be started."""
        return FORK.Process(
            target=_serve, args=(target, sockets), kwargs={"first": self._are_first}
        )


def _serve(target: Target, sockets: list[socket], *, first: bool) -> None:
    """Serve in a process of its own, with the signals of a new one."""
    for number in multiprocess.SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, _end)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if not first:  # the content may have changed since the first process read it
        signal.raise_signal(signal.SIGHUP)
    try:
        target(sockets)
    finally:
        access_log.flush()  # the end of a fork runs nothing that waits for the end


def _end_with_parent() -> None:
    """Stop this process once its parent is gone.

    No reload would reach it any more, and it would hold the port. The pipe of `parent_process`
    ends only when all workers that were forked later are gone too, so the parent's id is asked for.
    """
    parent = parent_process()
    while parent is not None and os.getppid() == parent.pid:
        time.sleep(PARENT_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)


def _end(_signal: int, _frame: FrameType | None) -> None:
    sys.exit(0)


@contextmanager
def _blocked_signals() -> Iterator[None]:
    """Block the signals that would meet a new process before it has set up its own handlers.

    Workers inherit the blocked SIGINT, so a terminal's Ctrl-C, which reaches all, ends only the
    first process, which then stops the others in order.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, _HELD_BACK)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HELD_BACK)
