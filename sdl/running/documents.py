"""GraphQL documents of callers: parsed, held to the limits, validated and weighed once."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from graphql import DocumentNode, GraphQLError, GraphQLSchema, parse, validate

from sdl.running.list_lengths import costly_fields
from sdl.running.plan import Plan, Planner, operations_of
from sdl.running.query_limits import MAX_CHARACTERS, MAX_ERRORS, MAX_TOKENS, Lengths, check_limits
from sdl.running.query_messages import with_its_argument
from sdl.running.surely_valid import is_surely_valid
from sdl.tools.byte_cache import ByteCache

CACHE_BYTES = 8 * 2**20
BYTES_BESIDES = 2_048
BYTES_PER_CHARACTER = 250
MAX_BYTES_OF_ONE = 2**20
"""What a document with its plan takes in memory: measured, and bounded by `MAX_TOKENS`."""


@dataclass
class CheckedDocument:
    """A document that may be run, or the errors for which it is refused."""

    text: str
    lengths: Lengths
    """The lengths of lists by which it was weighed."""
    errors: tuple[GraphQLError, ...] = ()
    document: DocumentNode = field(default_factory=DocumentNode, repr=False)
    cost: float = 0.0
    plans: Mapping[str | None, Plan] = field(default_factory=dict)
    """The plan of each operation by its name; of the only one also by None."""


class Documents:
    """The documents of one public schema; those that are asked again are remembered."""

    def __init__(
        self, schema: GraphQLSchema, planner: Planner, max_bytes: int = CACHE_BYTES
    ) -> None:
        self._schema = schema
        self._planner = planner
        self._costly = costly_fields(schema)
        self._cache: ByteCache[CheckedDocument] = ByteCache(max_bytes)

    def known(self, text: str, lengths: Lengths) -> CheckedDocument | None:
        """Return a document that was checked before and may be run by these lengths, too.

        None if there is none: a valid one is weighed anew when lists have grown or shrunk, and what
        was refused then is checked from the beginning, as that may have been for its cost.
        """
        found = self._cache.get(text)
        if found is None or found.lengths is lengths:
            return found
        if found.lengths != lengths:
            if found.errors:
                return None
            try:
                found.cost = check_limits(self._schema, found.document, lengths, self._costly)
            except GraphQLError:
                return None
        found.lengths = lengths
        return found

    def plain(self, text: str, lengths: Lengths) -> CheckedDocument | None:
        """Return a new document that is surely valid; None for all others, which take longer."""
        try:
            document, cost = self._within_limits(text, lengths)
        except GraphQLError:
            return None
        if not is_surely_valid(self._schema, document):
            return None
        return self._valid(text, lengths, document, cost)

    def check(self, text: str, lengths: Lengths) -> CheckedDocument:
        """Return a new document, checked by these lengths."""
        try:
            document, cost = self._within_limits(text, lengths)
        except GraphQLError as error:
            error.__traceback__ = None  # it holds the parser
            return self._kept(CheckedDocument(text, lengths, (error,)))
        if not is_surely_valid(self._schema, document):
            errors = validate(self._schema, document, max_errors=MAX_ERRORS - 1)
            if errors:
                named = tuple(with_its_argument(error, document) for error in errors)
                return self._kept(CheckedDocument(text, lengths, named))
        return self._valid(text, lengths, document, cost)

    def _within_limits(self, text: str, lengths: Lengths) -> tuple[DocumentNode, float]:
        """Return the parsed document and its cost. Raises: GraphQLError."""
        document = parse(
            text,
            max_source_length=MAX_CHARACTERS,
            max_tokens=MAX_TOKENS,
            allow_empty_selection_sets=False,
        )
        return document, check_limits(self._schema, document, lengths, self._costly)

    def _valid(
        self, text: str, lengths: Lengths, document: DocumentNode, cost: float
    ) -> CheckedDocument:
        plans = self._plans(document)
        return self._kept(CheckedDocument(text, lengths, (), document, cost, plans))

    def _kept(self, checked: CheckedDocument) -> CheckedDocument:
        length = len(checked.text)
        size = min(BYTES_BESIDES + BYTES_PER_CHARACTER * length, MAX_BYTES_OF_ONE)
        self._cache.add(checked.text, checked, size)
        return checked

    def _plans(self, document: DocumentNode) -> dict[str | None, Plan]:
        nodes = operations_of(document)
        plans: dict[str | None, Plan] = {
            node.name.value if node.name else None: self._planner.plan(document, node)
            for node in nodes
        }
        if len(nodes) == 1:
            plans[None] = next(iter(plans.values()))
        return plans
