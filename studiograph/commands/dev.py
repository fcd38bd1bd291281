"""What few need: `models`, `mcp` and `schema`."""

import asyncio
import json
from pathlib import Path
from typing import BinaryIO

import click

from mcp_bridge.protocol.server import Server
from mcp_bridge.protocol.stdio import reserved_stdout, serve_process
from resolvers.embeddings.weights import INSTALL, WeightSource, weight_sources
from resolvers.executable_schema import full_schema, public_sdl
from rest_bridge.document_list import DOCUMENTS
from rest_bridge.representations.responses import index_path
from rest_bridge.routes import relations_of
from sdl.types.directives import operation_directives
from studiograph.application import OPERATIONS, make_application
from studiograph.cli import (
    file_errors,
    json_option,
    note,
    pass_settings,
    present,
    quiet_option,
    set_up_logs,
)
from studiograph.settings import Settings
from studiograph.wiring.documents import options_of

NONE = f"There is no embedding model, so search matches words, not meaning. Fix: {INSTALL}."


@click.group()
def models_command() -> None:
    """Show where the built-in embedding model is."""


@models_command.command("list")
@json_option
@quiet_option
@pass_settings
def list_places(settings: Settings, *, as_json: bool, quiet: bool) -> int:
    """List the places where the model is looked for, and what is there."""
    sources = [*weight_sources(settings.data)]
    if as_json:
        print(json.dumps([_to_json(source) for source in sources]))
    else:
        width = max(len(source.name) for source in sources)
        for source in sources:
            print(f"{source.name:{width}}  {_state(source):7}  {source.place or ''}".rstrip())
    if not quiet:
        for source in sources:
            if source.error:
                note(source.error)
        if not any(source.weights for source in sources):
            note(NONE)
    return 0


def _to_json(source: WeightSource) -> dict[str, str]:
    members = {"place": source.name, "state": _state(source), "wrong": source.error}
    members["folder"] = "" if source.place is None else str(source.place)
    return present(members)


def _state(source: WeightSource) -> str:
    if source.weights is not None:
        return "ready"
    return "refused" if source.error else "absent"


@click.command()
@pass_settings
def mcp_command(settings: Settings) -> int:
    """Serve MCP on standard input and output, for a client that starts this command."""
    with reserved_stdout() as output:
        set_up_logs()
        asyncio.run(_serve(settings, output))
    return 0


async def _serve(settings: Settings, output: BinaryIO) -> None:
    app = make_application(settings, preview=True)
    relations = relations_of(app.operations, DOCUMENTS)
    server = Server(app.operations, app.current, index_path(relations), options_of(settings))
    async with app.lifespan():
        await serve_process(server, output)


@click.command()
@click.option("--out", type=Path, metavar="DIR", help="Write both schemas to this folder.")
@click.option("--check", is_flag=True, help="Fail if the committed schemas are out of date.")
def schema_command(out: Path | None, *, check: bool) -> int:
    """Print the public GraphQL schema, or write or check both schemas."""
    if out is not None and check:
        raise click.UsageError("--out and --check cannot be used together.")
    texts = schema_texts()
    if out is not None:
        with file_errors("name a writable folder", out):
            out.mkdir(parents=True, exist_ok=True)
            for name, text in texts.items():
                (out / name).write_text(text, encoding="utf-8")
    elif check:
        stale = [name for name, text in texts.items() if _committed(name) != text]
        for name in stale:
            note(f"sdl/{name} is out of date. Fix: make sdl.")
        return 1 if stale else 0
    else:
        print(texts["public.graphql"], end="")
    return 0


def schema_texts() -> dict[str, str]:
    """Return both schemas as text, by file name."""
    schema = full_schema()
    taken = {own.name for own in schema._schema.directives}  # noqa: SLF001 - it has no public name
    return {
        "public.graphql": f"{public_sdl()}\n",
        "full.graphql": f"{schema.as_str()}\n\n{operation_directives(taken)}\n",
    }


def _committed(name: str) -> str:
    path = OPERATIONS / name
    return path.read_text(encoding="utf-8") if path.is_file() else ""
