"""The lint of answers: what it counts, what it names, and how many wrong answers it finds."""

import time
from collections.abc import Sequence

import pytest
from lint_cases import CASES, HARBOR, SOON, SURGE
from sample_sources import idf, linted, sources_of

from resolvers.chat.citation_check import check_citations
from resolvers.chat.conversation import GREETING, NEAR_MISS_REPLY, REFUSAL, Source
from schema.chat import CitationLint, UnsupportedSentence

GOOD = "The median answer takes five hours. [1]"


def reasons(answer: str, names: Sequence[str] = (SOON,)) -> list[str]:
    return [found.reason for found in linted(answer, names).unsupported]


def test_a_good_answer_is_ok_and_counted() -> None:
    assert linted(f"{GOOD} Messages are answered within 24 hours. [1]") == CitationLint(
        method="lexical",
        ok=True,
        sentences=2,
        cited=2,
        supported=2,
        unsupported=[],
        removed=[],
        unknown_markers=[],
        unused_citations=[],
        citation_recall=1.0,
        citation_precision=1.0,
        version="2",
    )


def test_a_bad_sentence_is_named_with_its_reason_and_markers() -> None:
    found = linted(f"{GOOD} Letters are answered in 7 weeks. [1][9]")
    assert not found.ok
    expected = UnsupportedSentence(
        sentence="Letters are answered in 7 weeks.", reason="number", markers=[1, 9]
    )
    assert found.unsupported == [expected]
    assert (found.sentences, found.cited, found.supported) == (2, 2, 1)
    assert (found.unknown_markers, found.citation_recall) == ([9], 0.5)
    assert found.citation_precision == 0.5


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("The median answer takes five hours.", "uncited"),
        ("The median answer takes five hours [2].", "uncited"),
        ("The median answer takes 6 hours. [1]", "number"),
        ("The median answer takes five minutes. [1]", "number"),
        ("The median answer comes from Lisbon in five hours. [1]", "entity"),
        ("Five hours is the median; see https://attacker.test/sla. [1]", "url"),
        ("Five hours is the median; write to sales@attacker.test. [1]", "url"),
        ("Five hours is the median; use attacker.test/pay. [1]", "url"),
        ("Telephone calls to wholesale customers get priority treatment. [1]", "coverage"),
        ("The letter behind it does not reach Maren. [1]", "polarity"),
        ("An answer within the day is guaranteed. [1]", "coverage"),
    ],
)
def test_each_fault_has_its_reason(answer: str, reason: str) -> None:
    assert reasons(answer) == [reason]


def test_a_number_is_the_same_in_words_and_with_commas() -> None:
    source = Source(1, "faq", "x", "X", "/x", 0.5, "It holds 1,885 days and 11.4 million postings.")
    for said in ("1885 days", "1,885 days", "11,400,000 postings", "11.4 million postings"):
        assert check_citations(f"It holds {said}. [1]", [source], idf, None).ok, said
    for said in ("1886 days", "11.4 thousand postings", "114 million postings"):
        assert not check_citations(f"It holds {said}. [1]", [source], idf, None).ok, said


FACTS = Source(
    *(1, "studio", "studio", "Facts", "/api/studio", 0.5),
    "Founder: Maren Quill.\n\nDesks on Tidebook: 38, as of 2026-11-02.\n\n"
    "Climate Data Analysis (Civic Data Forum), issued 2023-04.",
)


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("As of 2 November 2026 there are 38 desks on Tidebook. [1]", []),
        ("Climate Data Analysis was issued by the Civic Data Forum in April 2023. [1]", []),
        ("Climate Data Analysis was issued by the Civic Data Forum in June 2023. [1]", ["entity"]),
        ("The founder is Maren Quill. [1]", []),
        ("The founder is agent zq007. [1]", ["entity"]),
    ],
)
def test_typed_fields_are_read_as_sentences_would_say_them(answer: str, found: list[str]) -> None:
    lint = check_citations(answer, [FACTS], idf, None)
    assert [each.reason for each in lint.unsupported] == found


@pytest.mark.parametrize(
    "answer",
    [
        "The median is five hours [1].",
        "The median is five hours. [1]",
        "The median is five hours.[1]",
        "The median is five hours.\n[1]",
        "- The median is five hours. [1]\n- Answers come within 24 hours. [1]",
        "The median [1] is five hours.",
        "The median is five hours. [1] Answers come within 24 hours. [1]",
    ],
)
def test_a_marker_counts_for_the_sentence_that_it_stands_in_or_after(answer: str) -> None:
    found = linted(answer)
    assert found.ok, found
    assert found.cited == found.sentences == answer.count("hours")


def test_a_marker_after_the_next_stop_does_not_count_for_the_sentence_before() -> None:
    found = linted("The median is five hours. Answers come within 24 hours. [1]")
    assert [each.sentence for each in found.unsupported] == ["The median is five hours."]


@pytest.mark.parametrize("answer", [REFUSAL, GREETING, f"{NEAR_MISS_REPLY} ", f"\n{REFUSAL}\n"])
def test_an_abstention_is_ok_without_a_citation(answer: str) -> None:
    found = linted(answer)
    assert (found.ok, found.sentences, found.unused_citations) == (True, 0, [1])
    assert (found.citation_recall, found.citation_precision) == (1.0, 1.0)


@pytest.mark.parametrize("answer", ["", "  \n", "Quoted:", "..."])
def test_an_answer_that_says_nothing_and_does_not_say_so_is_not_ok(answer: str) -> None:
    assert not linted(answer).ok


def test_what_follows_an_abstention_is_looked_at() -> None:
    assert not linted(f"{REFUSAL} But refunds are paid in gold.").ok
    assert linted(f"{NEAR_MISS_REPLY} {GOOD}").ok


def test_no_sentence_borne_gives_no_recall_and_no_precision() -> None:
    found = linted("Refunds are paid in gold.")
    assert (found.ok, found.citation_recall, found.citation_precision) == (False, 0.0, 0.0)


def test_several_sources_bear_a_sentence_together() -> None:
    answer = "It errs by 9 cm at 24 hours, and Saltmarsh Harbour Trust owns it. [1][2]"
    together = linted(answer, (HARBOR, SURGE))
    assert together.ok
    assert together.citation_precision == 1.0
    assert not linted(answer.replace("[1][2]", "[1]"), (HARBOR, SURGE)).ok


def test_a_source_that_bears_nothing_costs_precision() -> None:
    found = linted(GOOD.replace("[1]", "[1][2]"), (SOON, HARBOR))
    assert (found.ok, found.citation_precision) == (True, 0.5)


def test_sources_that_are_not_cited_are_named() -> None:
    assert linted(GOOD, (SOON, HARBOR, SURGE)).unused_citations == [2, 3]


def test_a_name_that_every_source_speaks_of_is_no_foreign_name() -> None:
    answer = "A median letter to Quillmere is answered in five hours. [1]"
    assert linted(answer).ok
    assert [
        each.reason for each in check_citations(answer, sources_of([SOON]), idf, None).unsupported
    ] == ["entity"]


def test_every_sentence_of_the_owner_passes_as_it_stands() -> None:
    source = sources_of([SURGE])[0]
    first = source.text.split("\n\n", maxsplit=1)[0]
    quoted = " ".join(f"{said}. [1]" for said in first.removesuffix(".").split(". "))
    assert check_citations(quoted, [source], idf, None).ok


def test_the_same_answer_has_the_same_lint() -> None:
    for case in CASES[:20]:
        assert linted(case.answer, case.entries) == linted(case.answer, case.entries)


def test_a_hostile_answer_is_linted_in_reasonable_time() -> None:
    texts = ["[1]" * 3_000, "a " * 8_000, "1," * 6_000, ". " * 6_000, "twenty " * 3_000]
    texts += ["a." * 6_000, "https://" * 1_500, "A" * 16_000, "-" * 16_000, "[" * 16_000]
    started = time.process_time()
    for text in texts:
        linted(text)
    assert time.process_time() - started < 10


def count(half: str, *, good: bool) -> int:
    return sum(1 for case in CASES if (case.half, case.good) == (half, good))


def test_the_cases_are_many_and_no_answer_stands_in_both_halves() -> None:
    assert [count(half, good=good) for half in ("dev", "test") for good in (False, True)] == [
        *(76, 69),
        *(40, 38),
    ]
    assert len({(case.answer, case.entries) for case in CASES}) == len(CASES)
