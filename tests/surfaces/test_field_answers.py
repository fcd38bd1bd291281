"""Every answer from a field stands, value for value, in what a GET of its address returns."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from json_pointer import at
from local_service import Ask, asking
from offenders import offenders
from studio_answers import SECOND, STUDIOS, answers_by_words, table_of

from resolvers.answers.lines import Line, lines_of
from resolvers.answers.statements import Statement, items_of, statements_of
from resolvers.search.sentences import split_sentences
from sdl.running.runner import Operations
from sdl.types.marks import Heading
from sdl.types.shape import ListShape, ObjectShape, ScalarShape, Shape
from studiograph.asgi import build
from studiograph.settings import Settings

Body = Callable[[str], Any]


@pytest.fixture(scope="module")
def second(operations: Operations, tmp_path_factory: pytest.TempPathFactory) -> Ask:
    """The whole service on the second studio, without a socket."""
    data = tmp_path_factory.mktemp("second")
    return asking(build(Settings(content=SECOND, data=data), operations=operations))


@pytest.fixture(params=STUDIOS, ids=lambda folder: folder.name)
def studio(request: pytest.FixtureRequest) -> Path:
    """The content of the sample studio, then of the second one."""
    found: Path = request.param
    return found


@pytest.fixture
def body(studio: Path, ask: Ask, second: Ask) -> Body:
    """The JSON at an address of the studio, asked for once."""
    service = second if studio == SECOND else ask

    @cache
    def read(url: str) -> Any:
        answer = service(url, headers={"accept": "application/json"})
        assert answer.status_code == 200, url
        return answer.json()

    return read


def statements(studio: Path) -> Iterator[Statement]:
    """What is said about each field: of all entries at once, and of each alone."""
    table = table_of(studio)
    for field in table.fields:
        for entry in (None, *table.entries_of(field.owner.type_name)):
            yield from statements_of(table, field, entry)


def assert_said(statement: Statement) -> None:
    """The sentence holds the value: its words, its phrase, or the names of its items."""
    shape, value = statement.field.field.shape, statement.value
    if isinstance(value, bool):
        says = statement.field.asked.says
        choice = re.search(rf"\{{{statement.field.field.key}\?(.*?)\|(.*?)\}}", says)
        assert choice is not None
        said, other = choice.groups() if value else choice.groups()[::-1]
        assert said in statement.text
        assert other in said or other not in statement.text
    else:
        first = re.match(r".*\[(\d+): ", statement.field.asked.says)  # of a list so many are said
        for words in words_of(shape, value[: int(first[1])] if first else value):
            assert words in statement.text, words


def words_of(shape: Shape, value: Any) -> Iterator[str]:
    """The words that a sentence about a value holds."""
    if isinstance(shape, ListShape):
        for item in value:
            yield from words_of(shape.item, item)
    elif isinstance(shape, ObjectShape):
        heading = shape.field_marked(Heading)
        assert heading is not None, shape.type_name
        yield str(value[heading.key])
    elif isinstance(shape, ScalarShape) and shape.type_name == "LanguageCode":
        yield f"({value})"
    else:
        yield str(value).strip()


def test_the_value_stands_at_its_pointer_and_in_the_words(studio: Path, body: Body) -> None:
    def check(statement: Statement) -> None:
        assert at(body(statement.url), statement.pointer) == statement.value
        assert_said(statement)

    assert offenders(check, statements(studio)) == []


def test_an_item_said_alone_stands_at_its_own_pointer(studio: Path, body: Body) -> None:
    def check(statement: Statement) -> None:
        assert [at(body(statement.url), statement.pointer)] == statement.value
        assert_said(statement)

    items = [item for statement in statements(studio) for item in items_of(statement)]
    assert offenders(check, items) == []


class CountedObject(dict[str, object]):
    """An object that counts how often all of it is read."""

    reads = 0

    def items(self) -> Any:
        self.reads += 1
        return super().items()


def test_for_its_items_the_object_that_has_a_list_is_read_once(studio: Path) -> None:
    """Or a long list takes time that grows with its square."""
    said = next(s for s in statements(studio) if len(items_of(s)) > 1)
    beside = CountedObject(about="all else of the object")
    items = items_of(replace(said, owner={**said.owner, "beside": beside}))
    assert (len(items), beside.reads) == (len(items_of(said)), 1)


def test_a_line_of_the_owners_stands_word_for_word_at_its_pointer(studio: Path, body: Body) -> None:
    def check(line: Line) -> None:
        text = json.dumps(at(body(line.url), line.pointer), ensure_ascii=False)
        for sentence in split_sentences(line.text):
            assert json.dumps(sentence, ensure_ascii=False)[1:-1] in text, sentence

    own = [line for line in lines_of(table_of(studio)) if line.basis != "field"]
    assert len(own) > 100
    assert offenders(check, own) == []


def test_whatever_is_asked_each_line_cites_what_exists(studio: Path, body: Body) -> None:
    def check(question: str) -> None:
        answer = answers_by_words(studio).answer(question)
        for line, _ in answer.lines:
            assert at(body(line.url), line.pointer) is not None

    said = dict.fromkeys(q for each in statements(studio) for q in each.field.asked.questions[:1])
    assert offenders(check, said) == []


def test_every_field_of_the_sample_has_something_to_say_but_those_of_a_register() -> None:
    said = {statement.field.asked.says for statement in statements(STUDIOS[0])}
    silent = {field.asked.says for field in table_of().fields} - said
    assert {text.partition(":")[0] for text in silent} == {
        *("Legal name", "Phone", "Postal address", "VAT number", "Registration"),
    }
