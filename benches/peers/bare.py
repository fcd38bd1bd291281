"""A bare ASGI application that sends given bytes: what any Python server costs at least.

    python benches/peers/bare.py PORT FOLDER

`FOLDER` holds one file for each path, named by the path with `/` as `_`.
"""

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import uvicorn

PORT, FOLDER = int(sys.argv[1]), Path(sys.argv[2])
BODIES = {file.name.replace("_", "/"): file.read_bytes() for file in FOLDER.iterdir()}


async def app(
    scope: dict[str, Any],
    _receive: Callable[[], Awaitable[object]],
    send: Callable[[dict[str, Any]], Awaitable[None]],
) -> None:
    """Answer every GET with 200."""
    if scope["type"] != "http":
        return
    body = BODIES[scope["path"]]
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


if __name__ == "__main__":
    uvicorn.run(app, port=PORT, access_log=False, log_level="error", lifespan="off")
