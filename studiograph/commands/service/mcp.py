"""`studiograph mcp`: serve MCP on standard input and output."""

import asyncio
import os
import signal
import sys
from contextlib import suppress
from functools import partial
from typing import BinaryIO

import click

from mcp_bridge.protocol.stdio import serve_stdio
from rest_bridge.document_list import DOCUMENTS
from rest_bridge.routes import relations_of
from studiograph.application import make_application
from studiograph.cli import failed, pass_settings, set_up_logs
from studiograph.settings import Settings
from studiograph.wiring.mcp import mcp_server


@click.command()
@pass_settings
def command(settings: Settings) -> int:
    """Serve MCP on standard input and output, for a client that starts this command."""
    if sys.stdin is None or sys.stdout is None:
        return failed(
            "MCP needs standard input and output, and one of them is closed. Fix: let a"
            " client start this command, or use /mcp of `studiograph serve`."
        )
    set_up_logs()
    try:
        asyncio.run(_serve(settings, _reserve_stdout()))
    except OSError:
        return failed("Standard output cannot be written. Fix: check where it is redirected.")
    return 0


async def _serve(settings: Settings, output: BinaryIO) -> None:
    app = make_application(settings, preview=True)
    relations = relations_of(app.operations, DOCUMENTS)
    server = mcp_server(app.operations, app.current, settings, relations)
    serving = asyncio.ensure_future(
        serve_stdio(server, partial(os.read, sys.stdin.fileno()), output)
    )
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(signal_number, serving.cancel)
    async with app.lifespan():
        with suppress(asyncio.CancelledError):
            await serving


def _reserve_stdout() -> BinaryIO:
    """Return standard output for messages; send all other output to standard error."""
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.set_blocking(output.fileno(), True)  # a client may hand over a pipe that is not
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return output
