"""What a goal names: operations, tools, documents, paths and the values of parameters."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from resolvers.intent.choices import name_pattern
from resolvers.intent.operation import RoutableOperation
from resolvers.intent.request_builder import (
    contains_address,
    is_labelled,
    matched_values,
    names_signed_form,
)
from resolvers.intent.slots import find_statement

PATH = re.compile(r"(?<![\w:/.@-])(/[^\s\"'`“”<>()]*)")
FILE = re.compile(r"(?<=/)[\w-]+\.\w+$")
"""The name of the file in a path."""
_SEGMENT = r"[A-Za-z0-9_~%-]{1,128}"
"""The value of a variable in a path."""
_DOCUMENT = re.compile(r"\.(json|md|sig)$")
_EACH = re.compile(r"(?i)\b(?:all|every|each|names|list|both|which)\b")
"""Words that ask for a whole list."""


def value_weights(operation: RoutableOperation, goal: str) -> Iterator[float]:
    """Yield 1 for each value of a parameter that a goal clearly names, 0.5 for other values."""
    for parameter in operation.parameters:
        if values := matched_values(operation, parameter, goal):
            is_clear = parameter.location == "path" or any(" " in value for value in values)
            yield 1.0 if is_clear or is_labelled(parameter, goal) else 0.5
        elif parameter.location == "query" and parameter.name == "name" and find_statement(goal):
            yield 1.0
        elif contains_address(parameter, goal):
            yield 0.5
    if operation.signed_path is not None and names_signed_form(operation.signed_path, goal):
        yield 1.0


def names_operation(name: str, goal: str) -> bool:
    """Return whether a goal names an operation; one ordinary word counts only next to that."""
    pattern = rf"(?<!\w){name}(?!\w)"
    if name[1:].islower():
        pattern = rf"\boperation:?\s+[\"'`]?{name}(?!\w)|(?<!\w){name}[\"'`]?\s+operation\b"
    return re.search(pattern, goal) is not None


def names_tool(tool: str, goal: str) -> bool:
    """Return whether a goal names a tool; an ordinary word counts only next to "tool"."""
    name = re.escape(tool)
    pattern = rf"(?<!\w){name}(?!\w)"
    if tool.isalpha():
        pattern = rf"\btool:?\s+[\"'`]?{name}(?!\w)|(?<!\w){name}[\"'`]?\s+tool\b"
    return re.search(pattern, goal) is not None


def names_file(file: str, goal: str) -> bool:
    """Return whether a goal names a file."""
    return re.search(rf"(?<![\w./-]){re.escape(file)}(?![\w/-])", goal, re.IGNORECASE) is not None


def operation_at(
    path: str, operations: Sequence[RoutableOperation], goal: str
) -> tuple[int, Mapping[str, str]] | None:
    """Return the operation at a path and its values; of several, one whose method is named."""
    bare = _DOCUMENT.sub("", path.partition("?")[0].partition("#")[0]) or "/"
    full = path.partition("#")[0]
    matches: list[tuple[bool, int, Mapping[str, str]]] = []
    for index, operation in enumerate(operations):
        if full == operation.signed_path:
            return index, {}
        for variant in (full, full.partition("?")[0], bare):
            match = _pattern(operation.path).fullmatch(variant)
            if match is not None:
                is_named = re.search(rf"\b{operation.method}\b", goal) is not None
                matches.append((not is_named, index, match.groupdict()))
                break
    return min(matches, key=lambda item: item[:2])[1:] if matches else None


def lists_and_entries(operations: Sequence[RoutableOperation]) -> list[tuple[int, int]]:
    """Return the places of each list with that of the read of one of its entries."""
    places = {item.path: place for place, item in enumerate(operations)}
    pairs = ((places.get(path.partition("/{")[0]), place) for path, place in places.items())
    return [(one, other) for one, other in pairs if one is not None and one != other]


def named_entries(operation: RoutableOperation, goal: str) -> int:
    """Return how many of the entries that a read is for a goal names."""
    paths = [item for item in operation.parameters if item.location == "path"]
    return max((len(matched_values(operation, item, goal)) for item in paths), default=0)


def names_list(operation: RoutableOperation, goal: str) -> bool:
    """Return whether a goal speaks of a list as a whole, or of several of its entries."""
    return bool(_EACH.search(goal) or re.search(_noun(operation), goal, re.IGNORECASE))


def names_two_reads(operations: Sequence[RoutableOperation], goal: str) -> bool:
    """Return whether a goal asks for two sections, one beside the other."""
    reads = [item for item in operations if item.section and item.path.count("/") > 1]
    reads = [item for item in reads if "{" not in item.path]
    nouns = "|".join(_noun(item) for item in reads)
    sides = rf"(?:{nouns})\s*(?:,|&|\b(?:and|plus|as well as)\b)\s*(?:the |your |all )?(?:{nouns})"
    return bool(nouns) and re.search(sides, goal, re.IGNORECASE) is not None


def _noun(operation: RoutableOperation) -> str:
    return name_pattern(operation.path.rpartition("/")[2], is_entry=True)


@lru_cache
def _pattern(template: str) -> re.Pattern[str]:
    """Return a pattern for a path template; a variable that is still in braces has no value."""
    parts = re.split(r"\{(\w+)\}", template)
    pieces = (
        rf"(?:\{{\w+\}}|:\w+|(?P<{part}>{_SEGMENT}))" if index % 2 else re.escape(part)
        for index, part in enumerate(parts)
    )
    return re.compile("".join(pieces))
