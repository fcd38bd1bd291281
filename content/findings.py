"""What a broken rule is called and how it is mended, in an owner's words."""

import difflib
from collections.abc import Iterable
from typing import NamedTuple

from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from content.toml_positions import KeyPath
from schema.site import Site
from sdl.declare import Output, model_in

_FILL = "write something, or remove the key where it is optional"
_TYPES = {
    "string_type": "a string in quotes",
    "list_type": "a list in [brackets]",
    "model_type": "a table of keys",
    "bool_type": "true or false",
    "int_type": "a whole number",
}


class Finding(NamedTuple):
    """A broken rule somewhere in the tree of the site."""

    path: KeyPath
    rule: str
    fix: str


def finding_of(error: ErrorDetails) -> Finding:
    """The finding behind an error of pydantic's."""
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
        return Finding(path, *_word(error["input"], context["rule"], context["example"]))
    if kind == "enum":
        return Finding(path, "not one of the allowed words", f"one of: {context['expected']}")
    if kind in _TYPES:
        return Finding(path, "of the wrong type", f"write {_TYPES[kind]}")
    return Finding(path, error["msg"], "mend the value")


def _word(given: object, rule: str, example: str) -> tuple[str, str]:
    """The rule that a word breaks, and the fix."""
    if isinstance(given, str) and not given.strip():
        return "is empty", f"write for example {example}" if example else _FILL
    fix = f"write for example {example}" if example else "rewrite it within the rule"
    return f"must be {rule}", fix


def suggestion(word: str, known: Iterable[str]) -> str:
    """The nearest known word, or all of them."""
    names = list(known)
    folded = {name.casefold(): name for name in names}
    close = [folded[near] for near in difflib.get_close_matches(word.casefold(), folded, n=1)]
    return f"did you mean {close[0]!r}?" if close else f"one of: {', '.join(names) or 'none yet'}"


def field_in(model: type[Output], alias: str) -> FieldInfo | None:
    """The field that content writes under this key."""
    return next((f for n, f in model.model_fields.items() if (f.alias or n) == alias), None)


def model_at(path: KeyPath) -> type[Output]:
    """The type of the table at a path of the site."""
    model: type[Output] = Site
    for part in path:
        if isinstance(part, str) and (info := field_in(model, part)) is not None:
            model = model_in(info.annotation) or model
    return model
