"""OpenAPI path items of writes, and the description that a GET of their path returns.

Source: OpenAPI 3.1.1.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from rest_bridge.endpoints.write import Forms, first_operation, rest_directive
from rest_bridge.http.rendering import JSON, MARKDOWN, TEXT
from rest_bridge.http.responses import Relations
from rest_bridge.http.static import StaticDocument, static_document
from rest_bridge.openapi.responses import (
    COMMON_ERRORS,
    RATES,
    SUFFIX_ERRORS,
    PathItem,
    compact_error_schema,
    error_description,
    problem_schema,
    responses,
)
from sdl.directives import MEDIA_TYPES, Example, Rest
from sdl.errors import (
    ApiError,
    HeadersTooLargeError,
    InternalError,
    MisdirectedError,
    NotAcceptableError,
    RateLimitedError,
    TimedOutError,
    UriTooLongError,
    all_errors,
)
from sdl.input_schemas import input_schema
from sdl.json_arguments import INPUT, arguments_schema
from sdl.operation import Operation
from sdl.shape import ObjectShape, Shape, json_schema

EVENTS = MEDIA_TYPES["EVENTS"]

Limits = Mapping[str, str]
"""The limit of each budget, as the owner set it."""
MoreMembers = Mapping[str, str]
"""Additional members of a description."""

_BAD_REQUEST = 400
_OUTSIDE_PATH = (MisdirectedError, HeadersTooLargeError, UriTooLongError, InternalError)
"""Errors raised outside the endpoint; they are problem documents on every path."""
_LOCATION: PathItem = {
    "description": "URL of the created resource.",
    "schema": {"type": "string"},
}
_TEXT = {"type": "string"}
_DESCRIPTION_SCHEMA = {
    "type": "object",
    "description": "How to use this path: request, responses, limits and examples.",
    "required": [
        *("name", "description", "method", "path", "mediaTypes", "request", "responses"),
        *("limits", "examples", "see"),
    ],
}


def path_item(forms: Forms, body: PathItem) -> PathItem:
    """Return the item of a write path; `body` is the schema of its JSON response."""
    operation = first_operation(forms)
    if rest_directive(operation).method == "DELETE":
        return {"delete": _write_item(forms, body)}
    description_bodies = {JSON: _DESCRIPTION_SCHEMA, MARKDOWN: _TEXT, TEXT: _TEXT}
    description = {
        "operationId": f"Describe{operation.name}",
        "summary": f"{operation.title}: how",
        "description": "How to use a POST to this path.",
        **_tags(operation),
        "responses": responses(description_bodies, COMMON_ERRORS),
    }
    return {"get": description, "post": _write_item(forms, body) | _request_body(operation)}


def description_item(operation: Operation, form: str) -> PathItem:
    """Return the item of the description under one suffix."""
    suffix = "Json" if form == JSON else "Markdown"
    content = {JSON: _DESCRIPTION_SCHEMA} if form == JSON else {MARKDOWN: _TEXT}
    item = {
        "operationId": f"Describe{operation.name}{suffix}",
        "summary": f"{operation.title}: how",
        "description": "How to use a POST to this path.",
        **_tags(operation),
        "responses": responses(content, SUFFIX_ERRORS),
    }
    return {"get": item}


def description_page(
    forms: Forms, limits: Limits, relations: Relations, more_members: Mapping[str, MoreMembers]
) -> StaticDocument:
    """Return the document that a GET of the path returns."""
    own = more_members.get(first_operation(forms).name, {})
    members = {**_description(forms, limits, relations), **own}
    markdown = _markdown(members, own)
    return static_document(members["path"], orjson.dumps(members), markdown, relations)


def _write_item(forms: Forms, body: PathItem) -> PathItem:
    operation = first_operation(forms)
    rest, errors = rest_directive(operation), _errors(operation)
    content = {name: _TEXT if name == EVENTS else body for name in forms}
    answers = responses(content, () if rest.brief else errors, cached=False)
    if rest.brief:
        answers |= _compact_errors(errors)
    success = answers.pop("200")
    if operation.spends is not None:
        success["headers"] = {name: RATES[name] for name in ("RateLimit", "RateLimit-Policy")}
    if rest.location is not None:
        success.setdefault("headers", {})["Location"] = _LOCATION
    return {
        "operationId": operation.name,
        "summary": operation.title,
        "description": operation.description.strip(),
        **_tags(operation),
        "parameters": [
            {"$ref": f"#/components/parameters/{name}"} for name, _ in write_parameters(operation)
        ],
        "responses": {str(rest.status): success, **answers},
    }


def _request_body(operation: Operation) -> PathItem:
    examples = {e.name: {"value": _body(e)} for e in operation.examples if e.status < _BAD_REQUEST}
    content = {JSON: {"schema": arguments_schema(operation), "examples": examples}}
    return {"requestBody": {"required": True, "content": content}}


def _compact_errors(errors: list[type[ApiError]]) -> PathItem:
    """Return the error responses of a `brief` operation."""
    answers = responses({}, errors, cached=False)
    del answers["200"]
    for status, group in _by_status(errors).items():
        if group[0] not in _OUTSIDE_PATH:
            answers[status] = {
                "description": error_description(group),
                **({"headers": dict(RATES)} if RateLimitedError in group else {}),
                "content": {JSON: {"schema": compact_error_schema(group)}},
            }
    return answers


def _by_status(errors: list[type[ApiError]]) -> dict[str, list[type[ApiError]]]:
    groups: dict[str, list[type[ApiError]]] = {}
    for error in errors:
        groups.setdefault(str(error.status), []).append(error)
    return dict(sorted(groups.items()))


def write_parameters(operation: Operation) -> Iterator[tuple[str, PathItem]]:
    """Yield the path and header parameters, each with its name among the components."""
    for variable in operation.variables:
        in_path = variable.name in operation.path_variables
        if in_path or variable.header is not None:
            yield (
                f"{operation.name}.{variable.name}",
                {
                    "name": variable.name if in_path else variable.header,
                    "in": "path" if in_path else "header",
                    "required": variable.required,
                    "description": " ".join(variable.description.split()),
                    "schema": input_schema(variable.type),
                },
            )


def _tags(operation: Operation) -> PathItem:
    return {"tags": [operation.llms.section]} if operation.llms is not None else {}


def _errors(operation: Operation) -> list[type[ApiError]]:
    declared = [error for error in all_errors() if error.code in operation.errors]
    return [*dict.fromkeys([*SUFFIX_ERRORS, NotAcceptableError, TimedOutError, *declared])]


def _body(example: Example) -> Any:
    """Return the request body of an example."""
    return example.variables.get(INPUT, example.variables)


def _description(forms: Forms, limits: Limits, relations: Relations) -> dict[str, Any]:
    operation = first_operation(forms)
    rest, own = rest_directive(operation), {}
    if operation.spends is not None:
        own = {"calls": f"{limits[operation.spends]} for each caller; 0 means no limit"}
    return {
        "name": operation.name,
        "description": operation.description.strip(),
        "method": rest.method,
        "path": rest.path,
        "mediaTypes": [*forms],
        "request": arguments_schema(operation),
        "headers": {
            variable.header: " ".join(variable.description.split())
            for variable in operation.variables
            if variable.header is not None
        },
        "responses": {
            str(rest.status): {
                "description": "Success.",
                "schema": json_schema(operation.shape),
                **_events(forms),
            },
            **{
                status: {
                    "description": error_description(group),
                    "schema": _error_schema(rest, group),
                }
                for status, group in _by_status(_errors(operation)).items()
            },
        },
        "limits": {**own, "bytes of a body": rest.max_bytes},
        "examples": [
            {"name": e.name, "request": _body(e), "status": e.status} for e in operation.examples
        ],
        "see": [target.path for target in relations.values()],
    }


def _events(forms: Forms) -> PathItem:
    """Return the schemas of the events of a stream, by event name; nothing for other writes."""
    shape: Shape | None = forms[EVENTS].shape if EVENTS in forms else None
    if not isinstance(shape, ObjectShape):
        return {}
    return {"events": {member.key: json_schema(member.shape) for member in shape.fields}}


def _error_schema(rest: Rest, group: list[type[ApiError]]) -> PathItem:
    is_brief = rest.brief and group[0] not in _OUTSIDE_PATH
    return compact_error_schema(group) if is_brief else problem_schema(group)


def _markdown(members: Mapping[str, Any], own: Mapping[str, str]) -> str:
    """Return the description as markdown."""
    method = f"`{members['method']} {members['path']}`"
    parts = [f"# {members['name']}", members["description"], method]
    parts += [f"{name}: `{text}`" for name, text in own.items()]
    for name in ("request", "headers", "examples", "responses", "limits"):
        block = orjson.dumps(members[name], option=orjson.OPT_INDENT_2).decode()
        parts.append(f"## {name.title()}\n\n```json\n{block}\n```")
    parts.append("## See\n\n" + "\n".join(f"- {path}" for path in members["see"]))
    return "\n\n".join(parts) + "\n"
