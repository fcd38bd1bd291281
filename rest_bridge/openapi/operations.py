"""OpenAPI path items of stored operations: reads, signed forms, writes, webhooks.

Source: OpenAPI 3.1.1.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from graphql import GraphQLInputType

from rest_bridge.endpoints.read import text_types
from rest_bridge.endpoints.signed import SECTION
from rest_bridge.endpoints.write import WITH_BODY, Forms, first_operation, rest_directive
from rest_bridge.openapi.responses import (
    COMMON_ERRORS,
    INPUT_ERRORS,
    MIDDLEWARE_ERRORS,
    SCHEMAS,
    STRING,
    PathItem,
    SharedSchemas,
    compact_response,
    parameter,
    references_to,
    responses,
    strict_object,
)
from rest_bridge.representations.atom import ATOM
from rest_bridge.representations.rendering import JSON, LINKED_DATA, MARKDOWN, TEXT
from sdl.arguments.input_schemas import (
    PAGE_PARAMETERS,
    argument_types,
    arguments_schema,
    default_of,
    input_schema,
    is_json_text,
)
from sdl.arguments.projection import names
from sdl.errors import ApiError, NotFoundError, TimedOutError, UnknownSectionError, all_errors
from sdl.operations.operation import INPUT, ListedItem, Operation, Variable
from sdl.types.directives import Example

AUTHORIZATION = "Authorization"
"""The header that OpenAPI does not allow among the parameters: a security scheme stands for it."""
BAD_REQUEST = 400
BEARER = "bearer"
"""The name of the security scheme of operations that read `Authorization`."""
DESCRIPTION = "PathDescription"
DESCRIPTION_SCHEMA = {
    "type": "object",
    "description": "How to use this path: request, responses, limits and examples.",
    "properties": {
        **dict.fromkeys(("name", "description", "method", "path", "get"), STRING),
        **{name: {"type": "array", "items": STRING} for name in ("mediaTypes", "see")},
        **{name: {"type": "object"} for name in ("request", "responses", "limits")},
        "examples": {"type": "array", "items": {"type": "object"}},
    },
    "required": [
        *("name", "description", "method", "path", "mediaTypes", "request", "responses"),
        *("limits", "examples", "see"),
    ],
}
LINKED = "JsonLd"
LINKED_SCHEMA = {
    "type": "object",
    "properties": {"@context": {"type": "string"}, "@type": {"type": "string"}},
    "required": ["@context", "@type"],
}

_LOCATION: PathItem = {
    "description": "URL of the created resource.",
    "schema": {"type": "string"},
}
_DIGEST = {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"}
_BOUND = {"rollupHash": _DIGEST, "treeSize": {"type": "integer", "minimum": 0}}
_OK = 200
MAX_VALUES = 6
"""How many values of a parameter are listed; the list that is read has them all."""
Values = Mapping[str, Sequence[Any]]
"""The first values that each variable in a path has in the content."""


def listed_values(operation: Operation, items: Sequence[ListedItem]) -> Values:
    """Return the values of a path's variables: each once, and one more than are listed at most.

    So one item more in a long list changes nothing that the description says.
    """
    return {
        name: [*islice(dict.fromkeys(item.values[name] for item in items), MAX_VALUES + 1)]
        for name in operation.path_variables
    }


def read_item(operation: Operation, values: Values, shared: SharedSchemas) -> PathItem:
    """Return the item of a read's path; `values` are those of its variables in the content."""
    media = [*operation.rest.media] if operation.rest is not None else []
    media += [name for form in media for name in text_types(form, operation) if name not in media]
    schema = _or_null(operation, shared.of(operation.shape, operation.name))
    bodies = {
        name: {"type": "string"} if name in (MARKDOWN, TEXT, ATOM) else schema for name in media
    }
    if LINKED_DATA in bodies:
        bodies[LINKED_DATA] = {"$ref": f"{SCHEMAS}{LINKED}"}
    not_found = [NotFoundError] if operation.path_variables else []
    parameters = [*_read_parameters(operation, values)]
    wrong_input = INPUT_ERRORS if parameters else ()
    answers = responses(bodies, [*wrong_input, *not_found, *_declared(operation)])
    if operation.rest is not None and TEXT in operation.rest.media:
        answers["200"]["content"].setdefault(TEXT, {"schema": STRING})
    item: PathItem = {
        "operationId": operation.name,
        "summary": operation.title,
        "description": operation.description.strip(),
        "responses": _any_success(operation, answers | _failures(operation, schema)),
    }
    if parameters:
        item["parameters"] = parameters
    return {"get": item | _tags(operation) | _deprecation(operation)}


def signed_item(sections: Mapping[str | None, Operation], shared: SharedSchemas) -> PathItem:
    """Return the item of a signed path."""
    (first, *_), names = sections.values(), [name for name in sections if name is not None]
    errors = [*INPUT_ERRORS, UnknownSectionError] if names else []
    payload = _sections(sections, shared) if names else _payload(first, shared)
    own = {"properties": {"payload": payload}, "required": ["rollupHash"] if names else []}
    envelope = {"allOf": [{"$ref": f"{SCHEMAS}Envelope"}, own]}
    title = "One section" if names else first.title
    item: PathItem = {
        "operationId": "GetSnapshot" if names else f"{first.name}Signed",
        "summary": f"{title}, signed.",
        "description": f"{title} with the studio's signature over it.",
        **({"parameters": [_section(names)]} if names else {}),
        "responses": responses({JSON: envelope}, errors),
    }
    return {"get": item if names else item | _tags(first)}


def page_parameters() -> Iterator[tuple[str, PathItem]]:
    """Yield the parameters of lists, by name."""
    for name, (text, schema) in PAGE_PARAMETERS.items():
        yield name, parameter(name, "query", text, {"schema": schema})


def _read_parameters(operation: Operation, values: Values) -> Iterator[PathItem]:
    """Yield the parameters of a read; those that other reads have too as references."""
    yield from _parts(operation) if operation.takes_objects else _variables(operation, values)
    pages = (name for name in names(operation) if name in PAGE_PARAMETERS)
    yield from references_to("parameters", pages).values()


def _variables(operation: Operation, values: Values) -> Iterator[PathItem]:
    for variable in operation.variables:
        in_path = variable.name in operation.path_variables
        schema = input_schema(variable.type) | default_of(variable)
        if in_path:
            names_there = values.get(variable.name, ())
            if 0 < len(names_there) <= MAX_VALUES:
                schema = {"type": "string", "enum": [*map(str, names_there)]}
        value = _value(schema, variable.type)
        examples = {} if "content" in value else _examples(operation, variable, values)
        yield _parameter(operation, variable, value | examples)


def _parts(operation: Operation) -> Iterator[PathItem]:
    """Yield the parameters of a read that takes objects: their members, or JSON in a text."""
    arguments, types = arguments_schema(operation), argument_types(operation)
    for name, own in arguments["properties"].items():
        in_path = name in operation.path_variables
        schema = {key: value for key, value in own.items() if key != "description"}
        yield parameter(
            name,
            "path" if in_path else "query",
            own.get("description", ""),
            _value(schema, types[name]),
            required=name in arguments.get("required", ()),
        )


def _value(schema: PathItem, kind: GraphQLInputType) -> PathItem:
    """Return the schema of a parameter, or that of the JSON in its text."""
    return {"content": {JSON: {"schema": schema}}} if is_json_text(kind) else {"schema": schema}


def _examples(operation: Operation, variable: Variable, values: Values) -> PathItem:
    """Return the examples of a parameter; by default, the value that the first item has."""
    in_path = variable.name in operation.path_variables
    first = next(iter(values.get(variable.name, ())), None)
    found = {
        example.name: example.variables.get(variable.name, first)
        for example in operation.examples
        if example.status == _OK and (in_path or variable.name in example.variables)
    }
    examples = {name: {"value": value} for name, value in found.items() if value is not None}
    return {"examples": examples} if examples else {}


def _section(names: list[str]) -> PathItem:
    value = {"schema": {"type": "string", "enum": names}}
    return parameter(SECTION, "query", "The section's name.", value, required=True)


def _payload(operation: Operation, shared: SharedSchemas) -> PathItem:
    body = shared.of(operation.shape, operation.name)
    return strict_object({"entries": body, **_BOUND}) if body.get("type") == "array" else body


def _sections(sections: Mapping[str | None, Operation], shared: SharedSchemas) -> PathItem:
    """Return the schema of a snapshot's payload: a section's name with its data."""
    members = {"section": {"type": "string"}, "data": {}, "revision": _DIGEST, **_BOUND}
    variants = [
        {"properties": {"section": {"const": name}, "data": shared.of(o.shape, o.name)}}
        for name, o in sections.items()
    ]
    return {**strict_object(members), "anyOf": variants}


def write_item(forms: Forms, shared: SharedSchemas) -> PathItem:
    """Return the item of a write's path."""
    operation = first_operation(forms)
    method = rest_directive(operation).method
    body = _or_null(operation, shared.of(operation.shape, operation.name))
    request = _request_body(operation) if method in WITH_BODY else {}
    own = {method.lower(): _run_item(forms, body) | request}
    return {"get": _get_item(forms, body), **own} if method == "POST" else own


def _get_item(forms: Forms, body: PathItem) -> PathItem:
    """Return the item of a GET: the description, or with parameters the same answer as a POST."""
    operation = first_operation(forms)
    asked = [name for name, form in forms.items() if rest_directive(form).get_parameters]
    schema = {"$ref": f"{SCHEMAS}{DESCRIPTION}"}
    content: PathItem = {JSON: schema, MARKDOWN: STRING, TEXT: STRING}
    how = "How to use a POST to this path."
    if asked:
        content |= dict.fromkeys(asked, STRING)
        content[JSON] = {"anyOf": [body, schema]}
        how = "As the POST. Without parameters: how to use this path."
    errors: list[type[ApiError]] = [*INPUT_ERRORS, *_declared(operation)] if asked else []
    is_cached = operation.is_query or not asked
    answers = responses(content, errors, cached=is_cached)
    not_modified = {} if is_cached else {"304": {"$ref": "#/components/responses/NotModified"}}
    elsewhere = [
        v
        for v in operation.variables
        if v.name in operation.path_variables or (asked and v.header not in (None, AUTHORIZATION))
    ]
    parameters = [*(_parameter(operation, v) for v in elsewhere), *_get_parameters(operation)]
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
    bodies = _example_bodies(operation)
    for name in rest_directive(operation).get_parameters:
        schema = properties[name]
        examples = {key: {"value": body[name]} for key, body in bodies.items() if name in body}
        value = {
            **({"explode": False} if "enum" in schema.get("items", {}) else {}),
            "schema": {"$ref": f"{SCHEMAS}{_member(operation, name)}"},
            **({"examples": examples} if examples else {}),
        }
        yield parameter(name, "query", schema.get("description", ""), value)


def _run_item(forms: Forms, body: PathItem) -> PathItem:
    operation = first_operation(forms)
    rest, errors = rest_directive(operation), write_errors(operation)
    content = {name: body if name == JSON else STRING for name in forms}
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
        **_deprecation(operation),
        **_credentials(operation),
        **({"parameters": parameters} if parameters else {}),
        "responses": _any_success(
            operation, {str(rest.status): success, **answers, **_failures(operation, body)}
        ),
    }


def _any_success(operation: Operation, answers: PathItem) -> PathItem:
    """Return the answers with any other success, as a resolver of live data may choose it."""
    return answers if operation.is_strict else {**answers, "2XX": next(iter(answers.values()))}


def _or_null(operation: Operation, schema: PathItem) -> PathItem:
    """Return the schema of a body, which may be null where the operation says so."""
    return {"anyOf": [schema, {"type": "null"}]} if operation.may_be_null and schema else schema


def _failures(operation: Operation, body: PathItem) -> PathItem:
    """Return the responses of the failures that an answer may be, by status."""
    types: dict[str, list[str]] = {}
    for failure in operation.failures:
        types.setdefault(str(failure.status), []).append(failure.type)
    media = operation.rest.media if operation.rest is not None else ()
    content = {JSON: {"schema": body}}
    content |= {name: {"schema": STRING} for name in (MARKDOWN, TEXT) if name in media}
    return {
        status: {"description": f"{' or '.join(names)}.", "content": content}
        for status, names in types.items()
    }


def _request_body(operation: Operation) -> PathItem:
    examples = {name: {"value": body} for name, body in _example_bodies(operation).items()}
    schema = {"$ref": f"{SCHEMAS}{operation.name}Body"}
    content = {JSON: {"schema": schema, "examples": examples}}
    members = arguments_schema(operation, without=operation.path_variables)
    is_needed = operation.is_strict or "required" in members or "oneOf" in members
    return {"requestBody": {"required": is_needed, "content": content}}


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


def _parameters(operation: Operation) -> Iterator[PathItem]:
    """Yield the path and header parameters; those of events by GET are in the query too."""
    in_query = operation.rest is not None and operation.rest.method == "GET"
    for variable in operation.variables:
        in_path = variable.name in operation.path_variables
        if in_path or in_query or variable.header not in (None, AUTHORIZATION):
            yield _parameter(operation, variable)


def _parameter(operation: Operation, variable: Variable, value: PathItem | None = None) -> PathItem:
    """Return the parameter that fills a variable; its `value` is by default that of its type."""
    in_path = variable.name in operation.path_variables
    return parameter(
        variable.header or variable.name,
        "path" if in_path else "query" if variable.header is None else "header",
        " ".join(variable.description.split()),
        value or {"schema": input_schema(variable.type) | default_of(variable)},
        required=in_path or variable.required,
    )


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


def _deprecation(operation: Operation) -> PathItem:
    return {"deprecated": True} if operation.is_deprecated else {}


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


def webhook_items(
    operations: Iterable[Operation], shared: SharedSchemas
) -> Iterator[tuple[str, PathItem]]:
    """Yield the item of each operation that is sent to webhooks, by the event's name."""
    for operation in operations:
        if operation.webhook is not None:
            first, _, others = operation.description.strip().partition("\n\n")
            body = {"schema": shared.of(operation.shape, operation.name)}
            item = {
                "operationId": operation.name,
                "summary": operation.summary,
                "description": others or first,
                "requestBody": {"required": True, "content": {JSON: body}},
                "responses": {"2XX": {"description": "The receiver has it."}},
            }
            yield operation.webhook.name, {"post": item}
