"""robots.txt and the licence for every combination of permissions."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

from offenders import offenders
from policy_statements import (
    PERMISSIONS,
    assert_no_use_both_permitted_and_prohibited,
    expected_of_licence,
    expected_of_robots,
    said_by_licence,
    said_by_robots,
)
from relax_ng import schema

from rest_bridge.discovery.crawlers import licence, robots
from rest_bridge.discovery.documents import DocumentContext, sentence
from sdl.running.runner import Snapshot

NAMES = ("crawling", "summarization", "training")


def test_both_say_every_combination_of_permissions(reading: Snapshot) -> None:
    def check(*words: str) -> None:
        policy: dict[str, str] = dict(zip(NAMES, words, strict=True))
        licensing = {**reading.directory["licensing"], **policy}
        directory = {**reading.directory, "licensing": licensing}
        snapshot = SimpleNamespace(directory=directory, path=reading.path)
        facts = DocumentContext(cast("Any", snapshot), (), {}, datetime.now(UTC).date())
        assert said_by_robots(robots(facts).decode()) == expected_of_robots(policy)
        data = licence(facts)
        assert schema("rsl-1.0.rng").fits(data)
        assert said_by_licence(data) == expected_of_licence(policy)
        assert_no_use_both_permitted_and_prohibited(data)

    assert offenders(check, PERMISSIONS, PERMISSIONS, PERMISSIONS) == []


def test_an_owner_s_line_gets_a_stop_where_more_follows_it() -> None:
    assert [*map(sentence, ("Tide tables", "Tides.", "Tides?", "Tides!"))] == [
        *("Tide tables.", "Tides.", "Tides?", "Tides!")
    ]
