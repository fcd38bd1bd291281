"""The description that a GET of a POST path returns: what to send, what comes back, in few words.

Its schemas are those of the OpenAPI description without patterns and deep members, so that a caller
can afford to read it; see `MAX_TOKENS`.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import orjson

from rest_bridge.endpoints.write import Forms, first_operation, rest_directive
from rest_bridge.openapi.operations import BAD_REQUEST, by_status, example_body, write_errors
from rest_bridge.openapi.responses import (
    MIDDLEWARE_ERRORS,
    PathItem,
    error_description,
)
from rest_bridge.representations.events import EVENTS, NEXT, are_named
from rest_bridge.representations.pages import Page, page_forms
from rest_bridge.representations.rendering import JSON, MARKDOWN
from rest_bridge.representations.responses import Relations, Representation
from sdl.arguments.input_schemas import arguments_schema
from sdl.errors import ApiError
from sdl.operations.operation import Operation
from sdl.types.shape import ObjectShape, json_schema

MAX_TOKENS = {MARKDOWN: 400, JSON: 1_200}
"""The most tokens of a description in each form. Units: tokens of 4 characters."""

Limits = Mapping[str, str]
"""The limit of each budget as the owner set it, such as `30/hour`; 0 means no limit."""
MoreMembers = Mapping[str, str]
"""Additional members of a description."""

_REQUEST_DEPTH, _ANSWER_DEPTH, _EVENT_DEPTH = 3, 2, 1
_STRUCTURE = ("type", "enum", "const")
_RULES = (
    *(*_STRUCTURE, "required", "additionalProperties", "description", "format", "default"),
    *("minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems"),
)
"""The keywords of a request that its description keeps; patterns are as long as all of these."""


def description_page(
    forms: Forms, limits: Limits, relations: Relations, more_members: Mapping[str, MoreMembers]
) -> Page:
    """Return the document that a GET of the path returns."""
    operation = first_operation(forms)
    own = more_members.get(operation.name, {})

    @cache  # it is made when somebody first asks: most readers ask for other things
    def made() -> Mapping[str, Representation]:
        members = {**_description(forms, limits, relations), **own}
        return page_forms(members, "\n\n".join(_paragraphs(members, own)) + "\n", relations)

    return Page(rest_directive(operation).path, made)


def get_template(operation: Operation) -> str | None:
    """Return the address of a GET that is answered like a POST. Source: RFC 6570."""
    rest = rest_directive(operation)
    return f"{rest.path}{{?{','.join(rest.get_parameters)}}}" if rest.get_parameters else None


def _description(forms: Forms, limits: Limits, relations: Relations) -> dict[str, Any]:
    operation = first_operation(forms)
    rest = rest_directive(operation)
    limit = limits[operation.spends] if operation.spends is not None else "0"
    own = {"calls": f"{limit} for each caller"} if int(limit.partition("/")[0]) else {}
    get = get_template(operation)
    request = arguments_schema(operation, without=operation.path_variables)
    return {
        "name": operation.name,
        "description": operation.description.strip(),
        "method": rest.method,
        "path": rest.path,
        **({"get": get} if get is not None else {}),
        "mediaTypes": [*forms],
        "request": _outline(request, _REQUEST_DEPTH, _RULES),
        "headers": {
            variable.header: " ".join(variable.description.split())
            for variable in operation.variables
            if variable.header is not None
        },
        "responses": dict(_responses(forms)),
        "limits": {**own, "bytes of a body": rest.max_bytes},
        "examples": [
            {"name": e.name, "request": example_body(operation, e), "status": e.status}
            for e in operation.examples
        ],
        "see": [target.href for target in relations.values()],
    }


def _responses(forms: Forms) -> Iterator[tuple[str, PathItem]]:
    operation = first_operation(forms)
    rest = rest_directive(operation)
    answer = _outline(json_schema(operation.shape), _ANSWER_DEPTH, _STRUCTURE)
    yield str(rest.status), {"description": "OK.", "schema": answer, **_events(forms)}
    for status, group in by_status(write_errors(operation)).items():
        if group[0] not in MIDDLEWARE_ERRORS:  # those are the same everywhere
            described = {"description": error_description(group)}
            yield status, described if rest.brief else {**described, "schema": _error_schema(group)}


def _events(forms: Forms) -> PathItem:
    """Return the schemas of the events of a stream, by event name; nothing for other writes."""
    shape = forms[EVENTS].shape if EVENTS in forms else None
    if not isinstance(shape, ObjectShape):
        return {} if shape is None else {"events": {NEXT: json_schema(shape)}}
    if not are_named(shape):
        return {"events": {NEXT: _outline(json_schema(shape), _EVENT_DEPTH, _STRUCTURE)}}
    schemas = {member.key: json_schema(member.shape) for member in shape.fields}
    return {"events": {n: _outline(s, _EVENT_DEPTH, _STRUCTURE) for n, s in schemas.items()}}


def _error_schema(group: list[type[ApiError]]) -> PathItem:
    return {"properties": {"error": {"enum": sorted(error.code for error in group)}}}


def _outline(schema: PathItem, depth: int, kept: tuple[str, ...]) -> PathItem:
    """Return a schema that allows more: with the kept keywords, and objects down to a depth."""
    outline = {name: schema[name] for name in kept if name in schema}
    if depth == 0:
        return {"type": outline["type"]} if "type" in outline else {}
    for name in {"properties"} & {*schema}:
        members = schema[name].items()
        outline[name] = {key: _outline(value, depth - 1, kept) for key, value in members}
    if "items" in schema:
        outline["items"] = _outline(schema["items"], depth, kept)
    for name in ("oneOf", "anyOf"):
        if name in schema:
            outline[name] = [_outline(value, depth, kept) for value in schema[name]]
    return outline


def _paragraphs(members: Mapping[str, Any], own: Mapping[str, str]) -> Iterator[str]:
    """Yield the description as paragraphs of markdown."""
    request, required = members["request"], members["request"].get("required", ())
    good = [e["request"] for e in members["examples"] if e["status"] < BAD_REQUEST]
    success, *errors = members["responses"]
    yield f"# {members['method']} {members['path']}"
    yield members["description"]
    if "get" in members:
        yield f"Without a body: `GET {members['get']}`"
    lines = [_line(n, s, needed=n in required) for n, s in request["properties"].items()]
    lines += [f"- header `{name}`: {text}" for name, text in members["headers"].items()]
    yield "\n".join(lines)
    if good:
        yield f"Example: `{orjson.dumps(good[0]).decode()}`"
    limits = [f"{name}: {limit}" for name, limit in {**members["limits"], **own}.items()]
    facts = [f"{success} as {', '.join(members['mediaTypes'])}"]
    facts += [f"errors {', '.join(errors)}", *limits]
    yield "\n".join(f"- {fact}" for fact in facts)


def _line(name: str, schema: PathItem, *, needed: bool) -> str:
    """Return one line about an argument: its type, its rules and what it is."""
    inner = schema.get("items", schema.get("anyOf", [schema])[0])
    words = [schema.get("type", inner.get("type", "")), "required" if needed else ""]
    if "maxLength" in inner:
        words.append(f"{inner.get('minLength', 0)} to {inner['maxLength']} characters")
    if "maximum" in schema:
        words.append(f"{schema['minimum']} to {schema['maximum']}")
    if "default" in schema:
        words.append(f"default {orjson.dumps(schema['default']).decode()}")
    if "enum" in inner:
        words.append("|".join(inner["enum"]))
    if "properties" in inner:
        words.append(f"of {{{', '.join(inner['properties'])}}}")
    facts = ", ".join(word for word in words if word)
    return f"- `{name}` ({facts}): {schema.get('description', '')}"
