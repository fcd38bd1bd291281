"""`studiograph schema`: the two schemas in GraphQL's schema definition language."""

from pathlib import Path

import click

from resolvers.executable_schema import full_schema, public_sdl
from sdl.types.directives import operation_directives
from studiograph.application import OPERATIONS
from studiograph.cli import failed, note


@click.command()
@click.option("--out", type=Path, metavar="DIR", help="Write both schemas to this folder.")
@click.option("--check", is_flag=True, help="Fail if the committed schemas are out of date.")
def command(out: Path | None, *, check: bool) -> int:
    """Print the public GraphQL schema, or write or check both schemas."""
    if out is not None and check:
        raise click.UsageError("--out and --check cannot be used together.")
    texts = schema_texts()
    if out is not None:
        try:
            _write(texts, out)
        except OSError as error:
            return failed(f"cannot write to {out}: {error.strerror}.")
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


def _write(texts: dict[str, str], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


def _committed(name: str) -> str:
    path = OPERATIONS / name
    return path.read_text(encoding="utf-8") if path.is_file() else ""
