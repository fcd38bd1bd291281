"""The compiler of stored operations: parses, validates and checks the documents of a folder.

It reports all problems together.
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

from sdl.asked_rules import asked_rules
from sdl.directives import DECLARED
from sdl.operation import Operation, read_operation
from sdl.operation_problems import OperationError, OperationProblem, problem_at, to_problem
from sdl.rules import compiled_rules, directive_rules, fragment_rules, operation_rules
from sdl.sections import sections_fragment
from sdl.shape import Fragments, shape_of

_MAX_ERRORS = 1_000


def compile_operations(schema: GraphQLSchema, folder: Path) -> tuple[Operation, ...]:
    """Compile the operations in `operations/` and `fragments/` of a folder.

    Raises: OperationError with every problem.
    """
    problems: list[OperationProblem] = []
    operations = list(_parse(folder, "operations", problems))
    fragments = list(_parse(folder, "fragments", problems))
    if problems:
        raise OperationError(problems)
    for document in operations:
        problems += operation_rules(document, _file(document))
    for document in fragments:
        problems += fragment_rules(document, _file(document))
    if problems:
        raise OperationError(problems)
    documents = [*operations, *fragments]
    sections, section_problems = sections_fragment(schema, documents)
    problems += section_problems
    definitions = [node for document in documents for node in document.definitions]
    merged = DocumentNode(definitions=(*definitions, *([sections] if sections else [])))
    shared = tuple(n for n in merged.definitions if isinstance(n, FragmentDefinitionNode))
    for error in _validate(schema, merged):
        node = None if error.nodes else _origin(schema, operations, shared, error.message)
        problems.append(problem_at(node, error.message) if node else to_problem(error))
    nodes = [node for node in definitions if isinstance(node, OperationDefinitionNode)]
    if not problems:
        problems += directive_rules(nodes)
    if problems:
        raise OperationError(problems)
    by_name = {node.name.value: node for node in shared}
    compiled = tuple(_operation(node, by_name, schema) for node in nodes)
    if problems := [*asked_rules(schema), *compiled_rules(compiled, schema)]:
        raise OperationError(problems)
    return compiled


def _parse(folder: Path, kind: str, problems: list[OperationProblem]) -> Iterator[DocumentNode]:
    for path in sorted((folder / kind).glob("*.graphql")):
        name = f"{folder.name}/{kind}/{path.name}"
        try:
            source = Source(path.read_bytes().decode("utf-8-sig"), name)
            yield parse(source, allow_empty_selection_sets=False)
        except GraphQLError as error:
            problems.append(to_problem(error))
        except UnicodeDecodeError:
            problems.append(OperationProblem(name, 1, 1, "the file is not UTF-8"))
        except OSError:
            problems.append(OperationProblem(name, 1, 1, "the file cannot be read"))


def _file(document: DocumentNode) -> str:
    return document.loc.source.name if document.loc else ""


def _validate(schema: GraphQLSchema, document: DocumentNode) -> Sequence[GraphQLError]:
    with_directives = GraphQLSchema(
        query=schema.query_type,
        mutation=schema.mutation_type,
        subscription=schema.subscription_type,
        types=tuple(schema.type_map.values()),
        directives=(*schema.directives, *DECLARED.values()),
        assume_valid=True,
    )
    return validate(with_directives, document, max_errors=_MAX_ERRORS)


def _origin(
    schema: GraphQLSchema,
    operations: Sequence[DocumentNode],
    shared: tuple[FragmentDefinitionNode, ...],
    message: str,
) -> DefinitionNode | None:
    """Return the operation with an error whose place graphql-core does not report."""
    for document in operations:
        single = DocumentNode(definitions=(*document.definitions, *shared))
        if any(error.message == message for error in _validate(schema, single)):
            return document.definitions[0]
    return None


def _operation(
    node: OperationDefinitionNode, fragments: Fragments, schema: GraphQLSchema
) -> Operation:
    collector = _UsedFragments(fragments)
    visit(node, collector)
    stripped: OperationDefinitionNode = visit(node, _StripDirectives())
    document = DocumentNode(definitions=(stripped, *collector.used.values()))
    root = node.selection_set.selections[0]
    kind = schema.get_root_type(node.operation)
    if kind is None or not isinstance(root, FieldNode):
        raise TypeError(root)
    field = kind.fields[root.name.value]
    shape = shape_of(field.type, root.selection_set, fragments)
    return read_operation(node, document, schema, field, shape)


class _UsedFragments(Visitor):
    """Collects the fragments that a definition uses, directly or through other fragments."""

    def __init__(self, fragments: Fragments) -> None:
        super().__init__()
        self.fragments = fragments
        self.used: dict[str, FragmentDefinitionNode] = {}

    def enter_fragment_spread(self, node: FragmentSpreadNode, *_: object) -> None:
        name = node.name.value
        if name not in self.used:
            self.used[name] = self.fragments[name]
            visit(self.fragments[name], self)


class _StripDirectives(Visitor):
    """Removes the operation directives, which the executor would not accept."""

    def enter_directive(self, node: DirectiveNode, *_: object) -> object:
        return REMOVE if node.name.value in DECLARED else None
