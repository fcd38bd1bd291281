"""The `Sections` fragment: every section of a type, selected as the operation that reads it does.

A document writes `...Sections` and defines no such fragment; so a new section appears in the
manifest as soon as an operation reads it, and equals that operation's body.
"""

from collections.abc import Iterator, Mapping, Sequence

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLObjectType,
    GraphQLSchema,
    NamedTypeNode,
    NameNode,
    OperationDefinitionNode,
    SelectionSetNode,
    Visitor,
    is_object_type,
    visit,
)

from sdl.marks import Section
from sdl.problems import OperationProblem, problem_at
from sdl.shape import marks_on

SECTIONS = "Sections"
_TYPE = "Manifest"


class _Spreads(Visitor):
    """Collects every spread of the fragment."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[FragmentSpreadNode] = []

    def enter_fragment_spread(self, node: FragmentSpreadNode, *_: object) -> None:
        if node.name.value == SECTIONS:
            self.found.append(node)


def sections_fragment(
    schema: GraphQLSchema, documents: Sequence[DocumentNode]
) -> tuple[FragmentDefinitionNode | None, list[OperationProblem]]:
    """The fragment, where a document spreads it, and what keeps it from being made."""
    spreads = _Spreads()
    for document in documents:
        visit(document, spreads)
    kind = schema.get_type(_TYPE)
    if not spreads.found or not is_object_type(kind):
        return None, []
    readers = dict(_readers(documents))
    faults: list[OperationProblem] = []
    fields: list[FieldNode] = []
    for name in _sections(kind):
        found = readers.get(name, ())
        if len(found) != 1:
            count = "no operation reads" if not found else f"{len(found)} operations read"
            faults.append(problem_at(spreads.found[0], f"{count} the section {name!r}; one must"))
            continue
        fields.append(FieldNode(name=NameNode(value=name), selection_set=found[0].selection_set))
    return (
        FragmentDefinitionNode(
            name=NameNode(value=SECTIONS),
            type_condition=NamedTypeNode(name=NameNode(value=_TYPE)),
            selection_set=SelectionSetNode(selections=tuple(fields)),
            loc=spreads.found[0].loc,
        ),
        faults,
    )


def _sections(kind: GraphQLObjectType) -> Iterator[str]:
    for name, field in kind.fields.items():
        if any(isinstance(mark, Section) for mark in marks_on(field)):
            yield name


def _readers(documents: Sequence[DocumentNode]) -> Mapping[str, list[FieldNode]]:
    found: dict[str, list[FieldNode]] = {}
    for document in documents:
        for node in document.definitions:
            if isinstance(node, OperationDefinitionNode):
                root = node.selection_set.selections[0]
                rest = any(d.name.value == "rest" for d in node.directives or ())
                if rest and isinstance(root, FieldNode):
                    key = (root.alias or root.name).value
                    found.setdefault(key, []).append(root)
    return found
