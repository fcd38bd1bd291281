"""OpenAPI path items of writes.

Source: OpenAPI 3.1.1.
"""

from collections.abc import Iterator
from typing import Any

from rest_bridge.endpoints.write import WITH_BODY, Forms, first_operation, rest_directive
from rest_bridge.openapi.responses import (
    COMMON_ERRORS,
    INPUT_ERRORS,
    MIDDLEWARE_ERRORS,
    SCHEMAS,
    PathItem,
    compact_response,
    references_to,
    responses,
)
from rest_bridge.representations.rendering import JSON, MARKDOWN, TEXT
from sdl.arguments.input_schemas import input_schema
from sdl.arguments.json_arguments import arguments_schema
from sdl.errors import ApiError, TimedOutError, all_errors
from sdl.operations.operation import INPUT, Operation, Variable
from sdl.types.directives import Example

AUTHORIZATION = "Authorization"
"""The header that OpenAPI does not allow among the parameters: a security scheme stands for it."""
BAD_REQUEST = 400
_LOCATION: PathItem = {
    "description": "URL of the created resource.",
    "schema": {"type": "string"},
}
_TEXT = {"type": "string"}
BEARER = "bearer"
"""The name of the security scheme of operations that read `Authorization`."""
DESCRIPTION = "PathDescription"
DESCRIPTION_SCHEMA = {
    "type": "object",
    "description": "How to use this path: request, responses, limits and examples.",
    "properties": {
        **dict.fromkeys(("name", "description", "method", "path", "get"), _TEXT),
        **{name: {"type": "array", "items": _TEXT} for name in ("mediaTypes", "see")},
        **{name: {"type": "object"} for name in ("request", "responses", "limits")},
        "examples": {"type": "array", "items": {"type": "object"}},
    },
    "required": [
        *("name", "description", "method", "path", "mediaTypes", "request", "responses"),
        *("limits", "examples", "see"),
    ],
}


def path_item(forms: Forms, body: PathItem) -> PathItem:
    """Return the item of a write path; `body` is the schema of its JSON response."""
    operation = first_operation(forms)
    method = rest_directive(operation).method
    request = _request_body(operation) if method in WITH_BODY else {}
    own = {method.lower(): _write_item(forms, body) | request}
    return {"get": _get_item(forms, body), **own} if method == "POST" else own


def _get_item(forms: Forms, body: PathItem) -> PathItem:
    """Return the item of a GET: the description, or with parameters the same answer as a POST."""
    operation = first_operation(forms)
    asked = [name for name, form in forms.items() if rest_directive(form).get_parameters]
    schema = {"$ref": f"{SCHEMAS}{DESCRIPTION}"}
    content: PathItem = {JSON: schema, MARKDOWN: _TEXT, TEXT: _TEXT}
    how = "How to use a POST to this path."
    if asked:
        content |= dict.fromkeys(asked, _TEXT)
        content[JSON] = {"anyOf": [body, schema]}
        how = "As the POST. Without parameters: how to use this path."
    errors: list[type[ApiError]] = [*INPUT_ERRORS, *_declared(operation)] if asked else []
    is_cached = operation.is_query or not asked
    answers = responses(content, errors, cached=is_cached)
    not_modified = {} if is_cached else {"304": {"$ref": "#/components/responses/NotModified"}}
    parameters = [*_path_parameters(operation), *_get_parameters(operation)]
    return {
        "operationId": f"{operation.name}ByGet" if asked else f"Describe{operation.name}",
        "summary": f"{operation.title}{' by GET' if asked else ': how'}",
        "description": how,
        **_tags(operation),
        **({"parameters": parameters} if parameters else {}),
        "responses": {**answers, **not_modified},
    }


def _get_parameters(operation: Operation) -> Iterator[PathItem]:
    """Yield the parameters of a GET that is answered like a POST."""
    properties = arguments_schema(operation)["properties"]
    bodies = {
        e.name: example_body(operation, e) for e in operation.examples if e.status < BAD_REQUEST
    }
    for name in rest_directive(operation).get_parameters:
        schema = properties[name]
        examples = {key: {"value": body[name]} for key, body in bodies.items() if name in body}
        yield {
            "name": name,
            "in": "query",
            "description": schema.get("description", ""),
            **({"explode": False} if schema.get("type") == "array" else {}),
            "schema": {"$ref": f"{SCHEMAS}{_member(operation, name)}"},
            **({"examples": examples} if examples else {}),
        }


def _write_item(forms: Forms, body: PathItem) -> PathItem:
    operation = first_operation(forms)
    rest, errors = rest_directive(operation), write_errors(operation)
    content = {name: body if name == JSON else _TEXT for name in forms}
    own = [error for error in errors if error in INPUT_ERRORS or error not in COMMON_ERRORS]
    answers = responses(content, () if rest.brief else own, cached=False)
    if rest.brief:
        answers |= _compact_errors(errors)
    success = answers.pop("200")
    if operation.spends is not None:
        success["headers"] = references_to("headers", ("RateLimit", "RateLimit-Policy"))
    if rest.location is not None:
        success.setdefault("headers", {})["Location"] = _LOCATION
    parameters = [*_parameters(operation)]
    return {
        "operationId": operation.name,
        "summary": operation.title,
        "description": operation.description.strip(),
        **_tags(operation),
        **({"deprecated": True} if operation.is_deprecated else {}),
        **_credentials(operation),
        **({"parameters": parameters} if parameters else {}),
        "responses": any_success(
            operation, {str(rest.status): success, **answers, **failures(operation, body)}
        ),
    }


def any_success(operation: Operation, answers: PathItem) -> PathItem:
    """Return the answers with any other success, as a resolver of live data may choose it."""
    return answers if operation.is_strict else {**answers, "2XX": next(iter(answers.values()))}


def or_null(operation: Operation, schema: PathItem) -> PathItem:
    """Return the schema of a body, which may be null where the operation says so."""
    return {"anyOf": [schema, {"type": "null"}]} if operation.may_be_null and schema else schema


def failures(operation: Operation, body: PathItem) -> PathItem:
    """Return the responses of the failures that an answer may be, by status."""
    types: dict[str, list[str]] = {}
    for failure in operation.failures:
        types.setdefault(str(failure.status), []).append(failure.type)
    return {
        status: {"description": f"{' or '.join(names)}.", "content": {JSON: {"schema": body}}}
        for status, names in types.items()
    }


def _request_body(operation: Operation) -> PathItem:
    examples = {name: {"value": body} for name, body in _example_bodies(operation).items()}
    schema = {"$ref": f"{SCHEMAS}{operation.name}Body"}
    content = {JSON: {"schema": schema, "examples": examples}}
    return {"requestBody": {"required": True, "content": content}}


def _compact_errors(errors: list[type[ApiError]]) -> PathItem:
    """Return the error responses of a `brief` operation."""
    answers = responses({}, errors, cached=False)
    del answers["200"]
    for status, group in by_status(errors).items():
        if group[0] not in MIDDLEWARE_ERRORS:
            answers[status] = compact_response(group)
    return answers


def by_status(errors: list[type[ApiError]]) -> dict[str, list[type[ApiError]]]:
    """Return the errors by status, in order."""
    groups: dict[str, list[type[ApiError]]] = {}
    for error in errors:
        groups.setdefault(str(error.status), []).append(error)
    return dict(sorted(groups.items()))


def _path_parameters(operation: Operation) -> Iterator[PathItem]:
    """Yield the parameters in the path."""
    for variable in operation.variables:
        if variable.name in operation.path_variables:
            yield _parameter(operation, variable)


def _parameters(operation: Operation) -> Iterator[PathItem]:
    """Yield the path and header parameters; those of events by GET are in the query too."""
    in_query = operation.rest is not None and operation.rest.method == "GET"
    for variable in operation.variables:
        in_path = variable.name in operation.path_variables
        if in_path or in_query or variable.header not in (None, AUTHORIZATION):
            yield _parameter(operation, variable)


def _parameter(operation: Operation, variable: Variable) -> PathItem:
    in_path = variable.name in operation.path_variables
    place = "path" if in_path else "query" if variable.header is None else "header"
    return {
        "name": variable.header or variable.name,
        "in": place,
        **({"required": True} if in_path or variable.required else {}),
        "description": " ".join(variable.description.split()),
        "schema": input_schema(variable.type),
    }


def write_schemas(operation: Operation) -> Iterator[tuple[str, PathItem]]:
    """Yield the schema of the request body by its name; nothing for an operation without one.

    Members that a GET takes too have schemas of their own, which both refer to.
    """
    if operation.rest is not None and operation.rest.method in WITH_BODY:
        asks = operation.rest.get_parameters  # a text of these is no null
        in_path = operation.path_variables
        schema = arguments_schema(operation, with_null=not asks, without=in_path)
        members = dict(schema["properties"])
        for name in asks:
            own = dict(members[name])
            text = {"description": own.pop("description")} if "description" in own else {}
            shared = _member(operation, name)
            members[name] = {"$ref": f"{SCHEMAS}{shared}", **text}
            yield shared, own
        yield f"{operation.name}Body", {**schema, "properties": members}


def _member(operation: Operation, name: str) -> str:
    """Return the name of the schema of a member that a GET takes too."""
    return f"{operation.name}{name[0].upper()}{name[1:]}"


def _credentials(operation: Operation) -> PathItem:
    named = any(variable.header == AUTHORIZATION for variable in operation.variables)
    return {"security": [{BEARER: []}]} if named else {}


def _tags(operation: Operation) -> PathItem:
    return {"tags": [operation.llms.section]} if operation.llms is not None else {}


def write_errors(operation: Operation) -> list[type[ApiError]]:
    """Return the errors of a write: those of all, and those that its field declares."""
    return [*dict.fromkeys([*COMMON_ERRORS, TimedOutError, *_declared(operation)])]


def _declared(operation: Operation) -> list[type[ApiError]]:
    return [error for error in all_errors() if error.code in operation.errors]


def _example_bodies(operation: Operation) -> dict[str, Any]:
    """Return the request bodies of the examples that are answered, by name."""
    good = (e for e in operation.examples if e.status < BAD_REQUEST)
    return {e.name: example_body(operation, e) for e in good}


def example_body(operation: Operation, example: Example) -> Any:
    """Return the request body of an example: without what the path and headers have."""
    elsewhere = {v.name for v in operation.variables if v.header is not None}
    elsewhere |= {*operation.path_variables}
    sent = {n: v for n, v in example.variables.items() if n not in elsewhere}
    spread = sent.pop(INPUT) if isinstance(sent.get(INPUT), dict) else {}
    return {**spread, **sent}
