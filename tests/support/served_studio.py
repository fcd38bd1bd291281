"""A studio that is served in this process, asked from outside, and its operations with examples."""

import asyncio
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote, urlencode

import httpx
from local_service import stored_operations, until_it_answers
from steady_text import Asked

from sdl.operations.operation import Operation
from studiograph.asgi import build
from studiograph.settings import Settings

BASE_URL = "https://agents.example"
JSON_ALONE = {"accept": "application/json"}
UNKNOWN = "no-entry-has-this-name"
SLUGS = 3
"""How many entries of each list are asked for, at most: a studio has three projects."""

Values = Mapping[str, Any]
NOTHING: Values = {}


class Studio:
    """A studio and its service."""

    def __init__(
        self, settings: Settings, client: httpx.AsyncClient, runner: asyncio.Runner
    ) -> None:
        self.settings, self._client, self._runner = settings, client, runner
        self.operations = sorted(stored_operations(), key=lambda operation: operation.name)
        self._items: dict[str, list[dict[str, Any]]] = {}

    def ask(self, path: str, method: str = "GET", **options: Any) -> httpx.Response:
        """Return the answer to a request."""
        return self._runner.run(self._client.request(method, path, **options))

    def read(self, path: str, form: str, *, shape_alone: bool = False) -> Asked:
        """Return a GET in one form, with its answer."""
        answer = self.ask(path, headers={"accept": form})
        return Asked(f"GET {path} {form}", answer, shape_alone and answer.is_success)

    def mcp(self, method: str, params: Values = NOTHING, *, shape_alone: bool = False) -> Asked:
        """Return an MCP request of the handshake era, with its answer."""
        answer = self.ask("/mcp", "POST", json=rpc(method, **params), headers=JSON_ALONE)
        told = " ".join(json.dumps(value, ensure_ascii=False) for value in params.values())
        is_result = answer.json().get("result", {}).get("isError") is False
        return Asked(f"{method} {told}".rstrip(), answer, shape_alone and is_result)

    def call(self, tool: str, given: Values) -> Any:
        """Return the result of a tool."""
        return self.mcp("tools/call", {"name": tool, "arguments": given}).body["result"]

    @cached_property
    def tools(self) -> list[dict[str, Any]]:
        """The tools that are listed."""
        found: list[dict[str, Any]] = self.mcp("tools/list").body["result"]["tools"]
        return found

    @cached_property
    def reads(self) -> list[tuple[Operation, str, list[str]]]:
        """The operations that GET reads, each with its path and its forms."""
        rests = ((operation, operation.rest) for operation in self.operations)
        return [(o, rest.path, rest.media) for o, rest in rests if rest and rest.method == "GET"]

    @cached_property
    def openapi(self) -> Any:
        """The OpenAPI description."""
        return self.ask("/openapi.json").json()

    @cached_property
    def public_fields(self) -> set[str]:
        """The root fields that callers of GraphQL may ask for."""
        query = {"query": "{ __schema { queryType { fields { name } } } }"}
        schema = self.ask("/api/graphql", "POST", json=query).json()["data"]["__schema"]
        return {each["name"] for each in schema["queryType"]["fields"]}

    def items(self, operation: Operation) -> list[dict[str, Any]]:
        """Return the first values of the path's variables, as the refusal of others lists them."""
        if operation.name not in self._items:
            names = operation.path_variables
            refused = self.ask(address(operation, dict.fromkeys(names, UNKNOWN))).json()
            known = [problem.get("allowed", ()) for problem in refused.get("fields", ())]
            found = [dict(zip(names, values, strict=True)) for values in zip(*known, strict=True)]
            self._items[operation.name] = found[:SLUGS]
        return self._items[operation.name]

    def examples(self, operation: Operation, *, succeeding: bool = False) -> Iterator[Values]:
        """Yield the variables of each example; without a slug, with each of the first ones.

        What is created needs a receiver that plays along, so it is left out.
        """
        for example in operation.examples:
            is_good = example.status == httpx.codes.OK
            if is_good or not (succeeding or example.status == httpx.codes.CREATED):
                is_open = {*operation.path_variables} - {*example.variables}
                for item in self.items(operation) if is_open else [{}]:
                    yield {**item, **example.variables}


def address(operation: Operation, values: Values) -> str:
    """Return the path and query of an operation with these variables and parameters."""
    assert operation.rest is not None
    path = operation.rest.path
    for name in operation.path_variables:
        path = path.replace(f"{{{name}}}", quote(str(values[name]), safe=""))
    return with_query(path, {n: v for n, v in values.items() if n not in operation.path_variables})


def with_query(path: str, query: Values) -> str:
    """Return a path with parameters."""
    texts = {name: str(v).lower() if isinstance(v, bool) else v for name, v in query.items()}
    return f"{path}?{urlencode(texts, doseq=True)}" if query else path


def arguments(values: Values) -> dict[str, Any]:
    """Return variables as the members of a body, or as the arguments of a tool."""
    own = {name: value for name, value in values.items() if name != "input"}
    return {**values.get("input", {}), **own}


def rpc(method: str, /, **params: Any) -> dict[str, Any]:
    """Return a message of MCP's handshake era."""
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


@contextmanager
def served(folder: Path) -> Iterator[Studio]:
    """Serve a studio in this process, with keys that are made for it, ready for questions."""
    with TemporaryDirectory() as scratch, asyncio.Runner() as runner:
        content, data = Path(scratch) / "content", Path(scratch) / "var"
        shutil.copytree(folder, content, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
        settings = Settings(content=content, data=data, base_url=BASE_URL, ai_embedder="hash")
        client = httpx.AsyncClient(
            transport=httpx.ASGITransport(
                build(settings, operations=stored_operations()), raise_app_exceptions=False
            ),
            base_url="http://localhost",
            headers={"accept": "*/*", "accept-encoding": "identity"},
        )
        studio = Studio(settings, client, runner)
        until_it_answers(studio.ask)
        yield studio
        runner.run(client.aclose())
