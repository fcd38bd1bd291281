"""Each `@example` is run on every surface of its operation, and the answers are compared.

A surface answers an example as the others do: with its status, and with the same values. Where one
path answers otherwise each time, as with a clock, the members are compared and not their values.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from html import unescape
from typing import Any
from urllib.parse import unquote, urlsplit

import orjson
from graphql import DirectiveNode, OperationType
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from strawberry.types.execution import ExecutionResult

from mcp_bridge.description import PATH as MCP
from mcp_bridge.protocol.protocol_versions import HANDSHAKE
from mcp_bridge.tools.operation_tool import MORE, has_more
from mcp_bridge.tools.schema_profile import over_mcp
from mcp_bridge.tools.tool import NOTE
from rest_bridge.http.live import live_caller
from rest_bridge.representations.rendering import JSON, MARKDOWN
from sdl.arguments.values import read_arguments
from sdl.errors import ApiError
from sdl.operations.catalog import address, texts_of
from sdl.operations.operation import ERRORS, Operation, as_text, filled
from sdl.operations.rules import OperationProblem, problem_at
from sdl.tools.json_text import to_json
from sdl.types.directives import Example
from sdl.types.shape import ObjectShape, to_plain_json
from surfaces.facade import LOOSE, Surfaces

MAX_SHOWN = 400
"""How much of an answer a problem shows. Units: characters."""
BEFORE = 40
"""How much of what two answers have alike is shown before they differ. Units: characters."""
OK, FAILED, NOT_FOUND = 200, 400, 404
"""HTTP statuses; from `FAILED` on they are failures."""
TOOL, GRAPHQL = "the tool", "GraphQL"
NO_HEADERS: Mapping[str, str] = {}
_NO_LETTERS = re.compile(r"[\W_]+")


@dataclass
class Tried:
    """What came of the examples."""

    problems: list[OperationProblem] = field(default_factory=list)
    answers: int = 0
    examples: int = 0
    left: list[str] = field(default_factory=list)
    """What was not run, and why."""


@dataclass(frozen=True)
class _Answer:
    """What one surface answered."""

    surface: str
    status: int
    body: Any
    """Plain JSON without null, or markdown; of a failure what was wrong."""
    is_text: bool = False
    is_part: bool = False
    """Whether it is not the whole, and says so."""


async def try_examples(service: Surfaces, headers: Mapping[str, str], *, writes: bool) -> Tried:
    """Run the examples of all operations with the headers of a caller.

    Those of mutations only with `writes`, and each of them once, as a second time is another act.
    """
    tried = Tried()
    for operation in service.operations:
        nodes = operation.directives("example")
        if not nodes:
            tried.left.append(f"{operation.name}: it has no @example")
        elif operation.node.operation is OperationType.SUBSCRIPTION:
            tried.left.append(f"{operation.name}: its events are not waited for")
        elif not operation.is_query and not writes:
            tried.left.append(f"{operation.name}: it acts; --writes runs its examples, each once")
        else:
            for example, node in zip(operation.examples, nodes, strict=True):
                await _try(_Call(service, operation, example, headers), node, tried)
    return tried


async def _try(call: "_Call", node: DirectiveNode, tried: Tried) -> None:
    tried.examples += 1
    answers = [answer async for answer in call.answers()]
    tried.answers += len(answers)
    name = f"example {call.example.name!r}"
    wanted = call.example.status
    for own in answers:
        # Over MCP and in GraphQL there is no status, but an error or none.
        is_http = own.surface.startswith("HTTP")
        as_said = own.status == wanted if is_http else (own.status < FAILED) == (wanted < FAILED)
        if not as_said:
            came = "an error" if own.status >= FAILED else "without an error"
            came = str(own.status) if is_http else came
            text = f"{own.surface} answered {came}, not {wanted}: {_shown(_told(own.body))}"
            tried.problems.append(problem_at(node, f"{name}: {text}"))
    good = [own for own in answers if own.status < FAILED]
    first = next((own for own in good if not own.is_text), None)
    if first is None or wanted >= FAILED:
        return
    is_steady: bool | None = None
    for own in good:
        if own is first or call.agrees(own, first.body, is_steady=True):
            continue
        if is_steady is None:
            is_steady = await call.is_steady(first)
        if not call.agrees(own, first.body, is_steady=is_steady):
            said, other = _told(own.body), _told(first.body)
            text = f"{own.surface} answers otherwise than {first.surface}: "
            text += f"'{_shown(said, other)}' and '{_shown(other, said)}'"
            tried.problems.append(problem_at(node, f"{name}: {text}"))


@dataclass(frozen=True)
class _Call:
    """One example, called on one surface after another."""

    service: Surfaces
    operation: Operation
    example: Example
    headers: Mapping[str, str]

    @cached_property
    def members(self) -> dict[str, Any]:
        """The arguments as a body has them, with those that the path has."""
        return self.operation.members(self.example.variables)

    @cached_property
    def sent(self) -> Headers:
        """The headers of the caller, with those that the example's variables are."""
        own = {
            v.header: as_text(self.example.variables[v.name])
            for v in self.operation.variables
            if v.header is not None and v.name in self.example.variables
        }
        return Headers({**self.headers, **own})

    async def answers(self) -> AsyncGenerator[_Answer, None]:
        """Yield the answer of each surface; for a mutation, only of the first."""
        own = self.operation
        media = own.rest.media if own.rest is not None else ()
        # A resource has no arguments but those of its address.
        is_resource = own.resource is not None and {*self.members} <= {*own.path_variables}
        # Over MCP no header fills a variable, so another answer may be right there.
        is_over_mcp = not any(v.header in self.sent for v in own.variables if v.header is not None)
        surfaces: list[tuple[bool, Callable[[], Awaitable[_Answer]]]] = [
            (JSON in media, partial(self._by_http, JSON)),
            (MARKDOWN in media, partial(self._by_http, MARKDOWN)),
            (is_over_mcp and own.mcp is not None, self._by_tool),
            (is_over_mcp and is_resource, self._by_resource),
            (is_over_mcp and own.prompt is not None, self._by_prompt),
            (True, self._by_graphql),
        ]
        there = [surface for is_there, surface in surfaces if is_there]
        for surface in there if own.is_query else there[:1]:
            yield await surface()

    def agrees(self, answer: _Answer, body: Any, *, is_steady: bool) -> bool:
        """Whether an answer says the same as a body."""
        if answer.is_text:
            return answer.is_part or not is_steady or _says(answer.body, body)
        expected = body
        if answer.surface == TOOL:
            expected = _without_null(over_mcp(self.operation.shape, body, self.service.url))
        if not is_steady:
            return bool(_outline(answer.body) == _outline(expected))
        is_same: bool = answer.body == expected
        return _is_part(answer.body, expected) if answer.is_part else is_same

    async def is_steady(self, before: _Answer) -> bool:
        """Whether a surface answers again as before."""
        again = [own.body async for own in self.answers() if own.surface == before.surface]
        return bool(again == [before.body])

    async def _by_http(self, media_type: str) -> _Answer:
        rest = self.operation.rest
        if rest is None:
            raise TypeError(self.operation.name)
        path, _, query = address(self.operation, self.example.variables).partition("?")
        headers = {**self.sent, "accept": media_type}
        body = None
        if rest.method not in ("GET", "DELETE"):
            in_path = self.operation.path_variables
            left = {name: own for name, own in self.members.items() if name not in in_path}
            body, query = to_json(left), ""
        status, text = await ask(
            self.service, rest.method, path, query=query, headers=headers, body=body
        )
        if status >= FAILED or media_type != JSON:
            surface = f"HTTP {rest.method} {path} as {media_type}"
            return _Answer(surface, status, text.decode(), is_text=True)
        surface = f"HTTP {rest.method} {path}"
        return _Answer(surface, status, _without_null(orjson.loads(text) if text else None))

    async def _by_tool(self) -> _Answer:
        tool = self.operation.mcp.tool if self.operation.mcp is not None else ""
        result = await self._mcp("tools/call", name=tool, arguments=self.members)
        said = "".join(part.get("text", "") for part in result.get("content", ()))
        if "error" in result or result.get("isError"):
            return _Answer(TOOL, FAILED, said or result["error"])
        body: Any = dict(result.get("structuredContent") or {})
        has_own = has_more(self.operation)
        is_part = said.startswith(NOTE) if has_own else body.pop(MORE, None) is not None
        if not body and self.operation.may_be_null:
            return _Answer(TOOL, OK, None, is_part=is_part)
        if not isinstance(self.operation.shape, ObjectShape):
            body = body.get("items", body.get("result"))
        return _Answer(TOOL, OK, _without_null(body), is_part=is_part)

    async def _by_resource(self) -> _Answer:
        resource = self.operation.resource
        name = resource.name if resource is not None else ""
        uri = LOOSE.scheme + filled(name, texts_of(self.operation, self.members))
        result = await self._mcp("resources/read", uri=uri)
        if "error" in result:
            return _Answer(f"resource {uri}", FAILED, result["error"])
        [content] = result["contents"]
        text = content["text"]
        is_text = content["mimeType"] != JSON
        body = text if is_text else _without_null(orjson.loads(text))
        return _Answer(f"resource {uri}", OK, body, is_text=is_text)

    async def _by_prompt(self) -> _Answer:
        name = self.operation.prompt.name if self.operation.prompt is not None else ""
        found = texts_of(self.operation, self.members)
        texts = {n: own if isinstance(own, str) else ",".join(own) for n, own in found.items()}
        result = await self._mcp("prompts/get", name=name, arguments=texts)
        if "error" in result:
            return _Answer(f"prompt {name}", FAILED, result["error"])
        text = result["messages"][0]["content"]["text"]
        return _Answer(f"prompt {name}", OK, text, is_text=True)

    async def _by_graphql(self) -> _Answer:
        own = self.operation
        came: list[ExecutionResult | ApiError] = []

        async def run(scope: Scope, receive: Receive, send: Send) -> None:
            try:
                variables = read_arguments(own, self.members, self.sent)
                caller = live_caller(Request(scope))
                came.append(await self.service.live.execute(own, variables, caller))
            except ApiError as error:
                came.append(error)
            await Response()(scope, receive, send)

        app = self.service.guarded(run)
        try:
            status, text = await ask(self.service, "POST", MCP, headers=self.sent, app=app)
        except ApiError as error:
            came.append(error)
        if not came:  # what stands between has answered
            return _Answer(GRAPHQL, status, text.decode())
        [result] = came
        if isinstance(result, ApiError):
            return _Answer(GRAPHQL, FAILED, result.detail)
        body = own.body_in(result.data) if result.data is not None else None
        is_partial = own.rest is not None and own.rest.partial
        if result.errors and (body is None or not is_partial):
            return _Answer(GRAPHQL, FAILED, result.errors[0].message)
        if is_partial and body is not None:
            body = {ERRORS: None, **body}
        if body is None and not (own.may_be_null and self.service.current().is_live):
            return _Answer(GRAPHQL, NOT_FOUND, "null")
        plain = _without_null(to_plain_json(own.shape, body)) if body is not None else None
        return _Answer(GRAPHQL, own.status_of(plain), plain, is_part=is_partial)

    async def _mcp(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of a message, or `{error}`."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        headers = {**self.headers, "accept": JSON, "mcp-protocol-version": HANDSHAKE[-1]}
        status, text = await ask(
            self.service, "POST", MCP, headers=headers, body=orjson.dumps(message)
        )
        answer = orjson.loads(text) if text else {}
        result: dict[str, Any] = answer.get("result") or {
            "error": answer.get("error", {"status": status})
        }
        return result


async def ask(  # noqa: PLR0913 - keywords name what a request has
    service: Surfaces,
    method: str,
    path: str,
    *,
    query: str = "",
    headers: Mapping[str, str] = NO_HEADERS,
    body: bytes | None = None,
    app: ASGIApp | None = None,
) -> tuple[int, bytes]:
    """Return the status and the body of a request to a service, or to `app`, without a socket."""
    url = urlsplit(service.url)
    sent = {"host": url.netloc, **({"content-type": JSON} if body is not None else {}), **headers}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "client": ("127.0.0.1", 0),
        "method": method,
        "scheme": url.scheme,
        "path": unquote(url.path + path),
        "raw_path": (url.path + path).encode(),
        "query_string": query.encode(),
        "headers": [(name.lower().encode(), text.encode()) for name, text in sent.items()],
    }
    status, parts = 0, list[bytes]()
    waiting: list[Message] = [{"type": "http.request", "body": body or b""}]

    async def receive() -> Message:
        return waiting.pop() if waiting else await asyncio.Future()

    async def send(message: Message) -> None:
        nonlocal status
        status = message.get("status", status)
        parts.append(message.get("body", b""))

    await (app or service)(scope, receive, send)
    return status, b"".join(parts)


def _told(body: Any) -> str:
    """Return an answer on one line."""
    return " ".join(body.split()) if isinstance(body, str) else orjson.dumps(body).decode()


def _shown(text: str, other: str = "") -> str:
    """Return a text; of a long one, what stands where it begins to differ from the other."""
    pairs = enumerate(zip(text, other, strict=False)) if len(text) > MAX_SHOWN else ()
    alike = next((at for at, (own, its) in pairs if own != its), 0)
    start = max(0, alike - BEFORE)
    end = start + MAX_SHOWN
    return f"{'… ' * (start > 0)}{text[start:end]}{' …' * (len(text) > end)}"


def _without_null(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_null(own) for name, own in value.items() if own is not None}
    return [_without_null(own) for own in value] if isinstance(value, list) else value


def _is_part(part: Any, whole: Any) -> bool:
    """Whether a value is another one, or that without some members and without its last items."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(name in whole and _is_part(own, whole[name]) for name, own in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) <= len(whole) and all(map(_is_part, part, whole))
    return bool(part == whole)


def _outline(value: Any) -> Any:
    """Return a value with types for texts and numbers, and of a list its first item alone."""
    if isinstance(value, dict):
        return {name: _outline(own) for name, own in value.items()}
    return [_outline(own) for own in value[:1]] if isinstance(value, list) else type(value)


def _says(text: str, body: Any) -> bool:
    """Whether a markdown text has all texts and numbers of a body, by letters and digits alone."""
    letters = _letters(unescape(text))
    return all(_letters(str(own)) in letters for own in _leaves(body))


def _letters(text: str) -> str:
    return _NO_LETTERS.sub("", text).lower()


def _leaves(value: Any) -> Iterator[str | int | float]:
    if isinstance(value, dict | list):
        for own in value.values() if isinstance(value, dict) else value:
            yield from _leaves(own)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield value
