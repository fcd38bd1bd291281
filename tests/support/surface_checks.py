"""The surfaces of a service in this process, compared with what it published."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from local_service import asking

from resolvers.transparency.service_check import ServicePaths, check_service
from rest_bridge.http.middleware import RequestGuard
from sdl.runner import Operations
from studiograph.asgi import build
from studiograph.settings import Settings
from studiograph.surface_check import Ask, SurfaceCheck
from studiograph.wiring.export import exported, targets_of, write_export

Change = Callable[[str, Any, bytes], bytes]
"""Changes an answer: from the path, the body that was sent, and what was answered."""


def asked_in_process(
    service: RequestGuard, change: Change = lambda _path, _sent, body: body
) -> Ask:
    """Requests to a service, whose answers may be changed on the way."""
    ask = asking(service)

    def once(path: str, body: Any = None, accept: str = "*/*") -> tuple[int, bytes]:
        method = "GET" if body is None else "POST"
        answer = ask(path, method=method, json=body, headers={"accept": accept})
        return answer.status_code, change(path, body, answer.content)

    return once


def served(content: Path, operations: Operations) -> RequestGuard:
    """A studio's service."""
    settings = Settings(content=content, data=content.parent / "var", ai_embedder="hash")
    return build(settings, operations=operations)


def exported_to(folder: Path, service: RequestGuard) -> Path:
    """A folder with everything that a service answers to readers."""
    assert service.ready is not None
    snapshot = service.ready.current()

    async def write() -> None:
        files = [each async for each in exported(service, "http://localhost", targets_of(snapshot))]
        write_export(folder, files, snapshot.revision or "", [])

    asyncio.run(write())
    return folder


def compared(
    service: RequestGuard,
    operations: Operations,
    change: Change = lambda _path, _sent, body: body,
    export: Path | None = None,
) -> list[str]:
    """What holds of all surfaces. Raises: VerificationError."""
    found = check_service(asked_in_process(service), ServicePaths(operations))
    assert found.problem is None
    assert found.head is not None
    assert found.head.words is not None
    check = SurfaceCheck(asked_in_process(service, change), operations, found.head.words)
    check.run(export)
    roots = {line.split("sha256:")[1][:64] for line in check.holds if "sha256:" in line}
    leaf = json.loads(asking(service)("/api/words").json()["revisionLeaf"])
    assert roots == {leaf["contentRoot"].removeprefix("sha256:")}
    return check.holds
