"""The two executable schemas: the public one, and the full one of stored operations."""

import strawberry
from graphql import GraphQLObjectType, GraphQLSchema
from strawberry.schema.schema_converter import GraphQLCoreConverter

from resolvers.mutation import Mutation
from resolvers.private_query import PrivateQuery
from resolvers.query import Query
from resolvers.subscription import Subscription
from schema.onchain import Address, Wei
from sdl.scalars import build_schema, constrained_scalar
from sdl.shape import declared_limit

_SCALARS = (constrained_scalar(Wei), constrained_scalar(Address))


def public_schema() -> strawberry.Schema:
    """Return the schema of the public GraphQL endpoint, which has queries alone."""
    return build_schema(Query, scalars=_SCALARS)


def full_schema() -> strawberry.Schema:
    """Return the schema that stored operations are checked against and run on."""
    return build_schema(PrivateQuery, Mutation, Subscription, _SCALARS)


def public_part(full: GraphQLSchema) -> GraphQLSchema:
    """Return the public schema, made of the types of the full one: a second one takes 0.03 s."""
    key = GraphQLCoreConverter.DEFINITION_BACKREF
    definition = Query.__strawberry_definition__  # type: ignore[attr-defined]
    names = {field.python_name for field in definition.fields}
    fields = full.query_type.fields if full.query_type is not None else {}
    public = {n: f for n, f in fields.items() if f.extensions[key].python_name in names}
    spends = any(declared_limit(field) is not None for field in public.values())
    return GraphQLSchema(
        GraphQLObjectType(
            definition.name,
            public,
            description=definition.description,
            extensions={key: definition},
        ),
        directives=[own for own in full.directives if spends or own.name != "spends"],
        extensions=full.extensions,
        assume_valid=True,
    )
