"""The generated `Sections` fragment: every section, with the selection of its own operation.

A document uses `...Sections` without defining it. So a new section is in the manifest as soon as
an operation reads it, and it equals that operation's body.
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

from sdl.operations.rules import OperationProblem, problem_at
from sdl.types.marks import Section
from sdl.types.shape import marks_on

SECTIONS = "Sections"
_TYPE = "Manifest"


class _Spreads(Visitor):
    """Collects every spread of the fragment."""

    def __init__(self) -> None:
        super().__init__()
        self.nodes: list[FragmentSpreadNode] = []

    def enter_fragment_spread(self, node: FragmentSpreadNode, *_: object) -> None:
        if node.name.value == SECTIONS:
            self.nodes.append(node)


def sections_fragment(
    schema: GraphQLSchema, documents: Sequence[DocumentNode]
) -> tuple[FragmentDefinitionNode | None, list[OperationProblem]]:
    """Return the fragment, and the problems of its sections.

    None if no document spreads it, or if one defines its own.
    """
    spreads = _Spreads()
    for document in documents:
        visit(document, spreads)
    kind = schema.get_type(_TYPE)
    defined = [node for document in documents for node in document.definitions]
    if any(isinstance(n, FragmentDefinitionNode) and n.name.value == SECTIONS for n in defined):
        return None, []
    if not spreads.nodes or not is_object_type(kind):
        return None, []
    root_fields = _root_fields(documents)
    problems: list[OperationProblem] = []
    fields: list[FieldNode] = []
    for name in _sections(kind):
        nodes = root_fields.get(name, ())
        if len(nodes) != 1:
            count = "no operation reads" if not nodes else f"{len(nodes)} operations read"
            problems.append(problem_at(spreads.nodes[0], f"{count} the section {name!r}; one must"))
            continue
        fields.append(FieldNode(name=NameNode(value=name), selection_set=nodes[0].selection_set))
    return (
        FragmentDefinitionNode(
            name=NameNode(value=SECTIONS),
            type_condition=NamedTypeNode(name=NameNode(value=_TYPE)),
            selection_set=SelectionSetNode(selections=tuple(fields)),
            loc=spreads.nodes[0].loc,
        ),
        problems,
    )


def _sections(kind: GraphQLObjectType) -> Iterator[str]:
    for name, field in kind.fields.items():
        if any(isinstance(mark, Section) for mark in marks_on(field)):
            yield name


def _root_fields(documents: Sequence[DocumentNode]) -> Mapping[str, list[FieldNode]]:
    """Return the root fields of the operations with a path, by key."""
    fields: dict[str, list[FieldNode]] = {}
    for document in documents:
        for node in document.definitions:
            if isinstance(node, OperationDefinitionNode):
                root = node.selection_set.selections[0]
                has_path = any(d.name.value == "rest" for d in node.directives or ())
                if has_path and isinstance(root, FieldNode):
                    key = (root.alias or root.name).value
                    fields.setdefault(key, []).append(root)
    return fields
