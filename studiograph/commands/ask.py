"""`ask` and `get`: what an agent would be answered, without a server.

Both run stored operations on the content folder as it is now, so they also show what a change of
the content does to the answers, before it is published.
"""

import asyncio
import json
import sys
from typing import Any

import click
import httpx

from sdl.arguments.values import read_arguments
from sdl.caller import Caller, Channel
from sdl.errors import InvalidInputError
from sdl.tools.table import print_text
from studiograph.application import Application, make_application
from studiograph.asgi import build
from studiograph.cli import (
    CommandError,
    json_option,
    pass_settings,
    prints_json,
    progress,
    quiet_option,
)
from studiograph.settings import Settings

OPERATION = "Ask"
"""The stored operation of chat."""


@click.command(epilog='Example: studiograph ask "What does a project cost?"')
@click.argument("question")
@click.option(
    "--proof",
    is_flag=True,
    callback=prints_json,
    help="Print JSON with proofs, for `studiograph verify FILE`.",
)
@json_option
@quiet_option
@pass_settings
def ask_command(
    settings: Settings, *, question: str, proof: bool, as_json: bool, quiet: bool
) -> int:
    """Answer QUESTION as chat would; no server is needed."""
    as_json = as_json or proof
    if settings.ai_llm == "none":
        raise CommandError("chat is switched off. Fix: set STUDIOGRAPH_AI_LLM to extractive.")
    own = settings.model_copy(update={"chat_limit": "0"})
    app = make_application(own, preview=True)
    try:
        variables = read_arguments(
            app.operations.by_name[OPERATION], {"query": question, "proof": proof}
        )
    except InvalidInputError as error:
        rules = ", ".join(problem.rule for problem in error.problems)
        raise click.BadParameter(rules, param_hint="QUESTION") from None
    if proof and not app.services.proofs.is_content_published:
        raise CommandError(
            "the content is not published as it is now, so nothing proves it. Fix: run"
            " `studiograph serve`, or ask without --proof."
        )
    with progress("Loading the models", hidden=quiet or as_json) as show:
        app.services.models.load(show)
    body = asyncio.run(_run(app, variables))
    if as_json:
        print(json.dumps(body))
    else:
        _print(body)
    return 0


async def _run(app: Application, variables: dict[str, Any]) -> dict[str, Any]:
    """Run the operation and close what it used. Raises: ApiError."""
    operation, caller = app.operations.by_name[OPERATION], Caller("", Channel.HTTP)
    try:
        body: dict[str, Any] = await app.current().run_async(operation, variables, caller)
    finally:
        await app.services.close()
    return body


def _print(body: dict[str, Any]) -> None:
    """Print an answer, what it is worth, and its sources."""
    for line in body["answer"].splitlines():
        print_text(line)
    band = body["retrieval"]["band"]
    print_text(f"answered: {body['answered']}, basis: {body['basis']}, band: {band}")
    for source in body["citations"]:
        place = " ".join(part for part in (source["url"], source.get("pointer")) if part)
        print_text(f"[{source['n']}] {source['title']}: {place}")


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
def get_command(settings: Settings, *, path: str, accept: str, include: bool) -> int:
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
