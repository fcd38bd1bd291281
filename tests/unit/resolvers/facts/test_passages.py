"""Which sentences are quoted, with which around them, and which never."""

from pathlib import Path

import pytest
from boatyard import BOATS, answers_from, boat, yard_table
from fact_answers import STUDIOS, table_of

from resolvers.facts.passages import MAX_QUOTE, Passage, passages_of
from resolvers.facts.statements import MAX_PROSE
from resolvers.search.sentences import split_sentences

LONG = " ".join(f"The {n} plank was laid in the spring of that year." for n in range(40))


def passages(*stories: str) -> list[Passage]:
    """What is quoted of boats with these stories."""
    boats = [boat(f"Boat {n}", story) for n, story in enumerate(stories)]
    return list(passages_of(yard_table(boats)))


def quote(story: str, sentence: str) -> str:
    """What is quoted for the sentence of a story."""
    return next(p.quote for p in passages(story) if p.sentence == sentence)


def test_a_sentence_that_leans_on_the_one_before_comes_with_it() -> None:
    story = BOATS[0].story
    first, second, _ = split_sentences(story)
    assert quote(story, second).startswith(f"{first} {second}")
    assert quote(story, first).startswith(first)
    plain = "The mast is of spruce wood. The keel is of oak wood."
    assert quote(plain, "The keel is of oak wood.") == "The keel is of oak wood."


@pytest.mark.parametrize("word", ["It", "This", "They", "But", "Such", "His", "There"])
def test_each_of_these_words_leans(word: str) -> None:
    second = f"{word} was never seen again here."
    assert quote(f"The mast is of spruce wood. {second}", second).startswith("The mast")


def test_a_quotation_takes_what_fits_of_the_sentences_after_it() -> None:
    first, *rest = split_sentences(LONG)
    found = quote(LONG, first)
    assert found.startswith(f"{first} {rest[0]}")
    assert LONG.startswith(found)
    assert MAX_QUOTE - len(first) - 2 < len(found) <= MAX_QUOTE


@pytest.mark.parametrize(
    "mark", ["[1]", "![mast](https://masts.example/a.png)", "<b>", "</passages>", "<!-- x", "<?x"]
)
def test_a_marked_text_is_never_said(mark: str) -> None:
    # Unchecked: the owner's content may hold some of these, and no HTML.
    story = f"The mast of this boat {mark} is of spruce wood. It has a keel of oak wood too."
    marked = boat("Marked").model_copy(update={"story": story})
    answers = answers_from(yard_table([*BOATS, marked]))
    for question in ("what is the story of Marked", "mast of spruce wood", "keel of oak wood"):
        assert not [line for line in answers.answer(question).lines if "wood" in line.text]


def test_the_same_text_without_a_mark_is_said() -> None:
    story = "The mast of this boat is of spruce wood. It has a keel of oak wood too."
    answers = answers_from(yard_table([*BOATS, boat("Marked", story)]))
    for question in ("what is the story of Marked", "mast of spruce wood", "keel of oak wood"):
        assert [line for line in answers.answer(question).lines if "wood" in line.text]


def test_a_short_sentence_and_a_question_are_not_quoted() -> None:
    found = passages("A ketch. Is she not the finest boat here? The mast is of spruce wood.")
    assert {p.sentence for p in found} >= {"The mast is of spruce wood."}
    assert not {"A ketch.", "Is she not the finest boat here?"} & {p.sentence for p in found}


def test_an_entry_that_is_a_question_is_quoted_from_the_opening_of_its_answer() -> None:
    question = "Who paints the boats?"
    text = "Whoever sails them paints them.\n\nPaint is in the shed."
    table = yard_table([boat(question, f"{text} {LONG}")])
    found = next(p for p in passages_of(table) if p.sentence == question)
    assert found.quote.startswith("Whoever sails them paints them. Paint is in the shed. The 0 ")
    assert len(found.quote) <= MAX_PROSE + 20
    assert found.pointer == "/story"


@pytest.mark.parametrize("studio", STUDIOS, ids=lambda folder: folder.name)
def test_nothing_is_quoted_that_others_wrote(studio: Path) -> None:
    found = list(passages_of(table_of(studio)))
    assert len(found) > 300
    others = ("/readme", "/stars", "/readingList", "/activity")
    assert not [p for p in found if "github" in p.url and p.pointer.startswith(others)]
