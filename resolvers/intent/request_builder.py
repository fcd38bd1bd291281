"""Builds the request for a goal and fills it with values from the goal alone.

Values that the goal does not contain are listed as missing; none is invented. Headers are never
filled, because secrets do not belong in a goal.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote, urlencode

from resolvers.intent.operation import Parameter, RoutableOperation
from resolvers.intent.slots import (
    find_email,
    find_flag,
    find_instant,
    find_number,
    find_token,
    find_url,
    labelled_value,
    named_values,
    quoted_parts,
    search_phrase,
)

_JSON = "application/json"
_STREAM = "text/event-stream"
_MEDIA_WORDS = {
    _STREAM: re.compile(r"\b(?:stream\w*|sse|server-sent|token by token)\b", re.IGNORECASE),
    "text/markdown": re.compile(r"\bmarkdown\b", re.IGNORECASE),
    _JSON: re.compile(r"\bjson\b", re.IGNORECASE),
}
_SIGNED = re.compile(r"\b(?:signed|signature|snapshot|sig)\b", re.IGNORECASE)


@dataclass(frozen=True)
class IntentRequest:
    """An HTTP request, filled as far as the goal allows."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class ToolCall:
    """A call of an MCP tool."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class PreparedRequest:
    """A request, the same as a tool call, and the names of missing values."""

    request: IntentRequest
    call: ToolCall | None
    requires: tuple[str, ...]


def build_request(
    operation: RoutableOperation, goal: str, path_values: Mapping[str, str]
) -> PreparedRequest:
    """Build the request for a goal; `path_values` come from a path that the goal contains."""
    parameters = operation.parameters
    values = {item.name: _value(operation, item, goal, path_values) for item in parameters}
    values = {name: value for name, value in values.items() if value not in (None, [])}
    missing = tuple(
        item.name for item in parameters if item.is_required and item.name not in values
    )
    if operation.signed_path is not None and not missing and _SIGNED.search(goal):
        return PreparedRequest(IntentRequest("GET", operation.signed_path, {}), None, ())
    call = ToolCall(operation.tool, values) if operation.tool is not None else None
    return PreparedRequest(_request(operation, goal, values), call, missing)


def _request(operation: RoutableOperation, goal: str, values: Mapping[str, Any]) -> IntentRequest:
    by_location = {
        location: {
            item.name: values[item.name]
            for item in operation.parameters
            if item.location == location and item.name in values
        }
        for location in ("path", "query", "body")
    }
    path = operation.path
    for name, value in by_location["path"].items():
        path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
    if by_location["query"]:
        path = f"{path}?{urlencode(by_location['query'], quote_via=quote)}"
    takes_body = any(item.location == "body" for item in operation.parameters)
    headers = {"content-type": _JSON} if takes_body else {}
    for media, pattern in _MEDIA_WORDS.items():
        if media in operation.media[1:] and pattern.search(goal):
            headers["accept"] = media
            break
    body = by_location["body"] if takes_body else None
    return IntentRequest(operation.method, path, headers, body)


def _value(
    operation: RoutableOperation, parameter: Parameter, goal: str, path_values: Mapping[str, str]
) -> Any:
    """Return a valid value for a parameter, or `None` if the goal contains none."""
    if parameter.location == "header":
        return None
    value = unquote(path_values.get(parameter.name) or "") or _find(operation, parameter, goal)
    return value if value is not None and _fits(parameter.schema, value) else None


def matched_values(operation: RoutableOperation, parameter: Parameter, goal: str) -> list[str]:
    """Return the known values of a parameter that a goal names.

    If the operation also takes a search text, a word counts only if it is clearly a choice.
    """
    own = "" if parameter.location == "path" else operation.text
    takes_text = any(item.name == "query" for item in operation.parameters)
    return named_values(goal, parameter, own, only_choices=takes_text)


def contains_address(parameter: Parameter, goal: str) -> bool:
    """Return whether a goal contains the address that a required parameter needs."""
    find = _ADDRESSES.get(parameter.schema.get("format", ""))
    return parameter.is_required and find is not None and find(goal) is not None


def _find(operation: RoutableOperation, parameter: Parameter, goal: str) -> Any:
    kind = parameter.schema.get("type")
    if parameter.words:
        values = matched_values(operation, parameter, goal)
        return values if kind == "array" else next(iter(values), None)
    if kind == "boolean":
        return find_flag(goal, parameter.name)
    if kind == "integer":
        return find_number(goal, parameter.name, alone=parameter.is_required)
    if (find := _FORMATS.get(parameter.schema.get("format", ""))) is not None:
        return find(goal)
    if parameter.location == "path":
        return find_token(goal, parameter.name)
    return labelled_value(goal, parameter.name) or _TEXTS.get(parameter.name, _none)(goal)


_ADDRESSES: Mapping[str, Callable[[str], str | None]] = {"email": find_email, "uri": find_url}
_FORMATS = {**_ADDRESSES, "date-time": find_instant}


def _none(_: str) -> None:
    return None


def _quotations(goal: str) -> str | list[str] | None:
    texts = quoted_parts(goal)
    return texts[0] if len(texts) == 1 else texts or None


def _quotation(goal: str) -> str | None:
    return next(iter(quoted_parts(goal)), None)


def _entire(goal: str) -> str:
    return goal


_TEXTS: Mapping[str, Callable[[str], Any]] = {
    "query": search_phrase,
    "goal": _entire,
    "input": _quotations,
    "message": _quotation,
}
"""How the text parameters with these names are found in a goal."""


_TYPES: Mapping[str, type[Any]] = {"string": str, "integer": int, "boolean": bool, "array": list}


def _fits(schema: Mapping[str, Any], value: Any) -> bool:
    """Return whether a value follows the main rules of its schema."""
    if "anyOf" in schema:
        return any(_fits(option, value) for option in schema["anyOf"])
    kind = _TYPES.get(schema.get("type", ""))
    if kind is not None and not isinstance(value, kind):
        return False
    if isinstance(value, str):
        fits = schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))
        return fits and bool(re.search(schema.get("pattern", ""), value))
    if isinstance(value, int):
        return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))
    return bool(len(value) <= schema.get("maxItems", len(value)))
