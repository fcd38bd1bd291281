"""Stored operations of small schemas that know nothing of this project."""

import re
from pathlib import Path

import strawberry

from sdl.compiler import compile_operations
from sdl.operation import Operation
from sdl.runner import Operations


def stored(schema: strawberry.Schema, folder: Path, *texts: str) -> Operations:
    """The operations of these texts, each in a file of its own name, with a description before."""
    (folder / "operations").mkdir(exist_ok=True)
    for text in texts:
        found = re.search(r"(?:query|mutation|subscription) (\w+)", text)
        assert found is not None
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", found[1]).lower()
        (folder / "operations" / f"{name}.graphql").write_text(f'"What it does."\n{text}')
    executable = schema._schema  # noqa: SLF001 - Strawberry has no public name for it
    return Operations(executable, compile_operations(executable, folder))


def one(schema: strawberry.Schema, folder: Path, text: str) -> Operation:
    """The operation of one text."""
    [operation] = stored(schema, folder, text)
    return operation
