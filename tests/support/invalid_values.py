"""Values that a JSON Schema or a GraphQL type does not allow, for property tests."""

import json
import re
from typing import Any

from graphql import GraphQLInputType
from graphql.utilities import validate_input_value
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

_TEXTS = st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12
) | st.text("abcxyz019 -_./:@", max_size=80)
_MOST = 2**53 - 1  # RFC 7493; a larger number makes the whole document unreadable
_NUMBERS = st.integers(-_MOST, _MOST) | st.floats(allow_nan=False, allow_infinity=False)
_SCALARS = st.none() | st.booleans() | _NUMBERS | _TEXTS
_ANYTHING = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3)
)
_WHOLE = re.compile(r"-?[0-9]{1,400}")
_BAD_TIMES = ("yesterday", "2026-02-30T00:00:00Z", "2026-06-01", "2026-06-01T25:00:00Z", "0")


def invalid_json(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return a strategy of values that a schema does not allow, some of them only just."""
    validator = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    return (st.sampled_from([*_near(schema), None]) | _ANYTHING).filter(
        lambda value: not validator.is_valid(value)
    )


def invalid_text(schema: dict[str, Any]) -> st.SearchStrategy[str]:
    """Return a strategy of texts that, as a query string has values, a schema does not allow."""
    validator = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    near = [each if isinstance(each, str) else json.dumps(each) for each in _near(schema)]
    texts = st.sampled_from([*near, "\x00"]) | _TEXTS
    return texts.filter(lambda text: not validator.is_valid(_read(schema, text)))


def invalid_input(kind: GraphQLInputType) -> st.SearchStrategy[Any]:
    """Return a strategy of values that graphql-core does not take as a type."""

    def is_refused(value: Any) -> bool:
        errors: list[object] = []
        validate_input_value(value, kind, lambda *error: errors.append(error))
        return bool(errors)

    return (st.sampled_from([*_BAD_TIMES, 2**31]) | _ANYTHING).filter(is_refused)


def _near(schema: dict[str, Any]) -> list[Any]:
    """Return values that are nearly allowed."""
    found: list[Any] = [*_BAD_TIMES, "", "1", "true", 1, [], {}]
    for word in schema.get("enum", ()):
        found += [f"{word}x", word[:-1], word.swapcase()]
    for end, step in (("minimum", -1), ("maximum", 1)):
        found += [schema[end] + step] if end in schema else []
    if "maxLength" in schema:
        found.append("x" * (schema["maxLength"] + 1))
    if "minLength" in schema:
        found.append("x" * (schema["minLength"] - 1))
    if "items" in schema:
        near = _near(schema["items"])
        found += [[each] for each in near] + [["x"] * (schema.get("maxItems", 50) + 1)]
    for each in schema.get("anyOf", ()):
        found += _near(each)
    return found


def _read(schema: dict[str, Any], text: str) -> Any:
    """Return what a text in a query string stands for."""
    kind = schema.get("type")
    if kind == "integer" and _WHOLE.fullmatch(text):
        return int(text)
    if kind == "boolean" and text in ("true", "false"):
        return text == "true"
    return text.split(",") if kind == "array" else text
