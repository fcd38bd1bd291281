"""Completion: what an argument of a prompt, or a variable of a resource, can be."""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from mcp_bridge.messages import INVALID_PARAMS, Refusal, Result
from sdl.operation import Operation, Variable
from sdl.runner import Reading
from sdl.variables import words_of

MAX_VALUES = 100


def complete(
    prompts: Mapping[str, Operation],
    resources: Mapping[str, Operation],
    params: Mapping[str, Any],
    reading: Reading,
) -> Result:
    """The known values that begin as what is written so far. Raises: Refusal."""
    operation = _referred(params.get("ref"), prompts, resources)
    argument = params.get("argument")
    name = argument.get("name") if isinstance(argument, dict) else None
    written = argument.get("value") if isinstance(argument, dict) else None
    if not isinstance(name, str) or not isinstance(written, str):
        raise Refusal(INVALID_PARAMS, "An argument to complete has a name and a value, texts both.")
    known = {variable.name: variable for variable in operation.variables}
    if name not in known:
        text = f"There is no such argument. The arguments are: {', '.join(known)}."
        raise Refusal(INVALID_PARAMS, text)
    begin = written.casefold()
    every = _values(operation, known[name], reading)
    found = [value for value in dict.fromkeys(every) if value.casefold().startswith(begin)]
    completion = {
        "values": found[:MAX_VALUES],
        "total": len(found),
        "hasMore": len(found) > MAX_VALUES,
    }
    return Result(orjson.dumps({"completion": completion}))


def _referred(
    reference: Any, prompts: Mapping[str, Operation], resources: Mapping[str, Operation]
) -> Operation:
    given = reference if isinstance(reference, dict) else {}
    by_kind = {"ref/prompt": (prompts, "name"), "ref/resource": (resources, "uri")}
    kind = given.get("type")
    if kind not in by_kind:
        raise Refusal(INVALID_PARAMS, "A ref is of the type ref/prompt or ref/resource.")
    known, member = by_kind[kind]
    found = given.get(member)
    if not isinstance(found, str) or found not in known:
        raise Refusal(INVALID_PARAMS, f"There is no such {kind}. Known: {', '.join(known)}.")
    return known[found]


def _values(operation: Operation, variable: Variable, reading: Reading) -> Iterator[str]:
    yield from words_of(variable.type)
    if variable.name in operation.path_variables:
        yield from (item.values[variable.name] for item in reading.each(operation))
    elif operation.prompt is not None and str(variable.type).rstrip("!") == "Slug":
        yield from _slugs(operation.prompt.each, reading)


def _slugs(each: str | None, reading: Reading) -> Iterator[str]:
    """The slugs of a list, named as `Operation` or `Operation.field`."""
    if each is not None and ("slugs", each) not in reading.kept:
        name, _, member = each.partition(".")
        body = reading.read(name)
        slugs = [item["slug"] for item in (body[member] if member else body)]
        reading.kept["slugs", each] = slugs
    yield from reading.kept.get(("slugs", each), ())
