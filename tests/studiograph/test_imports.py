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
from studiograph.app import build
from studiograph.settings import Settings
build(Settings(content=Path({content!r}), data=Path({content!r}, "data")))
"""
LAZY = {
    *("chromadb", "llama_index", "dotenv", "httpx", "hypothesis", "dns", "Crypto"),
    *("sqlalchemy", "alembic", "aiosqlite", "psycopg", "limits", "redis", "dbos"),
    *("numpy", "onnxruntime", "onnx", "safetensors", "tokenizers", "sse_starlette", "openai"),
    *("aiosmtplib", "aiosmtpd", "mcp", "fastmcp", "httpcore", "idna"),
}


@pytest.mark.parametrize(
    ("statement", "absent"),
    [(BUILT, {*LAZY, "watchfiles", "uvicorn"}), ("import studiograph.__main__", LAZY)],
    ids=["application", "command line"],
)
def test_what_is_not_needed_is_not_imported(statement: str, absent: set[str], folder: Path) -> None:
    program = IMPORTED.format(statement=statement.format(content=str(folder)))
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    imported = {module.split(".")[0] for module in done.stdout.split()}
    assert {"strawberry", "studiograph"} <= imported
    assert imported & absent == set()
