"""`studiograph subscribers`: what its operator sees of who subscribed, and can do about it."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from command_runs import Run, runs

from resolvers.webhooks.subscription_store import Subscription, SubscriptionStore
from studiograph.commands import hooks
from studiograph.settings import Settings, database_of

NOW = 1_790_000_000.0
FIRST = Subscription(
    id="sub_aaaa1111",
    url="https://hooks.example.com/in/a-secret-path",
    owner="example.com",
    kinds=("added", "fixed"),
    secret=b"sealed",
    created_at=NOW,
    cursor="2026-01-01T00:00:00Z",
)
SECOND = replace(
    FIRST,
    id="sub_aabb2222",
    url="https://other.example.org:8443/",
    owner="example.org",
    kinds=(),
    created_at=NOW + 60,
    last_success_at=NOW + 120,
    consecutive_failures=3,
)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings with a data folder of their own."""
    return Settings(data=tmp_path / "var")


@pytest.fixture
def run(settings: Settings, capsys: pytest.CaptureFixture[str]) -> Run:
    """`run("list")`: the exit code of `studiograph subscribers list`, its output and its errors."""

    return runs(capsys, "subscribers", settings=settings)


@pytest.fixture
def two(settings: Settings) -> None:
    """Two subscriptions, as a server has stored them."""

    async def store() -> None:
        database = database_of(settings)
        database.ensure_schema()
        store = SubscriptionStore(database, lambda: NOW + 180)
        await store.add(SECOND)
        await store.add(FIRST)
        await database.close()

    asyncio.run(store())


def test_without_any_it_says_how_they_are_made(run: Run) -> None:
    assert run("list") == (0, "", f"{hooks.NONE}\n")
    assert run("list", "--quiet") == (0, "", "")
    assert run("list", "--json", "--quiet") == (0, "[]\n", "")


@pytest.mark.usefixtures("two")
def test_the_table_says_how_each_stands_and_shows_no_path(run: Run) -> None:
    code, out, err = run("list")
    assert (code, err) == (0, "")
    assert "secret" not in out
    assert [line.split("  ") for line in out.splitlines()] == [
        line.split("  ")
        for line in (
            "ID            HOST                    KINDS        SINCE                 STATE "
            "  FAILURES  LAST SUCCESS",
            "sub_aaaa1111  hooks.example.com       added,fixed  2026-09-21T14:13:20Z  active"
            "  0         never",
            "sub_aabb2222  other.example.org:8443  all          2026-09-21T14:14:20Z  active"
            "  3         2026-09-21T14:15:20Z",
        )
    ]


@pytest.mark.usefixtures("two")
def test_json_says_the_same_and_the_whole_url(run: Run) -> None:
    first, second = json.loads(run("list", "--json")[1])
    assert first == {
        "id": FIRST.id,
        "url": FIRST.url,
        "kinds": ["added", "fixed"],
        "createdAt": "2026-09-21T14:13:20Z",
        "active": True,
        "consecutiveFailures": 0,
    }
    assert second["lastSuccessAt"] == "2026-09-21T14:15:20Z"
    assert "sealed" not in json.dumps([first, second])


@pytest.mark.usefixtures("two")
def test_what_is_disabled_says_since_when_and_can_be_enabled(run: Run) -> None:
    assert run("disable", "sub_aab") == (
        *(0, ""),
        "sub_aabb2222 is disabled until `studiograph subscribers enable sub_aabb2222`.\n",
    )
    assert "disabled 2026-" in run("list")[1]
    assert json.loads(run("list", "--json")[1])[1]["disabledReason"] == hooks.BY_OPERATOR
    assert run("disable", "sub_aab")[2] == "sub_aabb2222 is already disabled.\n"
    assert run("enable", "sub_aab", "--quiet") == (0, "", "")
    assert run("enable", "sub_aab")[2] == "sub_aabb2222 is already enabled.\n"
    assert [each["active"] for each in json.loads(run("list", "--json")[1])] == [True, True]
    assert json.loads(run("list", "--json")[1])[1]["consecutiveFailures"] == 0


@pytest.mark.usefixtures("two")
def test_what_is_removed_is_gone(run: Run) -> None:
    assert run("remove", FIRST.id)[0] == 0
    assert [each["id"] for each in json.loads(run("list", "--json")[1])] == [SECOND.id]
    assert run("remove", FIRST.id)[0] == 1


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize("action", ["enable", "disable", "remove"])
def test_an_id_that_names_no_one_subscription_says_where_ids_are(action: str, run: Run) -> None:
    for name, count in (("sub_aa", "2"), ("sub_x", "no"), ("", "2")):
        assert run(action, name) == (
            *(1, ""),
            f"{count} subscriptions have an id that begins with {name!r}."
            " Fix: use an id that `studiograph subscribers list` shows.\n",
        )
    assert len(json.loads(run("list", "--json")[1])) == 2
