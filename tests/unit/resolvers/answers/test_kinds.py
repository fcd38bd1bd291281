"""Whether a line holds the kind of thing that a question asks for."""

import pytest

from resolvers.answers.kinds import asked_phrases, lacks_slot, unpublished_kind


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("how many boats are there", "Four boats lie here."),
        ("how many boats are there", "There are none."),
        ("how much does it weigh", "It weighs 40 kg."),
        ("when was it launched", "It was launched in 1962."),
        ("when do you open", "We open on Mondays."),
        ("what does it cost", "It costs 40 EUR a day."),
        ("what are your fees", "From \N{EURO SIGN} 1200."),
        ("did you work with 38 desks", "It serves 38 desks."),
        ("how many of the 12 boats of 1962 sail", "Of the 12 boats of 1962 sail 7."),
        ("do 2,500 people use it", "2500 people use it."),
        ("the names of the skippers", "Aboard are Ana Reis, Olav Moe."),
        ("which university did she visit", "She studied at Halden Institute."),
        ("name of a client", "It was made for Saltmarsh Trust."),
        ("what is the phone number", "Call 22 33 44 55."),
        ("is there a telephone", "We answer by telephone."),
        ("how old is the boat", "She was built for the fleet in 1962."),
        ("the depth in cm", "It is 40 cm deep."),
        ("its share in percent", "Of all, 4 %."),
        ("which broker clears it", "It is cleared by Halden Brokers."),
        ("what is the slipway", "A slope of stone."),
    ],
)
def test_a_line_that_holds_it_will_do(question: str, line: str) -> None:
    assert not lacks_slot(question, [line], [])


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("how many boats are there", "Boats lie here."),
        ("what percentage is lost", "Some is lost."),
        ("when was it launched", "It was launched with a crowd."),
        ("since when is it here", "It is here to stay."),
        ("what does it cost", "It costs 3 evenings."),
        ("what is the day rate", "The rate is agreed on."),
        ("did you work with 40 desks", "It serves 38 desks."),
        ("how many of the 12 boats of 1962 sail", "Of the 12 boats of 1962 some sail."),
        ("was it 1962", "It was launched in 11962."),
        ("the names of the skippers", "The skippers are well known."),
        ("which university did she visit", "She studied for years."),
        ("what is the vat number", "The number is in the footer."),
        ("do you answer by whatsapp", "We answer by mail."),
        ("what is the phone number", "Plans have a telephone number."),
        ("how old is the skipper", "She lives in Bergen."),
        ("the depth in cm", "It was measured on 4 days."),
        ("which broker clears it", "Brokers clear it in December."),
        ("what did they pay for it", "It was made for the council."),
        ("how much is a mooring", "There are 14 moorings."),
    ],
)
def test_a_line_without_it_will_not_do(question: str, line: str) -> None:
    assert lacks_slot(question, [line], [])


def test_one_line_must_hold_all_of_it() -> None:
    question = "how many boats did 1962 bring"
    assert lacks_slot(question, ["In 1962 came boats.", "There are four boats."], [])
    assert not lacks_slot(question, ["There are some.", "In 1962 came four boats."], [])


def test_a_name_that_the_question_has_is_no_answer_to_it() -> None:
    question, line = "which company built Grey Heron", "The yard built Grey Heron."
    assert lacks_slot(question, [line], [])
    assert lacks_slot("which company built it", [line], ["Grey Heron"])
    assert not lacks_slot("which company built it", [line], [])
    assert lacks_slot("what is there", [], [])


@pytest.mark.parametrize(
    ("question", "phrases"),
    [
        ("How many moorings are free?", [["moor"]]),
        ("How many people work at the yard?", [["peopl", "work"]]),
        ("Who is the mayor of Bergen?", [["mayor"]]),
        ("What is the weather in Bergen?", [["weather"]]),
        ("What is the distance to the moon?", [["distanc"]]),
        ("Which law firm do you use", [["law", "firm"]]),
        ("Which seed merchant supplies the yard", [["seed", "merchant", "suppli"]]),
        ("What depth does the slip have?", [["depth"]]),
        ("How heavy is the keel?", [["heavi"]]),
        ("What is Marigold's tonnage?", [["tonnag"]]),
        ("What is the phone number of the office?", [["phon"]]),
        ("When was the slip built?", [["built"]]),
        ("Recommend me a good hotel near the yard", [["hotel"]]),
        ("The slip, which floats, is it free?", []),
        ("What is that?", []),
        ("Which make of varnish do you use?", [["varnish"]]),
        ("Who paints the hull?", [["paint"]]),
        ("The skipper who paints it", []),
        ("Write me a poem about boats", [["poem"]]),
        ("How do I book a mooring?", []),
        ("What sort of boat is it?", [["boat"]]),
        ("What is the reason for that?", []),
    ],
)
def test_what_a_question_asks_for_is_its_noun(question: str, phrases: list[list[str]]) -> None:
    assert asked_phrases(question) == phrases


@pytest.mark.parametrize(
    "question",
    [
        "We are 14. how many boats are there",
        "how many boats are there, we need 14",
        "My yard has 14 boats; how many are here",
    ],
)
def test_what_callers_tell_of_themselves_is_not_looked_for(question: str) -> None:
    assert not lacks_slot(question, ["There are 4 boats."], [])


@pytest.mark.parametrize(
    "question",
    [
        "Client has a 10 m sloop. Will he survey it?",
        "could you drive a 48 V fan by summer",
        "would she work for a lower fee",
        "rent her for 20 hours a week, possible?",
    ],
)
def test_whether_the_studio_would_do_something_needs_no_figure_in_the_answer(question: str) -> None:
    assert not lacks_slot(question, ["The studio takes on: surveys, repairs."], [])


@pytest.mark.parametrize(
    "question",
    ["could you quote me the error at 48 hours", "what would it cost", "can you tell me the price"],
)
def test_a_polite_question_for_a_figure_needs_it(question: str) -> None:
    assert lacks_slot(question, ["The studio takes on: surveys, repairs."], [])


@pytest.mark.parametrize(
    ("question", "line", "kind"),
    [
        ("what is your phone number", "Write to us.", "telephone number"),
        ("how old is the skipper", "She lives in Bergen.", "age"),
        ("what did they pay for it", "It was made for the council.", "amount of money"),
        ("what did they pay for it", "They paid 40 EUR.", ""),
        ("would you work for a lower fee", "We repair boats.", ""),
        ("who repairs it", "We repair boats.", ""),
    ],
)
def test_what_no_line_gives_is_named(question: str, line: str, kind: str) -> None:
    assert unpublished_kind(question, [line]) == kind
