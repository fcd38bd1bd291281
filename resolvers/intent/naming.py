"""What a goal names: operations, tools, documents and paths."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from resolvers.intent.operation import RoutableOperation

Named = tuple[int, str, Mapping[str, str]]
"""The place of an operation, why it is meant, and the values of its path."""

_PATH = re.compile(r"(?<![\w:/.@-])(/[^\s\"'`“”<>()]*)")
_FILE = re.compile(r"(?<=/)[\w-]+\.\w+$")
_SEGMENT = r"[A-Za-z0-9_~%-]{1,128}"
"""The value of a variable in a path."""
_DOCUMENT = re.compile(r"\.(json|md|sig)$")


def named_operations(operations: Sequence[RoutableOperation], goal: str) -> Iterator[Named]:
    """Yield the operations that a goal names; paths come first, as they hold values."""
    for match in _PATH.finditer(goal):
        yield from _operation_at(match[1].rstrip(".,;:!?"), operations, goal)
    for index, operation in enumerate(operations):
        file = _FILE.search(operation.path)
        if operation.tool is not None and _names(operation.tool, "tool", goal):
            yield index, "names the tool", {}
        elif _names(operation.operation, "operation", goal):
            yield index, "names the operation", {}
        elif file and re.search(rf"(?i)(?<![\w./-]){re.escape(file[0])}(?![\w/-])", goal):
            yield index, "names the document", {}


def _names(name: str, noun: str, goal: str) -> bool:
    """Return whether a goal has a name; an ordinary word counts only next to what it names."""
    pattern = rf"(?<!\w){re.escape(name)}(?!\w)"
    if name[1:].isalpha() and name[1:].islower():
        pattern = rf"\b{noun}:?\s+[\"'`]?{name}(?!\w)|(?<!\w){name}[\"'`]?\s+{noun}\b"
    return re.search(pattern, goal) is not None


def _operation_at(path: str, operations: Sequence[RoutableOperation], goal: str) -> list[Named]:
    """Return the operation at a path; of several, one whose method is named."""
    full = path.partition("#")[0]
    variants = (full, full.partition("?")[0], _DOCUMENT.sub("", full.partition("?")[0]) or "/")
    found: list[tuple[bool, Named]] = []
    for index, operation in enumerate(operations):
        if full == operation.signed_path:
            return [(index, "names the path", {})]
        matches = (_pattern(operation.path).fullmatch(variant) for variant in variants)
        if match := next(filter(None, matches), None):
            is_other_method = re.search(rf"\b{operation.method}\b", goal) is None
            found.append((is_other_method, (index, "names the path", match.groupdict())))
    return [item for _, item in sorted(found, key=lambda pair: pair[0])[:1]]


@lru_cache
def _pattern(template: str) -> re.Pattern[str]:
    """Return a pattern for a path template; a variable that is still in braces has no value."""
    parts = re.split(r"\{(\w+)\}", template)
    pieces = (
        rf"(?:\{{\w+\}}|:\w+|(?P<{part}>{_SEGMENT}))" if index % 2 else re.escape(part)
        for index, part in enumerate(parts)
    )
    return re.compile("".join(pieces))
