"""What a start does not need, it does not import."""

import subprocess
import sys
from pathlib import Path

import pytest

IMPORTED = """
import sys
from pathlib import Path
{statement}
print(*sorted(sys.modules))
"""
BUILT = """
from studiograph.asgi import build
from studiograph.settings import Settings
build(Settings(content=Path({content!r}), data=Path({content!r}, "data")))
"""
LAZY = {
    *("chromadb", "llama_index", "httpx", "hypothesis", "dns", "Crypto", "watchfiles", "uvicorn"),
    *("sqlalchemy", "alembic", "aiosqlite", "psycopg", "limits", "redis", "dbos"),
    *("numpy", "onnxruntime", "onnx", "safetensors", "tokenizers", "sse_starlette", "openai"),
    *("aiosmtplib", "aiosmtpd", "mcp", "fastmcp", "httpcore", "idna", "prometheus_client"),
}


def imported(statement: str) -> set[str]:
    """The top-level modules that a fresh interpreter has after a statement."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED.format(statement=statement)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return {module.split(".")[0] for module in done.stdout.splitlines()[-1].split()}


def test_the_application_imports_nothing_that_waits_for_a_first_call(folder: Path) -> None:
    modules = imported(BUILT.format(content=str(folder)))
    assert {"strawberry", "studiograph"} <= modules
    assert modules & LAZY == set()


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["completion", "fish"], ["sing"]])
def test_light_commands_import_click_and_nothing_else(words: list[str]) -> None:
    modules = imported(f"from studiograph.__main__ import main\nmain({words!r})")
    brought = {name for name in modules - sys.stdlib_module_names if not name.startswith("_")}
    measuring = {name for name in brought if "coverage" in name}
    assert brought - measuring == {"click", "studiograph", "sdl"}
