"""The docstrings below the attributes of a class, which become descriptions.

pydantic can read them too, but it looks for the source of each class anew; for all types of a
studio that is a seventh of a start. Here a file is parsed once, for all of its classes.
"""

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path


def attribute_docs(cls: type) -> Mapping[str, str]:
    """Return the docstrings of a class's own attributes, by name; none without a source file."""
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    return _docs_in(file).get(cls.__qualname__, {}) if file is not None else {}


@cache
def _docs_in(file: str) -> Mapping[str, Mapping[str, str]]:
    """Return the docstrings of each class of a file, by its qualified name."""
    try:
        tree = ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError):
        return {}  # there is no source, as in an archive
    found: dict[str, dict[str, str]] = {}
    for name, node in _classes(tree, ""):
        if name in found:  # two branches of one function may declare the same name
            found[name] = {}
        else:
            found[name] = dict(_docs_of(node))
    return found


def _classes(node: ast.AST, prefix: str) -> Iterator[tuple[str, ast.ClassDef]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield f"{prefix}{child.name}", child
            yield from _classes(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _classes(child, f"{prefix}{child.name}.<locals>.")
        elif isinstance(child, ast.stmt | ast.excepthandler):
            yield from _classes(child, prefix)


def _docs_of(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for attribute, doc in pairwise(node.body):
        match attribute, doc:
            case (
                (ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)])),
                ast.Expr(ast.Constant(str(text))),
            ):
                yield name, inspect.cleandoc(text)
            case _:
                continue
