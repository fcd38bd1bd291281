"""What callers of a service rely on, as a small file, and the changes that would break them.

The file has each operation with its addresses, its arguments and the members of its answer, each
with its type as JSON has it: `needed string`, `integer or null`, `one of LOW, HIGH`. What stands in
words alone is no part of it.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from graphql import build_schema, find_breaking_changes

from sdl.arguments.input_schemas import arguments_schema
from sdl.arguments.projection import names
from sdl.operations.operation import Operation
from sdl.types.shape import json_schema

VERSION = 1
Contract = dict[str, Any]
Breaks = Iterator[tuple[str, str]]
"""The name of an operation, empty for the schema, and a sentence on what breaks its callers."""

_ADDRESSES = ("route", "tool", "resource", "prompt", "webhook", "rel")
_ITEM = "[]"
_ONE_OF, _NEEDED, _NULL = "one of ", "needed ", " or null"
_ONE_MEMBER = "object with exactly one member"
_TYPE = re.compile(rf"(?P<needed>{_NEEDED})?(?P<kind>.*?)(?P<null>{_NULL})?")
_WIDER = {"integer": "number", _ONE_MEMBER: "object"}


def contract_of(operations: Iterable[Operation], sdl: str | None = None) -> Contract:
    """Return what callers rely on; `sdl` is the schema on which they may write queries."""
    found = {own.name: _of(own) for own in operations}
    schema = {"schema": sdl.splitlines()} if sdl is not None else {}
    return {"version": VERSION, "operations": dict(sorted(found.items())), **schema}


def text_of(contract: Contract) -> str:
    """Return the text of a contract, which is the same for the same operations."""
    return f"{json.dumps(contract, indent=2, ensure_ascii=False)}\n"


def read_contract(text: str) -> Contract:
    """Return the contract of a text. Raises: ValueError that says what is wrong with it."""
    contract = json.loads(text)
    if not isinstance(contract, dict) or not isinstance(contract.get("operations"), dict):
        raise ValueError("it is no lock of operations")  # noqa: TRY004 - callers catch ValueError
    if contract.get("version") != VERSION:
        raise ValueError("another version of this program wrote it")
    return contract


def breaks(old: Contract, new: Contract) -> Breaks:
    """Yield each change that breaks a caller of the old contract: what was, and what is."""
    for name, was in old["operations"].items():
        own = new["operations"].get(name)
        if own is None:
            addresses = ", ".join(f"{kind} {was[kind]}" for kind in _ADDRESSES if kind in was)
            yield name, f"the operation is gone; it was {addresses}"
            continue
        for sentence in (*_addresses(was, own), *_arguments(was, own), *_answers(was, own)):
            yield name, sentence
    if "schema" in old:
        if "schema" not in new:
            yield "", "the GraphQL endpoint was there and is gone"
            return
        schemas = (build_schema("\n".join(own["schema"])) for own in (old, new))
        for change in find_breaking_changes(*schemas):
            yield "", f"the schema: {change.description}"


def _of(operation: Operation) -> Contract:
    rest = operation.rest
    found = {
        "route": f"{rest.method} {rest.path}" if rest is not None else None,
        "status": rest.status if rest is not None else None,
        "media": [*rest.media] if rest is not None else None,
        "failures": {own.type: own.status for own in operation.failures} or None,
        "tool": operation.mcp.tool if operation.mcp is not None else None,
        "resource": operation.resource.name if operation.resource is not None else None,
        "prompt": operation.prompt.name if operation.prompt is not None else None,
        "webhook": operation.webhook.name if operation.webhook is not None else None,
        "rel": rest.rel if rest is not None else None,
        "parts": [*names(operation)] or None,
    }
    headers = {
        f"header {own.header.lower()}": f"{_NEEDED if own.required else ''}string"
        for own in operation.variables
        if own.header is not None
    }
    taken = dict(_flat(arguments_schema(operation, with_null=True)))
    if taken[""] != _ONE_MEMBER:
        del taken[""]
    answered = json_schema(operation.shape, nulls=True)
    # What an answer needs is no more than that it is not null.
    members = {path: own.removeprefix(_NEEDED) for path, own in _flat(answered)}
    members[""] += _NULL if operation.may_be_null else ""
    return {
        **{name: value for name, value in found.items() if value is not None},
        "arguments": taken | headers,
        "answer": members,
    }


def _flat(schema: Mapping[str, Any], path: str = "", needed: str = "") -> Iterator[tuple[str, str]]:
    """Yield the type of a JSON Schema, and those of its items and members by their paths."""
    parts = [own for own in schema.get("anyOf", ()) if own != {"type": "null"}]
    if len(parts) == 1:  # a value or null
        [(first, kind), *below] = _flat(parts[0], path, needed)
        yield first, kind if kind.endswith(_NULL) else kind + _NULL
        yield from below
        return
    named = schema.get("type", "any")
    kinds = [own for own in ([named] if isinstance(named, str) else named) if own != "null"]
    null = _NULL if "null" in named or None in schema.get("enum", ()) else ""
    kind = " | ".join(kinds) + (f" ({schema['format']})" if "format" in schema else "")
    if "enum" in schema:
        kind = _ONE_OF + ", ".join(str(word) for word in schema["enum"] if word is not None)
    elif "array" in kinds:
        kind = "list"
    elif "oneOf" in schema:
        kind = _ONE_MEMBER
    yield path, f"{needed}{kind}{null}"
    if "items" in schema:
        yield from _flat(schema["items"], f"{path}{_ITEM}")
    for name, member in schema.get("properties", {}).items():
        is_needed = name in schema.get("required", ())
        yield from _flat(member, f"{path}.{name}" if path else name, _NEEDED if is_needed else "")


def _addresses(was: Contract, own: Contract) -> Iterator[str]:
    for kind in _ADDRESSES:
        if kind in was and was[kind] != own.get(kind):
            now = f"is {own[kind]}" if kind in own else "is gone"
            yield f"the {kind} was {was[kind]} and {now}"
    there = {*own.get("parts", ()), *own["arguments"]}
    for gone in [part for part in was.get("parts", ()) if part not in there]:
        yield f"the parameter {gone} was there and is gone"
    if "route" not in was or "route" not in own:
        return
    if was["status"] != own["status"]:
        yield f"the status of a success was {was['status']} and is {own['status']}"
    for gone in [media for media in was["media"] if media not in own["media"]]:
        yield f"the answer was {gone} too and is {', '.join(own['media'])} alone"
    first, now = was["media"][0], own["media"][0]
    if first != now and first in own["media"]:
        yield f"the answer to who asks for none in particular was {first} and is {now}"
    before, after = was.get("failures", {}), own.get("failures", {})
    for kind in sorted({*before, *after}):
        status, new = before.get(kind, was["status"]), after.get(kind, own["status"])
        if status != new and kind in _words_of(was):
            yield f"the status of {kind} was {status} and is {new}"


def _words_of(contract: Contract) -> set[str]:
    """Return all words that members of an answer may be."""
    kinds = (_read(own).kind for own in contract["answer"].values())
    listed = (kind.removeprefix(_ONE_OF).split(", ") for kind in kinds if kind.startswith(_ONE_OF))
    return {word for words in listed for word in words}


def _arguments(was: Contract, own: Contract) -> Iterator[str]:
    old, new = was["arguments"], own["arguments"]
    yield from _changed(old, new, "the argument", _fits)
    for path, text in new.items():
        outer = _outer(path)
        if path not in old and _read(text).is_needed and (not outer or outer in old):
            yield f"the argument {path} was not there and is {text}"


def _answers(was: Contract, own: Contract) -> Iterator[str]:
    yield from _changed(
        was["answer"], own["answer"], "the member", lambda before, now: _fits(now, before)
    )


def _changed(
    old: Mapping[str, str],
    new: Mapping[str, str],
    noun: str,
    is_kept: Callable[["_Type", "_Type"], bool],
) -> Iterator[str]:
    """Yield what is gone or of another type; what was below it is not named again."""
    named: set[str] = set()
    for path, text in old.items():
        if _outer(path) in named:
            named.add(path)
        elif path not in new:
            named.add(path)
            yield f"{noun} {path} was {text} and is gone"
        elif not is_kept(_read(text), _read(new[path])):
            if _read(text).kind != _read(new[path]).kind:
                named.add(path)
            named_as = f"{noun} {path}" if path else "the whole answer"
            yield f"{named_as} was {text} and is {new[path]}"


def _outer(path: str) -> str:
    """Return the path of what a member or an item is in."""
    return path.removesuffix(_ITEM) if path.endswith(_ITEM) else path.rpartition(".")[0]


class _Type(NamedTuple):
    """The type of an argument or a member."""

    is_needed: bool
    kind: str
    has_null: bool


def _read(text: str) -> _Type:
    """Return the type that a text of the file says."""
    found = _TYPE.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no type of an argument or a member")
    return _Type(found["needed"] is not None, found["kind"], found["null"] is not None)


def _fits(narrow: _Type, wide: _Type) -> bool:
    """Whether each value of one type is one of the other."""
    if (narrow.has_null and not wide.has_null) or (wide.is_needed and not narrow.is_needed):
        return False
    kind = narrow.kind
    if wide.kind in ("any", kind, _WIDER.get(kind)):
        return True
    if kind.startswith(_ONE_OF) and wide.kind.startswith(_ONE_OF):
        words, others = (own.removeprefix(_ONE_OF).split(", ") for own in (kind, wide.kind))
        return {*words} <= {*others}
    return wide.kind == "string" and kind.startswith((_ONE_OF, "string ("))
