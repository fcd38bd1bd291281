"""The changelog as feeds: the same entries in both, under names that stay, asked for again."""

import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from changelog_edits import Changelog
from discovery_claims import ATOM
from outside_reader import studio_in
from relax_ng import schema, xml
from running_server import Raw, Running, eventually, running

ATOM_FEED, JSON_FEED = "/feed.xml", "/api/feed.json"
FEEDS = (ATOM_FEED, JSON_FEED)
NEW = """[[changelog]]
id = "2026-11-20-strange"
publishedAt = 2026-11-20T08:00:00Z
kind = "added"
title = {title}
body = {body}
refs = ["project/tidebook"]
url = "https://quillmere.example/?a=1&b=2"

"""
TITLE = "a < b && c > d, \\\"quoted\\\", 'quoted' ]]> \U0001f6a2"
BODY = (
    "One & two; &amp; stays. \\n\\n1 < 2 > 0, \\ttab, emoji \U0001f30a, e\u0301, \u202eback\u202c."
)
MEANT = (TITLE.replace("\\", ""), BODY.replace("\\n", "\n").replace("\\t", "\t"))


@dataclass
class Renewal:
    """The feeds of a server before and after an entry was published."""

    before: dict[str, Raw]
    after: dict[str, Raw]


@pytest.fixture(scope="module")
def renewal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Renewal]:
    content = studio_in(tmp_path_factory.mktemp("renewed"))
    with running(content) as server:
        made = Renewal({path: server.get(path) for path in FEEDS}, {})
        publish(server, Changelog(content / "changelog.toml"))
        made.after = {path: server.get(path) for path in FEEDS}
        yield made


def publish(server: Running, log: Changelog) -> None:
    """Add an entry of strange words in a file whose time is long ago; wait until it is served."""
    entry = NEW.format(title=f'"{TITLE}"', body=f'"{BODY}"')
    log.write([entry, *log.entries])
    os.utime(log.file, (0, 0))
    os.kill(server.process.pid, signal.SIGHUP)
    eventually(lambda: b"2026-11-20-strange" in server.get("/api/changelog").body)


def atom_entries(data: bytes) -> list[dict[str, Any]]:
    """The entries of a valid Atom feed."""
    assert schema("atom.rng").fits(data)
    return [
        {
            "id": entry.findtext(f"{ATOM}id"),
            "title": entry.findtext(f"{ATOM}title"),
            "content": entry.findtext(f"{ATOM}content"),
            "published": entry.findtext(f"{ATOM}published"),
            "tags": [category.get("term") for category in entry.findall(f"{ATOM}category")],
            "url": [link.get("href") for link in entry.findall(f"{ATOM}link")],
        }
        for entry in xml(data).findall(f"{ATOM}entry")
    ]


def json_entries(feed: dict[str, Any]) -> list[dict[str, Any]]:
    """The same of a JSON feed."""
    return [
        {
            "id": item["id"],
            "title": item["title"],
            "content": item["content_text"],
            "published": item["date_published"],
            "tags": item["tags"],
            "url": [item["url"]],
        }
        for item in feed["items"]
    ]


def test_both_feeds_say_the_same(client: httpx.Client) -> None:
    atom = atom_entries(client.get(ATOM_FEED).content)
    plain = json_entries(client.get(JSON_FEED).json())
    assert len(atom) == len(plain) == len(client.get("/api/changelog").json()) > 20
    for one, other in zip(atom, plain, strict=True):
        assert one["id"].endswith(f":{other['id']}")
        assert {**one, "id": ""} == {**other, "id": ""}


def test_a_new_entry_comes_first_and_every_name_stays(renewal: Renewal) -> None:
    before, feed_before = renewal.before[ATOM_FEED], renewal.before[JSON_FEED].json()
    after, feed_after = renewal.after[ATOM_FEED], renewal.after[JSON_FEED].json()
    first, *rest = atom_entries(after.body)
    assert rest == atom_entries(before.body)
    assert feed_after["items"][1:] == feed_before["items"]
    assert (first["title"], first["content"]) == MEANT
    assert (feed_after["items"][0]["title"], feed_after["items"][0]["content_text"]) == MEANT
    assert first["url"] == ["https://quillmere.example/?a=1&b=2"]
    names = [xml(answer.body).findtext(f"{ATOM}id") for answer in (before, after)]
    assert names[0] == names[1]
    assert xml(after.body).findtext(f"{ATOM}updated") == "2026-11-20T08:00:00Z"
