"""OpenAPI responses: bodies by media type, and the errors of each status.

Source: OpenAPI 3.1.1.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sdl.errors import (
    MAX_PROBLEMS,
    ApiError,
    HeadersTooLargeError,
    InternalError,
    InvalidInputError,
    MisdirectedError,
    NotAcceptableError,
    RateLimitedError,
    TooLargeError,
    UnsupportedMediaTypeError,
    UriTooLongError,
    all_errors,
)

SCHEMAS = "#/components/schemas/"
PROBLEM_TYPE = "application/problem+json"

PathItem = dict[str, Any]
Examples = Mapping[tuple[int, str], PathItem]
"""Example objects by name, for each status and media type."""

SUFFIX_ERRORS: tuple[type[ApiError], ...] = (
    *(
        InvalidInputError,
        TooLargeError,
        UriTooLongError,
        UnsupportedMediaTypeError,
        MisdirectedError,
    ),
    *(HeadersTooLargeError, InternalError),
)
"""Errors of every read: an unknown parameter, a body, a long URI or headers, a foreign Host."""
COMMON_ERRORS = (*SUFFIX_ERRORS, NotAcceptableError)
"""The same, for paths without a suffix, where Accept chooses the media type."""

_TEXT = {"type": "string"}
_FIELD_PROBLEM = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "The parameter, header or member at fault."},
        "rule": {"type": "string", "description": "The rule that it breaks."},
        "allowed": {"type": "array", "items": _TEXT, "description": "The allowed values."},
    },
    "required": ["path", "rule"],
    "additionalProperties": False,
}
PROBLEM: PathItem = {
    "type": "object",
    "description": "A problem document. Source: RFC 9457.",
    "properties": {
        "ok": {"const": False},
        "error": {"type": "string", "description": "The error's code."},
        "title": _TEXT,
        "status": {"type": "integer"},
        "detail": _TEXT,
        "reason": {
            "enum": ["no_echo", "unreachable"],
            "description": "Why a webhook address could not be verified.",
        },
        "request_id": {
            "type": "string",
            "description": "The request's id in the log; a 401 has it only in X-Request-Id.",
        },
        "fields": {
            "type": "array",
            "maxItems": MAX_PROBLEMS,
            "description": "Everything that is wrong with the request.",
            "items": _FIELD_PROBLEM,
        },
    },
    "required": ["ok", "error", "title", "status", "detail"],
    "additionalProperties": False,
}
ETAG = {
    "description": "Identifies this version of the body; send it back in If-None-Match.",
    "required": True,
    "schema": {"type": "string", "pattern": '^"[^"]+"$'},
}
RATES: PathItem = {
    "RateLimit": {"description": "Calls left in this window, by limit.", "schema": _TEXT},
    "RateLimit-Policy": {"description": "The limits that this call counts for.", "schema": _TEXT},
    "Retry-After": {
        "description": "Seconds to wait before the next call.",
        "schema": {"type": "string", "pattern": "^[0-9]+$"},
    },
}
_HEADERS = {"ETag": {"$ref": "#/components/headers/ETag"}}
_NOT_MODIFIED = {
    "description": "Not modified.",
    "headers": _HEADERS,
}


def responses(
    content: Mapping[str, Any],
    errors: Iterable[type[ApiError]],
    examples: Examples | None = None,
    *,
    cached: bool = True,
) -> PathItem:
    """Return the responses: 200 in each media type, 304 if it is `cached`, and the errors."""
    examples = examples or {}
    success: PathItem = {
        "description": "Success.",
        **({"headers": _HEADERS} if cached else {}),
        "content": {name: _media(schema, 200, name, examples) for name, schema in content.items()},
    }
    not_modified = {"304": {"$ref": "#/components/responses/NotModified"}} if cached else {}
    by_status: dict[int, list[type[ApiError]]] = {}
    for error in dict.fromkeys(errors):
        by_status.setdefault(error.status, []).append(error)
    failures = {
        str(status): _error_response(group, examples) for status, group in sorted(by_status.items())
    }
    return {"200": success, **not_modified, **failures}


def shared_responses() -> Iterator[tuple[str, PathItem]]:
    """Yield the responses among the components, by name."""
    yield "NotModified", _NOT_MODIFIED
    for error in all_errors():
        yield _name(error), _problem([error], {})


def _name(error: type[ApiError]) -> str:
    """Return the name of an error's response among the components."""
    return error.__name__.removesuffix("Error")


def strict_object(properties: Mapping[str, Any]) -> PathItem:
    """Return the JSON Schema of an object with exactly these members."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": [*properties],
        "additionalProperties": False,
    }


def _error_response(group: list[type[ApiError]], examples: Examples) -> PathItem:
    """Return the response for the errors of one status; a reference if it is a shared one."""
    if len(group) > 1 or (group[0].status, PROBLEM_TYPE) in examples:
        return _problem(group, examples)
    return {"$ref": f"#/components/responses/{_name(group[0])}"}


def compact_error_schema(group: list[type[ApiError]]) -> PathItem:
    """Return the JSON Schema of a compact error, for the errors of one status."""
    members: PathItem = {"ok": {"const": False}, "error": {"enum": sorted(e.code for e in group)}}
    if RateLimitedError in group:
        members["limit"] = {"type": "integer", "description": "Calls allowed in a window."}
        members["window"] = {"type": "string", "description": "The window's length, such as 1h."}
    return strict_object(members)


def problem_schema(group: list[type[ApiError]]) -> PathItem:
    """Return the JSON Schema of a problem document, for the errors of one status."""
    return {**PROBLEM, "properties": {**PROBLEM["properties"], **_code_and_status(group)}}


def error_description(group: list[type[ApiError]]) -> str:
    """Return the description of a response, for the errors of one status."""
    return " ".join((error.__doc__ or "").strip() for error in group)


def _code_and_status(group: list[type[ApiError]]) -> PathItem:
    codes = sorted(error.code for error in group)
    return {"error": {"enum": codes}, "status": {"const": group[0].status}}


def _problem(group: list[type[ApiError]], examples: Examples) -> PathItem:
    status = group[0].status
    schema = {"allOf": [{"$ref": f"{SCHEMAS}Problem"}, {"properties": _code_and_status(group)}]}
    headers = {"headers": dict(RATES)} if RateLimitedError in group else {}
    return {
        "description": error_description(group),
        **headers,
        "content": {PROBLEM_TYPE: _media(schema, status, PROBLEM_TYPE, examples)},
    }


def _media(schema: PathItem, status: int, media_type: str, examples: Examples) -> PathItem:
    own = examples.get((status, media_type))
    return {"schema": schema, **({"examples": own} if own else {})}
