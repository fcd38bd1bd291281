"""`studiograph serve`: the service on a port, in one process or several."""

import argparse
import errno
import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing import resource_tracker
from types import FrameType

import uvicorn
from uvicorn.supervisors import Multiprocess

from resolvers.letters.destinations import Destinations
from rest_bridge.guard import Guard
from studiograph.allowed import MEMORY
from studiograph.answers import refuse_taken
from studiograph.app import build
from studiograph.logs import set_up_logs
from studiograph.reload import hold_reloads
from studiograph.settings import MAX_WORKERS, Settings, literal
from studiograph.wire import Wire

DRAIN_SECONDS = 10
KEEP_ALIVE_SECONDS = 5
STARTING_SECONDS = 30
"""How long a process may say nothing, as while it starts, before another takes its place."""

_WITH_ANOTHER_PORT = (errno.EADDRINUSE, errno.EACCES)


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser("serve", help="start the service")
    parser.add_argument("--reload", action="store_true", help="reload when the content changes")
    parser.add_argument("--workers", type=_workers, metavar="N", help="server processes")
    parser.add_argument("--quiet", action="store_true", help="print no line at the start")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Serve until told to stop. Raises: ContentError, OperationError before the first request."""
    workers = arguments.workers or settings.workers
    if workers > 1 and settings.ratelimit_url == MEMORY:
        print(
            "memory:// counts the calls of one process alone, and there are several. Fix: leave"
            " STUDIOGRAPH_RATELIMIT_URL empty, or name a Redis.",
            file=sys.stderr,
        )
        return 1
    set_up_logs()
    hold_reloads()
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, _stopped)  # uvicorn raises the signal again when all is answered
    try:
        listening = _listen(settings)
    except OSError as error:
        wrong = "port" if error.errno in _WITH_ANOTHER_PORT else "host"
        print(
            f"cannot listen on {literal(settings.host)}:{settings.port}: {error.strerror}."
            f" Fix: choose another {wrong} with STUDIOGRAPH_{wrong.upper()}.",
            file=sys.stderr,
        )
        return 1
    host, port = listening.getsockname()[:2]
    settings = settings.model_copy(update={"port": port, "workers": workers})
    refuse_taken(settings)
    handed = {"watch": arguments.reload, "destinations": arguments.destinations}
    service = build(settings, **handed)
    Wire.limit(settings.max_connections, settings.trusted_proxies)
    config = uvicorn.Config(
        service if workers == 1 else partial(application, settings, **handed),
        factory=workers > 1,
        workers=workers,
        http=Wire,
        lifespan="on",
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=DRAIN_SECONDS,
        timeout_worker_healthcheck=STARTING_SECONDS,
    )
    if not arguments.quiet:
        address = f"http://{literal(host)}:{port}"
        print(f"studiograph listens on {address}; try: curl {address}/llms.txt", flush=True)
    if workers > 1:
        Workers(config, [listening]).run()
    else:
        uvicorn.Server(config).run([listening])
    return 0


def application(settings: Settings, *, watch: bool, destinations: Destinations | None) -> Guard:
    """The application of one server process, with its logs set up."""
    set_up_logs()
    hold_reloads()
    Wire.limit(settings.max_connections, settings.trusted_proxies)
    return build(settings, watch=watch, destinations=destinations)


class Workers(Multiprocess):
    """Server processes that reload their content on SIGHUP instead of being replaced."""

    def init_processes(self) -> None:
        """Start the processes."""
        with _held():
            super().init_processes()

    def keep_subprocess_alive(self) -> None:
        """Start a process in the place of each that has died."""
        with _held():
            super().keep_subprocess_alive()

    def handle_hup(self) -> None:
        """Hand the signal on to every process."""
        for process in self.processes:
            if process.pid is not None:
                os.kill(process.pid, signal.SIGHUP)


def _workers(text: str) -> int:
    if not (text.isdecimal() and 1 <= int(text) <= MAX_WORKERS):
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to {MAX_WORKERS}")
    return int(text)


def _stopped(_signal: int, _frame: FrameType | None) -> None:
    sys.exit(0)


@contextmanager
def _held() -> Iterator[None]:
    """While inside, the signals wait that would kill a process which is only starting.

    It inherits that, so a terminal's interrupt, which goes to all, stops the first process alone.
    """
    resource_tracker.ensure_running()  # what it does at its own start would let them through
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGHUP})


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind((settings.host, settings.port))
    listening.listen(2048)
    listening.set_inheritable(True)
    return listening
