"""Two schemas of the same classes: the public one, and the full one of stored operations."""

import strawberry

from resolvers.mutation import Mutation
from resolvers.private_query import PrivateQuery
from resolvers.query import Query
from resolvers.subscription import Subscription
from schema.onchain import Address, Wei
from sdl.scalars import build_schema, constrained_scalar

_SCALARS = (constrained_scalar(Wei), constrained_scalar(Address))


def public_schema() -> strawberry.Schema:
    """Return what anybody may ask at the GraphQL endpoint: queries alone."""
    return build_schema(Query, scalars=_SCALARS)


def full_schema() -> strawberry.Schema:
    """Return what stored operations may ask."""
    return build_schema(PrivateQuery, Mutation, Subscription, _SCALARS)
