"""Completes the operations of a folder that is not strict, before they are checked.

Added are the name and the title of a tool, the name of a resource and of an example, the section of
the index, the method and the media type of what is no query, and descriptions, which the fields and
arguments of the schema have.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from graphql import (
    ArgumentNode,
    DefinitionNode,
    DirectiveNode,
    EnumValueNode,
    FieldNode,
    FragmentDefinitionNode,
    GraphQLInputObjectType,
    GraphQLSchema,
    ListValueNode,
    NameNode,
    Node,
    ObjectFieldNode,
    OperationDefinitionNode,
    OperationType,
    StringValueNode,
    TypeInfo,
    TypeInfoVisitor,
    ValueNode,
    VariableDefinitionNode,
    VariableNode,
    Visitor,
    visit,
)

from sdl.operations.operation import title_of, words_of

SECTION = "API"
"""The section of what has none."""


def completed(
    definitions: Sequence[DefinitionNode], schema: GraphQLSchema
) -> tuple[DefinitionNode, ...]:
    """Return the definitions of a folder; its operations have all that they leave out."""
    fragments = [node for node in definitions if isinstance(node, FragmentDefinitionNode)]
    return tuple(
        _completed(node, node.name.value, fragments, schema)
        if isinstance(node, OperationDefinitionNode) and node.name is not None
        else node
        for node in definitions
    )


def _completed(
    node: OperationDefinitionNode,
    name: str,
    fragments: Sequence[FragmentDefinitionNode],
    schema: GraphQLSchema,
) -> OperationDefinitionNode:
    tool, title = "_".join(words_of(name)).lower(), title_of(name)
    defaults: dict[str, Mapping[str, str]] = {
        "mcp": {"tool": tool, "title": title},
        "prompt": {"name": tool, "title": title},
        "llms": {"section": SECTION},
    }
    rest = next((own for own in node.directives or () if own.name.value == "rest"), None)
    paths = (a.value for a in (rest.arguments or () if rest else ()) if a.name.value == "path")
    path = next((value.value for value in paths if isinstance(value, StringValueNode)), tool)
    defaults["resource"] = {"name": path.strip("/") or tool}
    directives = [_directive(own, node, defaults) for own in node.directives or ()]
    examples = (own for own in directives if own.name.value == "example")
    numbered = {id(own): {"example": {"name": f"example {n}"}} for n, own in enumerate(examples, 1)}
    directives = [_directive(own, node, numbered.get(id(own), {})) for own in directives]
    names = {own.name.value for own in directives}
    if "rest" in names and "llms" not in names:
        place = next(own for own in directives if own.name.value == "rest")
        own = DirectiveNode(name=NameNode(value="llms"), arguments=(), loc=place.loc)
        directives.append(_directive(own, node, defaults))
    described = _Descriptions(schema).of(node, fragments)
    variables = tuple(
        replace(own, description=_text(described.get(own.variable.name.value, ""), own))
        if own.description is None
        else own
        for own in node.variable_definitions or ()
    )
    about = node.description or _text(_root_description(node, schema) or f"{title}.", node)
    return replace(
        node, description=about, directives=tuple(directives), variable_definitions=variables
    )


def _directive(
    own: DirectiveNode,
    node: OperationDefinitionNode,
    defaults: Mapping[str, Mapping[str, str]],
) -> DirectiveNode:
    """Return a directive with the arguments that it leaves out."""
    given = {argument.name.value for argument in own.arguments or ()}
    values: dict[str, ValueNode] = {
        name: _text(value, own) for name, value in defaults.get(own.name.value, {}).items()
    }
    if own.name.value == "rest" and node.operation is not OperationType.QUERY:
        is_stream = node.operation is OperationType.SUBSCRIPTION
        media = EnumValueNode(value="EVENTS" if is_stream else "JSON")
        values["media"] = ListValueNode(values=(media,))
        if not is_stream:
            values["method"] = EnumValueNode(value="POST")
    added = (
        ArgumentNode(name=NameNode(value=name), value=value, loc=own.loc)
        for name, value in values.items()
        if name not in given
    )
    return replace(own, arguments=(*(own.arguments or ()), *added))


def _text(value: str, place: Node) -> StringValueNode:
    return StringValueNode(value=value, loc=place.loc)


def _root_description(node: OperationDefinitionNode, schema: GraphQLSchema) -> str:
    """Return the description of the field that an operation selects; empty if it has none."""
    kind, root = schema.get_root_type(node.operation), node.selection_set.selections[0]
    field = kind.fields.get(root.name.value) if kind and isinstance(root, FieldNode) else None
    return ((field.description if field is not None else None) or "").strip()


class _Descriptions(Visitor):
    """Collects the descriptions of the arguments and input fields that variables fill."""

    def __init__(self, schema: GraphQLSchema) -> None:
        super().__init__()
        self._types = TypeInfo(schema)
        self._found: dict[str, str] = {}

    def of(
        self, node: OperationDefinitionNode, fragments: Sequence[FragmentDefinitionNode]
    ) -> Mapping[str, str]:
        """Return descriptions by variable; its place in the operation goes before fragments."""
        for each in (node, *fragments):
            visit(each, TypeInfoVisitor(self._types, self))
        return self._found

    def enter_variable(self, node: VariableNode, _key: object, parent: Node, *_: object) -> None:
        """Take the description of the place that a variable stands in."""
        if not isinstance(parent, VariableDefinitionNode):
            text = next(self._descriptions(parent), "")
            self._found.setdefault(node.name.value, text)

    def _descriptions(self, parent: Node) -> Iterator[str]:
        kind = self._types.get_parent_input_type()
        if isinstance(parent, ObjectFieldNode) and isinstance(kind, GraphQLInputObjectType):
            field = kind.fields.get(parent.name.value)
            yield (field.description or "") if field is not None else ""
        argument = self._types.get_argument()
        yield (argument.description or "") if argument is not None else ""
