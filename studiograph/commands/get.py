"""`studiograph get PATH`: a request without a server."""

import argparse
import asyncio
import sys

import httpx

from studiograph.app import build
from studiograph.settings import Settings


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser("get", help="print what a path answers, without a server")
    parser.add_argument("path", help="the path, for example /api/projects")
    parser.add_argument("--accept", default="*/*", help="the Accept header")
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


async def _get(path: str, accept: str, settings: Settings) -> httpx.Response:
    transport = httpx.ASGITransport(build(settings))
    address = f"http://localhost/{path.removeprefix('/')}"
    async with httpx.AsyncClient(transport=transport) as client:
        return await client.get(address, headers={"accept": accept})
