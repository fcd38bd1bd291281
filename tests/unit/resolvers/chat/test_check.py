"""Which sentences of an answer stand, and which do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_sources import SOON, entries, linted

from evals.lints import lints
from resolvers.chat.check import Check, Sentence, check_citations, sentences_of
from resolvers.chat.conversation import REFUSAL, Source, closest
from resolvers.search.sentences import split_sentences

TEXTS = {
    "Clock service": "The workshop repairs clocks and barometers. It does not repair wristwatches."
    " A repair takes six weeks, if the parts are in stock. The price is 140 euros for a mantel"
    " clock.",
    "Sundial": "The sundial was made by Ines Carvalho for the parish of Saint Roch in 2019."
    " It may be visited on Sundays, and school classes are welcome by appointment.",
    "Apprentices": "Both apprentices passed the journeyman's examination in 2022."
    " Some of the tools are lent to schools, but none of them leaves the county.",
}
SOURCES = tuple(
    Source(n, "faq", f"entry-{n}", title, f"/api/faq/{n}", 0.6, text)
    for n, (title, text) in enumerate(TEXTS.items(), 1)
)
INVENTIONS = (
    # what a source denies, and the other way round
    "She repairs wristwatches. [1]",
    "The workshop repairs wristwatches. [1]",
    "The workshop does not repair clocks. [1]",
    "It does repair wristwatches. [1]",
    "The workshop never repairs barometers. [1]",
    "School classes are not welcome by appointment. [2]",
    "It may not be visited on Sundays. [2]",
    "Neither apprentice passed the journeyman's examination in 2022. [3]",
    # conditions and modes that are left out or added
    "A repair takes six weeks. [1]",
    "A repair takes six weeks, unless the parts are in stock. [1]",
    "It must be visited on Sundays. [2]",
    "It will be visited on Sundays. [2]",
    "School classes might be welcome by appointment. [2]",
    "It may only be visited on Sundays. [2]",
    # subjects and objects that change their places
    "The parish of Saint Roch was made by Ines Carvalho for the sundial in 2019. [2]",
    "Saint Roch made the sundial for Ines Carvalho in 2019. [2]",
    "The sundial repairs clocks and barometers. [1][2]",
    "The apprentices are lent to schools. [3]",
    "Schools lent the tools to the workshop. [3]",
    "Ines Carvalho repairs clocks and barometers. [1][2]",
    # events, persons and places that nobody has told of
    "The workshop won an award for its clocks. [1]",
    "The workshop was founded by a watchmaker. [1]",
    "The sundial was restored after a storm. [2]",
    "The sundial was made in Paris. [2]",
    "The sundial was made by Ines Carvalho for the parish of Saint Anne in 2019. [2]",
    "The sundial was made by Maria Carvalho for the parish of Saint Roch in 2019. [2]",
    "Both apprentices left the workshop. [3]",
    "Both apprentices passed with honours. [3]",
    "The workshop has a second branch in the county. [1][3]",
    "The workshop repairs clocks, barometers and radios. [1]",
    # prices and amounts, with figures and without
    "The price is moderate. [1]",
    "The price is low for a mantel clock. [1]",
    "The price is 240 euros for a mantel clock. [1]",
    "The price is 140 dollars for a mantel clock. [1]",
    "A repair is free of charge. [1]",
    "A repair takes two weeks, if the parts are in stock. [1]",
    "The price is less than 140 euros for a mantel clock. [1]",
    "The sundial was made in 2018. [2]",
    # how much of it
    "All of the tools are lent to schools. [3]",
    "Most of the tools are lent to schools. [3]",
    "Some of them leave the county. [3]",
    "Every school class is welcome. [2]",
    # other languages, other sources, none
    "Die Werkstatt repariert auch Armbanduhren. [1]",
    "L'atelier r\u00e9pare aussi les montres. [1]",
    "La bottega ripara orologi da polso. [1]",
    "The workshop repairs clocks and barometers. [2]",
    "The workshop repairs clocks and barometers.",
    "The workshop repairs clocks and barometers. [9]",
    # addresses and markup
    "Write to help@clocks.example. [1]",
    "See https://clocks.example/prices. [1]",
    "The workshop repairs [clocks](//clocks.example) and barometers. [1]",
    "The workshop repairs <b>clocks</b> and barometers. [1]",
)
SAID = (
    "The workshop repairs clocks and barometers. [1]",
    "The workshop repairs clocks. [1]",
    "It does not repair wristwatches. [1]",
    "The price is 140 euros for a mantel clock [1].",
    "The sundial was made by Ines Carvalho in 2019. [2]",
    "The sundial may be visited on Sundays. [2]",
    "Both apprentices passed the examination. [3]",
    "Some of the tools are lent to schools. [3][2]",
)


def reason_of(text: str) -> str | None:
    (sentence,) = sentences_of(text)
    return Check(SOURCES).reason(sentence)


@pytest.mark.parametrize("text", INVENTIONS)
def test_what_a_source_does_not_say_never_stands(text: str) -> None:
    assert reason_of(text) is not None


@pytest.mark.parametrize("text", SAID)
def test_what_a_source_says_stands_also_when_words_are_left_out(text: str) -> None:
    assert reason_of(text) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("The workshop repairs clocks.", "uncited"),
        ("The price is 240 euros for a mantel clock. [1]", "number"),
        ("The sundial was made by Maria Carvalho. [2]", "entity"),
        ("See https://clocks.example/prices. [1]", "url"),
        ("The workshop won an award. [1]", "coverage"),
        ("It does repair wristwatches. [1]", "polarity"),
    ],
)
def test_the_reason_is_named(text: str, reason: str) -> None:
    assert reason_of(text) == reason


@given(st.sampled_from(sorted(entries())), st.data())
def test_a_quotation_always_stands(name: str, data: st.DataObject) -> None:
    sentences = [s for s in split_sentences(entries()[name].text) if any(map(str.isalnum, s))]
    quotation = data.draw(st.sampled_from(sentences))
    found = linted(f"{quotation} [1]", (name,))
    assert [item for item in found.unsupported if item.sentence == quotation] == []


def test_of_answers_that_readers_graded_nearly_no_bad_one_passes() -> None:
    found = lints("tune")
    assert sum(found.flagged) >= 74  # of 76
    # Of 69: what is said in other words cannot be told from what is made up.
    assert sum(found.passed) >= 5


@pytest.mark.parametrize("text", [REFUSAL, f"{closest('sundials')}\n\n{closest('', 'age')}"])
def test_fixed_phrases_need_no_source(text: str) -> None:
    assert check_citations(text, SOURCES).ok


def test_the_lint_tells_what_was_cited_and_what_not() -> None:
    found = linted("A person answers within one day. [1] And so on [7].", (SOON, SOON))
    assert (found.ok, found.unknown_markers, found.unused_citations) == (False, [7], [2])
    assert found.sentences == 2
    assert check_citations("", SOURCES).ok is False


def test_markers_after_the_stop_belong_to_the_sentence() -> None:
    assert [*sentences_of("One is so. [1] [2] Two is so [3].")] == [
        Sentence("One is so.", (1, 2)),
        Sentence("Two is so.", (3,)),
    ]
