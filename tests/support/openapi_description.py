"""A reader of the OpenAPI description: addresses, examples and checks of responses."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any
from urllib.parse import quote, urlencode

import httpx
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from sdl.operations.operation import Operation, form_paths
from sdl.running.runner import Snapshot

HERE = "urn:studiograph:description"
ANSWERED_ELSEWHERE = {"POST /api/subscribe", "DELETE /api/subscribe/{id}"}
"""What succeeds only with a receiver that plays along."""
BY_DEFAULT = ("400", "406", "413", "414", "415", "421", "431", "500")
"""The refusals that the default response stands for."""
ANY = "any-name"
"""Stands in a path where the description does not say what there is."""
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")

Item = dict[str, Any]


@dataclass(frozen=True)
class Described:
    """One operation: where it stands, and what the description says of it."""

    path: str
    method: str
    item: Item
    pointer: str
    """Where it stands in the description."""

    def __str__(self) -> str:
        return f"{self.method.upper()} {self.path}"


@dataclass(frozen=True)
class Description:
    """A whole description."""

    whole: Item
    validators: dict[str, Draft202012Validator] = field(default_factory=dict, compare=False)

    @cached_property
    def registry(self) -> Registry[Any]:
        """The description, so that references into it are found."""
        empty: Registry[Any] = Registry()
        made: Registry[Any] = empty.with_resource(HERE, DRAFT202012.create_resource(self.whole))
        return made

    @cached_property
    def operations(self) -> list[Described]:
        """Every operation."""
        return [
            Described(path, method, item[method], f"#/paths/{escaped(path)}/{method}")
            for path, item in self.whole["paths"].items()
            for method in METHODS
            if method in item
        ]

    def operation(self, path: str, method: str = "get") -> Described:
        """The one at a path."""
        return next(o for o in self.operations if (o.path, o.method) == (path, method))

    def follow(self, value: Item, pointer: str = "") -> tuple[Item, str]:
        """What a reference leads to, and where that stands."""
        while "$ref" in value:
            pointer = value["$ref"]
            value = self.at(pointer)
        return value, pointer

    def at(self, pointer: str) -> Item:
        """What stands at a pointer."""
        found: Any = self.whole
        for part in pointer.removeprefix("#/").split("/"):
            found = found[part.replace("~1", "/").replace("~0", "~")]
        assert isinstance(found, dict)
        return found

    def parameters(self, operation: Described, place: str) -> dict[str, Item]:
        """The parameters in the path or in the query, by name, each with its whole schema."""
        found = [self.follow(p)[0] for p in operation.item.get("parameters", [])]
        whole = [{**p, "schema": self.follow(p["schema"])[0]} for p in found]
        return {parameter["name"]: parameter for parameter in whole if parameter["in"] == place}

    def addresses(self, operation: Described) -> list[str]:
        """The path with every value that its variables are said to have, each combination once."""
        variables = self.parameters(operation, "path")
        known = [values(variable) or [ANY] for variable in variables.values()]
        return [
            filled(operation.path, dict(zip(variables, values, strict=True)))
            for values in product(*known)
        ]

    def required(self, operation: Described) -> dict[str, Any]:
        """A value for each query parameter that must be there."""
        return {
            name: next(iter(values(parameter)))
            for name, parameter in self.parameters(operation, "query").items()
            if parameter.get("required")
        }

    def forms(self, operation: Described, status: int = 200) -> list[str]:
        """The media types of an answer."""
        answer, _ = self.follow(operation.item["responses"][str(status)])
        return [*answer.get("content", {})]

    def faults(self, operation: Described, answer: httpx.Response) -> list[str]:
        """In what an answer is not as it is described."""
        status = str(answer.status_code)
        if status in BY_DEFAULT and status not in operation.item["responses"]:
            status = "default"
        if status not in operation.item["responses"]:
            return [f"{operation}: the status {status} is not described"]
        pointer = f"{operation.pointer}/responses/{status}"
        told, pointer = self.follow(self.at(pointer), pointer)
        return [f"{operation} {status}: {fault}" for fault in self._faults(told, pointer, answer)]

    def _faults(self, told: Item, pointer: str, answer: httpx.Response) -> Iterator[str]:
        for name, header in told.get("headers", {}).items():
            described, where = self.follow(header, f"{pointer}/headers/{name}")
            if name in answer.headers:
                yield from self.wrong(f"{where}/schema", answer.headers[name])
            elif described.get("required"):
                yield f"no {name}"
        media_type = answer.headers.get("content-type", "").partition(";")[0]
        content = told.get("content", {})
        if bool(content) != bool(answer.content):
            yield "a body or none, against the description"
        elif content and media_type not in content:
            yield f"the media type {media_type!r} is not described"
        elif content:
            body = answer.json() if media_type.endswith("json") else answer.text
            yield from self.wrong(f"{pointer}/content/{escaped(media_type)}/schema", body)

    def wrong(self, pointer: str, value: Any) -> list[str]:
        """What a value has against the schema at a pointer."""
        if pointer not in self.validators:
            checker = Draft202012Validator.FORMAT_CHECKER
            self.validators[pointer] = Draft202012Validator(
                {"$ref": f"{HERE}{pointer}"}, registry=self.registry, format_checker=checker
            )
        return [
            f"{error.json_path}: {error.message[:200]}"
            for error in self.validators[pointer].iter_errors(value)
        ]


def escaped(name: str) -> str:
    """The name as a step of a JSON pointer in a fragment. Source: RFC 6901."""
    return name.replace("~", "~0").replace("/", "~1")


def filled(path: str, variables: Mapping[str, str]) -> str:
    """The path with values in place of its variables."""
    for name, value in variables.items():
        path = path.replace(f"{{{name}}}", quote(value, safe=""))
    return path


def asked(address: str, query: Mapping[str, Any]) -> str:
    """The address with its query."""
    texts = {n: str(v).lower() if isinstance(v, bool) else v for n, v in query.items()}
    return f"{address}?{urlencode(texts, doseq=True)}" if query else address


def values(parameter: Item) -> list[Any]:
    """The values of a parameter that the description names: its words, its examples, its ends."""
    schema = parameter.get("schema", {})
    named = [*schema.get("enum", ()), *schema.get("items", {}).get("enum", ())]
    shown = [example["value"] for example in parameter.get("examples", {}).values()]
    ends = [schema[end] for end in ("minimum", "maximum") if end in schema]
    return [*named, *shown, *ends]


def good(description: Description, operation: Described, **query: Any) -> str:
    """An address that answers, with what must be asked for."""
    here = description.addresses(operation)[0]
    return asked(here, {**description.required(operation), **query})


def bodies(operation: Described) -> Iterator[dict[str, Any]]:
    """Bodies that are shown, as arguments of a client; none, where none is taken."""
    for form, media in operation.item.get("requestBody", {"content": {}})["content"].items():
        for example in media["examples"].values():
            if form == "application/json":
                yield {"json": example["value"]}
            else:
                yield {"content": example["value"], "headers": {"content-type": form}}


def first_body(operation: Described) -> dict[str, Any]:
    """The first of them."""
    return next(bodies(operation), {})


def examples(operation: Operation, snapshot: Snapshot) -> Iterator[tuple[str, int]]:
    """The addresses of a read's examples, each with its status."""
    if operation.rest is not None and operation.is_read:
        first = next(iter(snapshot.items_of(operation)), None)
        for example in operation.examples:
            given = {**(first.values if first else {}), **example.variables}
            query = {n: v for n, v in given.items() if n not in operation.path_variables}
            path = {n: str(given[n]) for n in operation.path_variables}
            yield asked(filled(operation.rest.path, path), query), example.status


def suffixed(description: Description) -> Iterator[str]:
    """The paths under suffixes, which a sentence describes."""
    for operation in description.operations:
        forms = description.forms(operation) if operation.method == "get" else []
        yield from form_paths(operation.path, forms).values()
