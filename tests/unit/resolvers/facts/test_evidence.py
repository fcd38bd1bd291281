"""What is said is ranked together: sentences and fields, by tokens or by words."""

from collections.abc import Iterator

import pytest
from boatyard import BY_WORDS, answers_from, yard_table

from resolvers.facts.evidence import Evidence
from resolvers.facts.router import FactRouter

ROUTER = FactRouter(yard_table(), BY_WORDS, {})
EVIDENCE = Evidence(ROUTER, BY_WORDS)


def said(question: str) -> Iterator[str]:
    """What the best passages say, the best first."""
    for _, number, _ in EVIDENCE.rank(ROUTER.parse(question)):
        yield EVIDENCE.passages[number].quote


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("who was built for the herring fleet", "The Grey Heron was built for the herring fleet."),
        ("how deep is the slipway", "The slipway takes boats of up to 2.4 metres."),
    ],
)
def test_a_sentence_and_a_field_compete_for_the_same_place(question: str, text: str) -> None:
    assert next(said(question)).startswith(text)


def test_an_item_of_a_short_list_is_said_with_the_others() -> None:
    texts = {p.quote for p in EVIDENCE.passages if p.sentence == "Boats: Marigold (afloat)."}
    assert len(texts) == 1
    assert "Heron (ashore)" in texts.pop()


def test_a_word_is_near_what_has_it_and_far_from_what_does_not() -> None:
    number = next(n for n, p in enumerate(EVIDENCE.passages) if "herring" in p.sentence)
    assert EVIDENCE.nearness("the herring xylophone", [number]) == {"her": 1, "xylophon": 0}
    assert EVIDENCE.nearness("herring", []) == {}


def test_an_answer_says_at_most_two_fields_for_a_question_that_is_no_fields_own() -> None:
    lines = answers_from(yard_table()).answer("Marigold rig crew launch insurance story").lines
    assert 0 < len(lines) <= 4
