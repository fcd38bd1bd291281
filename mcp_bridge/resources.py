"""Resources: the stored operations that say so, each in its first media type, by URI."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from mcp_bridge.messages import INVALID_PARAMS, RESOURCE_NOT_FOUND, Refusal, Result, some
from mcp_bridge.revisions import STATELESS
from mcp_bridge.tools import Render, in_order, prose
from sdl.operation import Operation
from sdl.runner import Reading

SCHEME = "studio://"


def resources_in(operations: Sequence[Operation]) -> dict[str, Operation]:
    """The resources and the templates by URI, in the order in which they are listed."""
    found = [(o, o.resource) for o in operations if o.resource is not None]
    return in_order((told.order, f"{SCHEME}{told.name}", operation) for operation, told in found)


def resource(uri: str, operation: Operation) -> dict[str, Any]:
    """A resource, or a template, as its list shows it."""
    return {
        "uriTemplate" if operation.path_variables else "uri": uri,
        "name": uri.removeprefix(SCHEME),
        "title": _title(operation),
        "description": prose(operation),
        "mimeType": media_type_of(operation),
    }


def media_type_of(operation: Operation) -> str:
    """The media type in which an operation is read."""
    return operation.rest.media[0] if operation.rest is not None else "application/json"


def read(
    resources: Mapping[str, Operation],
    params: Mapping[str, Any],
    reading: Reading,
    render: Render,
    revision: str,
) -> Result:
    """What stands at a URI. Raises: Refusal, StudioError."""
    uri = params.get("uri")
    if not isinstance(uri, str):
        raise Refusal(INVALID_PARAMS, 'A resource is read by its "uri", a text.')
    operation, values = _found(uri, resources)
    if operation is None or not _exists(operation, values, reading):
        known = some(list(_known(resources, reading)))
        code = INVALID_PARAMS if revision == STATELESS else RESOURCE_NOT_FOUND
        text = f"No resource has this URI. The resources are: {', '.join(known)}."
        raise Refusal(code, text, {"uri": uri, "resources": known})
    key = ("resource", operation.name, *sorted(values.items()))
    if key not in reading.kept:
        reading.kept[key] = _contents(uri, operation, values, reading, render)
    return Result(reading.kept[key], operation.cache.max_age)


def _contents(
    uri: str, operation: Operation, values: Mapping[str, str], reading: Reading, render: Render
) -> bytes:
    media_type = media_type_of(operation)
    text = render(operation, reading.run(operation, values), media_type)
    return orjson.dumps({"contents": [{"uri": uri, "mimeType": media_type, "text": text}]})


def _found(uri: str, resources: Mapping[str, Operation]) -> tuple[Operation | None, dict[str, str]]:
    for template, operation in resources.items():
        if not operation.path_variables and template == uri:
            return operation, {}
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(template))
        if operation.path_variables and (match := re.fullmatch(pattern, uri)):
            return operation, match.groupdict()
    return None, {}


def _exists(operation: Operation, values: Mapping[str, str], reading: Reading) -> bool:
    return not values or any(item.values == values for item in reading.each(operation))


def _known(resources: Mapping[str, Operation], reading: Reading) -> Iterator[str]:
    for uri, operation in resources.items():
        if operation.path_variables:
            yield from (item.path(uri) for item in reading.each(operation))
        else:
            yield uri


def _title(operation: Operation) -> str:
    named = operation.resource.title if operation.resource is not None else None
    return named or operation.title
