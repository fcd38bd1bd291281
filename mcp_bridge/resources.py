"""Resources: stored operations with `@resource`, by URI, and the files of skills.

Each is in its first media type. Source: MCP's extension for skills (SEP-2640).
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

import orjson

from mcp_bridge.protocol.jsonrpc import (
    INVALID_PARAMS,
    RESOURCE_NOT_FOUND,
    JsonRpcError,
    Request,
    Result,
    truncate_names,
)
from mcp_bridge.protocol.protocol_versions import STATELESS
from mcp_bridge.tools.all_tools import ordered
from mcp_bridge.tools.operation_tool import unwrapped_description
from rest_bridge.representations.rendering import MARKDOWN, Places, rendered, skill_head
from sdl.arguments.values import variables_from_text
from sdl.errors import InvalidInputError, NotFoundError
from sdl.operations.catalog import READ
from sdl.operations.operation import Operation
from sdl.running.runner import Snapshot


def resources_in(operations: Sequence[Operation], scheme: str) -> dict[str, Operation]:
    """Return the resources and templates by URI, in the order of the lists."""
    return ordered(
        (o.resource.order, f"{scheme}{o.resource.name}", o)
        for o in operations
        if o.resource is not None
    )


def resource(uri: str, operation: Operation) -> dict[str, Any]:
    """Return the entry of a resource or template in its list."""
    return {
        "uriTemplate" if operation.path_variables else "uri": uri,
        "name": uri.partition("://")[2],
        "title": _title(operation),
        "description": unwrapped_description(operation),
        "mimeType": media_type_of(operation),
    }


def media_type_of(operation: Operation) -> str:
    """Return the media type of a resource."""
    return operation.rest.media[0] if operation.rest is not None else "application/json"


async def read(
    resources: Mapping[str, Operation],
    has_read: bool,  # noqa: FBT001 - bound once, by the server
    request: Request,
) -> Result:
    """Return the contents of the resource at a URI. Raises: JsonRpcError, ApiError.

    `has_read` says whether there is the tool `read`, too.
    """
    uri, snapshot = request.params.get("uri"), request.snapshot
    if not isinstance(uri, str):
        raise JsonRpcError(INVALID_PARAMS, "The uri of a resource must be a string.")
    operation, values = _match(uri, resources)
    if operation is None or not _exists(operation, values, snapshot):
        raise _not_found(uri, resources, request, has_read=has_read)

    def contents(body: Any) -> bytes:
        media_type = media_type_of(operation)
        text = request.text(operation, body, media_type)
        return orjson.dumps({"contents": [{"uri": uri, "mimeType": media_type, "text": text}]})

    key = ("resource", operation.name, *sorted(values.items()))
    try:
        variables = variables_from_text(operation, values, ())
    except InvalidInputError as error:
        raise JsonRpcError.of(INVALID_PARAMS, error) from None
    try:
        made = await snapshot.made(key, operation, variables, request.caller, contents)
    except NotFoundError:  # of live data, where only the resolver knows
        raise _not_found(uri, resources, request, has_read=has_read) from None
    if snapshot.is_live and operation.cache.scope != "PUBLIC":
        return Result(made, 0, cache_scope="private")
    return Result(made, operation.cache.max_age)


def _not_found(
    uri: str, resources: Mapping[str, Operation], request: Request, *, has_read: bool
) -> JsonRpcError:
    uris = truncate_names(list(_uris(resources, request.snapshot)))
    code = INVALID_PARAMS if request.version == STATELESS else RESOURCE_NOT_FOUND
    text = f"No resource has this URI. The resources are: {', '.join(uris)}."
    text += f" The tool `{READ}` reads every section." if has_read else ""
    return JsonRpcError(code, text, {"uri": uri, "resources": uris})


def _match(uri: str, resources: Mapping[str, Operation]) -> tuple[Operation | None, dict[str, str]]:
    """Return the resource with this URI, and the values of its template's variables."""
    for template, operation in resources.items():
        if not operation.path_variables and template == uri:
            return operation, {}
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(template))
        if operation.path_variables and (match := re.fullmatch(pattern, uri)):
            return operation, {name: unquote(text) for name, text in match.groupdict().items()}
    return None, {}


def _exists(operation: Operation, values: Mapping[str, str], snapshot: Snapshot) -> bool:
    return (
        not values
        or snapshot.is_live
        or any(item.has(values) for item in snapshot.items_of(operation))
    )


def _uris(resources: Mapping[str, Operation], snapshot: Snapshot) -> Iterator[str]:
    for uri, operation in resources.items():
        if operation.path_variables and not snapshot.is_live:
            yield from (item.path(uri) for item in snapshot.items_of(operation))
        else:
            yield uri


def _title(operation: Operation) -> str:
    title = operation.resource.title if operation.resource is not None else None
    return title or operation.title


EXTENSION = "io.modelcontextprotocol/skills"
LIST_SKILLS, GET_SKILL = "skills/list", "skills/get"


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


async def get_skill(
    skills: Mapping[str, Operation], fresh_seconds: int, request: Request
) -> Result:
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
