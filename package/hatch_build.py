"""Builds the wheel `strawberry-surfaces`: the engine's packages below one import name.

`sdl` and `surfaces` could be anybody's names in an environment of others. So `sdl.errors` becomes
`strawberry_surfaces.sdl.errors`, and the modules of `surfaces` those of `strawberry_surfaces`
itself, in every import. An sdist has them so already.
"""

import ast
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

NAME = "strawberry_surfaces"
ENGINE = ("surfaces", "sdl", "rest_bridge", "mcp_bridge")
STUDIO = ("rest_bridge/server", "sdl/tools/canonical_json.py")
"""What the studio alone uses, by packages that the engine does not need."""
_FROM = re.compile(rb"from\s+")
PAGES = {
    "engine": "the-engine-rest-mcp-and-llmstxt-for-your-strawberry-schema",
    "operations": "stored-operations",
}
"""The pages, each with the anchor of its heading."""
_LINK = re.compile(r"\]\((engine|operations)\.md(?:#([^)]*))?\)")
"""A link of one page to the other, which stands in the same text here."""


class EngineMetadataHook(MetadataHookInterface):
    """Takes the two pages about the engine for what a registry shows."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the readme, which an sdist has already."""
        if "readme" not in metadata:
            docs = Path(self.root).with_name("docs")
            pages = [(docs / f"{page}.md").read_text() for page in PAGES]
            text = _LINK.sub(lambda m: f"](#{m[2] or PAGES[m[1]]})", "\n".join(pages))
            metadata["readme"] = {"content-type": "text/markdown", "text": text}


class EngineBuildHook(BuildHookInterface[Any]):
    """Puts the engine's modules into a wheel or an sdist."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the modules. Raises: ValueError for an import that cannot be renamed."""
        if version == "editable":
            raise ValueError("The modules are renamed as they are packed: install without -e.")
        self.made = ""
        if not Path(self.root, NAME).is_dir():  # or this is an sdist
            self.made = mkdtemp()
            write_modules(Path(self.root).parent, Path(self.made))
            build_data["force_include"][f"{self.made}/{NAME}"] = NAME

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 - hatchling's
        """Take away what was written."""
        if self.made:
            shutil.rmtree(self.made)


def write_modules(checkout: Path, target: Path) -> None:
    """Write the engine's modules below `target`, with their new names."""
    for package in ENGINE:
        for file in sorted((checkout / package).rglob("*.py")):
            if file.relative_to(checkout).as_posix().startswith(STUDIO):
                continue
            written = target.joinpath(
                *_renamed(package).split("."), file.relative_to(checkout / package)
            )
            written.parent.mkdir(parents=True, exist_ok=True)
            written.write_bytes(renamed(file.read_bytes(), str(file)))
    (target / NAME / "py.typed").touch()


def renamed(source: bytes, file: str) -> bytes:
    """Return a module in which the engine's modules have their new names.

    Raises: ValueError for `import sdl.errors`, which would bind another name afterwards.
    """
    lines = source.splitlines(keepends=True)
    for line, column, old, new in sorted(_edits(ast.parse(source), lines, file), reverse=True):
        text = lines[line]
        if not text.startswith(old, column):
            raise ValueError(f"{file}:{line + 1}: {old.decode()} is not where it was parsed")
        lines[line] = text[:column] + new + text[column + len(old) :]
    return b"".join(lines)


def _edits(
    tree: ast.Module, lines: list[bytes], file: str
) -> Iterator[tuple[int, int, bytes, bytes]]:
    """Yield each change: line and byte where it is, the name there, the one instead of it."""
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(name), level=0) if _is_engine(name):
                found = _FROM.match(lines[node.lineno - 1], node.col_offset)
                column = found.end() if found else 0
                yield node.lineno - 1, column, name.encode(), _renamed(name).encode()
            case ast.Import(names=names):
                for own in names:
                    if not _is_engine(own.name):
                        continue
                    if "." in own.name and own.asname is None:
                        raise ValueError(f"{file}:{own.lineno}: write `from {own.name} import ...`")
                    alias = "" if own.asname else f" as {own.name}"
                    new = f"{_renamed(own.name)}{alias}".encode()
                    yield own.lineno - 1, own.col_offset, own.name.encode(), new


def _is_engine(module: str) -> bool:
    return module.partition(".")[0] in ENGINE


def _renamed(module: str) -> str:
    package, dot, rest = module.partition(".")
    return f"{NAME}{dot}{rest}" if package == "surfaces" else f"{NAME}.{module}"
