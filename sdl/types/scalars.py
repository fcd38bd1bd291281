"""The GraphQL scalars for `sdl.types.scalar_types`, and the construction of a schema with them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import strawberry
from graphql import GraphQLError, ValueNode, value_from_ast_untyped
from pydantic import TypeAdapter, ValidationError
from strawberry.schema.config import StrawberryConfig
from strawberry.types.scalar import ScalarDefinition

from sdl.types.directives import ARGUMENTS
from sdl.types.scalar_types import (
    DATE_RULE,
    INSTANT_RULE,
    Amount,
    ChangeId,
    ConstrainedStr,
    Currency,
    Date,
    DateOrDateTime,
    Digest,
    Email,
    IdempotencyKey,
    Instant,
    JsonObject,
    LanguageCode,
    Markdown,
    Path,
    Reference,
    Slug,
    TimeZone,
    Url,
    Vector,
    YearMonth,
    YearOrMonth,
    format_instant,
    rule_error,
)
from sdl.types.shape import IS_TEXT, JSON_SCHEMA


@dataclass(frozen=True)
class Scalar:
    """A GraphQL scalar: `key` is its Python type in annotations, `python_type` checks values."""

    name: str
    key: type
    python_type: Any
    description: str
    rule: str
    """The rule of a value, as an error states it."""


def constrained_scalar(kind: type[ConstrainedStr]) -> Scalar:
    """Return the scalar of a constrained text, named as its class."""
    description = f"{kind.__doc__} Written as {kind.rule}."
    rule = rule_error(kind.rule, kind.example).message()
    return Scalar(kind.__name__, kind, kind, description, rule)


_TEXTS: tuple[type[ConstrainedStr], ...] = (
    *(Slug, Reference, ChangeId, YearMonth, DateOrDateTime, Url, Path, Email, Digest),
    *(LanguageCode, TimeZone, Markdown, IdempotencyKey, YearOrMonth, Amount, Currency),
)
SCALARS = (
    Scalar(
        "Date", date, Date, "A day of the calendar: YYYY-MM-DD.", rule_error(*DATE_RULE).message()
    ),
    Scalar(
        "DateTime",
        datetime,
        Instant,
        "An instant: RFC 3339, written in UTC with seconds.",
        rule_error(*INSTANT_RULE).message(),
    ),
    Scalar(
        "JsonObject",
        JsonObject,
        JsonObject,
        "A JSON object with any members.",
        "must be a JSON object",
    ),
    Scalar(
        "Vector",
        Vector,
        Vector,
        "A vector of unit length, as a list of numbers.",
        "must be numbers",
    ),
    *(constrained_scalar(kind) for kind in _TEXTS),
)
"""The scalars that every schema may use."""


def build_schema(
    query: type,
    mutation: type | None = None,
    subscription: type | None = None,
    scalars: Iterable[Scalar] = (),
) -> strawberry.Schema:
    """Return the schema of these roots, with `SCALARS` and the additional `scalars`."""
    all_scalars = (*SCALARS, *scalars)
    scalar_map: dict[object, ScalarDefinition] = {
        scalar.key: _define(scalar) for scalar in all_scalars
    }
    config = StrawberryConfig(scalar_map=scalar_map)
    schema = strawberry.Schema(
        query=query, mutation=mutation, subscription=subscription, config=config
    )
    executable = schema._schema  # noqa: SLF001 - Strawberry has no public name for it
    for scalar in all_scalars:
        if scalar.name in executable.type_map:
            json_schema = TypeAdapter(scalar.python_type).json_schema()
            is_text = isinstance(scalar.key, type) and issubclass(scalar.key, ConstrainedStr)
            executable.type_map[scalar.name].extensions |= {
                JSON_SCHEMA: json_schema,
                IS_TEXT: is_text,
            }
    for directive in executable.directives:
        for name, argument in directive.args.items():
            argument.description = ARGUMENTS.get((directive.name, name), argument.description)
    return schema


def _define(scalar: Scalar) -> ScalarDefinition:
    adapter: TypeAdapter[Any] = TypeAdapter(scalar.python_type)

    def parse(value: Any) -> Any:
        try:
            return adapter.validate_python(value)
        except ValidationError:
            raise GraphQLError(scalar.rule) from None

    def parse_literal(node: ValueNode, variables: Any = None) -> Any:
        try:
            return parse(value_from_ast_untyped(node, variables))
        except GraphQLError as error:  # what is told has the place, and never the value
            raise GraphQLError(error.message, node) from None

    return strawberry.scalar(
        name=scalar.name,
        description=scalar.description,
        serialize=_serialize,
        parse_value=parse,
        parse_literal=parse_literal,
    )


def _serialize(value: Any) -> Any:
    if isinstance(value, Vector):
        return value.numbers
    if isinstance(value, dict):
        return value
    if isinstance(value, datetime):
        return format_instant(value)
    return value.isoformat() if isinstance(value, date) else str(value)
