"""`studiograph get PATH`: a request without a server."""

import argparse
import asyncio
import sys
from typing import TYPE_CHECKING

from studiograph.app import build
from studiograph.settings import Settings

if TYPE_CHECKING:
    import httpx

MAX_CHARACTERS = 60_000


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser("get", help="print what a path answers, without a server")
    parser.add_argument("path", type=_sendable, help="the path, for example /api/projects")
    parser.add_argument("--accept", type=_sendable, default="*/*", help="the Accept header")
    parser.add_argument("--include", action="store_true", help="print status and headers first")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """0 when the answer is a success, else 1."""
    response = asyncio.run(_get(arguments.path, arguments.accept, settings))
    if arguments.include:
        print(response.status_code, response.reason_phrase)
        for name, value in response.headers.items():
            print(f"{name}: {value}")
        print(flush=True)
    sys.stdout.buffer.write(response.content)
    sys.stdout.buffer.flush()
    return 0 if response.is_success else 1


def _sendable(text: str) -> str:
    if not (text.isascii() and text.isprintable() and len(text) <= MAX_CHARACTERS):
        raise argparse.ArgumentTypeError(
            f"must be at most {MAX_CHARACTERS} printable ASCII characters; percent-encode others"
        )
    return text


async def _get(path: str, accept: str, settings: Settings) -> "httpx.Response":
    import httpx  # noqa: PLC0415 - only for this command

    transport = httpx.ASGITransport(build(settings))
    address = f"http://localhost/{path.removeprefix('/')}"
    async with httpx.AsyncClient(transport=transport) as client:
        headers = {"accept": accept, "accept-encoding": "identity"}
        return await client.get(address, headers=headers)
