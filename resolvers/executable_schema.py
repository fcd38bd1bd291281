"""The two executable schemas: the public one, and the full one of stored operations."""

import strawberry

from resolvers.mutation import Mutation
from resolvers.private_query import PrivateQuery
from resolvers.query import Query
from resolvers.subscription import Subscription
from schema.onchain import Address, Wei
from sdl.scalars import build_schema, constrained_scalar

_SCALARS = (constrained_scalar(Wei), constrained_scalar(Address))


def public_schema() -> strawberry.Schema:
    """Return the schema of the public GraphQL endpoint, which has queries alone."""
    return build_schema(Query, scalars=_SCALARS)


def full_schema() -> strawberry.Schema:
    """Return the schema that stored operations are checked against and run on."""
    return build_schema(PrivateQuery, Mutation, Subscription, _SCALARS)
