"""Validation errors of pydantic as findings: the broken rule and its fix in the owner's words."""

import difflib
from collections.abc import Iterable
from typing import get_args, get_origin

from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from content.errors import Finding
from content.toml_positions import KeyPath
from schema.site import Site
from sdl.declare import Output, model_in
from sdl.scalar_types import forbidden_in

MISSING = "a required key is missing"
_FILL = "write a value, or remove the key if it is optional"
_TYPE_NAMES = {
    "string_type": "a string in quotes",
    "list_type": "a list in [brackets]",
    "model_type": "a table of keys",
    "bool_type": "true or false",
    "int_type": "a whole number",
}


def finding_of(error: ErrorDetails) -> Finding:
    """Return the finding for a validation error of pydantic."""
    path, kind, context = error["loc"], error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        keys = [info.alias or name for name, info in model_at(path[:-1]).model_fields.items()]
        return Finding(path, "unknown key", suggestion(str(path[-1]), keys))
    if kind == "missing":
        info = field_in(model_at(path[:-1]), str(path[-1]))
        meaning = (info.description if info is not None else None) or "the value"
        fix = f"add it: {' '.join(meaning.split()).rstrip('.')}"
        inner = model_in(info.annotation) if info is not None else None
        is_list = info is not None and get_origin(info.annotation) is list
        if is_list:
            fix += f" (`{path[-1]} = []` for none)"
        elif inner is not None:
            fix = f"write {_table_of(str(path[-1]), inner)}"
        return Finding(path, MISSING, fix)
    if kind == "word":
        return Finding(path, *_string_rule(error["input"], context["rule"], context["example"]))
    if kind == "enum":
        return Finding(path, "is not one of the allowed values", f"one of: {context['expected']}")
    if kind in _TYPE_NAMES:
        return Finding(path, "has the wrong type", f"write {_TYPE_NAMES[kind]}")
    return Finding(path, error["msg"], "correct the value")


def _table_of(name: str, model: type[Output]) -> str:
    """Return a table with its required keys, as an example to copy."""
    required = [info.alias or key for key, info in model.model_fields.items() if info.is_required()]
    return f"[{name}] and below it " + " and ".join(f'{key} = "…"' for key in required)


def _string_rule(value: object, rule: str, example: str) -> tuple[str, str]:
    """Return the rule that a constrained string breaks, and the fix."""
    if isinstance(value, str) and not value.strip():
        return "is empty", f"write for example {example}" if example else _FILL
    fix = f"write for example {example}" if example else f"rewrite it: {_cause(str(value))}"
    return f"must be {rule}", fix


def _cause(text: str) -> str:
    """Return what is wrong with a text that is not as its rule says."""
    found = forbidden_in(text)
    if found is not None:
        words = found[0].strip()
        line = text.count("\n", 0, found.start()) + 1
        if not words.isprintable() or not words:
            return f"line {line} has the control character U+{ord(found[0]):04X}"
        if words.startswith("<"):
            return f"in line {line}, {words[:40]} looks like HTML"
        what = "a code fence" if words[0] in "`~" else "a heading or a rule"
        return f"line {line} begins with {words[:40]}, which is {what}"
    if "\n" in text or "\t" in text:
        return "it has a line break or a tab, and may be one line"
    if text != text.strip():
        return "it begins or ends with a space"
    return f"it has {len(text)} characters"


def suggestion(word: str, allowed: Iterable[str]) -> str:
    """Return a fix that names the allowed word most similar to `word`, or all of them."""
    names = list(allowed)
    folded = {name.casefold(): name for name in names}
    similar = difflib.get_close_matches(word.casefold(), folded, n=1)
    if similar:
        return f"did you mean {folded[similar[0]]!r}?"
    if not names:
        return "remove it, or add what it names first: there is none yet"
    return f"one of: {', '.join(names)}"


def field_in(model: type[Output], alias: str) -> FieldInfo | None:
    """Return the field of a type that this key of a content file sets."""
    return next((f for n, f in model.model_fields.items() if (f.alias or n) == alias), None)


def is_list(info: FieldInfo) -> bool:
    """Return whether a field is a list, or one that may be missing."""
    return any(get_origin(part) is list for part in (info.annotation, *get_args(info.annotation)))


def model_at(path: KeyPath) -> type[Output]:
    """Return the type of the table at a path of the content."""
    model: type[Output] = Site
    for part in path:
        if isinstance(part, str) and (info := field_in(model, part)) is not None:
            model = model_in(info.annotation) or model
    return model
