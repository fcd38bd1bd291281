"""GraphQL documents of callers: parsed, held to the limits, validated and weighed once."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from graphql import (
    DocumentNode,
    GraphQLError,
    GraphQLSchema,
    parse,
    validate,
)

from sdl.byte_cache import ByteCache
from sdl.cost import Lengths, check_cost, costly_fields
from sdl.plain_query import PlainReader
from sdl.plan import Plan, Planner, operations_of
from sdl.query_limits import MAX_CHARACTERS, MAX_COST, MAX_ERRORS, MAX_TOKENS, check_limits
from sdl.surely_valid import is_surely_valid
from sdl.validation_rules import rules_for

CACHE_BYTES = 8 * 2**20
BYTES_BESIDES = 2_048
BYTES_PER_CHARACTER = 250
MAX_BYTES_OF_ONE = 2**20
"""What a document with its plan takes in memory: measured, and bounded by `MAX_TOKENS`."""


@dataclass(frozen=True)
class CheckedDocument:
    """A document that may be run, or the errors for which it is refused."""

    text: str
    errors: tuple[GraphQLError, ...]
    lengths: Lengths
    """The lengths of lists by which it was weighed."""
    plans: Mapping[str | None, Plan] = field(default_factory=dict)
    """The plan of each operation by its name; of the only one also by None."""
    is_plain: bool = False
    """Whether it was read without graphql-core."""

    parsed: DocumentNode | None = field(default=None, repr=False)

    @cached_property
    def document(self) -> DocumentNode:
        """The document for graphql-core; that of a plain query is parsed when it is needed."""
        return self.parsed or _parsed(self.text)


class Documents:
    """The documents of one public schema; those that are asked again are remembered."""

    def __init__(
        self, schema: GraphQLSchema, planner: Planner, max_bytes: int = CACHE_BYTES
    ) -> None:
        self._schema = schema
        self._planner = planner
        self._costly = costly_fields(schema)
        self._reader = PlainReader(schema, self._costly)
        self._cache: ByteCache[CheckedDocument] = ByteCache(max_bytes)

    def known(self, text: str, lengths: Lengths) -> CheckedDocument | None:
        """Return a document that was checked before and may be run by these lengths, too.

        None if there is none: a valid one is weighed anew when lists have grown or shrunk, and what
        was refused then is checked from the beginning, as that may have been for its cost.
        """
        found = self._cache.get(text)
        if found is None or found.lengths is lengths or found.lengths == lengths:
            return found
        if found.errors:
            return None
        if found.is_plain:
            is_within = self._reader.read(text, lengths) is not None
        else:
            is_within = self._is_within(found.document, lengths)
        return self._kept(replace(found, lengths=lengths)) if is_within else None

    def plain(self, text: str, lengths: Lengths, max_cost: float) -> CheckedDocument | None:
        """Return a new plain query, checked by these lengths; None for all others.

        It costs `max_cost` at most.
        """
        query = self._reader.read(text, lengths) if len(text) <= MAX_CHARACTERS else None
        if query is None or query.cost > max_cost:
            return None
        plan = self._planner.plain_plan(query.definitions, query.tree)
        plans = {None: plan, query.name: plan}
        return self._kept(CheckedDocument(text, (), lengths, plans, is_plain=True))

    def check(self, text: str, lengths: Lengths) -> CheckedDocument:
        """Return a new document, checked by these lengths."""
        if (plain := self.plain(text, lengths, MAX_COST)) is not None:
            return plain
        try:
            checked = self._checked(text, lengths)
        except GraphQLError as error:
            checked = CheckedDocument(text, (error,), lengths)
        return self._kept(checked)

    def _is_within(self, document: DocumentNode, lengths: Lengths) -> bool:
        try:
            check_cost(self._schema, document, lengths)
        except GraphQLError:
            return False
        return True

    def _kept(self, checked: CheckedDocument) -> CheckedDocument:
        length = len(checked.text)
        size = min(BYTES_BESIDES + BYTES_PER_CHARACTER * length, MAX_BYTES_OF_ONE)
        self._cache.add(checked.text, checked, size)
        return checked

    def _checked(self, text: str, lengths: Lengths) -> CheckedDocument:
        document = _parsed(text)
        kinds = check_limits(document, self._costly)
        if not is_surely_valid(self._schema, document):
            rules = rules_for(kinds)
            if errors := validate(self._schema, document, rules, max_errors=MAX_ERRORS - 1):
                return CheckedDocument(text, tuple(errors), lengths)
        check_cost(self._schema, document, lengths)
        return CheckedDocument(text, (), lengths, self._plans(document), parsed=document)

    def _plans(self, document: DocumentNode) -> dict[str | None, Plan]:
        nodes = operations_of(document)
        plans: dict[str | None, Plan] = {
            node.name.value if node.name else None: self._planner.plan(
                document, node, is_stored=False
            )
            for node in nodes
        }
        if len(nodes) == 1:
            plans[None] = next(iter(plans.values()))
        return plans


def _parsed(text: str) -> DocumentNode:
    return parse(
        text,
        max_source_length=MAX_CHARACTERS,
        max_tokens=MAX_TOKENS,
        allow_empty_selection_sets=False,
    )
