"""Builds the request for a goal and fills it with values from the goal alone.

Values that the goal does not contain are listed as missing; none is invented. Headers are never
filled, because secrets do not belong in a goal.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote, urlencode

from resolvers.embeddings.tokenizer import terms
from resolvers.intent.choices import name_pattern, named_values
from resolvers.intent.dates import ends_a_time, find_instant
from resolvers.intent.letter import find_message, find_name_after, find_sender, without_sender
from resolvers.intent.numbers import find_first_items, find_limit, find_number, is_cut
from resolvers.intent.operation import Parameter, RoutableOperation
from resolvers.intent.rules import ASK
from resolvers.intent.slots import (
    find_email,
    find_flag,
    find_parts,
    find_revision,
    find_statement,
    find_token,
    find_url,
    labelled_value,
    question_text,
    quoted_parts,
    search_phrase,
    without_quotes,
)
from sdl.generated_tools import READ, SECTION, VERIFY, read_arguments_of

_JSON = "application/json"
_STREAM = "text/event-stream"
_MEDIA_WORDS = {
    _STREAM: re.compile(r"\b(?:stream\w*|sse|server-sent|token by token)\b", re.IGNORECASE),
    "text/markdown": re.compile(r"\bmarkdown\b", re.IGNORECASE),
    _JSON: re.compile(r"\bjson\b", re.IGNORECASE),
}
_SIGNED = re.compile(r"\b(?:signed|signature|snapshot|sig)\b", re.IGNORECASE)
_ONLY = re.compile(
    r"(?i)\b(?:only|just the|nothing but|solely|except|other than|all but|but not)\b"
)
_WHEN = re.compile(r"(?i)\b(?:since|after|between|newer|later)\b")
_RELATIVE = re.compile(
    r"(?i)\b(?:yesterday|today|(?:last|past|this|previous) (?:\d+ )?(?:days?|weeks?|months?|years?|"
    r"quarter|(?:mon|tues|wednes|thurs|fri|satur|sun)day))\b"
)
_YEAR = re.compile(r"(?<![\w./-])(?:19|20)\d\d(?![\w/-]|\.\d)")
_CLAUSE = re.compile(
    r"(?i)\b(?:that|which|who) (?:are|is|was|were|have|has|had|do|does|did|can|use|uses)\b"
)
"""The beginning of what narrows a list."""
_SIGNED_FORM = re.compile(r"(?i)\bsigned\b")
_NEWEST_FIRST = "newest first"
"""What the description of a list says if its newest items are the first."""
_NOTICE_WORDS = terms(
    "send post deliver ping alert hook callback event happen address endpoint server url news add"
    " register notice notification everything publish tell hear want need whenever list set create"
    " make update entry changelog changes release soon immediately nothing else kind"
)
"""What a goal may say of a subscription without choosing anything."""


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
    """Whether it returns no more than the goal asks for, as far as can be told."""


def build_request(
    operation: RoutableOperation, goal: str, path_values: Mapping[str, str]
) -> PreparedRequest:
    """Build the request for a goal; `path_values` come from a path that the goal contains."""
    parameters = operation.parameters
    values = {item.name: _value(operation, item, goal, path_values) for item in parameters}
    values = {name: value for name, value in values.items() if value not in (None, [])}
    for one, several in _same_choices(parameters):
        if several in values:
            values.pop(one, None)
    missing = tuple(
        item.name
        for item in parameters
        if (item.is_required and item.name not in values)
        or _is_unread(operation, item, goal, values)
    )
    is_exact = _is_exact(operation, goal, values)
    if operation.signed_path is not None and not missing and _SIGNED.search(goal):
        request = IntentRequest("GET", operation.signed_path, {})
        return PreparedRequest(request, _verify_call(operation), (), is_exact)
    call = _call(operation, values)
    return PreparedRequest(_request(operation, goal, values), call, missing, is_exact)


def _call(operation: RoutableOperation, values: Mapping[str, Any]) -> ToolCall | None:
    """Return the call of the operation's own tool, or of the one that does it for all."""
    if operation.tool is not None:
        return ToolCall(operation.tool, values)
    if operation.section is None:
        return _verify_call(operation)
    path, query = (
        {
            p.name: values[p.name]
            for p in operation.parameters
            if p.location == at and p.name in values
        }
        for at in ("path", "query")
    )
    return ToolCall(READ, read_arguments_of(operation.section, path, query))


def _verify_call(operation: RoutableOperation) -> ToolCall | None:
    section = operation.signed_section
    return ToolCall(VERIFY, {SECTION: section}) if section is not None else None


def _same_choices(parameters: Sequence[Parameter]) -> Iterator[tuple[str, str]]:
    """Yield each parameter that takes one value with the one that takes several of the same."""
    lists = [item for item in parameters if item.schema.get("type") == "array" and item.words]
    for item in parameters:
        for other in lists:
            if item not in lists and item.words == other.words:
                yield item.name, other.name


def _is_unread(
    operation: RoutableOperation, parameter: Parameter, goal: str, values: Mapping[str, Any]
) -> bool:
    """Return whether a goal seems to choose a value that was not understood."""
    text, value = without_quotes(goal), values.get(parameter.name)
    if "enum" in parameter.schema or (parameter.words and operation.acts):
        others = {b for a, b in _same_choices(operation.parameters) if a == parameter.name}
        return others.isdisjoint(values) and _is_choice_unread(operation, parameter, text, values)
    if value is not None:
        return False
    if parameter.schema.get("format") == "date-time":
        return (_WHEN.search(text) or _RELATIVE.search(text)) is not None
    if parameter.words and parameter.location != "path":
        return len(matched_values(operation, parameter, text)) > 1
    is_number = parameter.schema.get("type") == "integer"
    return is_number and _find_integer(operation, parameter, text) is not None


def _is_choice_unread(
    operation: RoutableOperation, parameter: Parameter, text: str, values: Mapping[str, Any]
) -> bool:
    value = values.get(parameter.name)
    if value is None and _ONLY.search(text):
        return "fields" not in values
    if not operation.acts:
        return value is None and len(matched_values(operation, parameter, text)) > 1
    return _is_partly_read(operation, parameter, _ADDRESS.sub(" ", text), value)


def _is_partly_read(
    operation: RoutableOperation, parameter: Parameter, text: str, value: Any
) -> bool:
    """Return whether a goal chooses something beside a value that was understood.

    If there is one, only what is joined to it or narrows it counts.
    """
    for word in parameter.words:
        text = re.sub(name_pattern(word, is_entry=False), " \x00 ", text, flags=re.IGNORECASE)
    known = {*terms(" ".join((operation.title, *operation.goals))), *_NOTICE_WORDS}
    if value is not None:
        text = " ".join(part for match in _BESIDE_CHOICE.findall(text) for part in match)
    return not known.issuperset(terms(text.replace("\x00", " ")))


def has_form(operation: RoutableOperation, goal: str) -> bool:
    """Return whether an operation has the form that a goal asks for, if it asks for one."""
    words = {kind: word for kind, word in _MEDIA_WORDS.items() if kind != _STREAM}
    asked = [kind.rpartition("/")[2] for kind, word in words.items() if word.search(goal)]
    known = {part for media in operation.media for part in re.split(r"[/+]", media)}
    return not known or known.issuperset(asked)


def _is_exact(operation: RoutableOperation, goal: str, values: Mapping[str, Any]) -> bool:
    """Return whether no restriction of the goal is lost because the operation has none like it."""
    if any(item.location == "body" for item in operation.parameters):
        return True
    paths = [item for item in operation.parameters if item.location == "path"]
    if operation.section and _SIGNED_FORM.search(goal) and operation.signed_path is None:
        return "sign" in operation.text.lower()
    years = {match[0] for match in _YEAR.finditer(goal)}
    is_lost = any(year not in str([*values.values()]) for year in years) or not has_form(
        operation, goal
    )
    is_list = any(item.name == "limit" for item in operation.parameters)
    is_filtered = any(item.words and item.name in values for item in operation.parameters)
    is_lost = is_lost or (is_list and not is_filtered and _CLAUSE.search(goal) is not None)
    is_longer = (is_cut(goal) and "limit" not in values) or ends_a_time(goal) or is_lost
    return not is_longer and all(len(matched_values(operation, item, goal)) <= 1 for item in paths)


def _request(operation: RoutableOperation, goal: str, values: Mapping[str, Any]) -> IntentRequest:
    by_location = {
        location: {
            item.name: values[item.name]
            for item in operation.parameters
            if item.location == location and item.name in values
        }
        for location in ("path", "query", "body")
    }
    path = operation.path
    for name, value in by_location["path"].items():
        path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
    if by_location["query"]:
        path = f"{path}?{urlencode(by_location['query'], quote_via=quote)}"
    takes_body = any(item.location == "body" for item in operation.parameters)
    headers = {"content-type": _JSON} if takes_body else {}
    for media, pattern in _MEDIA_WORDS.items():
        if media in operation.media[1:] and pattern.search(goal):
            headers["accept"] = media
            break
    body = by_location["body"] if takes_body else None
    return IntentRequest(operation.method, path, headers, body)


def _value(
    operation: RoutableOperation, parameter: Parameter, goal: str, path_values: Mapping[str, str]
) -> Any:
    """Return a valid value for a parameter, or `None` if the goal contains none."""
    if parameter.location == "header":
        return None
    value = unquote(path_values.get(parameter.name) or "") or _find(operation, parameter, goal)
    return value if value is not None and _fits(parameter.schema, value) else None


def matched_values(operation: RoutableOperation, parameter: Parameter, goal: str) -> list[str]:
    """Return the known values of a parameter that a goal names.

    If the operation also takes a search text, a word counts only if it is clearly a choice.
    """
    own = "" if parameter.location == "path" else operation.text
    takes_text = any(item.name == "query" for item in operation.parameters)
    return named_values(goal, parameter, own, only_choices=takes_text)


def is_labelled(parameter: Parameter, goal: str) -> bool:
    """Return whether a goal names the parameter itself before a value: `category=data`."""
    return re.search(rf"(?i)(?<!\w){parameter.name}\s*[:=]", goal) is not None


def names_signed_form(path: str, goal: str) -> bool:
    """Return whether a goal asks for something signed and names the section at the path."""
    section = path.removesuffix(".sig").replace("=", "/").replace(".", "/").rpartition("/")[2]
    pattern = name_pattern(section, is_entry=False)
    return bool(_SIGNED.search(goal) and re.search(pattern, goal, re.IGNORECASE))


def contains_address(parameter: Parameter, goal: str) -> bool:
    """Return whether a goal contains the address that a required parameter needs."""
    find = _ADDRESSES.get(parameter.schema.get("format", ""))
    return parameter.is_required and find is not None and find(goal) is not None


def _find(operation: RoutableOperation, parameter: Parameter, goal: str) -> Any:
    kind = parameter.schema.get("type")
    if parameter.words:
        return _find_known(operation, parameter, goal)
    if kind == "boolean":
        return find_flag(goal, parameter.name)
    if kind == "integer":
        return _find_integer(operation, parameter, goal)
    if (find := _FORMATS.get(parameter.schema.get("format", ""))) is not None:
        return find(goal)
    return _find_text(operation, parameter, goal)


def _find_text(operation: RoutableOperation, parameter: Parameter, goal: str) -> Any:
    if parameter.parts:
        return find_parts(goal, parameter.name, parameter.parts)
    if parameter.location == "path":
        collection = operation.path.partition("/{")[0].rpartition("/")[2]
        return find_token(goal, parameter.name, collection)
    is_asked = operation.operation == ASK and parameter.name == "query"
    texts = _TEXTS if parameter.location == "body" else _NAMES
    find = question_text if is_asked else texts.get(parameter.name, _none)
    labelled = labelled_value(goal, parameter.name)
    if labelled and parameter.name == "message":
        return without_sender(labelled)
    return labelled or find(goal)


def _find_integer(operation: RoutableOperation, parameter: Parameter, goal: str) -> int | None:
    number = find_number(goal, parameter.name, alone=parameter.is_required)
    if number is not None or parameter.name != "limit":
        return number
    if parameter.location == "body":
        return find_limit(goal)
    return find_first_items(goal, is_newest_first=_NEWEST_FIRST in operation.description)


def _find_known(operation: RoutableOperation, parameter: Parameter, goal: str) -> Any:
    """Return a known value, or a list of them; of an open set also one that the goal labels."""
    values = matched_values(operation, parameter, goal)
    if parameter.schema.get("type") == "array":
        return values
    is_open = parameter.location != "path" and "enum" not in parameter.schema
    if is_open and not values:
        return labelled_value(goal, parameter.name)
    # A filter takes one value: several are not asked for by the first of them.
    return values[0] if len(values) == 1 or (values and parameter.location == "path") else None


_ADDRESS = re.compile(r"\bhttps?://\S+")
_BESIDE_CHOICE = re.compile(
    r"(?i)\x00\s*(?:,|/|&|\b(?:and|or|plus)\b)\s*((?:and |or |the )?[\w-]+)"
    r"|([\w-]+)\s*(?:,|/|&|\b(?:and|or|plus)\b)\s*\x00"
    r"|\x00\W+(?:\w+\W+){0,2}?(?:about|of|on|regarding|concerning|in|for|from|with) ([^\x00.;,]+)"
)
"""The words joined to a choice, and those after it that narrow it."""
_ADDRESSES: Mapping[str, Callable[[str], str | None]] = {"email": find_email, "uri": find_url}
_FORMATS = {**_ADDRESSES, "date-time": find_instant}


def _none(_: str) -> None:
    return None


def _quotations(goal: str) -> str | list[str] | None:
    texts = quoted_parts(goal)
    return texts[0] if len(texts) == 1 else texts or None


def _message(goal: str) -> str | None:
    return next(iter(quoted_parts(goal)), None) or find_message(goal)


def _company(goal: str) -> str | None:
    return find_name_after(goal, "company")


def _entire(goal: str) -> str:
    return goal


_TEXTS: Mapping[str, Callable[[str], Any]] = {
    "query": search_phrase,
    "goal": _entire,
    "input": _quotations,
    "name": find_sender,
    "company": _company,
    "message": _message,
}
"""How the texts of a body with these names are found in a goal."""
_NAMES: Mapping[str, Callable[[str], Any]] = {
    "name": find_statement,
    "since": find_revision,
    "goal": _entire,
}
"""The same for the texts of a query."""


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
