"""Skills: stored operations with `@skill`. Source: MCP's extension for skills (SEP-2640)."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from mcp_bridge.protocol.jsonrpc import INVALID_PARAMS, JsonRpcError, Result
from mcp_bridge.protocol.request import Request
from mcp_bridge.tools.all_tools import ordered
from rest_bridge.representations.rendering import MARKDOWN, Places, rendered, skill_head
from sdl.operations.operation import Operation
from sdl.running.runner import Snapshot

EXTENSION = "io.modelcontextprotocol/skills"
LIST, GET = "skills/list", "skills/get"


def skills_in(operations: Sequence[Operation]) -> dict[str, Operation]:
    """Return the skills by the URI of their file, in the order of the list."""
    return ordered(
        (0, f"skill://{o.skill.name}/SKILL.md", o) for o in operations if o.skill is not None
    )


def skill_resources(
    skills: Mapping[str, Operation], snapshot: Snapshot
) -> Iterator[dict[str, Any]]:
    """Yield the entry of each skill's file in the list of resources."""
    for uri, operation in skills.items():
        head = skill_head(operation, operation.shape, snapshot.run(operation))
        yield {"uri": uri, "title": operation.title, "mimeType": MARKDOWN, **head}


def skill_list(skills: Mapping[str, Operation], snapshot: Snapshot) -> bytes:
    """Return the result of `skills/list`."""
    return orjson.dumps({"skills": [_skill(uri, o, snapshot) for uri, o in skills.items()]})


async def get(skills: Mapping[str, Operation], fresh_seconds: int, request: Request) -> Result:
    """Return the entry of the skill whose file has this URI. Raises: JsonRpcError."""
    uri = request.params.get("uri")
    operation = skills.get(uri) if isinstance(uri, str) else None
    if operation is None:
        uris = list(skills)
        text = f"No skill has this URI. The skills are: {', '.join(uris)}."
        raise JsonRpcError(INVALID_PARAMS, text, {"skills": uris})
    entry = _skill(str(uri), operation, request.snapshot)
    return Result(orjson.dumps({"skill": entry}), fresh_seconds)


def _skill(uri: str, operation: Operation, snapshot: Snapshot) -> dict[str, Any]:
    """Return a skill's entry: its head, and its one file with the digest of its bytes."""
    body = snapshot.run(operation)
    text = rendered(operation, operation.shape, body, MARKDOWN, Places(""))
    digest = f"sha256:{hashlib.sha256(text).hexdigest()}"
    return {
        "uri": uri,
        "frontmatter": skill_head(operation, operation.shape, body),
        "resources": [{"uri": uri, "digest": digest, "size": len(text)}],
    }
