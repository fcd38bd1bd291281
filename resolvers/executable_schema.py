"""The two executable schemas: the public one, and the full one of stored operations."""

from typing import Any

import strawberry
from graphql import (
    REMOVE,
    ArgumentNode,
    DirectiveDefinitionNode,
    DirectiveNode,
    GraphQLObjectType,
    GraphQLSchema,
    ListValueNode,
    Visitor,
    parse,
    print_ast,
    visit,
)
from strawberry.schema.schema_converter import GraphQLCoreConverter

from resolvers.mutation import Mutation
from resolvers.private_query import PrivateQuery
from resolvers.query import Query
from resolvers.subscription import Subscription
from schema.onchain import Address, Wei
from sdl.errors import NotFoundError
from sdl.types.scalars import build_schema, constrained_scalar
from sdl.types.shape import declared_limit

ASKED = "asked"
_SCALARS = (constrained_scalar(Wei), constrained_scalar(Address))


def public_schema() -> strawberry.Schema:
    """Return the schema of the public GraphQL endpoint, which has queries alone."""
    return build_schema(Query, scalars=_SCALARS)


def public_sdl() -> str:
    """Return the public schema in SDL.

    The example questions of `@asked` are for the search, and would be 46 % of it.
    """
    return print_ast(visit(parse(public_schema().as_str()), _ForCallers()))


class _ForCallers(Visitor):
    """Takes out of a document what is for search and for other surfaces."""

    def enter_directive(self, node: DirectiveNode, *_: Any) -> Any:
        if node.name.value == ASKED:
            return REMOVE
        if node.name.value != "fails" or not node.arguments:
            return None
        codes = node.arguments[0]  # what is not there is null in GraphQL
        values = codes.value.values if isinstance(codes.value, ListValueNode) else ()
        kept = [value for value in values if getattr(value, "value", "") != NotFoundError.code]
        value = ListValueNode(values=tuple(kept))
        argument = ArgumentNode(name=codes.name, value=value)
        return DirectiveNode(name=node.name, arguments=(argument,)) if kept else REMOVE

    def enter_directive_definition(self, node: DirectiveDefinitionNode, *_: Any) -> Any:
        return REMOVE if node.name.value == ASKED else None


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
    unused = {ASKED} if spends else {ASKED, "spends"}
    return GraphQLSchema(
        GraphQLObjectType(
            definition.name,
            public,
            description=definition.description,
            extensions={key: definition},
        ),
        directives=[own for own in full.directives if own.name not in unused],
        extensions=full.extensions,
        assume_valid=True,
    )
