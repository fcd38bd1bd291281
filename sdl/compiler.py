"""From a folder of documents to operations: parsed, validated as one document, held to the laws.

Any fault stops the start, and all of them are told together.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from graphql import (
    DefinitionNode,
    DirectiveNode,
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLSchema,
    OperationDefinitionNode,
    Source,
    Visitor,
    parse,
    validate,
    visit,
)
from graphql.language import REMOVE

from sdl.directives import DECLARED
from sdl.operation import Operation, read_operation
from sdl.problems import OperationError, OperationProblem, problem_at, to_problem
from sdl.rules import compiled_rules, directive_rules, fragment_rules, operation_rules
from sdl.sections import sections_fragment
from sdl.shape import Fragments, shape_of

_MAX_ERRORS = 1_000


def compile_operations(schema: GraphQLSchema, folder: Path) -> tuple[Operation, ...]:
    """Every operation in `operations/` and `fragments/` of the folder. Raises: OperationError."""
    faults: list[OperationProblem] = []
    operations = list(_parse(folder, "operations", faults))
    fragments = list(_parse(folder, "fragments", faults))
    if faults:
        raise OperationError(faults)
    for document in operations:
        faults += operation_rules(document, _file(document))
    for document in fragments:
        faults += fragment_rules(document, _file(document))
    if faults:
        raise OperationError(faults)
    documents = [*operations, *fragments]
    sections, section_faults = sections_fragment(schema, documents)
    faults += section_faults
    definitions = [node for document in documents for node in document.definitions]
    whole = DocumentNode(definitions=(*definitions, *([sections] if sections else [])))
    shared = tuple(n for n in whole.definitions if isinstance(n, FragmentDefinitionNode))
    for error in _validate(schema, whole):
        node = None if error.nodes else _origin(schema, operations, shared, error.message)
        faults.append(problem_at(node, error.message) if node else to_problem(error))
    nodes = [node for node in definitions if isinstance(node, OperationDefinitionNode)]
    if not faults:
        faults += directive_rules(nodes)
    if faults:
        raise OperationError(faults)
    known = {n.name.value: n for n in whole.definitions if isinstance(n, FragmentDefinitionNode)}
    compiled = tuple(_operation(node, known, schema) for node in nodes)
    if faults := list(compiled_rules(compiled)):
        raise OperationError(faults)
    return compiled


def _parse(folder: Path, kind: str, faults: list[OperationProblem]) -> Iterator[DocumentNode]:
    for path in sorted((folder / kind).glob("*.graphql")):
        name = f"{folder.name}/{kind}/{path.name}"
        try:
            source = Source(path.read_bytes().decode("utf-8-sig"), name)
            yield parse(source, allow_empty_selection_sets=False)
        except GraphQLError as error:
            faults.append(to_problem(error))
        except UnicodeDecodeError:
            faults.append(OperationProblem(name, 1, 1, "the file is not UTF-8"))
        except OSError:
            faults.append(OperationProblem(name, 1, 1, "the file cannot be read"))


def _file(document: DocumentNode) -> str:
    return document.loc.source.name if document.loc else ""


def _validate(schema: GraphQLSchema, document: DocumentNode) -> Sequence[GraphQLError]:
    with_ours = GraphQLSchema(
        query=schema.query_type,
        mutation=schema.mutation_type,
        subscription=schema.subscription_type,
        types=tuple(schema.type_map.values()),
        directives=(*schema.directives, *DECLARED.values()),
        assume_valid=True,
    )
    return validate(with_ours, document, max_errors=_MAX_ERRORS)


def _origin(
    schema: GraphQLSchema,
    operations: Sequence[DocumentNode],
    shared: tuple[FragmentDefinitionNode, ...],
    message: str,
) -> DefinitionNode | None:
    """The operation that has an error of which graphql-core does not say the place."""
    for document in operations:
        alone = DocumentNode(definitions=(*document.definitions, *shared))
        if any(error.message == message for error in _validate(schema, alone)):
            return document.definitions[0]
    return None


def _operation(node: OperationDefinitionNode, known: Fragments, schema: GraphQLSchema) -> Operation:
    used = _UsedFragments(known)
    visit(node, used)
    stripped: OperationDefinitionNode = visit(node, _StripDirectives())
    document = DocumentNode(definitions=(stripped, *used.fragments.values()))
    root = node.selection_set.selections[0]
    kind = schema.get_root_type(node.operation)
    if kind is None or not isinstance(root, FieldNode):
        raise TypeError(root)
    field = kind.fields[root.name.value]
    shape = shape_of(field.type, root.selection_set, known)
    return read_operation(node, document, schema, field, shape)


class _UsedFragments(Visitor):
    """Collects the fragments a definition needs, those of its fragments included."""

    def __init__(self, known: Fragments) -> None:
        super().__init__()
        self.known = known
        self.fragments: dict[str, FragmentDefinitionNode] = {}

    def enter_fragment_spread(self, node: FragmentSpreadNode, *_: object) -> None:
        name = node.name.value
        if name not in self.fragments:
            self.fragments[name] = self.known[name]
            visit(self.known[name], self)


class _StripDirectives(Visitor):
    """Removes the operation directives, which execution does not know."""

    def enter_directive(self, node: DirectiveNode, *_: object) -> object:
        return REMOVE if node.name.value in DECLARED else None
