"""The same content served by Litestar, serialised for each request as its users write it.

    python benches/peers/with_litestar.py PORT FOLDER

Litestar is no dependency of this project: `make bench` installs it apart.
"""

import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import uvicorn
from litestar import (  # type: ignore[import-not-found]
    Litestar,
    get,
)

PORT, FOLDER = int(sys.argv[1]), Path(sys.argv[2])


def answering(value: Any) -> Callable[[], Awaitable[Any]]:
    """Return an endpoint that returns a value."""

    async def answer() -> Any:
        return value

    return answer


app = Litestar(
    [
        get(file.name.replace("_", "/"))(answering(json.loads(file.read_bytes())))
        for file in FOLDER.iterdir()
    ]
)

if __name__ == "__main__":
    uvicorn.run(app, port=PORT, access_log=False, log_level="error")
