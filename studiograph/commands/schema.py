"""`studiograph schema`: the two schemas as GraphQL text."""

import argparse
import sys
from pathlib import Path

from resolvers.executable import full_schema, public_schema
from studiograph.app import OPERATIONS
from studiograph.settings import Settings


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser("schema", help="print the public schema")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--out", type=Path, metavar="DIR", help="write both schemas to a folder")
    where.add_argument("--check", action="store_true", help="compare with the committed ones")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, _: Settings) -> int:
    """0, or 1 when a committed schema is not what the classes say."""
    texts = schema_texts()
    if arguments.out is not None:
        try:
            _write(texts, arguments.out)
        except OSError as error:
            print(f"cannot write to {arguments.out}: {error.strerror}.", file=sys.stderr)
            return 1
    elif arguments.check:
        stale = [name for name, text in texts.items() if _committed(name) != text]
        for name in stale:
            print(f"sdl/{name} is not what the classes say. Fix: make sdl.", file=sys.stderr)
        return 1 if stale else 0
    else:
        print(texts["public.graphql"], end="")
    return 0


def schema_texts() -> dict[str, str]:
    """Both schemas as text, by file name."""
    return {
        "public.graphql": f"{public_schema().as_str()}\n",
        "full.graphql": f"{full_schema().as_str()}\n",
    }


def _write(texts: dict[str, str], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


def _committed(name: str) -> str:
    path = OPERATIONS / name
    return path.read_text(encoding="utf-8") if path.is_file() else ""
