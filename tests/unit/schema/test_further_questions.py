"""Further wordings: each belongs to a field of the schema, and none to two."""

import tomllib

from fact_answers import table_of
from repository import ROOT

from schema.further_questions import topics_without_field

WORDINGS = tomllib.loads((ROOT / "schema/further_questions.toml").read_text(encoding="utf-8"))


def places() -> list[tuple[str, str, bool]]:
    """The types and fields that have wordings, and whether these ask for what is published."""
    published = {k: v for k, v in WORDINGS.items() if k not in {"unpublished", "topics"}}
    return [
        (type_name, field, is_published)
        for is_published, table in ((True, published), (False, WORDINGS["unpublished"]))
        for type_name, fields in table.items()
        for field in fields
    ]


def test_no_wording_is_one_of_a_text_that_says_what_an_entry_is() -> None:
    fields = {
        (item.owner.type_name, item.field.key, item.asked.published): item
        for item in table_of().fields
    }
    for place in places():
        item = fields[place]
        assert item.is_single or not item.is_prose, place
        assert len(item.questions) > len(item.asked.questions), place


def test_no_wording_belongs_to_two_fields_or_topics() -> None:
    questions = [question.casefold() for item in table_of().fields for question in item.questions]
    questions += [question.casefold() for t in topics_without_field() for question in t.questions]
    assert sorted(set(questions)) == sorted(questions)


def test_each_topic_has_words_in_lower_case() -> None:
    for topic in topics_without_field():
        assert topic.words == {word.lower() for word in topic.words} != set()
