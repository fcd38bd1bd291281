"""What of a request a goal fills, and what it leaves to be asked for."""

from typing import Any

import pytest
from sample_operations import (
    ASK,
    CERTIFICATES,
    CHANGES,
    CONTACT,
    EMBED,
    PROJECT,
    PROJECTS,
    PROOF,
    ROOT,
    ROUTE,
    SEARCH,
    SUBSCRIBE,
    UNSUBSCRIBE,
)

from resolvers.intent.operation import RoutableOperation
from resolvers.intent.request_builder import PreparedRequest, build_request


def filled(post: RoutableOperation, goal: str) -> PreparedRequest:
    """The request of one goal in which no path is named."""
    return build_request(post, goal, {})


@pytest.mark.parametrize(
    ("goal", "path"),
    [
        ("how is Ledgerline doing", "/api/projects/ledgerline"),
        ("how is LEDGERLINE doing?", "/api/projects/ledgerline"),
        ("read tide-watch", "/api/projects/tide-watch"),
        ("read about tide watch", "/api/projects/tide-watch"),
        ("read Tides, please", "/api/projects/tide-watch"),
    ],
)
def test_a_thing_that_is_named_is_in_the_path(goal: str, path: str) -> None:
    made = filled(PROJECT, goal)
    assert (made.request.path, made.requires) == (path, ())


@pytest.mark.parametrize("goal", ["show me one", "read ledgerlines-two", "the subledgerline"])
def test_a_thing_that_is_not_named_stays_open_in_the_path_and_is_required(goal: str) -> None:
    made = filled(PROJECT, goal)
    assert (made.request.path, made.requires) == ("/api/projects/{slug}", ("slug",))
    assert made.call is not None
    assert made.call.arguments == {}


@pytest.mark.parametrize(
    ("post", "goal", "path"),
    [
        (CHANGES, "what has changed", "/api/changelog"),
        (CHANGES, "only changed entries", "/api/changelog?kind=changed"),
        (CHANGES, "what was removed?", "/api/changelog?kind=removed"),
        (CHANGES, "changelog of kind: changed", "/api/changelog?kind=changed"),
        (CHANGES, "news after 2026-06-01", "/api/changelog?since=2026-06-01T00%3A00%3A00Z"),
        (
            CHANGES,
            "fixed after 2026-06-01T10:30:00+02:00.",
            "/api/changelog?kind=fixed&since=2026-06-01T08%3A30%3A00Z",
        ),
        (CHANGES, "news since 0999-05-05", "/api/changelog?since=0999-05-05T00%3A00%3A00Z"),
        (CHANGES, "news since 3 May 2026", "/api/changelog?since=2026-05-03T00%3A00%3A00Z"),
        (CHANGES, "news since Sep. 30th, 2026", "/api/changelog?since=2026-09-30T00%3A00%3A00Z"),
        (CHANGES, "news since May 2026", "/api/changelog?since=2026-05-01T00%3A00%3A00Z"),
        (CHANGES, "news since 2026-05", "/api/changelog?since=2026-05-01T00%3A00%3A00Z"),
        (CHANGES, "List changes announced so far", "/api/changelog?kind=announced"),
        (CHANGES, "only those entries that were removals", "/api/changelog?kind=removed"),
        (CHANGES, "news until 3 May 2026", "/api/changelog"),
        (CHANGES, "only the fixes", "/api/changelog?kind=fixed"),
        (CHANGES, "announcements only, please", "/api/changelog?kind=announced"),
        (CHANGES, "the changelog, just what got removed", "/api/changelog?kind=removed"),
        (CHANGES, "changes since 2026-05", "/api/changelog?since=2026-05-01T00%3A00%3A00Z"),
        (CERTIFICATES, "certificates in AI", "/api/certifications?category=ai"),
        (
            CERTIFICATES,
            "back-end certificates from Northquay Academy",
            "/api/certifications?issuer=Northquay%20Academy",
        ),
        (CERTIFICATES, "certificates, category: art", "/api/certifications?category=art"),
        (CERTIFICATES, 'the issuer "New School"', "/api/certifications?issuer=New%20School"),
        (CERTIFICATES, "certificates said to be fair", "/api/certifications"),
        (PROOF, "prove entry seven", "/api/log/proof?index=7"),
        (PROOF, "prove entry 3", "/api/log/proof?index=3"),
        (PROOF, "proof with index 12 of 40 entries", "/api/log/proof?index=12"),
    ],
)
def test_filters_are_filled_where_the_goal_names_a_choice(
    post: RoutableOperation, goal: str, path: str
) -> None:
    made = filled(post, goal)
    assert (made.request.path, made.requires, made.request.body) == (path, (), None)


@pytest.mark.parametrize(
    ("goal", "requires"),
    [
        ("news after 2026-13-45", "since"),
        ("news since last Tuesday", "since"),
        ("the changelog of last month", "since"),
        ("news since 30 February 2026", "since"),
        ("news since 0001-01-01T00:00:00+01:00", "since"),
        ("only the obituaries", "kind"),
        ("only fixed and removed entries", "kind"),
        ("everything except the fixes", "kind"),
    ],
)
def test_a_choice_that_is_not_understood_is_required_and_not_left_out(
    goal: str, requires: str
) -> None:
    made = filled(CHANGES, goal)
    assert (made.request.path, made.requires) == ("/api/changelog", (requires,))


@pytest.mark.parametrize(
    ("goal", "kinds", "requires"),
    [
        ("subscribe https://hooks.example/in", None, ()),
        ("send all new changes to https://hooks.example/in", None, ()),
        ("everything added or removed", ["added", "removed"], ("url",)),
        ("notify me of all but fixes", None, ("url", "kinds")),
        ("everything except added and removed", None, ("url", "kinds")),
        ("notify https://hooks.example/in of announcements", ["announced"], ()),
        ("push prices to https://hooks.example/in", None, ("kinds",)),
        ("push fixes and prices to https://hooks.example/in", ["fixed"], ("kinds",)),
        ("push fixes of Ledgerline to https://hooks.example/in", ["fixed"], ("kinds",)),
        ("push fixes or corrections to https://a.example/b", ["fixed"], ("kinds",)),
        ("let https://a.example/b know of what is withdrawn", None, ("kinds",)),
    ],
)
def test_a_subscription_is_ready_only_if_every_word_of_its_goal_is_understood(
    goal: str, kinds: list[str] | None, requires: tuple[str, ...]
) -> None:
    made = filled(SUBSCRIBE, goal)
    assert made.request.body is not None
    assert (made.request.body.get("kinds"), made.requires) == (kinds, requires)


def test_a_request_that_returns_more_than_was_asked_is_told() -> None:
    exact = [(CHANGES, "the changelog since 2026-05"), (PROJECT, "the details of Ledgerline")]
    inexact = [
        (CHANGES, "the changelog until 2026-05"),
        (CHANGES, "the latest 3 entries of the changelog"),
        (PROJECT, "compare Ledgerline with Tides"),
    ]
    assert [filled(post, goal).is_exact for post, goal in exact] == [True] * len(exact)
    assert [filled(post, goal).is_exact for post, goal in inexact] == [False] * len(inexact)


@pytest.mark.parametrize("goal", ["prove an entry", "prove 3 or 4", "prove it for 2026-06-01"])
def test_a_number_that_is_not_told_or_not_alone_is_required(goal: str) -> None:
    assert filled(PROOF, goal).requires == ("index",)


@pytest.mark.parametrize(
    ("post", "given", "path", "requires"),
    [
        (PROJECT, {"slug": "new-one"}, "/api/projects/new-one", ()),
        (PROJECT, {"slug": "New_One"}, "/api/projects/{slug}", ("slug",)),
        (PROJECT, {"slug": "%"}, "/api/projects/{slug}", ("slug",)),
        (UNSUBSCRIBE, {"id": "a%20b"}, "/api/subscribe/a%20b", ("Authorization",)),
    ],
)
def test_what_a_path_gives_is_taken_as_it_stands_there_if_it_may_be(
    post: RoutableOperation, given: dict[str, str], path: str, requires: tuple[str, ...]
) -> None:
    made = build_request(post, "read it", given)
    assert (made.request.path, made.requires) == (path, requires)


@pytest.mark.parametrize(
    ("goal", "body", "requires"),
    [
        ("write to the founder", {}, ("name", "email", "message")),
        (
            "tell them we want a demo; reply to ines@harbour.example",
            {"email": "ines@harbour.example"},
            ("name", "message"),
        ),
        (
            "My name is Ines Ferreira from the Harbour Office. Contact the studio.",
            {"name": "Ines Ferreira"},
            ("email", "message"),
        ),
        (
            "contact: name: Ines Ferreira, email: ines@harbour.example, company: Harbour Office,"
            " agent: harbour-assistant 1.2, message: Could you review our tide forecasts, please?",
            {
                "name": "Ines Ferreira",
                "email": "ines@harbour.example",
                "company": "Harbour Office",
                "agent": "harbour-assistant 1.2",
                "message": "Could you review our tide forecasts, please?",
            },
            (),
        ),
        (
            'dry run: write "Could you review our tide forecasts?" to the founder',
            {"message": "Could you review our tide forecasts?", "dryRun": True},
            ("name", "email"),
        ),
        (
            "Send 'We would like a table of tides' to Ada, signed Ines, ines@a.example",
            {
                "name": "Ines",
                "email": "ines@a.example",
                "message": "We would like a table of tides",
            },
            (),
        ),
        (
            "write to Ada Voss, ines@harbour.example",
            {"email": "ines@harbour.example"},
            ("name", "message"),
        ),
        (
            "without sending it: 'Could you review our tide forecasts?' from Ines (i@a.example)",
            {
                "name": "Ines",
                "email": "i@a.example",
                "message": "Could you review our tide forecasts?",
            },
            (),
        ),
        ('tell the founder "hello"', {}, ("name", "email", "message")),
        ("what is the name of the founder?", {}, ("name", "email", "message")),
    ],
)
def test_a_message_holds_what_was_said_and_requires_the_rest(
    goal: str, body: dict[str, Any], requires: tuple[str, ...]
) -> None:
    made = filled(CONTACT, goal)
    assert (made.request.body, made.requires) == (body, requires)
    assert made.request.headers == {"content-type": "application/json"}
    assert made.call is not None
    assert (made.call.name, made.call.arguments) == ("send_contact", body)


@pytest.mark.parametrize(
    ("goal", "body"),
    [
        ("search for storm surge forecasts", {"query": "storm surge forecasts"}),
        ("Find passages about drawdown.", {"query": "drawdown"}),
        ("search drawdown", {"query": "drawdown"}),
        ('anything near "data lineage"?', {"query": "data lineage"}),
        ("overfitting", {"query": "overfitting"}),
        ("find FAQ entries about prices", {"query": "prices", "kind": "faq"}),
        ("search only projects for tides", {"query": "tides", "kind": "project"}),
        ("I am looking for passages about hiring", {"query": "hiring"}),
        ("search the FAQ for prices", {"query": "prices", "kind": "faq"}),
        ("look up spring tides", {"query": "spring tides"}),
        ("search for tides, limit 3", {"query": "tides", "limit": 3}),
        ("search for tides, five hits at most", {"query": "tides", "limit": 5}),
        ("search for 'tides' and give me the best three", {"query": "tides", "limit": 3}),
        ("find me two entries about tides", {"query": "tides", "limit": 2}),
        ("search for the ten commandments", {"query": "the ten commandments"}),
    ],
)
def test_a_search_asks_for_the_object_of_the_goal(goal: str, body: dict[str, Any]) -> None:
    made = filled(SEARCH, goal)
    assert (made.request.body, made.requires) == (body, ())


def test_a_number_of_results_that_is_not_possible_is_required() -> None:
    made = filled(SEARCH, "search for tides, limit 99")
    assert (made.request.body, made.requires) == ({"query": "tides"}, ("limit",))


@pytest.mark.parametrize(
    ("post", "goal", "body", "requires"),
    [
        (ASK, "why is it called so?", {"query": "why is it called so?"}, ()),
        (ASK, "ask it how breaks are found", {"query": "ask it how breaks are found"}, ()),
        (ROUTE, "what to call?", {"goal": "what to call?"}, ()),
        (EMBED, "vectors of my texts", {}, ("input",)),
        (EMBED, 'embed "tide gauge"', {"input": "tide gauge"}, ()),
        (EMBED, "embed “one” and “two”", {"input": ["one", "two"]}, ()),
        (EMBED, 'embed "a" "b"' + ' "c"' * 19, {}, ("input",)),
        (ASK, "messages: hello", {"query": "messages: hello"}, ()),
        (SUBSCRIBE, "webhook please", {}, ("url",)),
        (SUBSCRIBE, "push to http://hooks.example/in", {}, ("url",)),
        (SUBSCRIBE, "push to https://hooks.example/in.", {"url": "https://hooks.example/in"}, ()),
        (
            SUBSCRIBE,
            "push fixed and removed entries to https://hooks.example/in?a=1",
            {"url": "https://hooks.example/in?a=1", "kinds": ["fixed", "removed"]},
            (),
        ),
    ],
)
def test_a_body_holds_what_the_goal_gives(
    post: RoutableOperation, goal: str, body: dict[str, Any], requires: tuple[str, ...]
) -> None:
    made = filled(post, goal)
    assert (made.request.method, made.request.path) == ("POST", post.path)
    assert (made.request.body, made.requires) == (body, requires)


@pytest.mark.parametrize(
    ("goal", "path", "requires"),
    [
        ("stop it", "/api/subscribe/{id}", ("id", "Authorization")),
        (
            "stop id: sub_81c0ffee, Authorization: Bearer whsec_secret",
            "/api/subscribe/sub_81c0ffee",
            ("Authorization",),
        ),
    ],
)
def test_a_credential_is_required_and_never_taken_from_a_goal(
    goal: str, path: str, requires: tuple[str, ...]
) -> None:
    made = filled(UNSUBSCRIBE, goal)
    assert (made.request.method, made.request.path) == ("DELETE", path)
    assert (made.requires, made.request.headers, made.request.body) == (requires, {}, None)


@pytest.mark.parametrize(
    ("post", "goal", "accept"),
    [
        (ASK, "stream an answer token by token", "text/event-stream"),
        (ASK, "answer me", None),
        (PROJECTS, "the portfolio as markdown", "text/markdown"),
        (PROJECTS, "the portfolio as JSON", None),
        (ROOT, "the root as JSON", "application/json"),
        (CERTIFICATES, "certificates as markdown", None),
    ],
)
def test_a_form_is_asked_for_where_it_is_named_and_not_the_default(
    post: RoutableOperation, goal: str, accept: str | None
) -> None:
    assert filled(post, goal).request.headers.get("accept") == accept


def test_the_signed_form_is_asked_for_where_the_goal_says_so() -> None:
    signed = filled(PROJECTS, "a signed list of the projects")
    assert (signed.request.path, signed.call) == (PROJECTS.signed_path, None)
    assert filled(PROJECTS, "a list of the projects").request.path == PROJECTS.path
