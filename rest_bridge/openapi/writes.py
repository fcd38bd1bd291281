"""What acts, described: the OpenAPI items of its path, and what the path says of itself.

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
    problem_schema,
    responses,
)
from sdl.directives import MEDIA_TYPES, Example, Rest
from sdl.errors import (
    HeadersTooLargeError,
    InternalError,
    MisdirectedError,
    NotAcceptableError,
    RateLimitedError,
    StudioError,
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
"""How much of each budget a caller has, as the owner wrote it."""
MoreMembers = Mapping[str, str]
"""Further members of a description."""

_REFUSED = 400
_BEFORE = (MisdirectedError, HeadersTooLargeError, UriTooLongError, InternalError)
"""What is met before a path is reached, or behind it: it is told whole everywhere."""
_LOCATION: PathItem = {"description": "Where that is which was made.", "schema": {"type": "string"}}
_TEXT = {"type": "string"}
_DESCRIBED = {
    "type": "object",
    "description": "What this path takes and answers.",
    "required": [
        *("name", "description", "method", "path", "mediaTypes", "request", "responses"),
        *("limits", "examples", "see"),
    ],
}


def path_item(forms: Forms, body: PathItem) -> PathItem:
    """The item of a path that acts; `body` is the schema of its answer in JSON."""
    operation = first_operation(forms)
    if rest_directive(operation).method == "DELETE":
        return {"delete": _acted(forms, body)}
    described = {
        "operationId": f"Describe{operation.name}",
        "summary": f"{operation.title}: how",
        "description": "What a POST to this path takes and answers.",
        **_tags(operation),
        "responses": responses({JSON: _DESCRIBED, MARKDOWN: _TEXT, TEXT: _TEXT}, COMMON_ERRORS),
    }
    return {"get": described, "post": _acted(forms, body) | _taken(operation)}


def description_item(operation: Operation, form: str) -> PathItem:
    """The item of the description in one form."""
    suffix = "Json" if form == JSON else "Markdown"
    told = {JSON: _DESCRIBED} if form == JSON else {MARKDOWN: _TEXT}
    item = {
        "operationId": f"Describe{operation.name}{suffix}",
        "summary": f"{operation.title}: how",
        "description": "What a POST takes and answers.",
        **_tags(operation),
        "responses": responses(told, SUFFIX_ERRORS),
    }
    return {"get": item}


def description_page(
    forms: Forms, limits: Limits, relations: Relations, more_members: Mapping[str, MoreMembers]
) -> StaticDocument:
    """Return what a GET of the path answers."""
    own = more_members.get(first_operation(forms).name, {})
    told = {**_description(forms, limits, relations), **own}
    return static_document(told["path"], orjson.dumps(told), _markdown(told, own), relations)


def _acted(forms: Forms, body: PathItem) -> PathItem:
    operation = first_operation(forms)
    rest, errors = rest_directive(operation), _errors(operation)
    content = {name: _TEXT if name == EVENTS else body for name in forms}
    answer = responses(content, () if rest.brief else errors, kept=False)
    if rest.brief:
        answer |= _compactly(errors)
    success = answer.pop("200")
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
        "responses": {str(rest.status): success, **answer},
    }


def _taken(operation: Operation) -> PathItem:
    """The body that is posted."""
    examples = {e.name: {"value": _body(e)} for e in operation.examples if e.status < _REFUSED}
    content = {JSON: {"schema": arguments_schema(operation), "examples": examples}}
    return {"requestBody": {"required": True, "content": content}}


def _compactly(errors: list[type[StudioError]]) -> PathItem:
    """The responses of a path that tells errors as a code alone, but for those met before it."""
    told = responses({}, errors, kept=False)
    del told["200"]
    for status, same in _by_status(errors).items():
        if same[0] not in _BEFORE:
            told[status] = {
                "description": " ".join((error.__doc__ or "").strip() for error in same),
                **({"headers": dict(RATES)} if RateLimitedError in same else {}),
                "content": {JSON: {"schema": compact_error_schema(same)}},
            }
    return told


def _by_status(errors: list[type[StudioError]]) -> dict[str, list[type[StudioError]]]:
    found: dict[str, list[type[StudioError]]] = {}
    for error in errors:
        found.setdefault(str(error.status), []).append(error)
    return dict(sorted(found.items()))


def write_parameters(operation: Operation) -> Iterator[tuple[str, PathItem]]:
    """What stands in path and headers, each with the name it has among all parameters."""
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


def _errors(operation: Operation) -> list[type[StudioError]]:
    declared = [error for error in all_errors() if error.code in operation.errors]
    return [*dict.fromkeys([*SUFFIX_ERRORS, NotAcceptableError, TimedOutError, *declared])]


def _body(example: Example) -> Any:
    """The body that an example posts."""
    return example.variables.get(INPUT, example.variables)


def _description(forms: Forms, limits: Limits, relations: Relations) -> dict[str, Any]:
    operation = first_operation(forms)
    rest, own = rest_directive(operation), {}
    if operation.spends is not None:
        own = {"calls": f"{limits[operation.spends]} for each caller, 0 is no limit"}
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
                "description": "The answer.",
                "schema": json_schema(operation.shape),
                **_events(forms),
            },
            **{
                status: {
                    "description": " ".join((error.__doc__ or "").strip() for error in same),
                    "schema": _error_schema(rest, same),
                }
                for status, same in _by_status(_errors(operation)).items()
            },
        },
        "limits": {**own, "bytes of a body": rest.max_bytes},
        "examples": [
            {"name": e.name, "request": _body(e), "status": e.status} for e in operation.examples
        ],
        "see": [pointer.path for pointer in relations.values()],
    }


def _events(forms: Forms) -> PathItem:
    """The events of a stream, by their names; none where there is no such form."""
    shape: Shape | None = forms[EVENTS].shape if EVENTS in forms else None
    if not isinstance(shape, ObjectShape):
        return {}
    return {"events": {member.key: json_schema(member.shape) for member in shape.fields}}


def _error_schema(rest: Rest, same: list[type[StudioError]]) -> PathItem:
    is_brief = rest.brief and same[0] not in _BEFORE
    return compact_error_schema(same) if is_brief else problem_schema(same)


def _markdown(told: Mapping[str, Any], own: Mapping[str, str]) -> str:
    """The description for who reads text."""
    parts = [f"# {told['name']}", told["description"], f"`{told['method']} {told['path']}`"]
    parts += [f"{name}: `{text}`" for name, text in own.items()]
    for name in ("request", "headers", "examples", "responses", "limits"):
        block = orjson.dumps(told[name], option=orjson.OPT_INDENT_2).decode()
        parts.append(f"## {name.title()}\n\n```json\n{block}\n```")
    parts.append("## See\n\n" + "\n".join(f"- {path}" for path in told["see"]))
    return "\n\n".join(parts) + "\n"
