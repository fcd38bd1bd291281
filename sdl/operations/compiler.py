"""The compiler of stored operations: parses, validates and checks the documents of a folder.

It reports all problems together.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TypeVar

from graphql import (
    ASTValidationRule,
    DefinitionNode,
    DirectiveNode,
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLSchema,
    InlineFragmentNode,
    NoUnusedFragmentsRule,
    OperationDefinitionNode,
    SelectionSetNode,
    Source,
    parse,
    specified_rules,
    validate,
)

from sdl.operations.defaults import completed
from sdl.operations.operation import Operation, read_operation
from sdl.operations.rules import (
    OperationError,
    OperationProblem,
    compiled_rules,
    directive_rules,
    fragment_rules,
    loose_rules,
    operation_rules,
    problem_at,
    to_problem,
)
from sdl.types.directives import DECLARED
from sdl.types.shape import Fragments, shape_of

_MAX_ERRORS = 1_000

Directive = TypeVar("Directive", bound=DirectiveNode)


Generate = Callable[
    [GraphQLSchema, Sequence[DocumentNode]],
    tuple[FragmentDefinitionNode | None, list[OperationProblem]],
]
"""Returns a fragment that documents spread without defining it, and its problems."""
SchemaRules = Callable[[GraphQLSchema], Iterator[OperationProblem]]


def _nothing(*_: object) -> tuple[None, list[OperationProblem]]:
    return None, []


def compile_operations(
    schema: GraphQLSchema,
    folder: Path,
    *,
    strict: bool = True,
    generate: Generate = _nothing,
    rules: SchemaRules = lambda _: iter(()),
) -> tuple[Operation, ...]:
    """Compile the operations of a folder.

    A `strict` one has each of them in a file of its name in `operations/` or `fragments/`, with all
    descriptions. Another one has any number of them in any file, there or in the folder itself, and
    what they leave out is completed. `generate` adds a fragment, `rules` are more rules of the
    schema. Raises: OperationError with every problem.
    """
    problems: list[OperationProblem] = []
    documents = list(documents_in(folder, problems, strict=strict))
    if not problems:
        for document in documents:
            problems += _file_rules(document, strict=strict)
    if problems:
        raise OperationError(problems)
    generated, problems = generate(schema, documents)
    definitions: Sequence[DefinitionNode] = [d for own in documents for d in own.definitions]
    definitions = definitions if strict else completed(definitions, schema)
    merged = DocumentNode(definitions=(*definitions, *([generated] if generated else [])))
    shared = tuple(n for n in merged.definitions if isinstance(n, FragmentDefinitionNode))
    nodes = [node for node in definitions if isinstance(node, OperationDefinitionNode)]
    found = _problems(schema, merged, nodes, shared, strict=strict)
    problems += found or directive_rules(nodes, strict=strict)
    if problems:
        raise OperationError(problems)
    compiled = _compiled(nodes, shared, schema, is_strict=strict)
    if problems := [*rules(schema), *compiled_rules(compiled, schema)]:
        raise OperationError(problems)
    return compiled


def _problems(
    schema: GraphQLSchema,
    merged: DocumentNode,
    nodes: Sequence[OperationDefinitionNode],
    shared: tuple[FragmentDefinitionNode, ...],
    *,
    strict: bool,
) -> list[OperationProblem]:
    """Return what GraphQL finds wrong with all definitions together."""
    problems: list[OperationProblem] = []
    # A folder that is not strict may have more fragments than it uses.
    rules = [rule for rule in specified_rules if strict or rule is not NoUnusedFragmentsRule]
    for error in _validate(schema, merged, rules):
        node = None if error.nodes else _origin(schema, nodes, shared, error.message)
        problems.append(problem_at(node, error.message) if node else to_problem(error))
    return problems


def _file_rules(document: DocumentNode, *, strict: bool) -> Iterator[OperationProblem]:
    """Yield the problems of one file."""
    file = document.loc.source.name if document.loc else ""
    if not strict:
        return loose_rules(document)
    is_fragment = PurePath(file).parent.name == "fragments"
    return (fragment_rules if is_fragment else operation_rules)(document, file)


def documents_in(
    folder: Path, problems: list[OperationProblem], *, strict: bool
) -> Iterator[DocumentNode]:
    """Yield the documents of a folder; add what cannot be read or parsed to the problems.

    Each is named by the folder's name and its path in it.
    """
    kinds = ("operations", "fragments") if strict else ("", "operations", "fragments")
    for path in (path for kind in kinds for path in sorted((folder / kind).glob("*.graphql"))):
        name = f"{folder.name}/{path.relative_to(folder).as_posix()}"
        try:
            source = Source(path.read_bytes().decode("utf-8-sig"), name)
            if not strict and _is_empty(source.body):
                continue
            yield parse(source, allow_empty_selection_sets=False)
        except GraphQLError as error:
            problems.append(to_problem(error))
        except UnicodeDecodeError:
            problems.append(OperationProblem(name, 1, 1, "the file is not UTF-8"))
        except OSError:
            problems.append(OperationProblem(name, 1, 1, "the file cannot be read"))


def _is_empty(text: str) -> bool:
    """Whether a file has comments alone."""
    return all(line.lstrip()[:1] in ("", "#") for line in text.splitlines())


def _validate(
    schema: GraphQLSchema, document: DocumentNode, rules: Collection[type[ASTValidationRule]]
) -> Sequence[GraphQLError]:
    with_directives = GraphQLSchema(
        query=schema.query_type,
        mutation=schema.mutation_type,
        subscription=schema.subscription_type,
        types=tuple(schema.type_map.values()),
        directives=schema.directives,
        assume_valid=True,
    )
    # After it is made, which would take the types of their arguments for types of the schema.
    with_directives.directives = (*schema.directives, *DECLARED.values())
    return validate(with_directives, document, rules, max_errors=_MAX_ERRORS)


def _origin(
    schema: GraphQLSchema,
    nodes: Sequence[OperationDefinitionNode],
    shared: tuple[FragmentDefinitionNode, ...],
    message: str,
) -> DefinitionNode | None:
    """Return the operation with an error whose place graphql-core does not report."""
    for node in nodes:
        single = DocumentNode(definitions=(node, *shared))
        if any(error.message == message for error in _validate(schema, single, specified_rules)):
            return node
    return None


def _compiled(
    nodes: Sequence[OperationDefinitionNode],
    shared: Sequence[FragmentDefinitionNode],
    schema: GraphQLSchema,
    *,
    is_strict: bool,
) -> tuple[Operation, ...]:
    """Return the operations of valid nodes. Raises: OperationError for a type of no object."""
    fragments = Fragments(schema, {node.name.value: node for node in shared})
    try:
        return tuple(_operation(n, fragments, schema, is_strict=is_strict) for n in nodes)
    except GraphQLError as error:
        raise OperationError([to_problem(error)]) from None


def _operation(
    node: OperationDefinitionNode, fragments: Fragments, schema: GraphQLSchema, *, is_strict: bool
) -> Operation:
    used: dict[str, FragmentDefinitionNode] = {}
    _collect(node.selection_set, fragments, used)
    document = DocumentNode(definitions=(_without_directives(node), *used.values()))
    root = node.selection_set.selections[0]
    kind = schema.get_root_type(node.operation)
    if kind is None or not isinstance(root, FieldNode):
        raise TypeError(root)
    field = kind.fields[root.name.value]
    if len(node.selection_set.selections) > 1:
        shape = shape_of(kind, node.selection_set, fragments)
    else:
        shape = shape_of(field.type, root.selection_set, fragments)
    return read_operation(node, document, schema, field, shape, is_strict=is_strict)


def _collect(
    selection: SelectionSetNode, fragments: Fragments, used: dict[str, FragmentDefinitionNode]
) -> None:
    """Add the fragments that a selection uses, directly or through other fragments."""
    for node in selection.selections:
        below = node.selection_set if isinstance(node, FieldNode | InlineFragmentNode) else None
        if isinstance(node, FragmentSpreadNode) and node.name.value not in used:
            used[node.name.value] = fragments[node.name.value]
            below = fragments[node.name.value].selection_set
        if below is not None:
            _collect(below, fragments, used)


def _without_directives(node: OperationDefinitionNode) -> OperationDefinitionNode:
    """Return an operation without the directives that the executor would not accept.

    They stand where they are declared for: at the operation and its variables.
    """
    variables = [
        replace(own, directives=_others(own.directives)) for own in node.variable_definitions or ()
    ]
    directives = _others(node.directives)
    return replace(node, directives=directives, variable_definitions=tuple(variables))


def _others(directives: Iterable[Directive] | None) -> tuple[Directive, ...]:
    return tuple(own for own in directives or () if own.name.value not in DECLARED)
