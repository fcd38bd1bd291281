"""Ready bytes behind Starlette's router.

    python benches/peers/with_starlette.py PORT FOLDER

`FOLDER` holds one file for each path, named by the path with `/` as `_`.
"""

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

PORT, FOLDER = int(sys.argv[1]), Path(sys.argv[2])


def answering(body: bytes) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint that sends a body."""

    async def answer(_: Request) -> Response:
        return Response(body, media_type="application/json")

    return answer


ROUTES = [Route(f.name.replace("_", "/"), answering(f.read_bytes())) for f in FOLDER.iterdir()]

if __name__ == "__main__":
    uvicorn.run(Starlette(routes=ROUTES), port=PORT, access_log=False, log_level="error")
