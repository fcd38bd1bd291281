"""Who writes and what, as a goal to send a message says it."""

import pytest

from resolvers.intent.letter import find_message, find_name_after, find_sender


@pytest.mark.parametrize(
    ("goal", "sender"),
    [
        ("my name is Ines Ferreira from the Harbour Office", "Ines Ferreira"),
        ("write it, signed Ella, ella@a.example", "Ella"),
        ("tell them we are late. Sender Joana dos Reis, j@a.example", "Joana dos Reis"),
        ('a message from Noor Visser (noor@a.example): "hello"', "Noor Visser"),
        ("a message from Åsa Öberg <asa@a.example>", "Åsa Öberg"),
        ("tell them that it leaks. Maeve O'Brien, maeve@a.example", "Maeve O'Brien"),
        ("name Tove Grann, tove@a.example", "Tove Grann"),
        ("write to Bram Okkerse, ella@a.example", None),
        ("what is the name of the founder?", None),
        ("a message on behalf of Harrow Mutual (claims@a.example)", None),
        ("reply to ella@a.example", None),
    ],
)
def test_the_sender_stands_beside_the_address_or_after_a_label(
    goal: str, sender: str | None
) -> None:
    assert find_sender(goal) == sender


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        ("write to them: the mast has cracked. Reply to n@a.example", "the mast has cracked"),
        (
            "tell the owner that our harbour wants a demo; my address is i@a.example",
            "our harbour wants a demo",
        ),
        (
            "email the owner: My name is Jan de Boer, j@a.example. We need a page.",
            "We need a page.",
        ),
        ("let them know that it is afloat, from Sue Hart, s@a.example", "it is afloat"),
        ("let them know that it floats. Regards, Sue Hart, s@a.example", "it floats."),
        ("contact them: name: Ines, message: hello", None),
        ("write to the owner about a harbour", None),
    ],
)
def test_the_message_is_without_its_sender_and_address(goal: str, message: str | None) -> None:

    assert find_message(goal) == message


def test_a_name_after_a_label_has_capitals() -> None:
    assert find_name_after("company Quinn Marine, message: hello", "company") == "Quinn Marine"
    assert find_name_after("a company that sails", "company") is None
