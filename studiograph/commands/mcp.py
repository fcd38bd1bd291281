"""`studiograph mcp`: the tools, resources and prompts on standard input and output."""

import argparse
import asyncio
import os
import signal
import sys
from contextlib import suppress
from functools import partial
from typing import BinaryIO

from mcp_bridge.stdio import serve_stdio
from rest_bridge.routes import relations_of
from rest_bridge.wellknown import DOCUMENTS
from studiograph.app import assemble
from studiograph.logs import set_up_logs
from studiograph.mcp import mcp_server
from studiograph.settings import Settings


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser("mcp", help="speak MCP on standard input and output")
    parser.set_defaults(run=run)


def run(_arguments: argparse.Namespace, settings: Settings) -> int:
    """0 once the input has ended or it was told to stop. Raises: ContentError, OperationError."""
    if sys.stdin is None or sys.stdout is None:
        print(
            "MCP is spoken on standard input and output, and one of them is closed. Fix: let a"
            " client start this command, or use /mcp of `studiograph serve`.",
            file=sys.stderr,
        )
        return 1
    set_up_logs()
    try:
        asyncio.run(_serve(settings, _wire()))
    except OSError:
        print("standard output cannot be written: see where it leads.", file=sys.stderr)
        return 1
    return 0


async def _serve(settings: Settings, writes: BinaryIO) -> None:
    whole = assemble(settings)
    relations = relations_of(whole.operations, DOCUMENTS)
    server = mcp_server(whole.operations, whole.current, relations)
    serving = asyncio.ensure_future(
        serve_stdio(server, partial(os.read, sys.stdin.fileno()), writes)
    )
    for stop in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(stop, serving.cancel)
    async with whole.running():
        with suppress(asyncio.CancelledError):
            await serving


def _wire() -> BinaryIO:
    """Standard output for messages alone: whatever else is written there goes to the errors."""
    wire = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return wire
