"""Documents as pages: made once a reading and a day, and known again by what asks for them."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from asgi_call import Answer, ask
from starlette.routing import Router

from rest_bridge.discovery.crawlers import security
from rest_bridge.discovery.documents import Document, DocumentContext, document_routes
from sdl.running.runner import Snapshot

FIRST = date(2026, 11, 21)
HOST = (b"host", b"localhost")
PATH = "/made.txt"


class Calendar:
    """The day, as the service asks for it."""

    def __init__(self) -> None:
        self.today = FIRST

    def __call__(self) -> date:
        return self.today


@pytest.fixture
def calendar() -> Calendar:
    return Calendar()


@pytest.fixture
def made() -> list[date]:
    """The days on which a document was made."""
    return []


@pytest.fixture
def pages(reading: Snapshot, calendar: Calendar, made: list[date]) -> Router:
    """A document that counts, and the security contact."""

    def count(facts: DocumentContext) -> bytes:
        made.append(facts.today)
        return b"made"

    counting = Document(PATH, "text/plain", "Made", "What is made.", count, daily=True)
    told = ("Contact", "Whom to tell.", security)
    contact = Document("/security.txt", "text/plain", *told, daily=True)
    own = replace(reading)
    return Router(document_routes((counting, contact), lambda: own, {}, calendar))


def get(pages: Router, path: str, *headers: tuple[str, str]) -> Answer:
    sent = [HOST, *((name.encode(), value.encode()) for name, value in headers)]
    return ask(pages, sent, path=path)


def test_a_daily_document_is_made_once_a_day(
    pages: Router, calendar: Calendar, made: list[date]
) -> None:
    for _ in range(3):
        assert get(pages, PATH).body == b"made"
    assert made == [FIRST]
    calendar.today += timedelta(days=1)
    for _ in range(3):
        get(pages, PATH)
    assert made == [FIRST, FIRST + timedelta(days=1)]


def test_the_security_contact_never_comes_near_its_end(pages: Router, calendar: Calendar) -> None:
    for _ in range(60):
        (line,) = [w for w in get(pages, "/security.txt").body.decode().split("\n") if "Expi" in w]
        expires = date.fromisoformat(line.partition(": ")[2][:10])
        assert timedelta(days=30) < expires - calendar.today < timedelta(days=365)
        calendar.today += timedelta(days=7)


@pytest.mark.parametrize(
    ("condition", "validator"),
    [("if-none-match", "etag"), ("if-modified-since", "last-modified")],
)
def test_who_asks_again_much_later_is_not_told_that_an_old_one_is_still_good(
    condition: str, validator: str, pages: Router, calendar: Calendar
) -> None:
    first = get(pages, "/security.txt")
    known = (condition, first.headers[validator])
    assert get(pages, "/security.txt", known).status == 304
    calendar.today += timedelta(days=200)
    again = get(pages, "/security.txt", known)
    assert (again.status, again.body == first.body) == (200, False)
