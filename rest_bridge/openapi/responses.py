"""OpenAPI responses: what is answered in each form, and the errors, those of one status together.

Source: OpenAPI 3.1.1.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sdl.errors import (
    MAX_PROBLEMS,
    HeadersTooLargeError,
    InternalError,
    InvalidInputError,
    MisdirectedError,
    NotAcceptableError,
    RateLimitedError,
    StudioError,
    TooLargeError,
    UnsupportedMediaTypeError,
    UriTooLongError,
    all_errors,
)

SCHEMAS = "#/components/schemas/"
PROBLEM_TYPE = "application/problem+json"

PathItem = dict[str, Any]
Examples = Mapping[tuple[int, str], PathItem]
"""Example objects by status and media type, each with its name."""

SUFFIX_ERRORS: tuple[type[StudioError], ...] = (
    *(
        InvalidInputError,
        TooLargeError,
        UriTooLongError,
        UnsupportedMediaTypeError,
        MisdirectedError,
    ),
    *(HeadersTooLargeError, InternalError),
)
"""What every read can answer: they all refuse a body, a foreign Host, an unknown parameter."""
COMMON_ERRORS = (*SUFFIX_ERRORS, NotAcceptableError)
"""The same where the path does not name the form, so that Accept is asked."""

_TEXT = {"type": "string"}
_FAULT = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "What is wrong."},
        "rule": {"type": "string", "description": "The rule that it breaks."},
        "allowed": {"type": "array", "items": _TEXT, "description": "What is allowed there."},
    },
    "required": ["path", "rule"],
    "additionalProperties": False,
}
PROBLEM: PathItem = {
    "type": "object",
    "description": "What went wrong. Source: RFC 9457.",
    "properties": {
        "ok": {"const": False},
        "error": {"type": "string", "description": "The error's code."},
        "title": _TEXT,
        "status": {"type": "integer"},
        "detail": _TEXT,
        "reason": {
            "enum": ["no_echo", "unreachable"],
            "description": "Why an address did not verify, where one was asked to.",
        },
        "request_id": {
            "type": "string",
            "description": "Finds the request in the log; with a 401, X-Request-Id does.",
        },
        "fields": {
            "type": "array",
            "maxItems": MAX_PROBLEMS,
            "description": "Everything that is wrong with the request.",
            "items": _FAULT,
        },
    },
    "required": ["ok", "error", "title", "status", "detail"],
    "additionalProperties": False,
}
ETAG = {
    "description": "The validator of this representation, for If-None-Match.",
    "required": True,
    "schema": {"type": "string", "pattern": '^"[^"]+"$'},
}
RATES: PathItem = {
    "RateLimit": {"description": "What is left of the caller's budget.", "schema": _TEXT},
    "RateLimit-Policy": {"description": "The budget that the call spends.", "schema": _TEXT},
    "Retry-After": {
        "description": "Seconds until a call passes again, where none passes now.",
        "schema": {"type": "string", "pattern": "^[0-9]+$"},
    },
}
_HEADERS = {"ETag": {"$ref": "#/components/headers/ETag"}}
_NOT_MODIFIED = {
    "description": "What the caller has is still so, by If-None-Match or If-Modified-Since.",
    "headers": _HEADERS,
}


def responses(
    content: Mapping[str, Any],
    errors: Iterable[type[StudioError]],
    examples: Examples | None = None,
    *,
    kept: bool = True,
) -> PathItem:
    """200 in each media type, 304 where the answer has a validator, and the errors."""
    given = examples or {}
    answer: PathItem = {
        "description": "The answer.",
        **({"headers": _HEADERS} if kept else {}),
        "content": {name: _media(schema, 200, name, given) for name, schema in content.items()},
    }
    not_modified = {"304": {"$ref": "#/components/responses/NotModified"}} if kept else {}
    by_status: dict[int, list[type[StudioError]]] = {}
    for error in dict.fromkeys(errors):
        by_status.setdefault(error.status, []).append(error)
    refused = {str(status): _refused(same, given) for status, same in sorted(by_status.items())}
    return {"200": answer, **not_modified, **refused}


def shared_responses() -> Iterator[tuple[str, PathItem]]:
    """The responses that stand once, by the name that others refer to."""
    yield "NotModified", _NOT_MODIFIED
    for error in all_errors():
        yield _name(error), _problem([error], {})


def _name(error: type[StudioError]) -> str:
    """The name of an error's response among the components."""
    return error.__name__.removesuffix("Error")


def strict_object(properties: Mapping[str, Any]) -> PathItem:
    """The JSON Schema of an object that has these members and no other."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": [*properties],
        "additionalProperties": False,
    }


def _refused(same: list[type[StudioError]], examples: Examples) -> PathItem:
    """The response that one of the errors of a status is; a reference, where it is like others."""
    if len(same) > 1 or (same[0].status, PROBLEM_TYPE) in examples:
        return _problem(same, examples)
    return {"$ref": f"#/components/responses/{_name(same[0])}"}


def compact_error_schema(same: list[type[StudioError]]) -> PathItem:
    """The JSON Schema of the body that one of the errors of a status has."""
    told: PathItem = {"ok": {"const": False}, "error": {"enum": sorted(e.code for e in same)}}
    if RateLimitedError in same:
        told["limit"] = {"type": "integer", "description": "The calls of a window."}
        told["window"] = {"type": "string", "description": "The window's length, such as 1h."}
    return strict_object(told)


def problem_schema(same: list[type[StudioError]]) -> PathItem:
    """The whole schema of a problem that one of the errors of a status is."""
    return {**PROBLEM, "properties": {**PROBLEM["properties"], **_told(same)}}


def _told(same: list[type[StudioError]]) -> PathItem:
    codes = sorted(error.code for error in same)
    return {"error": {"enum": codes}, "status": {"const": same[0].status}}


def _problem(same: list[type[StudioError]], examples: Examples) -> PathItem:
    status = same[0].status
    schema = {"allOf": [{"$ref": f"{SCHEMAS}Problem"}, {"properties": _told(same)}]}
    limited = {"headers": dict(RATES)} if RateLimitedError in same else {}
    return {
        "description": " ".join((error.__doc__ or "").strip() for error in same),
        **limited,
        "content": {PROBLEM_TYPE: _media(schema, status, PROBLEM_TYPE, examples)},
    }


def _media(schema: PathItem, status: int, media_type: str, examples: Examples) -> PathItem:
    found = examples.get((status, media_type))
    return {"schema": schema, **({"examples": found} if found else {})}
