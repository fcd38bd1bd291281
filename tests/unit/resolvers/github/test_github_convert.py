"""What GitHub's answers become: our types, plain lines, nothing private, whatever is sent."""

import logging
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from github_server import LOGIN, event, readme, repository, star, user
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from resolvers.github.convert import (
    GithubError,
    SnapshotPart,
    activity_of,
    profile_of,
    readme_of,
    repos_of,
    single_line,
    snapshot_of,
    stars_of,
)
from schema.github import GithubReadme
from sdl.types.scalar_types import Line, Markdown

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
WEB = "https://github.example"
TIDES = f"{WEB}/{LOGIN}/tides"
LINE: TypeAdapter[str] = TypeAdapter(Line)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)
CONVERSIONS: list[tuple[Callable[[Any], SnapshotPart], Any]] = [
    (profile_of, user()),
    (lambda answer: activity_of([answer], WEB), event(1)),
    (lambda answer: stars_of([answer], "tides"), star("gauges")),
    (lambda answer: repos_of([answer]), repository("tides")),
    (lambda answer: readme_of(answer, NOW), readme()),
]


def test_a_profile_is_taken_over() -> None:
    profile = profile_of(user()).profile
    assert profile is not None
    assert profile.to_json() == {
        "login": LOGIN,
        "name": "Maren Q.",
        "bio": "Tides and ledgers.",
        "url": f"{WEB}/{LOGIN}",
        "followers": 412,
        "following": 37,
        "publicRepos": 3,
        "createdAt": "2021-04-19T08:52:10Z",
    }


def test_an_account_without_a_name_is_called_as_it_logs_in_and_may_say_nothing() -> None:
    profile = profile_of({**user(), "name": None, "bio": ""}).profile
    assert profile is not None
    assert (profile.name, profile.bio) == (LOGIN, None)


def test_a_star_keeps_its_instant_and_the_topic_makes_the_reading_list() -> None:
    both = [star("gauges"), star("books", topics=["a", "reading-list"], language=None)]
    part = stars_of(both, "reading-list")
    assert [found.repo for found in part.stars] == [f"{LOGIN}/gauges", f"{LOGIN}/books"]
    assert part.reading_list == part.stars[1:]
    assert part.stars[1].to_json() == {
        "repo": f"{LOGIN}/books",
        "description": "What books is for.",
        "stars": 12,
        "url": f"{WEB}/{LOGIN}/books",
        "starredAt": "2026-10-30T13:20:11Z",
    }


def test_a_repository_is_taken_over_and_says_nothing_where_it_has_no_description() -> None:
    (made,) = repos_of([repository("tides", description=None, archived=True)]).repos
    assert made.to_json() == {
        "name": "tides",
        "url": TIDES,
        "language": "Python",
        "stars": 12,
        "forks": 3,
        "topics": ["tides"],
        "pushedAt": "2026-10-30T15:12:44Z",
        "archived": True,
    }


def test_a_repository_that_nobody_pushed_to_is_as_old_as_it_is() -> None:
    (made,) = repos_of([repository("new", pushed_at=None)]).repos
    assert made.to_json()["pushedAt"] == "2021-04-19T08:52:10Z"


def test_what_is_private_is_not_there(caplog: pytest.LogCaptureFixture) -> None:
    hidden = {"private": True, "topics": ["reading-list"]}
    stars = stars_of([star("gauges"), star("secret", **hidden)], "reading-list")
    repos = repos_of([repository("secret", **hidden)])
    assert "secret" not in f"{stars} {repos} {caplog.text}"
    assert (len(stars.stars), stars.reading_list, repos.repos) == (1, [], [])


def test_an_item_that_does_not_fit_is_left_out_and_counted_and_the_rest_stays(
    caplog: pytest.LogCaptureFixture,
) -> None:
    wrong = [
        repository("a", stargazers_count="many"),
        repository("b", html_url="javascript:alert(1)"),
        {"name": "c"},
        None,
        7,
    ]
    with caplog.at_level(logging.WARNING):
        repos = repos_of([*wrong, repository("tides")]).repos
    assert [repo.name for repo in repos] == ["tides"]
    assert [record.getMessage() for record in caplog.records] == [
        "5 of 6 repositories do not fit and are left out"
    ]


@pytest.mark.parametrize("answer", [None, 7, "[]", {}, [7], [{}, {"name": "x"}]])
def test_an_answer_of_another_form_is_no_answer(answer: Any) -> None:
    for convert in (repos_of, lambda found: stars_of(found, "x"), lambda f: activity_of(f, WEB)):
        with pytest.raises(GithubError, match="could not be read"):
            convert(answer)


def test_an_empty_list_is_empty() -> None:
    assert (repos_of([]), stars_of([], "x"), activity_of([], WEB)) == (
        SnapshotPart(),
        SnapshotPart(),
        SnapshotPart(),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A plain line.", "A plain line."),
        ("  two\r\n\tlines ", "two lines"),
        ("bell\x07 and \x1b[31mred", "bell and [31mred"),
        ("right\u202eto left\u2066", "right to left"),
        ("a \ud800 half", "a half"),
        ("List<T> and <!-- a comment -->", "List< T> and < !-- a comment -->"),
        ("# Heading", "Heading"),
        ("```sh", "sh"),
        ("-----", None),
        ("-v is an option", "-v is an option"),
        ("1 < 2, a <3 and #1", "1 < 2, a <3 and #1"),
        ("é" * 500, "é" * 399 + "…"),
        ("", None),
        (" \x00 ", None),
        (None, None),
        (7, None),
    ],
)
def test_a_text_becomes_one_plain_line_or_nothing(text: Any, expected: str | None) -> None:
    assert single_line(text) == expected


@given(st.text() | st.text("<>/!#`~=- \n\tbB"))
def test_whatever_a_text_holds_its_line_is_a_line(text: str) -> None:
    plain = single_line(text)
    assert plain is None or LINE.validate_python(plain) == plain


def test_a_readme_is_decoded_and_keeps_its_lines() -> None:
    made = readme_of(readme("\ufeff# Maren\r\n\r\n\tTides \x1b[0m& ledgers\n"), NOW).readme
    assert made == GithubReadme(
        markdown=Markdown("# Maren\n\n\tTides [0m& ledgers"),
        sha=readme("\ufeff# Maren\r\n\r\n\tTides \x1b[0m& ledgers\n")["sha"],
        fetched_at=NOW,
    )


def test_a_readme_is_cut_to_what_a_text_holds() -> None:
    made = readme_of(readme("x" * 200_000), NOW).readme
    assert made is not None
    assert len(made.markdown) == 100_000


@pytest.mark.parametrize("text", ["", "\n", " \x00\n"])
def test_a_readme_without_a_text_is_none(text: str) -> None:
    assert readme_of(readme(text), NOW).readme is None


def test_a_readme_of_other_bytes_than_utf_8_is_shown_as_far_as_it_can_be_read() -> None:
    made = readme_of({"content": b64encode(b"caf\xe9").decode(), "sha": "0" * 40}, NOW).readme
    assert made is not None
    assert made.markdown == "caf\ufffd"


@given(data=st.data(), junk=JSON, case=st.sampled_from(CONVERSIONS))
def test_nothing_that_is_sent_is_more_than_an_answer_that_cannot_be_read(
    data: st.DataObject, junk: Any, case: tuple[Callable[[Any], SnapshotPart], Any]
) -> None:
    convert, answer = case
    changed = {**answer, data.draw(st.sampled_from(sorted(answer))): junk}
    for found in (changed, junk):
        with suppress(GithubError):
            assert isinstance(convert(found), SnapshotPart)


def test_parts_make_a_snapshot_in_which_nothing_stands_twice() -> None:
    parts = [
        profile_of(user()),
        activity_of([event(1), event(2)], WEB),
        activity_of([event(2), event(3)], WEB),
        stars_of([star("a"), star("b")], "tides"),
        stars_of([star("b")], "tides"),
        repos_of([repository("a")]),
        repos_of([repository("a")]),
        readme_of(readme(), NOW),
    ]
    snapshot = snapshot_of(parts, NOW)
    assert snapshot is not None
    assert [event.id[-1] for event in snapshot.activity] == ["1", "2", "3"]
    assert [star.repo for star in snapshot.stars] == [f"{LOGIN}/a", f"{LOGIN}/b"]
    assert (snapshot.reading_list, len(snapshot.repos)) == (snapshot.stars, 1)
    assert snapshot.readme is not None
    assert snapshot.to_json()["asOf"] == "2026-11-20T12:00:00Z"


def test_without_a_profile_there_is_no_snapshot() -> None:
    assert snapshot_of([repos_of([repository("a")])], NOW) is None
