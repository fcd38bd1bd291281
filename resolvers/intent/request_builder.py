"""The request that serves a goal, filled with what the goal says and with nothing else.

Whatever a goal does not give is named as missing: no address, name or message is ever made up, and
no header is filled, as a goal is no place for secrets. Sends nothing.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote, urlencode

from resolvers.intent.operation import Parameter, RoutableOperation
from resolvers.intent.slots import (
    count_words,
    find_email,
    find_flag,
    find_instant,
    find_number,
    find_token,
    find_url,
    labelled_value,
    quoted_parts,
    search_phrase,
)

_JSON = "application/json"
_STREAM = "text/event-stream"
_ASKED = {
    _STREAM: re.compile(r"\b(?:stream\w*|sse|server-sent|token by token)\b", re.IGNORECASE),
    "text/markdown": re.compile(r"\bmarkdown\b", re.IGNORECASE),
    _JSON: re.compile(r"\bjson\b", re.IGNORECASE),
}
_SIGNED = re.compile(r"\b(?:signed|signature|snapshot|sig)\b", re.IGNORECASE)


@dataclass(frozen=True)
class IntentRequest:
    """An HTTP request; its body is what it holds so far."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class ToolCall:
    """A call of an MCP tool."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class PreparedRequest:
    """What to send, and what is missing in it before it can be sent."""

    request: IntentRequest
    call: ToolCall | None
    requires: tuple[str, ...]


def build_request(post: RoutableOperation, goal: str, given: Mapping[str, str]) -> PreparedRequest:
    """The request for a goal; `given` are values that its path, named in the goal, holds."""
    values = {m.name: _value(post, m, goal, given) for m in post.parameters}
    values = {name: value for name, value in values.items() if value not in (None, [])}
    missing = tuple(m.name for m in post.parameters if m.is_required and m.name not in values)
    if post.signed_path is not None and not missing and _SIGNED.search(goal):
        return PreparedRequest(IntentRequest("GET", post.signed_path, {}), None, ())
    call = ToolCall(post.tool, values) if post.tool is not None else None
    return PreparedRequest(_request(post, goal, values), call, missing)


def _request(post: RoutableOperation, goal: str, values: Mapping[str, Any]) -> IntentRequest:
    placed = {
        place: {
            m.name: values[m.name]
            for m in post.parameters
            if m.location == place and m.name in values
        }
        for place in ("path", "query", "body")
    }
    path = post.path
    for name, value in placed["path"].items():
        path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
    if placed["query"]:
        path = f"{path}?{urlencode(placed['query'], quote_via=quote)}"
    takes_body = any(member.location == "body" for member in post.parameters)
    headers = {"content-type": _JSON} if takes_body else {}
    for media, asked in _ASKED.items():
        if media in post.media[1:] and asked.search(goal):
            headers["accept"] = media
            break
    return IntentRequest(post.method, path, headers, placed["body"] if takes_body else None)


def _value(post: RoutableOperation, member: Parameter, goal: str, given: Mapping[str, str]) -> Any:
    """What a goal says of a member, where it says anything that the member may be."""
    if member.location == "header":
        return None
    found = unquote(given.get(member.name) or "") or _found(post, member, goal)
    return found if found is not None and _fits(member.schema, found) else None


def matched_values(post: RoutableOperation, member: Parameter, goal: str) -> list[str]:
    """The words known of a member that a goal chooses.

    Where a text is looked for too, a word may be part of it, and has to stand plainly as a choice.
    """
    own = "" if member.location == "path" else post.text
    is_text_given = any(other.name == "query" for other in post.parameters)
    return count_words(goal, member, own, only_plainly=is_text_given)


def contains_address(member: Parameter, goal: str) -> bool:
    """Whether a goal holds an address of the kind that the member must be."""
    reader = _ADDRESSES.get(member.schema.get("format", ""))
    return member.is_required and reader is not None and reader(goal) is not None


def _found(post: RoutableOperation, member: Parameter, goal: str) -> Any:
    kind = member.schema.get("type")
    if member.words:
        named = matched_values(post, member, goal)
        return named if kind == "array" else next(iter(named), None)
    if kind == "boolean":
        return find_flag(goal, member.name)
    if kind == "integer":
        return find_number(goal, member.name, alone=member.is_required)
    if (reader := _FORMATS.get(member.schema.get("format", ""))) is not None:
        return reader(goal)
    if member.location == "path":
        return find_token(goal, member.name)
    return labelled_value(goal, member.name) or _TEXTS.get(member.name, _nothing)(goal)


_ADDRESSES: Mapping[str, Callable[[str], str | None]] = {"email": find_email, "uri": find_url}
_FORMATS = {**_ADDRESSES, "date-time": find_instant}


def _nothing(_: str) -> None:
    return None


def _strings(goal: str) -> str | list[str] | None:
    texts = quoted_parts(goal)
    return texts[0] if len(texts) == 1 else texts or None


def _sentence(goal: str) -> str | None:
    return next(iter(quoted_parts(goal)), None)


def _whole(goal: str) -> str:
    return goal


_TEXTS: Mapping[str, Callable[[str], Any]] = {
    "query": search_phrase,
    "goal": _whole,
    "input": _strings,
    "message": _sentence,
}
"""Members that are texts by themselves, and how a goal gives them."""


_TYPES: Mapping[str, type[Any]] = {"string": str, "integer": int, "boolean": bool, "array": list}


def _fits(schema: Mapping[str, Any], value: Any) -> bool:
    """Whether a value keeps the rules of its schema; a closer look has whoever is sent it."""
    if "anyOf" in schema:
        return any(_fits(each, value) for each in schema["anyOf"])
    kind = _TYPES.get(schema.get("type", ""))
    if kind is not None and not isinstance(value, kind):
        return False
    if isinstance(value, str):
        room = schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))
        return room and bool(re.search(schema.get("pattern", ""), value))
    if isinstance(value, int):
        return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))
    return bool(len(value) <= schema.get("maxItems", len(value)))
