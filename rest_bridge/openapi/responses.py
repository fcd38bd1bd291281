"""OpenAPI responses, parameters and schemas, of which path items are made.

Source: OpenAPI 3.1.1.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from rest_bridge.representations.rendering import JSON
from rest_bridge.representations.responses import PROBLEM_TYPE
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
    UnavailableError,
    UnsupportedMediaTypeError,
    UriTooLongError,
    all_errors,
)
from sdl.types.shape import ObjectShape, ScalarShape, Shape, json_schema

SCHEMAS = "#/components/schemas/"

PathItem = dict[str, Any]

MIDDLEWARE_ERRORS: tuple[type[ApiError], ...] = (
    *(UriTooLongError, MisdirectedError, HeadersTooLargeError, InternalError),
)
"""Errors raised outside the endpoint; they are problem documents on every path."""

READ_ERRORS: tuple[type[ApiError], ...] = (
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
COMMON_ERRORS = (*READ_ERRORS, NotAcceptableError)
"""The same, for paths without a suffix, where Accept chooses the media type.

The default response stands for them, unless a path describes its own.
"""
INPUT_ERRORS = (InvalidInputError,)
"""The errors that a read with parameters describes by itself."""

STRING = {"type": "string"}
_FIELD_PROBLEM = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "The parameter, header or member at fault."},
        "rule": {"type": "string", "description": "The rule that it breaks."},
        "allowed": {"type": "array", "items": STRING, "description": "The allowed values."},
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
        "title": STRING,
        "status": {"type": "integer"},
        "detail": STRING,
        "reason": {
            "enum": ["no_echo", "unreachable"],
            "description": "Why a webhook address could not be verified.",
        },
        "request_id": {
            "type": "string",
            "description": "The request's id in the log; a 401 has it only in X-Request-Id.",
        },
        "didYouMean": {
            "type": "array",
            "items": STRING,
            "description": "Paths that you may have meant, the likeliest first.",
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
RATE_LIMIT_HEADERS: PathItem = {
    "RateLimit": {"description": "Calls left in this window, by limit.", "schema": STRING},
    "RateLimit-Policy": {
        "description": "The limits that this call counts for.",
        "schema": STRING,
    },
    "Retry-After": {
        "description": "Seconds to wait before the next call.",
        "schema": {"type": "string", "pattern": "^[0-9]+$"},
    },
}
_DEFAULT_RESPONSE = "Refusal"
"""The name of the response of every path among the components."""
_NOT_MODIFIED = {
    "description": "Not modified.",
    "headers": {"ETag": {"$ref": "#/components/headers/ETag"}},
}


def responses(
    content: Mapping[str, Any], errors: Iterable[type[ApiError]] = (), *, cached: bool = True
) -> PathItem:
    """Return the responses: 200 in each media type, 304 if it is `cached`, and the errors.

    The default response stands for `COMMON_ERRORS`, which every path has. What they
    would repeat is said once, in the description of the whole: each cached answer has an ETag, and
    what is sent as text/markdown is sent as text/plain too.
    """
    success: PathItem = {
        "description": "OK.",
        "content": {
            name: {"schema": schema}
            for name, schema in content.items()
            if name != "text/plain" or not {"application/json", "text/markdown"} <= {*content}
        },
    }
    not_modified = {"304": {"$ref": "#/components/responses/NotModified"}} if cached else {}
    by_status: dict[int, list[type[ApiError]]] = {}
    for error in dict.fromkeys(error for error in errors if error not in MIDDLEWARE_ERRORS):
        by_status.setdefault(error.status, []).append(error)
    failures = {str(status): _error_response(group) for status, group in sorted(by_status.items())}
    default = {"default": {"$ref": f"#/components/responses/{_DEFAULT_RESPONSE}"}}
    return {"200": success, **not_modified, **failures, **default}


def shared_responses() -> Iterator[tuple[str, PathItem]]:
    """Yield the responses among the components, by name."""
    yield "NotModified", _NOT_MODIFIED
    yield _DEFAULT_RESPONSE, _problem([*COMMON_ERRORS])
    for error in all_errors():
        yield _name(error), _problem([error])
        yield f"{_name(error)}Code", _compact_response([error])


def error_schemas() -> Iterator[tuple[str, PathItem]]:
    """Yield the schemas of errors, by name."""
    yield "Problem", PROBLEM
    for error in all_errors():
        yield f"{_name(error)}Code", compact_error_schema([error])


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


def _error_response(group: list[type[ApiError]]) -> PathItem:
    """Return the response for the errors of one status; a reference if it is only one."""
    if len(group) > 1:
        return _problem(group)
    return {"$ref": f"#/components/responses/{_name(group[0])}"}


def compact_error_schema(group: list[type[ApiError]]) -> PathItem:
    """Return the JSON Schema of a compact error, for the errors of one status."""
    members: PathItem = {"ok": {"const": False}, "error": {"enum": sorted(e.code for e in group)}}
    if RateLimitedError in group:
        members["limit"] = {"type": "integer", "description": "Calls allowed in a window."}
        members["window"] = {"type": "string", "description": "The window's length, such as 1h."}
    return strict_object(members)


def error_description(group: list[type[ApiError]]) -> str:
    """Return the description of a response, for the errors of one status."""
    return " ".join(f"`{error.code}`: {(error.__doc__ or '').strip()}" for error in group)


def _problem(group: list[type[ApiError]]) -> PathItem:
    return {
        "description": error_description(group),
        **rate_headers(group),
        "content": {PROBLEM_TYPE: {"schema": {"$ref": f"{SCHEMAS}Problem"}}},
    }


def compact_response(group: list[type[ApiError]]) -> PathItem:
    """Return the response of a compact error; a reference if the status has only one error."""
    if len(group) > 1:
        return _compact_response(group)
    return {"$ref": f"#/components/responses/{_name(group[0])}Code"}


def _compact_response(group: list[type[ApiError]]) -> PathItem:
    schemas = [{"$ref": f"{SCHEMAS}{_name(error)}Code"} for error in group]
    schema = schemas[0] if len(schemas) == 1 else {"oneOf": schemas}
    return {
        "description": error_description(group),
        **rate_headers(group),
        "content": {JSON: {"schema": schema}},
    }


def rate_headers(group: list[type[ApiError]]) -> PathItem:
    """Return the headers of a response, if a caller may have to wait."""
    if RateLimitedError in group:
        return {"headers": references_to("headers", RATE_LIMIT_HEADERS)}
    if any(issubclass(error, UnavailableError) for error in group):
        return {"headers": references_to("headers", ("Retry-After",))}
    return {}


def schema_named(name: str) -> PathItem:
    """Return a reference to a schema among the components."""
    return {"$ref": f"{SCHEMAS}{name}"}


def refused_by(prefix: str, statuses: Collection[str], answers: PathItem) -> PathItem:
    """Return the responses with those of errors in a form of the endpoint's own.

    Components with this prefix describe them: `Refused`, and `Delayed` for 503.
    """
    return {
        status: {
            "$ref": f"#/components/responses/{prefix}{'Delayed' if status == '503' else 'Refused'}"
        }
        if status in statuses
        else answer
        for status, answer in answers.items()
    }


def references_to(kind: str, names: Iterable[str]) -> PathItem:
    """Return references to components of a kind, by their names."""
    return {name: {"$ref": f"#/components/{kind}/{name}"} for name in names}


def parameter(
    name: str, place: str, description: str, value: PathItem, *, required: bool = False
) -> PathItem:
    """Return a parameter in a place; `value` has its schema or content, and examples."""
    needed = {"required": True} if required else {}
    text = {"description": description} if description else {}
    return {"name": name, "in": place, **needed, **text, **value}


class SharedSchemas:
    """The schemas of objects, enums and texts with a pattern, by a name of their own.

    A type is named as in GraphQL; another selection of the same type also has the name of what
    selects it, and so has a type with one of the `taken` names.
    """

    def __init__(
        self,
        whole: Mapping[str, ObjectShape],
        taken: Collection[str] = (),
        *,
        nulls: bool = False,
    ) -> None:
        """Take the fragments' shapes; with `nulls`, what is optional may be null."""
        self._taken = taken
        self._nulls = nulls
        self._shapes: dict[str, ObjectShape | ScalarShape] = {
            name: shape for name, shape in whole.items() if name not in taken
        }

    def of(self, shape: Shape, owner: str) -> PathItem:
        """Return the schema of a shape, with references to the parts that are shared."""
        return json_schema(shape, lambda part: self._reference(part, owner), nulls=self._nulls)

    def schemas(self) -> Iterator[tuple[str, PathItem]]:
        """Yield the schemas by name; those that they refer to come after them."""
        written = 0
        while written < len(self._shapes):
            name, shape = [*self._shapes.items()][written]
            yield name, self._schema(name, shape)
            written += 1

    def _schema(self, name: str, shape: ObjectShape | ScalarShape) -> PathItem:
        own = json_schema(
            shape,
            lambda part: None if part is shape else self._reference(part, name),
            nulls=self._nulls,
        )
        own.pop("title", None)  # its name is enough, and a title could stand twice
        return own

    def _reference(self, shape: ObjectShape | ScalarShape, owner: str) -> str | None:
        has_pattern = isinstance(shape, ScalarShape) and "pattern" in (shape.schema or {})
        if isinstance(shape, ScalarShape) and not (shape.words or has_pattern):
            return None
        if not shape.type_name:
            return None
        both = (shape.type_name, f"{owner}{shape.type_name}")
        names = [name for name in both if name not in self._taken]
        name = next((n for n in names if self._shapes.setdefault(n, shape) == shape), None)
        return None if name is None else f"{SCHEMAS}{name}"
