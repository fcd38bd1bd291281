"""Who writes, as a goal to send a message says it."""

import pytest

from resolvers.intent.values import find_sender


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
