"""A stored operation: everything that its document declares about an endpoint."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from textwrap import shorten
from typing import Any, TypeVar
from urllib.parse import quote

from graphql import (
    DirectiveNode,
    DocumentNode,
    FieldNode,
    GraphQLField,
    GraphQLInputType,
    GraphQLSchema,
    NameNode,
    OperationDefinitionNode,
    OperationType,
    SelectionSetNode,
    Undefined,
    get_named_type,
    get_nullable_type,
    is_input_object_type,
    is_list_type,
    is_non_null_type,
    type_from_ast,
    value_from_ast,
)

from sdl.errors import UnavailableError
from sdl.types.directives import (
    MEDIA_TYPES,
    Cache,
    Example,
    Failure,
    Intent,
    Llms,
    Mcp,
    Prompt,
    Resource,
    Rest,
    Sign,
    Skill,
    Webhook,
    values_of,
)
from sdl.types.marks import LinkedList
from sdl.types.shape import (
    Field,
    ListShape,
    ObjectShape,
    ScalarShape,
    Shape,
    declared_errors,
    declared_limit,
    marks_on,
)

JSON, MARKDOWN = MEDIA_TYPES["JSON"], MEDIA_TYPES["MARKDOWN"]
SUFFIXES = {MARKDOWN: ".md", JSON: ".json", MEDIA_TYPES["LINKED_DATA"]: ".jsonld"}
"""What the path of a single form ends with."""

ACRONYMS = {w: w.upper() for w in ("ens", "faq", "id", "llm", "mcp", "sla", "url")} | {"ids": "IDs"}


Values = TypeVar("Values")

INPUT = "input"
"""The variable whose fields are members of a body, or arguments of a tool, themselves."""

_WORD_ENDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
ERRORS = "errors"
"""The member of a partial body that says what failed."""
MAX_LINE = 400
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_PATH_VARIABLE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True)
class Variable:
    """An input of an operation."""

    name: str
    description: str
    type: GraphQLInputType
    default: Any
    header: str | None = None
    """The HTTP header that fills it; None if it is an ordinary input."""

    @property
    def required(self) -> bool:
        """Whether a caller must give it."""
        return is_non_null_type(self.type) and self.default is Undefined

    @cached_property
    def is_spread(self) -> bool:
        """Whether it is the object whose fields are members themselves."""
        return self.name == INPUT and is_input_object_type(get_nullable_type(self.type))


@dataclass(frozen=True)
class Operation:
    """One stored operation."""

    name: str
    description: str
    variables: tuple[Variable, ...]
    root: FieldNode
    shape: Shape
    document: DocumentNode
    node: OperationDefinitionNode
    rest: Rest | None
    mcp: Mcp | None
    resource: Resource | None
    prompt: Prompt | None
    skill: Skill | None
    llms: Llms | None
    sign: Sign | None
    webhook: Webhook | None
    errors: tuple[str, ...]
    """The codes of the errors that its field declares."""
    marks: tuple[Any, ...]
    """The marks of its field."""
    is_optional: bool
    """Whether it reads what need not be there: a list, or a field that may be null.

    A field that declares `UnavailableError` is there, though perhaps not now.
    """
    spends: str | None
    """The rate limit that a call counts for; None if there is none."""
    cache: Cache
    intent: Intent | None
    examples: tuple[Example, ...]
    is_nullable: bool = False
    """Whether its root field may be null."""
    is_deprecated: bool = False
    is_strict: bool = True
    """Whether it keeps the rules of strict folders."""
    failures: tuple[Failure, ...] = ()
    is_listed: bool = True
    """Whether the index may lead to it."""

    def unlisted(self) -> "Operation":
        """Return the operation without its place in the index, its goals and its section."""
        own = self.sign if self.sign is not None and self.sign.section is None else None
        return replace(self, is_listed=False, intent=None, sign=own)

    def directives(self, name: str) -> list[DirectiveNode]:
        """Return the directives of this name, in their order."""
        return [own for own in self.node.directives or () if own.name.value == name]

    @property
    def summary(self) -> str:
        """The first paragraph of the description, on one line; of any schema, without HTML."""
        line = " ".join(self.description.split("\n\n")[0].split())
        return line if self.is_strict else shorten(_TAG.sub("", line), MAX_LINE, placeholder=" …")

    @property
    def title(self) -> str:
        """The operation's name in words: `ListProjects` is `List projects`."""
        if self.llms is not None and self.llms.title is not None:
            return self.llms.title
        return title_of(self.name)

    @property
    def is_read(self) -> bool:
        """Whether it is a query by GET: it has no side effects and may be cached."""
        return self.rest is not None and self.rest.method == "GET" and self.is_query

    @property
    def section(self) -> str | None:
        """The name under which a tool reads it; None if it is no read."""
        return section_of(self.rest.path) if self.rest is not None and self.is_read else None

    @property
    def is_query(self) -> bool:
        """Whether it is a GraphQL query, which has no side effects."""
        return self.node.operation is OperationType.QUERY

    @cached_property
    def typename_key(self) -> str | None:
        """The key of the root object's type in a result; None if it is not selected."""
        shape, _ = self.unwrapped(self.shape, {self.root_key: None})
        return shape.typename_key if isinstance(shape, ObjectShape) else None

    def status_of(self, body: Any) -> int:
        """Return the HTTP status of a body: that of its type's `@fails`, or that of a success."""
        success = self.rest.status if self.rest is not None else 200
        if not self.failures or self.typename_key is None:
            return success
        _, value = self.unwrapped(self.shape, body)
        kind = value.get(self.typename_key)
        return next((own.status for own in self.failures if own.type == kind), success)

    @property
    def takes_objects(self) -> bool:
        """Whether a variable is an object, which a query string has in parts or as JSON."""
        return any(is_input_object_type(get_named_type(own.type)) for own in self.variables)

    @property
    def may_be_null(self) -> bool:
        """Whether null is an answer: of a read without a needed variable, or as a scalar.

        Elsewhere null means that nothing is there for the variables.
        """
        if self.is_strict or not self.is_nullable or self.has_several_roots:
            return False
        needs_none = not any(variable.required for variable in self.variables)
        return needs_none or isinstance(self.shape, ScalarShape)

    @property
    def has_several_roots(self) -> bool:
        """Whether it selects several root fields, and its body is the object of them all."""
        return len(self.node.selection_set.selections) > 1

    @property
    def root_key(self) -> str:
        """The key of the root field in a result."""
        return (self.root.alias or self.root.name).value

    def body_in(self, data: Mapping[str, Any]) -> Any:
        """Return the body in the data of a result; None if its root field is null."""
        if self.has_several_roots:
            return data
        value = data.get(self.root_key)
        is_whole = self.rest is not None and self.rest.whole and value is not None
        return {self.root_key: value} if is_whole else value

    def unwrapped(self, shape: Shape, body: Any) -> tuple[Shape, Any]:
        """Return the root field's shape and value; the body of a `whole` read has them in it.

        Beside `errors` they are no answer by themselves.
        """
        is_whole = self.rest is not None and self.rest.whole and not self.rest.partial
        if is_whole and isinstance(shape, ObjectShape):
            return shape.fields[0].shape, body.get(self.root_key)
        return shape, body

    def list_item_shape(self, member: str) -> ObjectShape | None:
        """Return the shape of the items of the list that the body is, or has under a key."""
        shape: Shape | None = self.shape
        if member:
            fields = shape.fields if isinstance(shape, ObjectShape) else ()
            shape = next((field.shape for field in fields if field.key == member), None)
        item = shape.item if isinstance(shape, ListShape) else None
        return item if isinstance(item, ObjectShape) else None

    def selecting(self, member: str, names: Sequence[str]) -> DocumentNode:
        """Return the operation with these fields alone of the items that `list_item_shape` has."""
        executed = self.document.definitions[0]
        if not isinstance(executed, OperationDefinitionNode):
            raise TypeError(executed)
        fields = tuple(FieldNode(name=NameNode(value=name)) for name in names)
        selection = SelectionSetNode(selections=fields)
        if member:
            field = FieldNode(name=NameNode(value=member), selection_set=selection)
            selection = SelectionSetNode(selections=(field,))
        root = FieldNode(
            name=self.root.name,
            alias=self.root.alias,
            arguments=self.root.arguments,
            selection_set=selection,
        )
        node = OperationDefinitionNode(
            operation=self.node.operation,
            variable_definitions=executed.variable_definitions,
            selection_set=SelectionSetNode(selections=(root,)),
        )
        return DocumentNode(definitions=(node,))

    def members(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of variables as a body or an address has them, without headers."""
        members = dict(variables)
        for own in self.variables:
            if own.is_spread and isinstance(members.get(own.name), dict):
                members |= members.pop(own.name)
            elif own.header is not None:
                members.pop(own.name, None)
        return members

    @cached_property
    def argument_names(self) -> frozenset[str]:
        """The names of the variables, and of the members of an object that is spread."""
        kinds = (get_named_type(own.type) for own in self.variables if own.is_spread)
        members = (name for kind in kinds for name in getattr(kind, "fields", ()))
        return frozenset((*(own.name for own in self.variables), *members))

    @cached_property
    def failure_paths(self) -> tuple[str, ...]:
        """The members that say what failed, each as a path in the body."""
        rest, key = self.rest, self.typename_key if self.failures else None
        is_whole = rest is not None and rest.whole
        kind = () if key is None else (f"{self.root_key}.{key}" if is_whole else key,)
        return (*kind, ERRORS) if rest is not None and rest.partial else kind

    @property
    def linked_list(self) -> LinkedList | None:
        """The mark of a list that is one node in JSON-LD; None if there is none."""
        return next((mark for mark in self.marks if isinstance(mark, LinkedList)), None)

    @property
    def signed_path(self) -> str | None:
        """The path of the signed form; None if there is none."""
        if self.sign is None:
            return None
        if self.sign.section is not None:
            return self.sign.snapshots
        return f"{self.rest.path}.sig" if self.rest is not None else None

    @property
    def signed_section(self) -> str | None:
        """The name under which a tool gives the signed form; None if there is none."""
        return (self.sign.section or self.section) if self.sign is not None else None

    @cached_property
    def path_variables(self) -> tuple[str, ...]:
        """The variables in the path, in order."""
        return path_variables(self.rest.path) if self.rest else ()


def with_suffix(path: str, suffix: str) -> str:
    """Return the path of one form of a resource: `/api/faq.md`, or `/index.md` for the root."""
    return f"{path}index{suffix}" if path.endswith("/") else f"{path}{suffix}"


def form_paths(path: str, media: Collection[str]) -> dict[str, str]:
    """Return the path of each single form of a read, where there are JSON and markdown."""
    if not {JSON, MARKDOWN} <= {*media}:
        return {}
    return {form: with_suffix(path, end) for form, end in SUFFIXES.items() if form in media}


def words_of(name: str) -> list[str]:
    """Return the words that a name is made of: `ListProjects` and `list_projects` have two."""
    return [word for word in _WORD_ENDS.sub("_", name).split("_") if word]


def title_of(name: str) -> str:
    """Return a name in words: `ListProjects` is `List projects`."""
    first, *others = words_of(name) or [name]
    rest = (w if len(w) > 1 and w.isupper() else w.lower() for w in others)
    return " ".join([f"{first[:1].upper()}{first[1:]}", *(ACRONYMS.get(w, w) for w in rest)])


def section_of(path: str) -> str:
    """Return the name of what a path reads: `faq` for `/api/faq` and for `/api/faq/{slug}`.

    It is also the name of its statement in the words log.
    """
    fixed = "/".join(part for part in path.split("/") if part and not part.startswith("{"))
    return fixed.removeprefix("api/") or "index"


def path_variables(path: str) -> tuple[str, ...]:
    """Return the variables of a path: the names in braces."""
    return tuple(_PATH_VARIABLE.findall(path))


def filled(template: str, values: Mapping[str, Any]) -> str:
    """Return a path with values in place of its variables; what is in none of them stays open."""
    return _PATH_VARIABLE.sub(
        lambda found: _segment(values[found[1]]) if found[1] in values else found[0], template
    )


def _segment(value: Any) -> str:
    """Return a value as a part of one segment of a path; the items of a list have commas between.

    Dots alone would lead to another path than that of the value.
    """
    if isinstance(value, list):
        return ",".join(map(_segment, value))
    text = as_text(value)
    return text.replace(".", "%2E") if text in (".", "..") else quote(text, safe="")


def as_text(value: Any) -> str:
    """Return a scalar as a path or a query string has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def read_operation(  # noqa: PLR0913 - the compiler names each
    node: OperationDefinitionNode,
    document: DocumentNode,
    schema: GraphQLSchema,
    field: GraphQLField,
    shape: Shape,
    *,
    is_strict: bool = True,
) -> Operation:
    """Return the operation of a document that is valid and keeps every rule."""
    all_of = node.directives or ()
    directives = {d.name.value: d for d in all_of}
    root = node.selection_set.selections[0]
    if not isinstance(root, FieldNode):
        raise TypeError(root)
    rest = _values(Rest, directives.get("rest"))
    name = node.name.value if node.name else ""
    if rest is not None:
        rest = replace(rest, media=[MEDIA_TYPES[word] for word in rest.media])
        # A foreign path may have braces, or the name of one of the schema's types.
        last = rest.path.rpartition("/")[2].capitalize()
        shape = _body(shape, root, rest, last if is_strict else f"{name}Answer")
    return Operation(
        name=name,
        description=node.description.value if node.description else "",
        variables=tuple(_variables(node, schema)),
        root=root,
        shape=shape,
        document=document,
        node=node,
        rest=rest,
        mcp=_values(Mcp, directives.get("mcp")),
        resource=_values(Resource, directives.get("resource")),
        prompt=_values(Prompt, directives.get("prompt")),
        skill=_values(Skill, directives.get("skill")),
        llms=_values(Llms, directives.get("llms")),
        errors=declared_errors(field),
        marks=marks_on(field),
        is_optional=_is_optional(field) and node.operation is OperationType.QUERY,
        is_nullable=get_nullable_type(field.type) is field.type,
        is_deprecated=field.deprecation_reason is not None,
        is_strict=is_strict,
        spends=declared_limit(field),
        webhook=_values(Webhook, directives.get("webhook")),
        sign=_values(Sign, directives.get("sign")),
        cache=_values(Cache, directives.get("cache")) or Cache(),
        intent=_values(Intent, directives.get("intent")),
        examples=tuple(Example(**values_of(d)) for d in all_of if d.name.value == "example"),
        failures=tuple(Failure(**values_of(d)) for d in all_of if d.name.value == "fails"),
    )


def _is_optional(field: GraphQLField) -> bool:
    kind = get_nullable_type(field.type)
    may_be_away = UnavailableError.code in declared_errors(field)
    return (is_list_type(kind) or kind is field.type) and not may_be_away


def _body(shape: Shape, root: FieldNode, rest: Rest, name: str) -> Shape:
    """Return the shape of a body: an object with the root field as its one member if it is `whole`.

    One that may be `partial` has the member `errors`.
    """
    if rest.whole:
        key = (root.alias or root.name).value
        member = Field(key, shape, optional=False, description="", marks=())
        shape = ObjectShape(name, "", (member,))
    if rest.partial and isinstance(shape, ObjectShape):
        return replace(
            shape, type_name=f"Partial{shape.type_name}", fields=(*shape.fields, _FAILED)
        )
    return shape


_FAILED = Field(
    ERRORS,
    ListShape(
        ObjectShape(
            "FieldError",
            "A field that could not be read.",
            (
                Field(
                    "path",
                    ListShape(ScalarShape("JSON", schema={})),
                    optional=False,
                    description="The keys that lead to it.",
                    marks=(),
                ),
                Field(
                    "message",
                    ScalarShape("String"),
                    optional=False,
                    description="What is said of it.",
                    marks=(),
                ),
            ),
        )
    ),
    optional=True,
    description="What could not be read.",
    marks=(),
)


def _values(kind: type[Values], directive: DirectiveNode | None) -> Values | None:
    return kind(**values_of(directive)) if directive is not None else None


def _variables(node: OperationDefinitionNode, schema: GraphQLSchema) -> Iterator[Variable]:
    for definition in node.variable_definitions or ():
        declared = type_from_ast(schema, definition.type)
        default = definition.default_value
        headers = [values_of(d)["header"] for d in definition.directives or ()]
        yield Variable(
            name=definition.variable.name.value,
            description=definition.description.value if definition.description else "",
            type=declared,  # type: ignore[arg-type]
            default=value_from_ast(default, declared) if default else Undefined,  # type: ignore[arg-type]
            header=next(iter(headers), None),
        )


MAX_NOTE = 300


@dataclass(frozen=True)
class ListedItem:
    """One item of a list that fills the path of an operation."""

    values: Mapping[str, Any]
    title: str
    note: str

    def has(self, values: Mapping[str, str]) -> bool:
        """Whether the item has these values, compared as texts."""
        return {name: str(value) for name, value in self.values.items()} == values

    def path(self, template: str) -> str:
        """Return the path with the item's values in place of its variables."""
        return filled(template, self.values)


def first_sentence(text: str | None) -> str | None:
    """Return the first sentence of a text as one line of at most `MAX_NOTE` characters, if any."""
    sentence = " ".join(re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0].split()) if text else ""
    if len(sentence) > MAX_NOTE:
        sentence = shorten(sentence, MAX_NOTE, placeholder=" …")
    return sentence or None


AFTER, PAGE = "after", "pageInfo"


def next_page(operation: Operation, body: Any) -> str | None:
    """Return where the next page begins; None on the last one, and where there are none."""
    if not any(variable.name == AFTER for variable in operation.variables):
        return None
    members = body if isinstance(body, dict) else {}
    for found in (members, *(own for own in members.values() if isinstance(own, dict))):
        page = found.get(PAGE)
        if isinstance(page, dict) and page.get("hasNextPage") and page.get("endCursor"):
            return str(page["endCursor"])
    return None
