"""`studiograph preview`: the content as agents would read it, on this machine alone.

It has keys, a log and an inbox of its own, in a folder that is removed at its end. So what is shown
is neither signed with the studio's key nor published in its log.
"""

import asyncio
import logging
import socket
import sys
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import uvicorn
from pydantic import SecretStr
from starlette.types import ASGIApp

from rest_bridge.http.middleware import RequestGuard
from studiograph.application import Application
from studiograph.asgi import Beside
from studiograph.cli import note, pass_settings, quiet_option
from studiograph.commands.service.serve import serve
from studiograph.commands.table import print_text
from studiograph.preview.page import PreviewPage
from studiograph.preview.saves import Saves
from studiograph.reload import log_failure
from studiograph.settings import LOCAL_HOSTS, Settings

HERE = "127.0.0.1"
_REUSED = ("models", "vectors")
"""Folders of the data folder that say nothing to others, and take long to make."""
_NOWHERE = {
    "database_url": "",
    "jobs_url": "",
    "smtp_url": SecretStr(""),
    "mail_listen": "",
    "metrics_port": 0,
    "workers": 1,
}
"""Settings without which a preview reaches no store, no mail server and no port but its own."""
_SAID_IN_WORDS = ("studiograph.access", "studiograph.content.reloads")
"""Those parts of a server's log in whose place a preview says what a save changes."""


@click.command(epilog="Example: studiograph preview --port 8001")
@click.option("--port", type=click.IntRange(0, 65535), help="The port; that of the settings else.")
@quiet_option
@pass_settings
def command(settings: Settings, *, port: int | None, quiet: bool) -> int:
    """Serve the content on this machine until Ctrl-C, and show what is saved at once.

    Each save prints what it changes in words, what is wrong, and which of the questions that agents
    ask first are answered otherwise. The address that is printed at the start is a page for your
    browser with what crawlers, MCP clients, search and chat get. Nothing is published: keys, log
    and messages are made anew and removed at the end.
    """
    with TemporaryDirectory(prefix="studiograph-preview-") as folder:
        data = Path(folder) / "var"
        share(settings.data, data)
        apart = settings.model_copy(update={**_NOWHERE, "data": data})
        here: dict[str, Any] = {"host": HERE, "base_url": "", "allowed_hosts": ()}
        if port is not None:
            here["port"] = port
        for name in _SAID_IN_WORDS:
            logging.getLogger(name).addFilter(lambda _: False)
        for name in ("studiograph.answers", "watchfiles"):
            logging.getLogger(name).setLevel(logging.WARNING)
        if not quiet:
            note("This is a preview: saved changes show at once, and nothing is published.")
        return serve(
            apart.model_copy(update=here),
            watch=True,
            quiet=quiet,
            beside=showing(settings, apart, quiet=quiet),
        )


def share(data: Path, preview: Path) -> None:
    """Let a preview use the models and vectors of the data folder."""
    preview.mkdir(mode=0o700)
    for name in _REUSED:
        if (data / name).is_dir():
            (preview / name).symlink_to((data / name).absolute())


def showing(own: Settings, apart: Settings, *, quiet: bool) -> Beside:
    """Return what runs beside the service of a preview: the words of each save, and the page.

    `own` are the owner's settings, and `apart` the same without a way to any store.
    """

    @asynccontextmanager
    async def show(app: Application, service: ASGIApp) -> AsyncIterator[None]:
        saves = Saves(app, own, apart, _say)
        page = PreviewPage(saves, service)
        listening = socket.create_server((HERE, 0))
        config = uvicorn.Config(
            RequestGuard(page, LOCAL_HOSTS, preview=True),
            ws="none",
            lifespan="off",
            access_log=False,
            log_config=None,
            server_header=False,
            proxy_headers=False,
        )
        server = _BesideAnother(config)
        tasks = [asyncio.create_task(w) for w in (saves.follow(), server.serve([listening]))]
        for task in tasks:
            task.add_done_callback(log_failure)
        if not quiet:
            address = f"http://{HERE}:{listening.getsockname()[1]}{page.path}"
            _say([f"What agents get, for your browser: {address}"])
        try:
            yield
        finally:
            tasks[0].cancel()
            server.should_exit = True
            await asyncio.gather(*tasks, return_exceptions=True)

    return show


class _BesideAnother(uvicorn.Server):
    """A server that leaves the signals to another in its process."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do nothing."""
        yield


def _say(lines: Iterable[str]) -> None:
    """Print lines at once; where nobody reads them, go on all the same."""
    with suppress(OSError):
        for line in lines:
            print_text(line)
        sys.stdout.flush()
