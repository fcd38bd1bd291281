"""First operations for a schema: one file a root field, to be read and changed by its owner.

A draft selects two levels of objects, through Relay's connections, and has each argument as a
variable. What is deprecated is left out, and below the root what needs an argument.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from graphql import (
    DocumentNode,
    FieldNode,
    GraphQLArgument,
    GraphQLError,
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLNamedOutputType,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    NullValueNode,
    OperationDefinitionNode,
    OperationType,
    StringValueNode,
    get_named_type,
    get_nullable_type,
    is_abstract_type,
    is_composite_type,
    is_input_object_type,
    is_list_type,
    is_required_argument,
    parse,
    print_ast,
)
from graphql.utilities import get_default_value_ast

from sdl.operations.compiler import documents_in
from sdl.operations.operation import INPUT, words_of
from sdl.operations.rules import UPLOAD, OperationError, OperationProblem

LEVELS = 2
"""How many objects deep a draft selects."""
MAX_TOOL = 64
MAX_ALIKE = 1000
"""How many names that are alike but for capitals and underscores are told apart."""
_FEDERATION = ("_service", "_entities")
_KEYS = ("id", "slug", "key", "code")
"""What arguments end with that name one thing, and are put into the path."""
Check = Callable[[Path], object]
"""Compiles a folder; raises OperationError."""


@dataclass
class Drafts:
    """What a draft wrote, and what it left out."""

    written: list[Path] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    """The files and the root fields that it left as they are, each with the reason."""


def draft(schema: GraphQLSchema, folder: Path, check: Check, reserved: Iterable[str]) -> Drafts:
    """Write a file for each root field that no operation of the folder selects.

    A file that is there is never written. `reserved` are paths that operations may not have; a
    draft that `check` refuses is left out. Raises: OperationError for files that cannot be parsed;
    OSError.
    """
    problems: list[OperationProblem] = []
    sources = [*documents_in(folder, problems, strict=False)]
    if problems:
        raise OperationError(problems)
    drafts, taken = Drafts(), _Taken(sources, reserved)
    texts: dict[str, list[str]] = {}
    for kind, name, own in _root_fields(schema):
        if (place := taken.fields.get((kind, name))) is not None:
            drafts.left.append(f"{kind.value} {name}: {place} has it")
        elif (reason := _reason(name, own)) is not None:
            drafts.left.append(f"{kind.value} {name}: {reason}")
        else:
            operation, path = taken.free(kind, name, own)
            file = f"{'_'.join(words_of(operation)).lower()}.graphql"
            if (folder / file).exists():
                drafts.left.append(f"{file}: it is there already")
                continue
            made = (_Draft(schema, own, kind, levels) for levels in (LEVELS, 1))
            texts[file] = [one.text(operation, name, path) for one in made]
    drafts.left += _keep_valid(texts, sources, check)
    folder.mkdir(parents=True, exist_ok=True)
    for file, (text, *_) in texts.items():
        with (folder / file).open("x", encoding="utf-8") as written:
            written.write(text)
        drafts.written.append(folder / file)
    return drafts


def _keep_valid(
    texts: dict[str, list[str]], sources: Iterable[DocumentNode], check: Check
) -> Iterator[str]:
    """Take the next, smaller text of each file that is refused; yield why one has none left."""
    with TemporaryDirectory() as place:
        copy = Path(place)
        for document in sources:
            target = copy / _file_of(document)
            target.parent.mkdir(exist_ok=True)
            target.write_text(document.loc.source.body if document.loc else "", encoding="utf-8")
        refused: dict[str, str] = {"": ""}
        while texts and refused:
            for file, (text, *_) in texts.items():
                (copy / file).write_text(text, encoding="utf-8")
            refused = {}
            try:
                check(copy)
            except OperationError as error:
                found = {p.file.partition("/")[2]: p.message for p in error.problems}
                # What is wrong in the folder itself is said by `check`.
                refused = {file: text for file, text in found.items() if file in texts}
            for file, reason in refused.items():
                del texts[file][0]
                if not texts[file]:
                    del texts[file]
                    (copy / file).unlink()
                    yield f"{file}: {reason}"


def _file_of(document: DocumentNode) -> str:
    """Return the path of a document in its folder."""
    return document.loc.source.name.partition("/")[2] if document.loc is not None else ""


class _Taken:
    """The names that a folder and the drafts before have."""

    def __init__(self, sources: Iterable[DocumentNode], reserved: Iterable[str]) -> None:
        self.fields: dict[tuple[OperationType, str], str] = {}
        """The file of each root field that is selected."""
        self._names = set[str]()
        """Names of operations and of tools, in lower case without underscores."""
        # A path also has those of its forms, such as /openapi.json.
        self._paths = {own.removesuffix(end) for own in reserved for end in ("", ".json", ".md")}
        for document in sources:
            for node in document.definitions:
                if isinstance(node, OperationDefinitionNode):
                    self._add(node, _file_of(document))

    def _add(self, node: OperationDefinitionNode, file: str) -> None:
        self._names.add(_plain(node.name.value if node.name is not None else ""))
        for root in node.selection_set.selections:
            if isinstance(root, FieldNode):
                self.fields.setdefault((node.operation, root.name.value), file)
        for argument in (a for own in node.directives or () for a in own.arguments or ()):
            if isinstance(argument.value, StringValueNode):
                self._names.add(_plain(argument.value.value))
                self._paths.add(argument.value.value.partition("/{")[0])

    def free(self, kind: OperationType, name: str, own: GraphQLField) -> tuple[str, str]:
        """Return a name of an operation and a path that nobody has."""
        words = words_of(name)
        first = "" if words[0][0].isalpha() else "Get"
        plain = first + "".join(f"{word[:1].upper()}{word[1:]}" for word in words)
        path = "-".join(word.lower() for word in words)
        key = _key_of(own) if kind is OperationType.QUERY else None
        more = ("", kind.value, *(f"{kind.value}{number}" for number in range(2, MAX_ALIKE)))
        operation, base = next(
            (operation, base)
            for operation, base in ((plain + m.title(), f"/{path}{m and '-'}{m}") for m in more)
            if base not in self._paths and _plain(operation) not in self._names
        )
        self._names.add(_plain(operation))
        self._paths.add(base)
        return operation, f"{base}/{{{key}}}" if key is not None else base


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _root_fields(schema: GraphQLSchema) -> Iterator[tuple[OperationType, str, GraphQLField]]:
    for kind in OperationType:
        root = schema.get_root_type(kind)
        for name, own in (root.fields if root is not None else {}).items():
            yield kind, name, own


def _reason(name: str, own: GraphQLField) -> str | None:
    """Return why a root field has no draft; None if it has one."""
    if own.deprecation_reason is not None:
        return "it is deprecated"
    if name in _FEDERATION or not words_of(name):
        return "it is for machines alone"
    uploads = [n for n, a in own.args.items() if is_required_argument(a) and _is_upload(a)]
    return f"its argument {uploads[0]} is a file" if uploads else None


def _is_upload(argument: GraphQLArgument) -> bool:
    return get_named_type(argument.type).name == UPLOAD


def _key_of(own: GraphQLField) -> str | None:
    """Return the one needed argument that names what is read; None if there is none."""
    needed = [(n, a) for n, a in own.args.items() if is_required_argument(a)]
    if len(needed) != 1:
        return None
    [(name, argument)] = needed
    kind = get_nullable_type(argument.type)
    if is_list_type(kind):
        return None
    is_key = any(name.lower().endswith(key) for key in _KEYS)
    is_id = str(kind) in ("ID", "UUID") or (str(kind) in ("Int", "String") and is_key)
    return name if is_id else None


@dataclass
class _Draft:
    """The operation of one root field."""

    schema: GraphQLSchema
    own: GraphQLField
    kind: OperationType
    levels: int

    def text(self, operation: str, name: str, path: str) -> str:
        """Return the text of its file."""
        arguments = {
            own: argument
            for own, argument in self.own.args.items()
            if argument.deprecation_reason is None and not _is_upload(argument)
        }
        names = _variable_names(arguments)
        variables = ", ".join(f"${names[n]}: {_typed(a)}" for n, a in arguments.items())
        passed = ", ".join(f"{n}: ${names[n]}" for n in arguments)
        is_query = self.kind is OperationType.QUERY
        objects = (a for a in arguments.values() if is_input_object_type(get_named_type(a.type)))
        by_post = is_query and any(is_required_argument(a) for a in objects)
        rest = f'@rest(path: "{path}"{", method: POST" if by_post else ""})'
        tool = "_".join(words_of(operation)).lower()
        said = [f'tool: "{tool[:MAX_TOOL]}"'] if len(tool) > MAX_TOOL else []
        said += [] if is_query else ["order: 200"]  # clients list tools that read before others
        mcp = f"@mcp({', '.join(said)})" if said else "@mcp"
        below = get_named_type(self.own.type)
        selected = ""
        if is_composite_type(below):
            selected = self._selected(below, self.levels) or "{ __typename }"
        head = f"{self.kind.value} {operation}{f'({variables})' if variables else ''}"
        surfaces = rest if self.kind is OperationType.SUBSCRIPTION else f"{rest} {mcp}"
        root = f"{name}{f'({passed})' if passed else ''} {selected}"
        return f"{head}\n  {surfaces}\n{print_ast(parse(f'{{ {root} }}'))}\n"

    def _selected(
        self, kind: GraphQLNamedOutputType, left: int, outer: tuple[str, ...] = ()
    ) -> str:
        """Return what is selected of a type, in braces; empty if there is nothing.

        `left` is how many objects deep; `outer` are the connections since the last of them.
        """
        fields = dict(self._fields(kind, left, outer))
        selected = [*fields.values()]
        if is_abstract_type(kind) and self.schema.get_possible_types(kind):
            selected = ["__typename", *selected, *self._parts(kind, fields, left, outer)]
        return f"{{ {' '.join(selected)} }}" if selected else ""

    def _fields(
        self, kind: GraphQLNamedOutputType, left: int, outer: tuple[str, ...]
    ) -> Iterator[tuple[str, str]]:
        """Yield the names of fields that need no argument, each with what is selected."""
        fields: Mapping[str, GraphQLField] = getattr(kind, "fields", {})
        left, outer = (left, (*outer, kind.name)) if _is_connection(kind) else (left - 1, ())
        for name, own in fields.items():
            is_asking = any(map(is_required_argument, own.args.values()))
            if is_asking or own.deprecation_reason is not None:
                continue
            below = get_named_type(own.type)
            if not is_composite_type(below):
                yield name, name
            elif left > 0 and below.name not in outer:
                selected = self._selected(below, left, outer)
                yield from [(name, f"{name} {selected}")] if selected else []

    def _parts(
        self,
        kind: GraphQLInterfaceType | GraphQLUnionType,
        shared: Mapping[str, str],
        left: int,
        outer: tuple[str, ...],
    ) -> Iterator[str]:
        """Yield a fragment for each possible type that has more than the type itself.

        GraphQL lets two types have one key only for the same: a second meaning gets an alias.
        """
        own_fields: Mapping[str, GraphQLField] = getattr(kind, "fields", {})
        meanings = {n: (str(own_fields[n].type), text) for n, text in shared.items()}
        for possible in self.schema.get_possible_types(kind):
            selected = []
            for name, text in self._fields(possible, left, outer):
                meaning = (str(possible.fields[name].type), text)
                if name in shared:
                    continue
                alias = name
                if meanings.setdefault(name, meaning) != meaning:
                    alias = (
                        f"{possible.name[0].lower()}{possible.name[1:]}{name[0].upper()}{name[1:]}"
                    )
                selected.append(text if alias == name else f"{alias}: {text}")
            if selected:
                yield f"... on {possible.name} {{ {' '.join(selected)} }}"


def _is_connection(kind: GraphQLNamedOutputType) -> bool:
    """Whether a type is a connection of Relay's, or an edge of one, which lead to the objects."""
    fields = kind.fields if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType) else {}
    return "edges" in fields or ("node" in fields and kind.name.endswith("Edge"))


def _variable_names(arguments: Mapping[str, GraphQLArgument]) -> dict[str, str]:
    """Return the variable of each argument: its name, unless `$input` would hide another."""
    own = arguments.get(INPUT)
    kind = get_nullable_type(own.type) if own is not None else None
    fields = kind.fields if isinstance(kind, GraphQLInputObjectType) else {}
    is_hiding = any(name in fields for name in arguments)
    free = next(n for n in ("object", "object_", "object__") if n not in arguments)
    return {n: free if n == INPUT and is_hiding else n for n in arguments}


def _typed(argument: GraphQLArgument) -> str:
    """Return the type of an argument's variable, with the default that GraphQL can write."""
    kind = argument.type
    try:
        node = get_default_value_ast(argument)
    except (GraphQLError, TypeError, ValueError):
        node = None
    if node is not None and not isinstance(node, NullValueNode):
        return f"{kind} = {print_ast(node)}"
    # The argument's own default holds where the variable is left out.
    is_needed = is_required_argument(argument)
    return str(kind) if is_needed else str(get_nullable_type(kind))
