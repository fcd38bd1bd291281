"""Two schemas of the same classes: the public one, and the full one of stored operations."""

from datetime import date, datetime
from typing import Any

import strawberry
from graphql import GraphQLError
from pydantic import TypeAdapter, ValidationError
from strawberry.schema.config import StrawberryConfig
from strawberry.types.scalar import ScalarDefinition

from resolvers.mutation import Mutation
from resolvers.query import Query
from resolvers.stored_query import StoredQuery
from resolvers.subscription import Subscription
from schema.directives import ARGUMENTS
from schema.json_values import Vector
from schema.scalars import SCALARS, Scalar
from schema.words import instant_text


def _scalar(name: str, scalar: Scalar) -> ScalarDefinition:
    adapter: TypeAdapter[Any] = TypeAdapter(scalar.word)

    def parse(value: Any) -> Any:
        try:
            return adapter.validate_python(value)
        except ValidationError:
            raise GraphQLError(scalar.rule) from None

    return strawberry.scalar(
        name=name,
        description=scalar.description,
        serialize=_written,
        parse_value=parse,
    )


def _written(value: Any) -> Any:
    if isinstance(value, Vector):
        return value.numbers
    if isinstance(value, dict):
        return value
    if isinstance(value, datetime):
        return instant_text(value)
    return value.isoformat() if isinstance(value, date) else str(value)


def _schema(
    query: type, mutation: type | None = None, subscription: type | None = None
) -> strawberry.Schema:
    scalar_map: dict[object, ScalarDefinition] = {
        scalar.key: _scalar(name, scalar) for name, scalar in SCALARS.items()
    }
    config = StrawberryConfig(scalar_map=scalar_map)
    schema = strawberry.Schema(
        query=query, mutation=mutation, subscription=subscription, config=config
    )
    for directive in schema._schema.directives:  # noqa: SLF001 - no public name for it
        for name, argument in directive.args.items():
            argument.description = ARGUMENTS.get((directive.name, name), argument.description)
    return schema


def public_schema() -> strawberry.Schema:
    """What anybody may ask at the GraphQL endpoint: queries alone."""
    return _schema(Query)


def full_schema() -> strawberry.Schema:
    """What stored operations may ask."""
    return _schema(StoredQuery, Mutation, Subscription)
