"""The rules of stored operations, beyond valid GraphQL, and their problems with their places."""

import difflib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from graphql import (
    DirectiveNode,
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    GraphQLError,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLSchema,
    Node,
    NonNullTypeNode,
    OperationDefinitionNode,
    OperationType,
    VariableDefinitionNode,
    Visitor,
    get_named_type,
    get_nullable_type,
    is_input_object_type,
    is_non_null_type,
    is_required_input_field,
    is_union_type,
    visit,
)
from pydantic import TypeAdapter, ValidationError

from sdl.arguments.input_schemas import argument_types, needed_arguments
from sdl.errors import StudiographError
from sdl.operations.operation import (
    ERRORS,
    INPUT,
    Operation,
    Variable,
    form_paths,
    path_variables,
    words_of,
)
from sdl.types.directives import MEDIA_TYPES, values_of
from sdl.types.marks import Summary
from sdl.types.scalar_types import Line
from sdl.types.shape import TYPENAME, ListShape, ObjectShape, ScalarShape

_LINE: TypeAdapter[str] = TypeAdapter(Line)


@dataclass(frozen=True, order=True)
class OperationProblem:
    """One problem: its file, line and column, and a message."""

    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


class OperationError(StudiographError):
    """The operations are not valid; `problems` has everything that is wrong with them."""

    def __init__(self, problems: Iterable[OperationProblem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__("\n".join(str(problem) for problem in self.problems))


def problem_at(node: Node, message: str) -> OperationProblem:
    """Return a problem at a node of a parsed document."""
    location = node.loc
    if location is None:
        return OperationProblem("-", 1, 1, message)
    start = location.start_token
    return OperationProblem(location.source.name, start.line, start.column, message)


def problem_of(operation: Operation, directive: str, message: str) -> OperationProblem:
    """Return a problem at a directive of an operation, the first of its name."""
    return problem_at(next(iter(operation.directives(directive)), operation.node), message)


def to_problem(error: GraphQLError) -> OperationProblem:
    """Return the problem of an error that graphql-core found."""
    if error.nodes:
        return problem_at(error.nodes[0], error.message)
    source, locations = error.source, error.locations
    if source is None or not locations:
        return OperationProblem("-", 1, 1, error.message)
    return OperationProblem(source.name, locations[0].line, locations[0].column, error.message)


def is_line(text: str) -> bool:
    """Whether a text may be a title or a summary: one line of plain text."""
    try:
        _LINE.validate_python(text)
    except ValidationError:
        return False
    return True


PATH = re.compile(
    r"/(?:[A-Za-z0-9._-]+|\{[A-Za-z_]\w*\})?(?:/(?:[A-Za-z0-9._-]+|\{[A-Za-z_]\w*\}))*"
)
"""A path with its variables in braces."""

_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
"""Source: RFC 9110 section 5.6.2."""
_RELATION = re.compile(r"[a-z][a-z0-9.-]*")
UPLOAD = "Upload"
"""The scalar of files. Source: Strawberry; GraphQL multipart request specification."""
_SUCCESSES = (200, 201, 202)
_PROJECTION_PARAMETERS = ("fields", "limit", "offset")


def rest_rules(
    node: OperationDefinitionNode, directive: DirectiveNode
) -> Iterator[OperationProblem]:
    """Yield the problems of one operation's `@rest`."""
    rest = values_of(directive)
    yield from _path_rules(node, directive, rest)
    if not rest["media"]:
        yield problem_at(directive, "media: write at least one media type")
    if node.operation is OperationType.QUERY and "EVENTS" in rest["media"]:
        yield problem_at(directive, "media: only a subscription has EVENTS")
    yield from _method_rules(node, directive, rest)
    if rest["whole"] and len(node.selection_set.selections) > 1:
        yield problem_at(
            directive, "whole: several root fields are one object already: leave it out"
        )
    if rest["method"] != "POST" and rest["get_parameters"]:
        yield problem_at(directive, "getParameters: only a POST has them")
    if rest.get("rel") is not None and not _RELATION.fullmatch(rest["rel"]):
        yield problem_at(directive, "rel: write a link relation, such as service-doc")
    if rest.get("rel") is not None and path_variables(rest["path"]):
        yield problem_at(directive, "rel: a link of every response has a path without variables")


def strict_rest_rules(
    node: OperationDefinitionNode, directive: DirectiveNode
) -> Iterator[OperationProblem]:
    """Yield what a strict folder may not have beyond `rest_rules`."""
    rest = values_of(directive)
    is_get = rest["method"] == "GET"
    for variable in node.variable_definitions or ():
        name = variable.variable.name.value
        if is_get and name in _PROJECTION_PARAMETERS:
            yield problem_at(variable, f"${name}: reads have a parameter of this name; rename it")
        if is_get and variable.directives:
            yield problem_at(variable, "from: the variables of a GET are in its path and query")
    if is_get and path_variables(rest["path"]) and rest.get("each") is None:
        yield problem_at(directive, "each: write the list whose items fill the path's variables")


def _method_rules(
    node: OperationDefinitionNode, directive: DirectiveNode, rest: dict[str, Any]
) -> Iterator[OperationProblem]:
    """Yield the problems of the method and the status; writes return JSON or events."""
    is_stream = node.operation is OperationType.SUBSCRIPTION
    if rest["method"] == "GET" and node.operation is OperationType.MUTATION:
        yield problem_at(directive, "method: a mutation cannot have GET; write POST")
    elif rest["method"] not in ("GET", "POST") and node.operation is not OperationType.MUTATION:
        yield problem_at(directive, f"method: only a mutation can have {rest['method']}")
    if rest["status"] not in _SUCCESSES:
        yield problem_at(directive, "status: write 200, 201 or 202")
    if rest["method"] == "GET" and not is_stream:
        return
    allowed = [["EVENTS"]] if is_stream else [["JSON"], ["JSON", "MARKDOWN"]]
    if rest["media"] not in allowed or rest["whole"]:
        message = "a write returns JSON, or JSON and MARKDOWN; a subscription EVENTS; never `whole`"
        yield problem_at(directive, f"media: {message}")
    for variable in node.variable_definitions or () if rest["method"] == "DELETE" else ():
        in_path = variable.variable.name.value in path_variables(rest["path"])
        if not in_path and not variable.directives:
            yield problem_at(variable, "the variables of a DELETE are in its path and headers")
    for other in node.directives or ():
        if other.name.value in ("sign", "cache"):
            yield problem_at(other, "only an operation with GET can have @sign or @cache")


def _path_rules(
    node: OperationDefinitionNode, directive: DirectiveNode, rest: dict[str, Any]
) -> Iterator[OperationProblem]:
    declared = {v.variable.name.value: v for v in node.variable_definitions or ()}
    names = path_variables(rest["path"])
    if not PATH.fullmatch(rest["path"]) or {".", ".."} & {*rest["path"].split("/")}:
        yield problem_at(directive, "path: write /segments of letters, digits, . _ - or {variable}")
    if len(set(names)) != len(names):
        yield problem_at(directive, "path: a variable is in it twice")
    for name in names:
        if name not in declared:
            yield problem_at(directive, f"path: {_undeclared(name, declared)}")
        elif not isinstance(declared[name].type, NonNullTypeNode):
            yield problem_at(declared[name], f"${name} is in the path, so it must be non-null")


def _undeclared(name: str, declared: Iterable[str]) -> str:
    similar = difflib.get_close_matches(name, declared, n=1)
    return f"${name} is not declared{f'; did you mean ${similar[0]}?' if similar else ''}"


_TOOL = re.compile(r"[a-z][a-z0-9_]{0,63}")
_SKILL = re.compile(r"(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*")
SKILL_FILE = "SKILL.md"
"""The name of a skill's file, in a folder with the skill's name. Source: Agent Skills."""


def operation_rules(document: DocumentNode, file: str) -> Iterator[OperationProblem]:
    """Yield the problems of one operation file."""
    node = document.definitions[0]
    if len(document.definitions) != 1 or not isinstance(node, OperationDefinitionNode):
        yield problem_at(node, "an operation file must have one operation and nothing else")
        return
    if node.name is None or _snake_case(node.name.value) != PurePath(file).stem:
        name = node.name.value if node.name else ""
        yield problem_at(
            node, f"the file must be named {_snake_case(name) or 'as the operation'}.graphql"
        )
    operation: list[OperationDefinitionNode | VariableDefinitionNode] = [node]
    for definition in (*operation, *(node.variable_definitions or ())):
        if definition.description is None or not definition.description.value.strip():
            yield problem_at(definition, "a description is missing before this")
    yield from _root_rules(node, strict=True)
    yield from _fixed_shape_rules(document)


def loose_rules(document: DocumentNode) -> Iterator[OperationProblem]:
    """Yield the problems of a file with any number of operations and fragments."""
    for node in document.definitions:
        if isinstance(node, OperationDefinitionNode):
            if node.name is None:
                yield problem_at(node, "give the operation a name")
            yield from _root_rules(node, strict=False)
        elif not isinstance(node, FragmentDefinitionNode):
            yield problem_at(node, "a file has operations and fragments; types are no part of it")
    yield from _fixed_shape_rules(document)


def _root_rules(node: OperationDefinitionNode, *, strict: bool) -> Iterator[OperationProblem]:
    """Yield the problems of root fields, of which a query may have several if it is not strict."""
    roots = node.selection_set.selections
    wrong = [r for r in roots if not isinstance(r, FieldNode) or r.name.value == TYPENAME]
    if strict or node.operation is not OperationType.QUERY:
        if wrong or len(roots) > 1:
            kind = "an operation" if strict else f"a {node.operation.value}"
            yield problem_at(node.selection_set, f"{kind} must select one root field")
        return
    for root in wrong:
        yield problem_at(root, "at the root write fields; no fragment, and no __typename")


def fragment_rules(document: DocumentNode, file: str) -> Iterator[OperationProblem]:
    """Yield the problems of one fragment file."""
    node = document.definitions[0]
    if len(document.definitions) != 1 or not isinstance(node, FragmentDefinitionNode):
        yield problem_at(node, "a fragment file must have one fragment and nothing else")
    elif _snake_case(node.name.value) != PurePath(file).stem:
        yield problem_at(node, f"the file must be named {_snake_case(node.name.value)}.graphql")
    yield from _fixed_shape_rules(document)


def directive_rules(
    nodes: Sequence[OperationDefinitionNode], *, strict: bool = True
) -> Iterator[OperationProblem]:
    """Yield the problems of the directives of valid operations, and of names used twice."""
    rules = {
        "rest": rest_rules,
        "fails": _failure_rules,
        "example": _example_rules,
        "resource": _resource_and_prompt_rules,
        "prompt": _resource_and_prompt_rules,
        "skill": _skill_rules,
        "sign": _sign_rules,
        "cache": _cache_rules,
        "mcp": _tool_rules,
    }
    for node in nodes:
        yield from _unique([node], "example", lambda own: [f"example {values_of(own)['name']!r}"])
        for directive in node.directives or ():
            if directive.name.value in rules:
                yield from rules[directive.name.value](node, directive)
            if directive.name.value == "rest" and strict:
                yield from strict_rest_rules(node, directive)
    yield from _unique(nodes, "rest", _routes)
    yield from _named_alike(nodes)
    yield from _unique(nodes, "sign", _sections)
    yield from _unique(nodes, "mcp", lambda directive: [f"tool {values_of(directive)['tool']!r}"])
    for kind in ("resource", "prompt", "skill"):
        yield from _unique(nodes, kind, lambda d: [f"{d.name.value} {values_of(d)['name']!r}"])


def compiled_rules(
    operations: Sequence[Operation], schema: GraphQLSchema
) -> Iterator[OperationProblem]:
    """Yield the problems of compiled operations: of their texts and of `each` lists."""
    yield from _each_rules(operations, schema)
    yield from _get_parameter_rules(operations)
    paths = {operation.rest.path for operation in operations if operation.rest is not None}
    for operation in operations:
        yield from _variable_rules(operation)
        yield from _answer_rules(operation)
        if operation.skill is not None and not _has_summary(operation):
            message = "skill: no field of the body is its summary, which describes the skill"
            yield problem_of(operation, "skill", message)
        rest = operation.rest
        forms = form_paths(rest.path, rest.media) if rest is not None and operation.is_read else {}
        for path in paths.intersection(forms.values()):
            message = f"path: {path}, a form of it, is the path of another operation"
            yield problem_of(operation, "rest", message)
        if operation.signed_path in paths:
            message = f"sign: {operation.signed_path} is the path of another operation"
            yield problem_of(operation, "sign", message)
        yield from _linked_rules(operation)
        yield from _feed_rules(operation)
        section = operation.llms.section if operation.llms else operation.title
        texts = {"first paragraph": operation.summary, "title": operation.title, "section": section}
        for name, text in texts.items():
            if operation.is_strict and not is_line(text):
                message = f"{name}: must be plain text of 1 to 400 characters"
                yield problem_at(operation.node, message)


def _variable_rules(operation: Operation) -> Iterator[OperationProblem]:
    """Yield a problem for each variable that a call could not fill, or not by its name alone."""
    members = [name for own in operation.variables if own.is_spread for name in _fields_of(own)]
    nodes = {own.variable.name.value: own for own in operation.node.variable_definitions or ()}
    for variable in operation.variables:
        name, node = variable.name, nodes[variable.name]
        if variable.header is not None and name in operation.path_variables:
            yield problem_at(node, f"${name}: the path fills it already; leave out @from")
        if variable.header is not None and not _HEADER.fullmatch(variable.header):
            yield problem_at(node, "from: write a header's name, such as accept-language")
        if variable.header is not None and variable.required and _is_over_mcp(operation):
            message = f"${name}: MCP has no header to fill it; give it a default, or let it be null"
            yield problem_at(node, message)
        if _is_file(variable.type):
            message = f"${name}: {UPLOAD} is a file, and multipart bodies are not served"
            yield problem_at(node, message)
        if is_input_object_type(get_named_type(variable.type)):
            if name in operation.path_variables or variable.header or operation.prompt:
                message = f"${name}: an object fits no path, no header and no prompt"
                yield problem_at(node, message)
        elif variable.header is None and name in members:
            message = f"${name}: ${INPUT} has a field of this name; rename the variable"
            yield problem_at(node, message)


def _is_file(kind: GraphQLInputType) -> bool:
    """Whether a value is a file, or an object that needs one."""
    inner = get_nullable_type(kind)
    if isinstance(inner, GraphQLInputObjectType):
        return any(is_required_input_field(o) and _is_file(o.type) for o in inner.fields.values())
    return get_named_type(kind).name == UPLOAD


def _is_over_mcp(operation: Operation) -> bool:
    return any((operation.mcp, operation.resource, operation.prompt))


def _answer_rules(operation: Operation) -> Iterator[OperationProblem]:
    """Yield the problems of failures that an answer cannot be, and of where it leads to."""
    shape, _ = operation.unwrapped(operation.shape, {operation.root_key: None})
    fields = {m.key: m for m in shape.fields} if isinstance(shape, ObjectShape) else {}
    kind = fields[operation.typename_key].shape if operation.typename_key is not None else None
    words = [*(kind.words or ())] if isinstance(kind, ScalarShape) else []
    for node, failure in zip(operation.directives("fails"), operation.failures, strict=True):
        if failure.type not in words:
            message = f"fails: select __typename, and name one of its types ({', '.join(words)})"
            message = message if words else "fails: select __typename, which says what it is"
            yield problem_at(node, message)
    if operation.rest is not None and operation.rest.partial:
        keys = [own.key for own in shape.fields] if isinstance(shape, ObjectShape) else []
        if operation.node.operation is OperationType.SUBSCRIPTION:
            yield problem_of(operation, "rest", "partial: an event has no member for its errors")
        elif not keys:
            message = "partial: only an object has a member for its errors: add `whole: true`"
            yield problem_of(operation, "rest", message)
        elif keys.count(ERRORS) > 1:
            message = f"partial: `{ERRORS}` says what failed: write an alias, `own: {ERRORS}`"
            yield problem_of(operation, "rest", message)
    location = operation.rest.location if operation.rest is not None else None
    for name in path_variables(location or ""):
        if name not in fields or (fields[name].optional and not operation.failures):
            yield problem_of(operation, "rest", f"location: the body does not always have {name!r}")


def _fields_of(variable: Variable) -> Sequence[str]:
    kind = get_named_type(variable.type)
    return [*kind.fields] if isinstance(kind, GraphQLInputObjectType) else []


def _linked_rules(operation: Operation) -> Iterator[OperationProblem]:
    if operation.rest is None or MEDIA_TYPES["LINKED_DATA"] not in operation.rest.media:
        return
    shape, _ = operation.unwrapped(operation.shape, {operation.root_key: None})
    is_list = isinstance(shape, ListShape) and operation.linked_list is not None
    node = shape.item if is_list and isinstance(shape, ListShape) else shape
    if not isinstance(node, ObjectShape) or not node.linked_type:
        message = (
            "media: LINKED_DATA needs a type with `linked_type`, or a list marked `LinkedList`"
        )
        yield problem_of(operation, "rest", message)


_FEEDS = {
    "FEED": (("version", "title", "items"), ("id",)),
    "ATOM": (
        ("title", "description", "homePageUrl", "atomUrl", "authors", "items"),
        ("id", "title", "url", "datePublished", "tags", "contentText"),
    ),
}
"""The members that a feed is made of, and those of its items."""


def _feed_rules(operation: Operation) -> Iterator[OperationProblem]:
    media = operation.rest.media if operation.rest is not None else ()
    shape, _ = operation.unwrapped(operation.shape, {operation.root_key: None})
    for word in (word for word in _FEEDS if MEDIA_TYPES[word] in media):
        needed, in_items = _FEEDS[word]
        members = {m.key: m.shape for m in shape.fields} if isinstance(shape, ObjectShape) else {}
        items = members.get("items")
        item = items.item if isinstance(items, ListShape) else None
        keys = {member.key for member in item.fields} if isinstance(item, ObjectShape) else set()
        if not {*needed} <= {*members} or not {*in_items} <= keys:
            text = f"{word} needs an object with {', '.join(needed)}, whose items have"
            yield problem_of(operation, "rest", f"media: {text} {', '.join(in_items)}")


def _each_rules(
    operations: Sequence[Operation], schema: GraphQLSchema
) -> Iterator[OperationProblem]:
    by_name = {operation.name: operation for operation in operations}
    for operation in operations:
        if operation.prompt is not None and operation.prompt.each is not None:
            items = _items_of(operation.prompt.each, by_name)
            if items is None or "slug" not in {field.key for field in items.fields}:
                message = f"each: {operation.prompt.each!r} is not a list whose items have slugs"
                yield problem_of(operation, "prompt", message)
        each = operation.rest.each if operation.rest is not None else None
        if each is None:
            continue
        items = _items_of(each, by_name)
        keys = {field.key for field in items.fields if not field.optional} if items else set()
        keys |= _required_fields(schema, items)
        if items is not None and is_union_type(schema.get_type(items.type_name)):
            message = f"each: {each!r} lists a union, whose entries have no field in common"
            yield problem_of(operation, "rest", message)
        elif not operation.path_variables:
            message = "each: the path has no variable for the items to fill: leave it out"
            yield problem_of(operation, "rest", message)
        elif items is None:
            message = f"each: {each!r} is no list: write Operation, or Operation.member of its body"
            yield problem_of(operation, "rest", message)
        elif not keys.issuperset(operation.path_variables):
            names = ", ".join(operation.path_variables)
            message = f"each: {each!r} is not a list whose items have {names}"
            yield problem_of(operation, "rest", message)


def _items_of(each: str, by_name: Mapping[str, Operation]) -> ObjectShape | None:
    name, _, member = each.partition(".")
    return by_name[name].list_item_shape(member) if name in by_name else None


def _get_parameter_rules(operations: Sequence[Operation]) -> Iterator[OperationProblem]:
    """Yield a problem for each parameter of a GET that is no argument, or that is left out."""
    for operation in operations:
        names = operation.rest.get_parameters if operation.rest is not None else []
        known = argument_types(operation) if names else {}
        for name in names:
            if name not in known or is_input_object_type(get_named_type(known[name])):
                message = f"getParameters: {name!r} is not an argument that a text can be"
                yield problem_of(operation, "rest", message)
        for name in needed_arguments(operation) if names else ():
            if name not in names:
                yield problem_of(operation, "rest", f"getParameters: {name!r} is needed")


def _required_fields(schema: GraphQLSchema, items: ObjectShape | None) -> set[str]:
    """Return the fields of an object's type that always have a value and need no argument."""
    kind = schema.get_type(items.type_name) if items is not None else None
    fields = kind.fields if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType) else {}
    return {n for n, f in fields.items() if is_non_null_type(f.type) and not f.args}


def _fixed_shape_rules(document: DocumentNode) -> Iterator[OperationProblem]:
    """Yield a problem for everything that keeps the shape of a result from being fixed."""
    collector = _ConditionalOrMetaFields()
    visit(document, collector)
    for node in collector.nodes:
        yield problem_at(node, "a stored operation may not use @skip, @include or a __ field")


class _ConditionalOrMetaFields(Visitor):
    """Collects `@skip`, `@include` and introspection fields."""

    def __init__(self) -> None:
        super().__init__()
        self.nodes: list[DirectiveNode | FieldNode] = []

    def enter_directive(self, node: DirectiveNode, *_: object) -> None:
        if node.name.value in ("skip", "include"):
            self.nodes.append(node)

    def enter_field(self, node: FieldNode, *_: object) -> None:
        if node.name.value.startswith("__") and node.name.value != TYPENAME:
            self.nodes.append(node)


def _sign_rules(
    node: OperationDefinitionNode, directive: DirectiveNode
) -> Iterator[OperationProblem]:
    sign = values_of(directive)
    if not PATH.fullmatch(sign["snapshots"]) or path_variables(sign["snapshots"]):
        yield problem_at(directive, "snapshots: write /segments of letters, digits, . _ -")
    if sign.get("section") is None and not _rest_of(node):
        yield problem_at(directive, "section: write one, or give the operation a path by @rest")
    for variable in node.variable_definitions or ():
        if isinstance(variable.type, NonNullTypeNode) and variable.default_value is None:
            yield problem_at(variable, "a signed operation may not have required variables")


def _skill_rules(
    node: OperationDefinitionNode, directive: DirectiveNode
) -> Iterator[OperationProblem]:
    """Yield the problems of a skill: a read as markdown alone, at a path that ends in its file."""
    name = values_of(directive)["name"]
    if not _SKILL.fullmatch(name):
        yield problem_at(directive, "name: write lower-case letters, digits and single hyphens")
    rest, path = _rest_of(node), f"/{name}/{SKILL_FILE}"
    if not rest or not rest["path"].endswith(path) or rest["media"] != ["MARKDOWN"]:
        yield problem_at(directive, f"give it @rest with MARKDOWN alone and a path ending {path}")


def _cache_rules(
    _: OperationDefinitionNode, directive: DirectiveNode
) -> Iterator[OperationProblem]:
    if values_of(directive)["max_age"] < 0:
        yield problem_at(directive, "maxAge: write 0 or more seconds")


def _tool_rules(_: OperationDefinitionNode, directive: DirectiveNode) -> Iterator[OperationProblem]:
    if not _TOOL.fullmatch(values_of(directive)["tool"]):
        yield problem_at(directive, "tool: write lower-case letters, digits and _")
    if values_of(directive)["text"] not in ("MARKDOWN", "JSON"):
        yield problem_at(directive, "text: write MARKDOWN or JSON")


def _resource_and_prompt_rules(
    node: OperationDefinitionNode, directive: DirectiveNode
) -> Iterator[OperationProblem]:
    """Yield the problems of a resource (a read with the same variables) or a prompt (no path)."""
    name, kind, rest = values_of(directive)["name"], directive.name.value, _rest_of(node)
    if kind == "prompt":
        if not _TOOL.fullmatch(name):
            yield problem_at(directive, "name: write lower-case letters, digits and _")
        if rest:
            yield problem_at(directive, "a prompt may not have a path: its text is for models only")
        return
    if not PATH.fullmatch(f"/{name}"):
        yield problem_at(directive, "name: write segments of letters, digits, . _ - or {variable}")
    if not rest or rest["method"] != "GET":
        yield problem_at(directive, "a resource must be a read: give it a path by @rest")
    elif sorted(path_variables(name)) != sorted(path_variables(rest["path"])):
        yield problem_at(directive, "name: it must have the variables of the path, and no others")
    for own in node.variable_definitions or ():
        is_needed = isinstance(own.type, NonNullTypeNode) and own.default_value is None
        if is_needed and not own.directives and own.variable.name.value not in path_variables(name):
            said = f"${own.variable.name.value}: a resource has only the variables of its path"
            yield problem_at(own, f"{said}: put it there, give it a default, or let it be null")


def _rest_of(node: OperationDefinitionNode) -> dict[str, Any]:
    """Return the values of an operation's `@rest`; empty without one."""
    own = (values_of(d) for d in node.directives or () if d.name.value == "rest")
    return next(own, {})


def _failure_rules(
    _: OperationDefinitionNode, directive: DirectiveNode
) -> Iterator[OperationProblem]:
    if values_of(directive)["status"] not in range(400, 600):
        yield problem_at(directive, "status: write an HTTP status from 400 to 599")


def _example_rules(
    node: OperationDefinitionNode, directive: DirectiveNode
) -> Iterator[OperationProblem]:
    example = values_of(directive)
    declared = {v.variable.name.value for v in node.variable_definitions or ()}
    if example["status"] not in range(100, 600):
        yield problem_at(directive, "status: write an HTTP status")
    if not isinstance(example["variables"], dict):
        yield problem_at(directive, "variables: write an object")
        return
    for name in example["variables"]:
        if name not in declared and example["status"] == 200:  # noqa: PLR2004 - HTTP's OK
            yield problem_at(directive, f"variables: {_undeclared(name, declared)}")


def _routes(directive: DirectiveNode) -> list[str]:
    rest = values_of(directive)
    path = _without_names(rest["path"])
    media = rest["media"]
    if rest["method"] == "GET" and "EVENTS" in media:  # no form of a read, but of its own
        media = ["JSON", "MARKDOWN", *media]
    return [f"{rest['method']} {path} as {each}" for each in media]


def _sections(directive: DirectiveNode) -> list[str]:
    section = values_of(directive).get("section")
    return [f"section {section!r}"] if section is not None else []


def _unique(
    nodes: Sequence[OperationDefinitionNode],
    directive_name: str,
    names: Callable[[DirectiveNode], list[str]],
) -> Iterator[OperationProblem]:
    owners: defaultdict[str, list[DirectiveNode]] = defaultdict(list)
    for node in nodes:
        for directive in node.directives or ():
            if directive.name.value == directive_name:
                for name in names(directive):
                    owners[name].append(directive)
    for name, directives in owners.items():
        for directive in directives[1:]:
            first = problem_at(directives[0], "")
            yield problem_at(directive, f"{name} is already used by {first.file}:{first.line}")


def _named_alike(nodes: Sequence[OperationDefinitionNode]) -> Iterator[OperationProblem]:
    """Yield a problem for a path whose variables have other names than those of the first one."""
    first: dict[str, tuple[str, DirectiveNode]] = {}
    for node in nodes:
        for directive in node.directives or ():
            if directive.name.value == "rest":
                path = values_of(directive)["path"]
                known, at = first.setdefault(_without_names(path), (path, directive))
                if path != known:
                    place = problem_at(at, "")
                    message = f"path: write {known}, as {place.file}:{place.line} has this path"
                    yield problem_at(directive, message)


def _without_names(path: str) -> str:
    return re.sub(r"\{\w+\}", "{}", path)


def _has_summary(operation: Operation) -> bool:
    return isinstance(operation.shape, ObjectShape) and bool(operation.shape.field_marked(Summary))


def _snake_case(name: str) -> str:
    return "_".join(words_of(name)).lower()
