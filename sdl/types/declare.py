"""The base classes of types: one class is a Strawberry type, a checked value and a JSON Schema.

Docstrings become descriptions. `strawberry.pydantic` supports inherited fields
(`class Query(Site)`), `Annotated` marks and field docstrings, and both type checkers follow it.
"""

import ast
import enum
import inspect
import re
import sys
import tomllib
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, TypeVar, get_args, get_origin

import strawberry
import strawberry.pydantic
from anyascii import anyascii
from pydantic import BaseModel, ConfigDict, model_validator
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo
from strawberry.types.private import StrawberryPrivate

from sdl.errors import ApiError
from sdl.types.directives import Asked, Fails, Spends, Wire
from sdl.types.marks import Says
from sdl.types.scalar_types import Slug


def attribute_docs(cls: type) -> Mapping[str, str]:
    """Return the docstrings of a class's own attributes, by name; none without a source file."""
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    return _docs_in(file).get(cls.__qualname__, {}) if file is not None else {}


@cache
def _docs_in(file: str) -> Mapping[str, Mapping[str, str]]:
    """Return the docstrings of each class of a file, by its qualified name."""
    try:
        tree = ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError):
        return {}  # there is no source, as in an archive
    found: dict[str, dict[str, str]] = {}
    for name, node in _classes(tree, ""):
        if name in found:  # two branches of one function may declare the same name
            found[name] = {}
        else:
            found[name] = dict(_docs_of(node))
    return found


def _classes(node: ast.AST, prefix: str) -> Iterator[tuple[str, ast.ClassDef]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield f"{prefix}{child.name}", child
            yield from _classes(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _classes(child, f"{prefix}{child.name}.<locals>.")
        elif isinstance(child, ast.stmt | ast.excepthandler):
            yield from _classes(child, prefix)


def _docs_of(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for attribute, doc in pairwise(node.body):
        match attribute, doc:
            case (
                (ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)])),
                ast.Expr(ast.Constant(str(text))),
            ):
                yield name, inspect.cleandoc(text)
            case _:
                continue


MAX_SLUG = 64
MAX_NAMES = 4096
"""How many slugs are kept; a reload asks for those of all entries again."""

EnumClass = TypeVar("EnumClass", bound=type[enum.Enum])

Internal = StrawberryPrivate()
"""Marks a field that content may set and that no interface shows."""


_CHECKED = ConfigDict(
    frozen=True,
    extra="forbid",
    alias_generator=to_camel,
    validate_by_name=True,
    defer_build=True,  # so that docstrings are in time, and what nobody checks is never built
    hide_input_in_errors=True,  # a value that a caller sent must not reach the log
)


class Output(BaseModel):
    """The base of types that callers get: frozen, closed, documented by docstrings."""

    model_config = _CHECKED

    __slots__ = ("_row",)
    """The whole value as JSON, which `sdl.plan_code` keeps here; no part of the value."""

    graphql_name: ClassVar[str]
    """The type's name in GraphQL, if it differs from the class name."""
    linked_type: ClassVar[str] = ""
    """The type of schema.org that it is in JSON-LD; an empty text for none."""

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        _describe(cls)
        strawberry.pydantic.type(
            cls, name=vars(cls).get("graphql_name"), description=inspect.cleandoc(cls.__doc__ or "")
        )
        _declare_questions(cls)

    def to_json(self) -> dict[str, Any]:
        """Return the value as plain JSON with wire names and without null."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


ROW = vars(Output)["_row"]
"""The descriptor of the slot: pydantic would take the attribute's name for a private one."""


class Input(BaseModel):
    """The base of types that callers send: frozen, closed, documented by docstrings."""

    model_config = _CHECKED

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        _describe(cls)
        strawberry.pydantic.input(cls, description=inspect.cleandoc(cls.__doc__ or ""))


def _describe(cls: type[BaseModel]) -> None:
    """Give the fields of a new type their docstrings as descriptions."""
    docs = attribute_docs(cls)
    for name, info in cls.model_fields.items():
        if info.description is None:
            info.description = docs.get(name)


def _declare_questions(cls: type[BaseModel]) -> None:
    """Give the stored fields of a type the questions that they answer, as `@asked`.

    Fields of a type that `questions.toml` does not name have none, and are said by what holds them.
    """
    bases = [base for base in cls.__mro__ if issubclass(base, BaseModel)]
    tables = [(base, _questions_beside(base).get(base.__name__)) for base in bases]
    for own in cls.__strawberry_definition__.fields:  # type: ignore[attr-defined]
        name = own.python_name
        if own.base_resolver is not None or name not in cls.model_fields:
            continue
        info = cls.model_fields[name]
        said = {mark.of: mark.sentence for mark in marks_of(info) if isinstance(mark, Says)}
        asked = [t for base, t in tables if t is not None and name in base.model_fields]
        if not said and not asked:
            continue
        questions = next((t[key] for t in asked if (key := info.alias or name) in t), [])
        own.directives = [Asked(questions=questions, says=said.pop("", ""), published=True)]
        for of, sentence in said.items():
            kind, _, key = of.partition(".")
            others = _questions_beside(cls)[kind][key]
            own.directives.append(Asked(questions=others, says=sentence, published=False))


def _questions_beside(cls: type) -> Mapping[str, Mapping[str, list[str]]]:
    """Return what `questions.toml` has, by type and field, in the folder of a type's package."""
    file = getattr(sys.modules.get(cls.__module__.partition(".")[0]), "__file__", None)
    return _questions_in(Path(file).with_name("questions.toml")) if file is not None else {}


@cache
def _questions_in(file: Path) -> Mapping[str, Mapping[str, list[str]]]:
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def marks_of(info: FieldInfo) -> tuple[Any, ...]:
    """Return every mark on a field, including those inside an optional or a list."""
    annotation: Any = info.annotation
    return (*info.metadata, *_metadata(annotation))


@cache
def _metadata(annotation: Any) -> tuple[Any, ...]:
    if hasattr(annotation, "__metadata__"):
        return (*annotation.__metadata__, *_metadata(get_args(annotation)[0]))
    if get_origin(annotation) is None:
        return ()
    return tuple(mark for inner in get_args(annotation) for mark in _metadata(inner))


class Named(Output):
    """An entry with a slug, which is derived from the field `named_by` unless the file sets it."""

    named_by: ClassVar[str]
    slug: Slug
    """The slug in the entry's address and in citations."""

    @model_validator(mode="before")
    @classmethod
    def _derive_slug(cls, data: Any) -> Any:
        if isinstance(data, dict) and isinstance(name := data.get(cls.named_by), str):
            return {"slug": slug_of(name), **data}
        return data


@lru_cache(MAX_NAMES)
def slug_of(name: str) -> str:
    """Return the slug of a name: ASCII, at most 64 characters, cut at a word.

    A name without a Latin letter is written in them: `你好` is `nihao`.
    """
    ascii_only = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    if not re.search("[A-Za-z0-9]", ascii_only):
        ascii_only = anyascii(name)
    slug = re.sub(r"[^a-z0-9]+", "-", ascii_only.lower().replace("'", "")).strip("-")
    if len(slug) <= MAX_SLUG:
        return slug
    return slug[: MAX_SLUG + 1].rpartition("-")[0] or slug[:MAX_SLUG]


def field(
    *, fails: tuple[type[ApiError], ...] = (), spends: str | None = None
) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator for a resolver field, with its errors and the rate limit it counts for.

    Its docstring becomes its description. `spends` documents a limit; the resolver must count.
    """

    def declare(resolver: Callable[..., Any]) -> Any:
        return strawberry.pydantic.field(
            description=inspect.cleandoc(resolver.__doc__ or ""),
            directives=_directives(fails, spends),
        )(resolver)

    return declare


def subscription(
    *, fails: tuple[type[ApiError], ...] = (), spends: str | None = None
) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator for a field of the subscription root, with the arguments of `field`."""

    def declare(resolver: Callable[..., Any]) -> Any:
        return strawberry.subscription(
            resolver,
            description=inspect.cleandoc(resolver.__doc__ or ""),
            directives=_directives(fails, spends),
        )

    return declare


def _directives(fails: tuple[type[ApiError], ...], spends: str | None) -> list[object]:
    directives: list[object] = []
    if fails:
        directives.append(Fails(codes=[error.code for error in fails]))
    if spends is not None:
        directives.append(Spends(budget=spends))
    return directives


def enum_type(cls: EnumClass) -> EnumClass:
    """Declare an enum as a GraphQL enum; the values are its wire words, docstrings its docs."""
    enum_class = strawberry.enum(cls, description=inspect.cleandoc(cls.__doc__ or ""))
    definition = enum_class.__strawberry_definition__  # type: ignore[attr-defined]
    docs = attribute_docs(cls)
    for member in definition.values:
        member.description = docs.get(member.name)
        member.directives = [Wire(word=member.value)] if member.value != member.name else []
    return enum_class


def model_in(annotation: Any) -> type[Output] | None:
    """Return the `Output` type in an annotation, also inside an optional or a list."""
    return _model_in(annotation)


@cache
def _model_in(annotation: Any) -> type[Output] | None:
    if isinstance(annotation, type) and issubclass(annotation, Output):
        return annotation
    models = (_model_in(part) for part in get_args(annotation))
    return next((model for model in models if model is not None), None)
