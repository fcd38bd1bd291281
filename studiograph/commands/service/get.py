"""`studiograph get PATH`: one GET request, answered in this process without a server."""

import asyncio
import sys

import click
import httpx

from studiograph.asgi import build
from studiograph.cli import pass_settings
from studiograph.settings import Settings

MAX_CHARACTERS = 60_000


def _check_sendable(_context: click.Context, _parameter: click.Parameter, text: str) -> str:
    if not (text.isascii() and text.isprintable() and len(text) <= MAX_CHARACTERS):
        raise click.BadParameter(
            f"must be at most {MAX_CHARACTERS} printable ASCII characters; percent-encode others."
        )
    return text


@click.command(epilog="Example: studiograph get /api/projects --include")
@click.argument("path", callback=_check_sendable)
@click.option("--accept", callback=_check_sendable, default="*/*", help="The Accept header.")
@click.option("--include", is_flag=True, help="Print the status and headers first.")
@pass_settings
def command(settings: Settings, *, path: str, accept: str, include: bool) -> int:
    """Print the response to GET PATH, for example /api/projects; no server is needed."""
    response = asyncio.run(_get(path, accept, settings))
    if include:
        print(response.status_code, response.reason_phrase)
        for name, value in response.headers.items():
            print(f"{name}: {value}")
        print(flush=True)
    sys.stdout.buffer.write(response.content)
    sys.stdout.buffer.flush()
    return 0 if response.is_success else 1


async def _get(path: str, accept: str, settings: Settings) -> httpx.Response:
    transport = httpx.ASGITransport(build(settings, preview=True))
    address = f"http://localhost/{path.removeprefix('/')}"
    async with httpx.AsyncClient(transport=transport) as client:
        headers = {"accept": accept, "accept-encoding": "identity"}
        return await client.get(address, headers=headers)
