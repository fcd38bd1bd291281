"""Asking for an account: what is asked and how, pages, validators, one origin."""

import asyncio
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import pytest
from github_server import (
    LOGIN,
    STARS,
    Hub,
    at,
    event,
    github_server,
    http,
    repository,
    star,
)

from resolvers.github.client import fetch
from resolvers.github.convert import AccountName, ResultPage, snapshot_of
from schema.github import GithubSnapshot

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
TOKEN = "ghp_quillmere0secret"  # noqa: S105 - a token of nobody
OF_ACCOUNT = f"/users/{LOGIN}"
STARRED = f"{OF_ACCOUNT}/starred"


def seen(
    hub: Hub, known: Mapping[str, ResultPage] | None = None, token: str = "", login: str = LOGIN
) -> dict[str, ResultPage]:
    """The pages of the account, as it is asked for there."""
    account = AccountName(hub.address, login, "reading-list", token)
    return asyncio.run(fetch(account, known or {}, lambda: NOW))


def shown(pages: Mapping[str, ResultPage]) -> GithubSnapshot:
    """What the pages are together."""
    snapshot = snapshot_of([page.part for page in pages.values()], NOW)
    assert snapshot is not None
    return snapshot


def test_an_account_is_read_whole() -> None:
    with github_server() as hub:
        snapshot = shown(seen(hub))
    assert snapshot.profile.login == LOGIN
    assert [event.title for event in snapshot.activity] == ["Pushed to main"] * 3
    assert [star.repo for star in snapshot.stars] == [f"{LOGIN}/gauges", f"{LOGIN}/books"]
    assert snapshot.reading_list == snapshot.stars[1:]
    assert [repo.name for repo in snapshot.repos] == ["tides", LOGIN, "ledger"]
    assert snapshot.readme is not None
    assert snapshot.readme.markdown == "# Maren\n\nTides and ledgers."


def test_each_question_is_asked_as_github_asks_for_it() -> None:
    with github_server() as hub:
        seen(hub)
    assert [path for path, _ in hub.heard] == [
        OF_ACCOUNT,
        f"{OF_ACCOUNT}/events/public?per_page=30",
        f"{STARRED}?per_page=100",
        f"{OF_ACCOUNT}/repos?sort=pushed&type=owner&per_page=100",
        f"/repos/{LOGIN}/{LOGIN}/readme",
    ]
    for path, headers in hub.heard:
        stars = path.startswith(STARRED)
        assert headers["accept"] == (STARS if stars else "application/vnd.github+json")
        assert headers["x-github-api-version"] == "2022-11-28"
        assert headers["user-agent"] == "studiograph"
        assert headers["accept-encoding"] == "identity"
        assert headers["authorization"] is None


def test_lists_are_read_page_after_page_up_to_the_fifth() -> None:
    with github_server() as hub:
        hub.events = [event(number) for number in range(75)]
        hub.stars = [star(f"s{number}") for number in range(640)]
        hub.repos = [repository(f"r{number}") for number in range(200)]
        snapshot = shown(seen(hub))
    assert [event.id for event in snapshot.activity] == [event["id"] for event in hub.events]
    assert [star.repo for star in snapshot.stars] == [f"{LOGIN}/s{n}" for n in range(500)]
    assert [repo.name for repo in snapshot.repos] == [f"r{n}" for n in range(200)]
    assert len(hub.heard) == 1 + 3 + 5 + 2


def test_what_has_not_changed_is_neither_sent_nor_converted_again() -> None:
    with github_server() as hub:
        hub.stars = [star(f"s{number}") for number in range(150)]
        first = seen(hub)
        again = seen(hub, first)
        hub.stars[120]["repo"]["stargazers_count"] = 9_000
        third = seen(hub, again)
    usual = len(first)
    assert hub.statuses == [200] * usual + [304] * usual + [304, 304, 304, 200, 304, 304]
    assert all(again[url] is page for url, page in first.items())
    changed = [url for url, page in again.items() if third[url] is not page]
    assert [url.partition("page=2")[1] for url in changed] == ["page=2"]
    assert shown(third).stars[120].stars == 9_000


def test_a_page_that_has_gone_is_forgotten() -> None:
    with github_server() as hub:
        hub.stars = [star(f"s{number}") for number in range(150)]
        first = seen(hub)
        del hub.stars[50:]
        again = seen(hub, first)
    assert (len(first), len(again)) == (6, 5)
    assert len(shown(again).stars) == 50


@pytest.mark.parametrize("etag", ['"caf\u00e9"', '"a\tb"', ""])
def test_a_validator_that_cannot_be_sent_back_is_not(etag: str) -> None:
    body = json.dumps([star("gauges")]).encode()
    line = b"ETag: " + etag.encode("latin-1")
    with github_server() as hub:
        hub.instead = at(STARRED, http("200 OK", line.decode("utf-8", "replace"), body=body)[0])
        seen(hub, seen(hub))
    assert [h["if-none-match"] for path, h in hub.heard if path.startswith(STARRED)] == [None] * 2


def test_an_account_without_a_readme_has_none() -> None:
    with github_server() as hub:
        hub.readme = None
        assert shown(seen(hub)).readme is None
        assert hub.statuses[-1] == 404
        hub.repos = [repository("tides")]
        assert shown(seen(hub)).readme is None
    assert hub.paths.count(f"/repos/{LOGIN}/{LOGIN}/readme") == 1


def test_a_readme_is_asked_for_where_the_repository_differs_in_case_alone() -> None:
    with github_server() as hub:
        assert shown(seen(hub, login=LOGIN.upper())).readme is not None
        hub.repos = [repository(LOGIN.title())]
        assert shown(seen(hub)).readme is not None


def test_the_readme_of_a_private_repository_is_not_asked_for() -> None:
    with github_server() as hub:
        hub.repos = [repository(LOGIN, private=True)]
        assert shown(seen(hub, token=TOKEN)).readme is None
    assert not [path for path in hub.paths if path.endswith("readme")]


def test_the_token_goes_with_every_question() -> None:
    with github_server() as hub:
        hub.stars = [star(f"s{number}") for number in range(150)]
        pages = seen(hub, token=TOKEN)
    assert {headers["authorization"] for _, headers in hub.heard} == {f"Bearer {TOKEN}"}
    assert TOKEN not in "".join(page.model_dump_json() for page in pages.values())
    assert TOKEN not in repr(AccountName(hub.address, LOGIN, "x", TOKEN))


@pytest.mark.parametrize(
    "elsewhere",
    [
        lambda other: f"{other}/users/{LOGIN}/starred?page=2",
        lambda other: f"//{other.removeprefix('http://')}/x",
        lambda other: other.replace("http", "https"),
        lambda other: other.replace("127.0.0.1", "localhost"),
        lambda _: "file:///etc/passwd",
        lambda _: "http://a:b:c",
        lambda _: "http://xn--a/",
    ],
    ids=[
        *("another port", "without a scheme", "another scheme", "another host"),
        *("a file", "no address", "no name"),
    ],
)
def test_a_next_page_of_another_origin_is_not_asked_for(elsewhere: Callable[[str], str]) -> None:
    body = json.dumps([star("gauges")]).encode()
    with github_server() as other, github_server() as hub:
        link = f'Link: <{elsewhere(other.address)}>; rel="next"'
        hub.instead = at(STARRED, *http("200 OK", link, body=body))
        snapshot = shown(seen(hub, token=TOKEN))
    assert [star.repo for star in snapshot.stars] == [f"{LOGIN}/gauges"]
    assert other.heard == []
    assert len(hub.heard) == 5


def test_a_next_page_without_end_has_one() -> None:
    body = json.dumps([star("gauges")]).encode()
    with github_server() as hub:
        link = f'Link: <{STARRED}?per_page=100>; rel="next"'
        hub.instead = at(STARRED, *http("200 OK", link, body=body))
        assert len(shown(seen(hub)).stars) == 1
    assert hub.paths.count(STARRED) == 5


def test_the_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with github_server() as proxy, github_server() as hub:
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.address)
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        seen(hub)
    assert (len(hub.heard), proxy.heard) == (5, [])
