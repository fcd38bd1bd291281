"""The same content served by FastAPI, serialised for each request as its users write it.

    python benches/peers/with_fastapi.py PORT FOLDER

FastAPI is no dependency of this project: run it with an interpreter that has it.
"""

import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI

PORT, FOLDER = int(sys.argv[1]), Path(sys.argv[2])
app = FastAPI()


def answering(value: Any) -> Callable[[], Awaitable[Any]]:
    """Return an endpoint that returns a value."""

    async def answer() -> Any:
        return value

    return answer


for file in FOLDER.iterdir():
    app.get(file.name.replace("_", "/"))(answering(json.loads(file.read_bytes())))

if __name__ == "__main__":
    uvicorn.run(app, port=PORT, access_log=False, log_level="error")
