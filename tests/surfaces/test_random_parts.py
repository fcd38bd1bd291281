"""Every surface gives the same part of what a stored operation answers.

The whole is what graphql-core makes of the stored document, and the part of it is cut here.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import hypothesis
import pytest
from generated_studios import write_generated_studio
from graphql import GraphQLEnumType, execute_sync
from graphql_documents import Path, public_query, with_enum_names
from hypothesis import strategies as st
from local_service import stored_operations
from repository import SAMPLE
from served_studio import Studio, Values, address, served

from sdl.operations.operation import Operation
from sdl.running.runner import Snapshot
from sdl.types.shape import ListShape, ObjectShape, Shape, to_plain_json
from studiograph.application import make_application

JSON, MARKDOWN = "application/json", "text/markdown"
JSON_FORMS = (JSON, "application/feed+json")
OPERATIONS = stored_operations()
READS = [o.name for o in OPERATIONS if o.rest is not None and o.rest.method == "GET"]
SMALL = st.integers(1, 4)
"""What lists of a studio are longer than."""
EXAMPLES = max(3, hypothesis.settings().max_examples // 10)
"""How many parts of each operation are asked for, each on all of its surfaces."""
WORDS = {
    (name, value.value)
    for kind in OPERATIONS.schema.type_map.values()
    if isinstance(kind, GraphQLEnumType)
    for name, value in kind.values.items()
}
"""The names of enum values in GraphQL, each with its word elsewhere."""


@dataclass(frozen=True)
class Part:
    """What is asked for of an answer."""

    values: Values
    paths: Sequence[Path] = ()
    limit: int | None = None
    offset: int | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that say which part it is."""
        fields = ",".join(".".join(path) for path in self.paths)
        told = {"fields": fields or None, "limit": self.limit, "offset": self.offset}
        return {name: value for name, value in told.items() if value is not None}

    def of(self, body: Any) -> Any:
        """Return the part of a body."""
        cut = self.page(body) if isinstance(body, list) else body
        return on_paths(cut, self.paths) if self.paths else cut

    def page(self, items: list[Any]) -> list[Any]:
        """Return the items that are asked for."""
        first = self.offset or 0
        return items[first:] if self.limit is None else items[first : first + self.limit]


def on_paths(value: Any, paths: Sequence[Path]) -> Any:
    """Return what lies on paths, in the order of the value."""
    if isinstance(value, list):
        return [on_paths(item, paths) for item in value]
    if () in paths:
        return value
    inner = {key: [path[1:] for path in paths if path[0] == key] for key in value}
    return {key: on_paths(value[key], below) for key, below in inner.items() if below}


def paths_in(shape: Shape) -> Iterator[Path]:
    """Yield every path in a shape."""
    while isinstance(shape, ListShape):
        shape = shape.item
    for member in shape.fields if isinstance(shape, ObjectShape) else ():
        yield (member.key,)
        yield from ((member.key, *path) for path in paths_in(member.shape))


class Source:
    """A studio that is served, and what its operations answer without any surface.

    It is no dataclass, of which hypothesis would write out all that a failed test was given.
    """

    def __init__(self, studio: Studio, snapshot: Snapshot) -> None:
        self.studio, self.snapshot = studio, snapshot
        self._bodies: dict[str, Any] = {}

    def body(self, operation: Operation, values: Values) -> Any:
        """Return what graphql-core makes of the stored document, as plain JSON; None for none."""
        key = f"{operation.name} {values}"
        if key not in self._bodies:
            variables = with_enum_names(operation, values)
            data, context = self.snapshot.data, self.snapshot.context
            done = execute_sync(OPERATIONS.schema, operation.document, data, context, variables)
            value = found = (done.data or {}).get(operation.root_key)
            if operation.rest is not None and operation.rest.whole:
                value = done.data
            self._bodies[key] = None if found is None else to_plain_json(operation.shape, value)
        return self._bodies[key]


@pytest.fixture(scope="module", params=["sample", "generated"])
def source(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Source]:
    folder = SAMPLE
    if request.param == "generated":
        folder = write_generated_studio(tmp_path_factory.mktemp("studio") / "content", 7)
    with served(folder) as studio:
        application = make_application(studio.settings, operations=OPERATIONS)
        yield Source(studio, application.current())


def has_parts(operation: Operation) -> bool:
    """Whether an operation takes `fields`."""
    return operation.rest is not None and {JSON, MARKDOWN} <= {*operation.rest.media}


@dataclass(frozen=True)
class Numbers:
    """Random numbers that choose a part of any answer."""

    example: int
    fields: list[int]
    limit: int
    offset: int | None

    def part(self, operation: Operation, examples: Sequence[Values]) -> Part:
        """Return the part of what an operation answers to one of its examples."""
        values = examples[self.example % len(examples)]
        if not has_parts(operation):
            return Part(values)
        paths = [*paths_in(operation.shape)]
        chosen = [paths[number % len(paths)] for number in self.fields]
        if isinstance(operation.shape, ListShape):
            return Part(values, chosen, self.limit, self.offset)
        return Part(values, chosen or paths[:1])


NUMBERS = st.builds(
    Numbers,
    st.integers(0, 99),
    st.lists(st.integers(0, 999), max_size=5),
    SMALL | SMALL | SMALL | st.integers(1, 200),
    st.none() | SMALL | st.integers(0, 200),
)


@pytest.mark.parametrize("name", READS)
@hypothesis.settings(max_examples=EXAMPLES)
@hypothesis.given(numbers=NUMBERS)
def test_every_surface_gives_the_same_part(source: Source, name: str, numbers: Numbers) -> None:
    studio, operation = source.studio, OPERATIONS.by_name[name]
    examples = [*studio.examples(operation, succeeding=True)]
    part = numbers.part(operation, examples) if examples else None
    if part is None or not (body := source.body(operation, part.values)):
        return  # nothing of this kind is published
    hypothesis.note(repr(part))
    expected = part.of(body)
    for form, found in as_data(studio, operation, part):
        assert found == expected, form
        assert json.dumps(found) == json.dumps(expected), f"the order of {form}"
    if has_parts(operation):
        text = flat(as_markdown(studio, operation, part))
        assert [each for each in texts(expected) if flat(each) not in text] == []
    if operation.resource is not None and operation.rest is not None:
        text = from_resource(studio, operation, part)
        assert operation.rest.media[0] != JSON or json.loads(text) == body
    if operation.sign is not None and operation.signed_path is not None:
        assert from_envelope(studio, operation) == source.body(operation, {})
    if operation.root.name.value in studio.public_fields:
        assert is_alike(from_graphql(studio, operation, part), expected)


def as_data(studio: Studio, operation: Operation, part: Part) -> Iterator[tuple[str, Any]]:
    """Yield the JSON under the path, in each of its forms, under its suffix, and of the tool."""
    assert operation.rest is not None
    path = address(operation, {**part.values, **part.parameters})
    for form in operation.rest.media:
        if form in JSON_FORMS:
            yield form, studio.ask(path, headers={"accept": form}).json()
    if has_parts(operation):
        yield ".json", studio.ask(suffixed(path, ".json")).json()
    if operation.mcp is not None:
        done = studio.call(operation.mcp.tool, {**part.values, **part.parameters})
        found = done["structuredContent"]
        yield "tool", found["items"] if isinstance(operation.shape, ListShape) else found


def as_markdown(studio: Studio, operation: Operation, part: Part) -> str:
    """Return the markdown, which is the same under the path and its suffix, and from `read`."""
    path = address(operation, {**part.values, **part.parameters})
    text = studio.ask(path, headers={"accept": MARKDOWN}).text
    assert studio.ask(suffixed(path, ".md")).text == text
    own = {name: v for name, v in part.values.items() if name not in operation.path_variables}
    more = {"parameters": urlencode(own)} if own else {}
    slugs = [("slug", part.values[name]) for name in operation.path_variables]
    given = {"section": operation.section, **dict(slugs), **part.parameters, **more}
    done = studio.call("read", given)
    assert done["content"][0]["text"] == text.partition("\n\n")[2]
    return text


def suffixed(path: str, suffix: str) -> str:
    """Return the address of one form."""
    plain, mark, query = path.partition("?")
    return f"{'/index' if plain == '/' else plain}{suffix}{mark}{query}"


def from_resource(studio: Studio, operation: Operation, part: Part) -> str:
    """Return the text of the operation's resource."""
    assert operation.resource is not None
    uri = f"studio://{operation.resource.name.format(**part.values)}"
    read = studio.mcp("resources/read", {"uri": uri}).body
    return str(read["result"]["contents"][0]["text"])


def from_envelope(studio: Studio, operation: Operation) -> Any:
    """Return the body that is signed."""
    assert operation.sign is not None
    section = operation.sign.section
    query = f"?section={section}" if section else ""
    payload = studio.ask(f"{operation.signed_path}{query}").json()["payload"]
    return payload["data"] if section else payload.get("entries", payload)


def from_graphql(studio: Studio, operation: Operation, part: Part) -> Any:
    """Return what the public endpoint answers to the same selection."""
    is_whole = operation.rest is not None and operation.rest.whole
    paths = [path[1:] for path in part.paths] if is_whole else part.paths
    query = public_query(operation, paths or [()])
    sent = {"query": query, "variables": with_enum_names(operation, part.values)}
    found = studio.ask("/api/graphql", "POST", json=sent).json()["data"]
    value = found if is_whole else found[operation.root_key]
    return part.page(value) if isinstance(value, list) else value


def is_alike(found: Any, body: Any) -> bool:
    """Whether GraphQL says what a body does: it has null for what is absent, and names of words."""
    if isinstance(found, dict) and isinstance(body, dict):
        return [*body] == [key for key in found if found[key] is not None] and all(
            is_alike(found[key], value) for key, value in body.items()
        )
    if isinstance(found, list) and isinstance(body, list):
        return len(found) == len(body) and all(map(is_alike, found, body))
    return bool(found == body) or (found, body) in WORDS


def texts(value: Any) -> Iterator[str]:
    """Yield every text in plain JSON."""
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from texts(inner)
    elif isinstance(value, str):
        yield value


def flat(text: str) -> str:
    """Return a text without the backslashes and quotes of markdown, and with single spaces."""
    return " ".join(re.sub(r"(?m)^ *> ?", "", text).replace("\\", "").split())
