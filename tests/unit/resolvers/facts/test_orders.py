"""The orders by date that a question asks for."""

import pytest

from resolvers.facts.orders import Order, orders_in


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("the newest boat", Order("Newest", is_newest=True)),
        ("the three latest boats", Order("Newest", is_newest=True, count=3)),
        ("the latest 3 boats", Order("Newest", is_newest=True, count=3)),
        ("which two boats are the youngest", Order("Newest", is_newest=True, count=2)),
        ("the last five changes", Order("Newest", is_newest=True, count=5)),
        ("the last certificate", Order("Newest", is_newest=True)),
        ("which was launched last", Order("Newest", is_newest=True)),
        ("which was launched earlier", Order("Oldest", is_newest=False)),
        ("the second oldest boat", Order("Oldest", is_newest=False, nth=2)),
        ("boats from oldest to newest", Order("From the oldest", is_newest=False, count=12)),
        ("boats, newest first", Order("From the newest", is_newest=True, count=12)),
        ("boats by age", Order("From the oldest", is_newest=False, count=12)),
    ],
)
def test_an_order_is_read(text: str, order: Order) -> None:
    assert orders_in(text) == [order]


@pytest.mark.parametrize(
    "text", ["launched in the last year", "older than 2018", "the last 2 years", "a recent boat"]
)
def test_no_order_is_asked_for(text: str) -> None:
    assert not orders_in(text)
