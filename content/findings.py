"""Validation errors of pydantic as findings: the broken rule and its fix in the owner's words."""

import difflib
from collections.abc import Iterable

from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from content.errors import Finding
from content.toml_positions import KeyPath
from schema.site import Site
from sdl.declare import Output, model_in

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
        return Finding(path, "a required key is missing", fix)
    if kind == "word":
        return Finding(path, *_string_rule(error["input"], context["rule"], context["example"]))
    if kind == "enum":
        return Finding(path, "is not one of the allowed values", f"one of: {context['expected']}")
    if kind in _TYPE_NAMES:
        return Finding(path, "has the wrong type", f"write {_TYPE_NAMES[kind]}")
    return Finding(path, error["msg"], "correct the value")


def _string_rule(value: object, rule: str, example: str) -> tuple[str, str]:
    """Return the rule that a constrained string breaks, and the fix."""
    if isinstance(value, str) and not value.strip():
        return "is empty", f"write for example {example}" if example else _FILL
    fix = f"write for example {example}" if example else "rewrite it to follow the rule"
    return f"must be {rule}", fix


def suggestion(word: str, allowed: Iterable[str]) -> str:
    """Return a fix that names the allowed word most similar to `word`, or all of them."""
    names = list(allowed)
    folded = {name.casefold(): name for name in names}
    similar = difflib.get_close_matches(word.casefold(), folded, n=1)
    if similar:
        return f"did you mean {folded[similar[0]]!r}?"
    return f"one of: {', '.join(names) or 'none yet'}"


def field_in(model: type[Output], alias: str) -> FieldInfo | None:
    """Return the field of a type that this key of a content file sets."""
    return next((f for n, f in model.model_fields.items() if (f.alias or n) == alias), None)


def model_at(path: KeyPath) -> type[Output]:
    """Return the type of the table at a path of the content."""
    model: type[Output] = Site
    for part in path:
        if isinstance(part, str) and (info := field_in(model, part)) is not None:
            model = model_in(info.annotation) or model
    return model
