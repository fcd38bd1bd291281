"""Builds the request for a goal and fills it with values from the goal alone.

Values that the goal does not contain are listed as missing; none is invented. Headers are never
filled, because secrets do not belong in a goal.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote, urlencode

from resolvers.embeddings.tokenizer import terms
from resolvers.intent import values as find
from resolvers.intent.choices import ONLY, name_pattern, named_values
from resolvers.intent.operation import Parameter, RoutableOperation
from sdl.operations.catalog import READ, SECTION, VERIFY, read_arguments_of

_JSON, _STREAM = "application/json", "text/event-stream"
_MEDIA_WORDS = {
    _STREAM: re.compile(r"(?i)\b(?:stream\w*|sse|server-sent|token by token)\b"),
    "text/markdown": re.compile(r"(?i)\bmarkdown\b"),
    _JSON: re.compile(r"(?i)\bjson\b"),
}
SIGNED = re.compile(r"(?i)\b(?:signed|signature|snapshot|sig)\b")
_TIME = re.compile(
    r"(?i)\b(?:since|after|newer|later|between|(?:last|past|this) (?:\d+ )?\w*(?:day|week|month"
    r"|year)s?)\b"
)
_NUMBER = re.compile(r"(?<![\w./-])\d{1,9}(?![\w/]|[.,]\d)")
"""A number, or the year of a date."""
_NOT_SENT = re.compile(
    r"(?i)\b(?:do not|don'?t|never|draft|before (?:i|we)|without (?:\w+ )?sending)\b"
)
"""Who says so does not want a message to be sent, or a subscription made, as it is."""


@dataclass(frozen=True)
class IntentRequest:
    """An HTTP request, filled as far as the goal allows."""

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
    """A request, the same as a tool call, and the names of missing values."""

    request: IntentRequest
    call: ToolCall | None
    requires: tuple[str, ...]
    is_exact: bool = True
    """Whether it does no more than the goal asks for, as far as can be told."""


def build_request(
    operation: RoutableOperation, goal: str, path_values: Mapping[str, str]
) -> PreparedRequest:
    """Build the request for a goal; `path_values` come from a path that the goal contains."""
    lists = [item.words for item in operation.parameters if item.schema.get("type") == "array"]
    values: dict[str, Any] = {}
    missing: list[str] = []
    for item in operation.parameters:
        if item.words and item.words in lists and item.schema.get("type") != "array":
            continue  # the list takes what this takes, and more
        value = unquote(path_values.get(item.name) or "") or _find(operation, item, goal)
        if value not in (None, []) and _fits(item.schema, value):
            values[item.name] = value
        is_missing = item.is_required and item.name not in values
        if is_missing or _is_unread(operation, item, goal, values.get(item.name)):
            missing.append(item.name)
    is_exact = _is_exact(operation, goal, values)
    section = operation.signed_section
    verify = ToolCall(VERIFY, {SECTION: section}) if section is not None else None
    if operation.signed_path is not None and not missing and SIGNED.search(goal):
        request = IntentRequest("GET", operation.signed_path, {})
        return PreparedRequest(request, verify, (), is_exact)
    request, call = _request(operation, goal, values), verify
    if operation.tool is not None:
        call = ToolCall(operation.tool, values)
    elif operation.section is not None:
        path, query = (_located(operation, at, values) for at in ("path", "query"))
        call = ToolCall(READ, read_arguments_of(operation.section, path, query))
    return PreparedRequest(request, call, tuple(missing), is_exact)


def matched_values(operation: RoutableOperation, parameter: Parameter, goal: str) -> list[str]:
    """Return the known values of a parameter that a goal names.

    If the operation also takes a search text, a word counts only if it is clearly a choice.
    """
    takes_text = any(item.name == "query" for item in operation.parameters)
    if parameter.location == "path":
        return named_values(goal, parameter, "")
    own = goal if takes_text else "" if operation.acts else operation.text
    return named_values(find.with_digits(goal), parameter, own)


def finds_format(parameter: Parameter, goal: str) -> bool:
    """Return whether a goal contains an address or a date for a parameter of this format."""
    find_in = _FORMATS.get(parameter.schema.get("format", ""))
    return find_in is not None and find_in(goal) is not None


def _located(
    operation: RoutableOperation, location: str, values: Mapping[str, Any]
) -> dict[str, Any]:
    names = [item.name for item in operation.parameters if item.location == location]
    return {name: values[name] for name in names if name in values}


def _request(operation: RoutableOperation, goal: str, values: Mapping[str, Any]) -> IntentRequest:
    path = operation.path
    for name, value in _located(operation, "path", values).items():
        path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
    if query := _located(operation, "query", values):
        path = f"{path}?{urlencode(query, quote_via=quote)}"
    takes_body = any(item.location == "body" for item in operation.parameters)
    headers = {"content-type": _JSON} if takes_body else {}
    asked = (kind for kind, word in _MEDIA_WORDS.items() if word.search(goal))
    if media := next((kind for kind in asked if kind in operation.media[1:]), None):
        headers["accept"] = media
    body = _located(operation, "body", values) if takes_body else None
    return IntentRequest(operation.method, path, headers, body)


def _is_unread(operation: RoutableOperation, parameter: Parameter, goal: str, value: Any) -> bool:
    """Return whether a goal seems to give a parameter a value that was not understood."""
    text = find.QUOTED.sub(" ", goal)
    if parameter.words and operation.acts:
        # Each word must be known: "push prices to" our address chooses, but nothing that is there.
        text = re.sub(r"https?://\S+", " ", text)
        for word in parameter.words:
            text = re.sub(rf"(?i){name_pattern(word, is_entry=False)}", " ", text)
        is_only = not value and ONLY.search(text) is not None
        return is_only or not set(terms(operation.text)).issuperset(terms(text))
    if value is not None or parameter.location in {"path", "header"}:
        return False
    if parameter.words:
        is_choice = "enum" in parameter.schema and ONLY.search(text) is not None
        return is_choice or len(matched_values(operation, parameter, text)) > 1
    if parameter.schema.get("format") == "date-time":
        return _TIME.search(text) is not None
    return (
        parameter.schema.get("type") == "integer" and _find(operation, parameter, text) is not None
    )


def _is_exact(operation: RoutableOperation, goal: str, values: Mapping[str, Any]) -> bool:
    """Return whether each restriction and name in the goal is in the request, and no other."""
    parameters = operation.parameters
    if any(item.location == "body" for item in parameters):
        return not operation.acts or "dryRun" in values or not _NOT_SENT.search(goal)
    if any(len(matched_values(operation, p, goal)) > 1 for p in parameters if p.location == "path"):
        return False
    section = operation.path.partition("?section=")[2].rpartition(".")[2]
    if section and not re.search(rf"(?i)\b{find.spaced(section)}\b", goal):
        return False
    if operation.section and re.search(r"(?i)\bsigned\b", goal) and not operation.signed_path:
        return "sign" in operation.text.lower()
    rest = find.with_digits(goal)
    if any(name in values for name in ("since", "from")):
        for date in find.dates(rest):
            rest = rest.replace(date[0], " ")
    said = f"{operation.path} {[*values.values()]}"
    if any(number not in said for number in _NUMBER.findall(rest)):
        return False
    words = {kind: word for kind, word in _MEDIA_WORDS.items() if kind != _STREAM}
    asked = {kind.rpartition("/")[2] for kind, word in words.items() if word.search(goal)}
    known = {part for media in operation.media for part in re.split(r"[/+]", media)}
    is_filtered = any(item.words and item.name in values for item in parameters)
    return (not known or asked <= known) and (is_filtered or not ONLY.search(goal))


def _find(operation: RoutableOperation, parameter: Parameter, goal: str) -> Any:
    """Return a value for a parameter by its type, format and name, or `None`."""
    kind, name, location = parameter.schema.get("type"), parameter.name, parameter.location
    value: Any = None
    if location == "header":
        return None
    if parameter.words:
        values = matched_values(operation, parameter, goal)
        is_open = location != "path" and "enum" not in parameter.schema and kind != "array"
        # A filter takes one value: several are not asked for by the first of them.
        one = values[0] if len(values) == 1 or (values and location == "path") else None
        value = values if kind == "array" else one
        return find.labelled_value(goal, name) if is_open and not values else value
    if kind == "boolean":
        value = find.find_flag(goal, name)
    elif kind == "integer":
        value = find.find_number(goal, name, alone=parameter.is_required)
        if value is None and name == "limit":
            is_search, is_newest_first = location == "body", _NEWEST_FIRST in operation.description
            value = find.find_limit(goal, is_search=is_search, is_newest_first=is_newest_first)
    elif find_in := _FORMATS.get(parameter.schema.get("format", "")):
        value = find_in(goal)
    elif location == "body" and (find_in := _BODY_TEXTS.get(name)):
        # A question is asked as it stands, a search is for the object of the goal.
        is_asked = operation.acts and name == "query"
        value = goal if is_asked else find.labelled_value(goal, name) or find_in(goal)
    elif kind == "string":
        value = find.labelled_value(goal, name)
    return value


def _quotations(goal: str) -> str | list[str] | None:
    texts = find.quoted_parts(goal)
    return texts[0] if len(texts) == 1 else texts or None


_NEWEST_FIRST = "newest first"
"""What the description of a list says if its newest items are the first."""
_FORMATS: Mapping[str, Callable[[str], str | None]] = {
    "email": lambda goal: find.first(find.EMAIL, goal),
    "uri": lambda goal: find.first(find.URL, goal),
    "date-time": find.find_instant,
}
_BODY_TEXTS: Mapping[str, Callable[[str], Any]] = {
    "query": find.search_phrase,
    "goal": str,
    "input": _quotations,
    "name": find.find_sender,
    "message": lambda goal: next(iter(find.quoted_parts(goal)), None),
}
"""How the texts of a body with these names are found in a goal."""
_TYPES: Mapping[str, type[Any]] = {"string": str, "integer": int, "boolean": bool, "array": list}


def _fits(schema: Mapping[str, Any], value: Any) -> bool:
    """Return whether a value follows the main rules of its schema."""
    if "anyOf" in schema:
        return any(_fits(option, value) for option in schema["anyOf"])
    kind = _TYPES.get(schema.get("type", ""))
    if kind is not None and not isinstance(value, kind):
        return False
    if isinstance(value, str):
        fits = schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))
        return fits and bool(re.search(schema.get("pattern", ""), value))
    if isinstance(value, int):
        return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))
    return bool(len(value) <= schema.get("maxItems", len(value)))
