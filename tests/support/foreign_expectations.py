"""What owners of foreign applications expect, and the words they say it in."""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from httpx import Response

Headers = Mapping[str, str]
Json = Any
Result = dict[str, Any]
"""The result of a tool, or `{error}`."""
NONE: Headers = {}
MCP = {"mcp-protocol-version": "2025-06-18", "accept": "application/json"}
EVENTS = {"accept": "text/event-stream"}
MARKDOWN = {"accept": "text/markdown"}


class Probe(NamedTuple):
    """One request, such as `GET /books`, and what its answer is."""

    title: str
    asked: str
    status: int
    holds: Callable[[Response], object] = bool
    headers: Mapping[str, Any] = NONE
    body: Json = None


class Call(NamedTuple):
    """One call of a tool, and what its result is."""

    tool: str
    arguments: dict[str, Any]
    holds: Callable[[Result], object]
    headers: Headers = NONE


class Caller(NamedTuple):
    """A request of one of two callers: its answer has the caller's word and not the other's."""

    asked: str
    headers: Headers
    own: str
    other: str
    body: Json = None


def bearer(token: str) -> dict[str, str]:
    """The header of a caller."""
    return {"authorization": f"Bearer {token}"}


def rpc(method: str, **params: Any) -> dict[str, Any]:
    """A message of MCP."""
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def says(answer: Response, *words: str, hides: tuple[str, ...] = ()) -> bool:
    """Whether a body has these words and none of those."""
    has = answer.text.__contains__
    return all(map(has, words)) and not any(map(has, hides))


def fails(result: Result, *words: str, hides: tuple[str, ...] = ()) -> bool:
    """Whether a tool says that it failed, with these words and none of those."""
    has = json.dumps(result, ensure_ascii=False).__contains__
    failed = bool(result.get("isError") or "error" in result)
    return failed and all(map(has, words)) and not any(map(has, hides))


def private(answer: Response) -> bool:
    """Whether only the caller may keep an answer."""
    control = answer.headers["cache-control"]
    return "private" in control or "no-store" in control


def events(answer: Response) -> list[Json]:
    """The data of each event that is JSON."""
    lines = (line.removeprefix("data:") for line in answer.text.splitlines() if "data:" in line)
    return [json.loads(line) for line in lines if line.strip()[:1] in "{["]


def deep(data: Json, key: str) -> list[Json]:
    """Every value of a key, anywhere in JSON."""
    if isinstance(data, list):
        return [value for item in data for value in deep(item, key)]
    if not isinstance(data, dict):
        return []
    below = [value for item in data.values() for value in deep(item, key)]
    return [*([data[key]] if key in data else []), *below]
