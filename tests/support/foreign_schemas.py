"""Stored operations of small schemas that know nothing of this project."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import strawberry
from asgi_call import Ask, asking
from openapi_spec_validator import OpenAPIV31SpecValidator

from rest_bridge.http.client_address import caller_of
from rest_bridge.http.middleware import RequestGuard
from rest_bridge.openapi.document import Description
from rest_bridge.openapi.operations import Values
from rest_bridge.routes import router, write_routes
from sdl.caller import Caller
from sdl.operations.compiler import compile_operations
from sdl.operations.operation import Operation
from sdl.running.runner import Operations, Snapshot

FACTS: Mapping[str, Any] = {
    **dict.fromkeys(("name", "summary", "version", "owner"), "Notes"),
    "email": "ada@notes.example",
    "baseUrl": "https://notes.example",
    "licensing": None,
}


def stored(schema: strawberry.Schema, folder: Path, *texts: str) -> Operations:
    """The operations of these texts, each in a file of its own name, with a description before."""
    (folder / "operations").mkdir(exist_ok=True)
    for text in texts:
        found = re.search(r"(?:query|mutation|subscription) (\w+)", text)
        assert found is not None
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", found[1]).lower()
        (folder / "operations" / f"{name}.graphql").write_text(f'"What it does."\n{text}')
    executable = schema._schema  # noqa: SLF001 - Strawberry has no public name for it
    return Operations(executable, compile_operations(executable, folder))


def one(schema: strawberry.Schema, folder: Path, text: str) -> Operation:
    """The operation of one text."""
    [operation] = stored(schema, folder, text)
    return operation


class Context:
    """What resolvers are handed: nothing."""

    def for_caller(self, caller: Caller) -> "Context":  # noqa: ARG002 - everybody may ask the same
        """The same for everybody."""
        return self


class Reading(Snapshot[None]):
    """Operations over no data, whose provider no field of their schema says."""

    @property
    def directory(self) -> Mapping[str, Any]:
        """Who provides them."""
        return FACTS


def snapshot(operations: Operations) -> Snapshot:
    """The operations over no data."""
    return Reading(operations, None, Context())


def serving(operations: Operations) -> Ask:
    """Requests to the paths of the operations."""
    reading = snapshot(operations)

    def current() -> Snapshot:
        return reading

    writes = write_routes(operations, current, lambda s: caller_of(s, ()), {}, {}, more_members={})
    return asking(RequestGuard(router(operations, current, {}, [*writes]), ["localhost"]))


def described(operations: Operations) -> dict[str, Any]:
    """The OpenAPI description, which the validator has found to be one."""
    values: dict[str, Values] = {operation.name: {} for operation in operations}
    found: dict[str, Any] = json.loads(Description(operations, values, [], FACTS, []).to_json())
    assert list(OpenAPIV31SpecValidator(found).iter_errors()) == []
    return found
