"""Markdown from shapes: hand-made ones, drawn ones, and every read of the sample studio."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_service import Ask, stored_operations

from rest_bridge.representations.markdown import label, markdown_document
from rest_bridge.representations.rendering import JSON, MARKDOWN
from sdl.operations.operation import Operation
from sdl.running.runner import Snapshot
from sdl.types.marks import CallersWords, Heading, Inline, Prose, Summary
from sdl.types.shape import Field, ListShape, ObjectShape, ScalarShape, Shape

STRING = ScalarShape("String")
BOTH = [
    pytest.param(operation, id=operation.name)
    for operation in stored_operations()
    if operation.rest and operation.is_read and {JSON, MARKDOWN} <= set(operation.rest.media)
]


def member(key: str, shape: Shape = STRING, *marks: object, optional: bool = False) -> Field:
    return Field(key, shape, optional, "", marks)


def fields(*members: Field) -> ObjectShape:
    return ObjectShape("Thing", "", members)


LINK = fields(member("title", STRING, Heading()), member("url"), member("note", STRING, Summary()))

RENDERED = [
    pytest.param(STRING, "a text", "# Title\n\na text\n", id="a text"),
    pytest.param(ListShape(STRING), ["a", "b"], "# Title\n\n- a\n- b\n", id="a list"),
    pytest.param(ListShape(STRING), [], "# Title\n\nThere are none.\n", id="an empty list"),
    pytest.param(
        fields(member("isOpen", ScalarShape("Boolean")), member("treeSize", ScalarShape("Int"))),
        {"isOpen": False, "treeSize": 0},
        "# Title\n\n- Is open: no\n- Tree size: 0\n",
        id="facts",
    ),
    pytest.param(
        fields(member("name", STRING, Heading()), member("why", STRING, Prose())),
        {"name": "Own name", "why": "One.\n\nTwo."},
        "# Own name\n\nOne.\n\nTwo.\n",
        id="a name and prose",
    ),
    pytest.param(
        fields(member("q", STRING, Prose()), member("a", STRING, Prose())),
        {"q": "Q", "a": "A"},
        "# Title\n\n**Q.** Q\n\n**A.** A\n",
        id="two proses",
    ),
    pytest.param(
        fields(member("q", STRING, Prose()), member("a", STRING, Prose())),
        {"q": "```\nQ\n```", "a": "- A"},
        "# Title\n\n**Q.**\n\n```\nQ\n```\n\n**A.**\n\n- A\n",
        id="what is more than a paragraph stands below its label",
    ),
    pytest.param(
        fields(member("readme", ScalarShape("Markdown"), Prose()), member("sha")),
        {"readme": "# Own\n\n```\n  x\n", "sha": "0"},
        "# Title\n\n> # Own\n>\n> ```\n>   x\n\n- Sha: 0\n",
        id="a document of its own, quoted so that what it opens ends with it",
    ),
    pytest.param(
        fields(member("body", ScalarShape("JsonObject"))),
        {"body": {"message": "It says:\n``no``"}},
        '# Title\n\n- Body: ```{"message":"It says:\\n``no``"}```\n',
        id="a JSON object is code, fenced by more than what stands in it",
    ),
    pytest.param(
        fields(
            member("name", STRING, Heading(), optional=True), member("size", ScalarShape("Int"))
        ),
        {"size": 3},
        "# Title\n\n- Size: 3\n",
        id="an absent name",
    ),
    pytest.param(
        ListShape(fields(member("q", STRING, Heading()), member("size", ScalarShape("Int")))),
        [{"q": "How small?", "size": 3}, {"q": "Small", "size": 2}],
        "# Title\n\n- **How small?** size: 3\n- **Small.** size: 2\n",
        id="a name that is a question ends with its own mark",
    ),
    pytest.param(
        fields(member("notes", ListShape(STRING), Prose())),
        {"notes": ["One.", "Two."]},
        "# Title\n\n## Notes\n\nOne.\n\nTwo.\n",
        id="a list of proses",
    ),
    pytest.param(
        fields(member("tags", ListShape(STRING)), member("kin", ListShape(STRING), optional=True)),
        {"tags": ["a", "b"]},
        "# Title\n\n- Tags: a, b\n",
        id="a short list is a fact, an absent one is nothing",
    ),
    pytest.param(
        fields(member("tags", ListShape(STRING))),
        {"tags": ["a" * 200, "b" * 200]},
        f"# Title\n\n- Tags:\n  - {'a' * 200}\n  - {'b' * 200}\n",
        id="a long list has a line an item",
    ),
    pytest.param(
        fields(member("owner", fields(member("name", STRING, Heading()), member("role")))),
        {"owner": {"name": "Ada", "role": "keeper"}},
        "# Title\n\n## Owner: Ada\n\n- Role: keeper\n",
        id="an object in an object",
    ),
    pytest.param(
        ListShape(fields(member("label", STRING, Heading()), member("value"))),
        [{"label": "Desks", "value": "38"}],
        "# Title\n\n- **Desks.** value: 38\n",
        id="rows",
    ),
    pytest.param(
        ListShape(LINK),
        [{"title": "Faq", "url": "/faq", "note": "Answers."}],
        "# Title\n\n- [Faq](/faq): Answers.\n",
        id="links",
    ),
    pytest.param(
        fields(member("links", ListShape(LINK), Inline())),
        {"links": [{"title": "Faq", "url": "/faq", "note": "Answers."}]},
        "# Title\n\n- [Faq](/faq): Answers.\n",
        id="an inline list has no heading",
    ),
    pytest.param(
        ListShape(fields(member("url"), member("size", ScalarShape("Int")))),
        [{"url": "/a", "size": 1}],
        "# Title\n\n- size: 1; /a\n",
        id="a nameless row ends with its address",
    ),
    pytest.param(
        fields(
            member("query", STRING, CallersWords()),
            member("words", ListShape(STRING), CallersWords()),
            member("body", fields(member("x")), CallersWords()),
        ),
        {"query": "`x`\n\n# y", "words": ["a", "b"], "body": {"x": "\n"}},
        "# Title\n\n- Query (from the caller): `` `x`  # y ``\n- Words (from the caller):\n"
        '  - `a`\n  - `b`\n- Body (from the caller): `{"x":"\\n"}`\n',
        id="a caller's words are code on one line of their own",
    ),
    pytest.param(
        ListShape(fields(member("note"), member("query", STRING, CallersWords()))),
        [{"note": "a ` b", "query": "c ` [d](/e)"}],
        "# Title\n\n## 1\n\n- Note: a ` b\n- Query (from the caller): ``c ` [d](/e)``\n",
        id="nor do they share a line with a text that could end the code",
    ),
    pytest.param(
        ListShape(fields(member("body", STRING, Prose()))),
        [{"body": "One."}, {"body": "Two."}],
        "# Title\n\n## 1\n\nOne.\n\n## 2\n\nTwo.\n",
        id="nameless items are numbered",
    ),
]


@pytest.mark.parametrize(("shape", "value", "written"), RENDERED)
def test_a_shape_is_written_so(shape: Shape, value: object, written: str) -> None:
    assert markdown_document("Title", shape, value) == written


def test_below_the_sixth_level_a_heading_is_bold() -> None:
    shape, value = fields(member("last")), {"last": "deep"}
    for _ in range(7):
        shape, value = fields(member("in", shape)), {"in": value}  # type: ignore[dict-item]
    text = markdown_document("Title", shape, value)
    assert levels(text) == [1, 2, 3, 4, 5, 6]
    assert text.count("**In**") == 2


@pytest.mark.parametrize(
    "name", ["[x", "x]", "](y)", "a](http://evil.example)", "[[", "back\\", "\\]", "(a)", "!["]
)
@pytest.mark.parametrize("url", ["/a", "/a(b)", "/a)", "/(", "https://x.example/)(]["])
def test_a_link_stays_one_link_whatever_its_words(name: str, url: str) -> None:
    row = {"title": name, "url": url, "note": "[n](o)"}
    line = markdown_document("T", ListShape(LINK), [row]).splitlines()[2]
    found = re.fullmatch(r"- \[((?:[^\[\]\\]|\\\\)*)\]\(([^()\s]*)\): \[n\]\(o\)", line)
    assert found is not None, line
    assert found[2].replace("%28", "(").replace("%29", ")") == url


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("lookingFor", "Looking for"),
        ("q", "Q"),
        ("tokenId", "Token ID"),
        ("mcp", "MCP"),
        ("date_shown", "Date shown"),
    ],
)
def test_a_key_is_written_in_words(key: str, words: str) -> None:
    assert label(key) == words


def levels(text: str) -> list[int]:
    return [len(found[1]) for found in re.finditer(r"^(#+) ", text, re.MULTILINE)]


def leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from leaves(part)
    elif isinstance(value, str):
        yield value


def assert_reads_well(text: str, value: Any) -> None:
    found = levels(text)
    assert found[:1] == [1]
    assert found.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(found))
    assert "\n\n\n" not in text
    told = re.sub(r"(?m)^> ?", "", text)
    assert [leaf for leaf in leaves(value) if leaf.strip("\n") not in told] == []


WORDS = st.text("abc xyz", min_size=1, max_size=30).map(str.strip).filter(bool)


@st.composite
def _leaf(draw: st.DrawFn) -> tuple[Shape, Any]:
    kind = draw(st.sampled_from(["String", "Int", "Boolean"]))
    drawn = {"String": WORDS, "Int": st.integers(), "Boolean": st.booleans()}
    return ScalarShape(kind), draw(drawn[kind])


@st.composite
def _object(draw: st.DrawFn, depth: int) -> tuple[ObjectShape, dict[str, Any]]:
    members, value = [], {}
    for number in range(draw(st.integers(1, 4))):
        shape, part = draw(_leaf() if depth == 0 else st.one_of(_leaf(), _any(depth - 1)))
        marks: list[object] = []
        if shape == STRING:
            marks = draw(st.lists(st.sampled_from([Prose(), Summary()]), max_size=1))
            if number == 0 and draw(st.booleans()):
                marks = [Heading()]
        elif isinstance(shape, ListShape) and draw(st.booleans()):
            marks = [Inline()] if isinstance(shape.item, ObjectShape) else []
        absent = draw(st.booleans())
        members.append(member(f"key{number}", shape, *marks, optional=absent))
        if not absent:
            value[f"key{number}"] = part
    return fields(*members), value


@st.composite
def _any(draw: st.DrawFn, depth: int) -> tuple[Shape, Any]:
    shape, value = draw(st.one_of(_leaf(), _object(depth)))
    if not draw(st.booleans()):
        return shape, value
    return ListShape(shape), [value] * draw(st.integers(0, 3))


@given(_any(3))
def test_any_shape_reads_well_and_loses_no_word(drawn: tuple[Shape, Any]) -> None:
    shape, value = drawn
    assert_reads_well(markdown_document("Title", shape, value), value)


def _paths(operation: Operation, reading: Snapshot) -> list[str]:
    template = operation.rest.path if operation.rest else ""
    if operation.path_variables:
        return [item.path(template) for item in reading.items_of(operation)]
    return [template]


@pytest.mark.parametrize("operation", BOTH)
def test_every_read_says_in_markdown_all_that_it_says_in_json(
    operation: Operation, reading: Snapshot, ask: Ask
) -> None:
    for path in _paths(operation, reading):
        text = ask(path, headers={"accept": MARKDOWN}).text
        body = ask(path, headers={"accept": JSON}).json()
        pointer, _, document = text.partition("\n")
        assert pointer == "> The index of everything on this service: /llms.txt"
        assert_reads_well(document.lstrip(), body)
