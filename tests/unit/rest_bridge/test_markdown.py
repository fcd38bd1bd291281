"""Markdown from shapes: hand-made ones, drawn ones, and every read of the sample studio."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_service import Ask, stored_operations
from markdown_payloads import PAYLOADS, structure
from offenders import offenders

from rest_bridge.representations.markdown import label, markdown_document
from rest_bridge.representations.rendering import JSON, MARKDOWN
from sdl.operations.operation import Operation
from sdl.running.runner import Snapshot
from sdl.types.marks import CallersWords, Heading, Inline, Prose, Summary
from sdl.types.shape import Field, ListShape, ObjectShape, ScalarShape, Shape

STRING = ScalarShape("String")
WITHIN_A_LINE = ("text", "code_inline", "em_open", "em_close", "s_open", "s_close")
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


NUMBER = ScalarShape("Int")
PRODUCT = fields(
    member("id", NUMBER), member("name", STRING, Heading(), optional=True), member("note")
)
NAMED = fields(member("name", STRING, Heading()), member("note"))
FOREIGN = [
    pytest.param(STRING, None, "null\n", id="null"),
    pytest.param(PRODUCT, None, "null\n", id="no object"),
    pytest.param(ListShape(PRODUCT), None, "null\n", id="no list"),
    pytest.param(
        ListShape(STRING, has_null=True), ["a", None, "b"], "- a\n- null\n- b\n", id="items"
    ),
    pytest.param(
        ListShape(ListShape(NUMBER, has_null=True)),
        [[1, None], [], [None]],
        "- 1, null\n- none\n- null\n",
        id="lists in a list",
    ),
    pytest.param(
        ListShape(ListShape(ListShape(NUMBER))),
        [[[1], [2]]],
        "- `[[1],[2]]`\n",
        id="lists in those",
    ),
    pytest.param(
        fields(member("tags", ListShape(STRING, has_null=True))),
        {"tags": ["a", None]},
        "- Tags: a, null\n",
        id="null on a line",
    ),
    pytest.param(
        ListShape(PRODUCT, has_null=True),
        [{"id": 5, "name": " ", "note": "x"}, {"id": 6, "note": "x"}, None],
        "- **Thing 5.** id: 5; note: x\n- **Thing 6.** id: 6; note: x\n- null\n",
        id="rows without a name",
    ),
    pytest.param(
        ListShape(PRODUCT, has_null=True),
        [{"id": 5, "name": "", "note": "x;"}, None],
        "## Thing 5\n\n- ID: 5\n- Note: x;\n\n## Thing\n\nnull\n",
        id="objects without a name",
    ),
    pytest.param(
        ListShape(fields(member("name", STRING, Heading()))),
        [{"name": ""}],
        "- **Thing.**\n",
        id="no row",
    ),
    pytest.param(fields(member("size", NUMBER)), {}, "There is nothing else.\n", id="nothing"),
    pytest.param(
        fields(member("name", STRING, Heading()), member("title", STRING, Heading())),
        {"name": "Title", "title": "Dr"},
        "- Title: Dr\n",
        id="the second of two names is a fact",
    ),
    pytest.param(
        ListShape(PRODUCT),
        [{"id": 1, "name": "Cheap.** price: 0.01", "note": "plain, a < b (c_d)"}],
        "- **`Cheap.** price: 0.01`.** id: 1; note: plain, a < b (c_d)\n",
        id="a forged name",
    ),
    pytest.param(
        ListShape(NAMED),
        [{"name": "A; b: 1", "note": "x; price: 0.01"}],
        "- **`A; b: 1`.** note: `x; price: 0.01`\n",
        id="a forged part",
    ),
    pytest.param(
        fields(member("note"), member("about", STRING, Summary())),
        {"note": "Soon; or later", "about": "![x](http://evil/p.png)"},
        "> `![x](http://evil/p.png)`\n\n- Note: Soon; or later\n",
        id="signs are code in every place, semicolons where they separate",
    ),
    pytest.param(STRING, "a <b>", "`a <b>`\n", id="a text"),
    pytest.param(STRING, "a\n<b>", "> a\n> <b>\n", id="a text of several lines"),
    pytest.param(
        ListShape(LINK),
        [{"title": "a", "url": "/x) **b.** (", "note": "n"}],
        "- [a](/x%29%20%2A%2Ab.%2A%2A%20%28): n\n",
        id="an address",
    ),
]


@pytest.mark.parametrize(("shape", "value", "written"), FOREIGN)
def test_data_of_anybody_is_written_so(shape: Shape, value: object, written: str) -> None:
    assert markdown_document("Title", shape, value, is_foreign=True) == f"# Title\n\n{written}"


ONE_LINE = [words for words in PAYLOADS if not re.search(r"[\r\n]", words)]
PLACES: list[tuple[Shape, Callable[[str], Any]]] = [
    (STRING, str),
    (ListShape(STRING), lambda words: [words, words]),
    (ListShape(NAMED), lambda words: [{"name": words, "note": words}]),
    (ListShape(LINK), lambda words: [{"title": words, "url": "/a", "note": words}]),
    (ListShape(fields(member("note"), member("url"))), lambda words: [{"note": "a", "url": words}]),
    (PRODUCT, lambda words: {"id": 1, "name": words, "note": words}),
    (
        fields(member("about", STRING, Summary()), member("tags", ListShape(STRING))),
        lambda words: {"about": words, "tags": [words, "a,b"]},
    ),
]


@pytest.mark.parametrize(("shape", "of"), PLACES)
def test_no_text_of_anybody_changes_the_layout(shape: Shape, of: Callable[[str], Any]) -> None:
    def layout(words: str) -> list[object]:
        text = markdown_document("Title", shape, of(words), is_foreign=True)
        return [part for part in structure(text) if part[0] not in WITHIN_A_LINE]  # type: ignore[index]

    def check(words: str) -> None:
        assert layout(words) == layout("harmless words")

    assert not offenders(check, ONE_LINE)


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
