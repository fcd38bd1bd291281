"""`studiograph serve`: the service on a port, in one process or several.

Several processes are forks of the first one, which has built the service for all of them. So each
takes hundredths of a second to begin, and shares the memory of what is never changed. The first
process never serves: it has one thread and no open connection that a fork could inherit.
"""

import errno
import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from multiprocessing import parent_process
from multiprocessing.context import ForkProcess
from types import FrameType

import click
import uvicorn
from uvicorn.supervisors import Multiprocess, multiprocess

from resolvers.http_client.targets import TargetPolicy
from rest_bridge.http.access_log import access_log
from rest_bridge.server.protocol import TimedHttpProtocol
from studiograph.asgi import Beside, build
from studiograph.cli import CommandError, Invocation, progress, set_up_logs, without_collection
from studiograph.reload import pause_reloads
from studiograph.settings import MAX_WORKERS, Settings, literal
from studiograph.wiring.metrics import show_metrics

DRAIN_SECONDS = 10
KEEP_ALIVE_SECONDS = 5
UNREAD_BYTES = 128 * 1024
"""How much one connection may leave unread in either direction; the kernel doubles it."""
STARTING_SECONDS = 30
"""A worker process that stays silent for longer, at its start too, is replaced."""
SWITCH_SECONDS = 0.0002
"""How long the event loop waits for a thread that computes; Python's own time is 5 ms."""

_PORT_ERRORS = (errno.EADDRINUSE, errno.EACCES)


@click.command(epilog="Example: STUDIOGRAPH_PORT=8001 studiograph serve")
@click.option("--reload", "watch", is_flag=True, help="Reload when the content changes.")
@click.option("--workers", type=click.IntRange(1, MAX_WORKERS), help="Server processes.")
@click.option("--quiet", is_flag=True, help="Print no line at the start.")
@click.pass_obj
def serve_command(invocation: Invocation, *, watch: bool, workers: int | None, quiet: bool) -> int:
    """Start the service, and serve until SIGTERM or SIGINT."""
    settings = invocation.settings
    settings = settings.model_copy(update={"workers": workers or settings.workers})
    return serve(settings, invocation.destinations, watch=watch, quiet=quiet)


def serve(
    settings: Settings,
    destinations: TargetPolicy | None = None,
    *,
    watch: bool,
    quiet: bool,
    beside: Beside = lambda _app, _service: nullcontext(),
) -> int:
    """Serve until SIGTERM or SIGINT; return the exit code. Raises: CommandError."""
    workers = settings.workers
    set_up_logs()
    pause_reloads()
    sys.setswitchinterval(SWITCH_SECONDS)
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signal_number, _exit)  # uvicorn raises the signal again when all is answered
    try:
        listening = _listen(settings)
    except OSError as error:
        setting = "port" if error.errno in _PORT_ERRORS else "host"
        is_taken = error.errno == errno.EADDRINUSE
        stop = "stop what uses it, perhaps another studiograph, or " if is_taken else ""
        raise CommandError(
            f"cannot listen on {literal(settings.host)}:{settings.port}: {error.strerror}."
            f" Fix: {stop}choose another {setting} with STUDIOGRAPH_{setting.upper()}."
        ) from None
    if settings.metrics_port:
        try:
            show_metrics(settings)
        except OSError as error:
            raise CommandError(
                f"cannot show metrics on 127.0.0.1:{settings.metrics_port}: {error.strerror}."
                " Fix: choose another port with STUDIOGRAPH_METRICS_PORT."
            ) from None
    host, port = listening.getsockname()[:2]
    settings = settings.model_copy(update={"port": port})
    with without_collection():
        # The bars of several processes would write over each other.
        bar = partial(progress, "Embedding", hidden=quiet or workers > 1)
        service = build(settings, watch=watch, destinations=destinations, beside=beside, bar=bar)
    TimedHttpProtocol.limit(settings.max_connections, settings.trusted_proxies)
    config = uvicorn.Config(
        service,
        workers=workers,
        http=TimedHttpProtocol,
        ws="none",
        lifespan="on",
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=DRAIN_SECONDS,
        timeout_worker_healthcheck=STARTING_SECONDS,
    )
    if not quiet:
        address = f"http://{literal(host)}:{port}"
        with suppress(
            OSError
        ):  # where the log has no space, or nobody reads it, serve all the same
            print(f"studiograph listens on {address}; try: curl {address}/llms.txt", flush=True)
    if workers > 1:
        Workers(config, [listening]).run()
    else:
        uvicorn.Server(config).run([listening])
    return 0


def _exit(_signal: int, _frame: FrameType | None) -> None:
    sys.exit(0)


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # Every connection has this of its listener. By itself the kernel gives 4 MiB to whoever asks
    # for much and reads nothing, and all of it would have to be answered first.
    # So is what it sends and the service does not read yet.
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, UNREAD_BYTES)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, UNREAD_BYTES)
    listening.bind((settings.host, settings.port))
    listening.listen(2048)
    listening.set_inheritable(True)
    return listening


FORK = multiprocessing.get_context("fork")
PARENT_SECONDS = 0.5
_HELD_BACK = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}

Target = Callable[..., None]


class Workers(Multiprocess):
    """Server processes that reload their content on SIGHUP instead of being replaced."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket.socket]) -> None:
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

    def _fork(self, _: uvicorn.Config, target: Target, sockets: list[socket.socket]) -> ForkProcess:
        """Return a process that is still to be started."""
        return FORK.Process(
            target=_serve, args=(target, sockets), kwargs={"first": self._are_first}
        )


def _serve(target: Target, sockets: list[socket.socket], *, first: bool) -> None:
    """Serve in a process of its own, with the signals of a new one."""
    for number in multiprocess.SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, _exit)
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
