"""`studiograph serve`: the service on a port, in one process or several."""

import errno
import signal
import socket
import sys
from contextlib import nullcontext, suppress
from functools import partial
from types import FrameType

import click
import uvicorn

from resolvers.http_client.targets import TargetPolicy
from rest_bridge.server.protocol import TimedHttpProtocol
from studiograph.asgi import Beside, build
from studiograph.cli import Invocation, failed, progress, set_up_logs, without_collection
from studiograph.reload import pause_reloads
from studiograph.settings import MAX_WORKERS, Settings, literal
from studiograph.wiring.metrics import show_metrics
from studiograph.workers import Workers

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
def command(invocation: Invocation, *, watch: bool, workers: int | None, quiet: bool) -> int:
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
    """Serve until SIGTERM or SIGINT; return the exit code."""
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
        return failed(
            f"cannot listen on {literal(settings.host)}:{settings.port}: {error.strerror}."
            f" Fix: {stop}choose another {setting} with STUDIOGRAPH_{setting.upper()}."
        )
    if settings.metrics_port:
        try:
            show_metrics(settings)
        except OSError as error:
            return failed(
                f"cannot show metrics on 127.0.0.1:{settings.metrics_port}: {error.strerror}."
                " Fix: choose another port with STUDIOGRAPH_METRICS_PORT."
            )
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
