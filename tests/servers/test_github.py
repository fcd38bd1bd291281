"""The GitHub reads of the real server, whatever GitHub does meanwhile."""

import signal
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from child_process import PATIENCE_SECONDS
from github_server import HANG, LOGIN, Hub, always, event, github_server, http
from local_service import asking
from running_server import Running, eventually, running

from sdl.running.runner import Operations
from studiograph.asgi import build
from studiograph.settings import Settings

PARTS = {
    "profile": "profile",
    "activity": "activity",
    "stars": "stars",
    "reading-list": "readingList",
    "repos": "repos",
    "readme": "readme",
}
PATHS = ("", *(f"/{path}" for path in PARTS))
DOWN = always(*http("503 Down"))
COSTLY = f"%7Bglossary{'%7BrelatedTerms' * 9}%7Bslug{'%7D' * 11}"
TOKEN = "ghp_quillmere0secret"  # noqa: S105 - a token of nobody


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """GitHub, as servers that start now are told of it."""
    with github_server() as served:
        monkeypatch.setenv("STUDIOGRAPH_GITHUB_USER", LOGIN)
        monkeypatch.setenv("STUDIOGRAPH_GITHUB_API_URL", served.address)
        yield served


def seen(server: Running) -> dict[str, Any]:
    """All that GitHub shows."""
    answer = server.get("/api/github")
    assert answer.status == 200
    body: dict[str, Any] = answer.json()
    return body


def is_fresh(server: Running) -> bool:
    """Whether GitHub's own words are shown."""
    body = seen(server)
    return body["profile"]["login"] == LOGIN and not body["stale"]


def hurry(server: Running) -> None:
    """Ask for what is new."""
    server.process.send_signal(signal.SIGHUP)


def test_every_part_is_a_read_of_its_own_and_what_changes_is_shown(hub: Hub, folder: Path) -> None:
    with running(folder) as server:
        eventually(lambda: is_fresh(server))
        whole = seen(server)
        parts = {key: server.get(f"/api/github/{path}").json() for path, key in PARTS.items()}
        assert {"asOf": whole["asOf"], "stale": False, **parts} == whole
        assert len(parts["activity"]) == 3
        first = server.get("/api/github/activity")
        etag = f"If-None-Match: {first.headers['etag']}"
        assert server.get("/api/github/activity", etag).status == 304
        hub.events.insert(0, event(9, "WatchEvent"))
        hurry(server)
        eventually(lambda: len(seen(server)["activity"]) == 4)
        again = server.get("/api/github/activity", etag)
        assert again.status == 200
        assert again.json()[0]["title"] == f"Starred {LOGIN}/tides"
        since = f"If-Modified-Since: {first.headers['last-modified']}"
        assert server.get("/api/github/activity", since).status == 200
        assert hub.statuses == [*[200] * 5, 304, 200, 304, 304, 304]
        hub.readme = None
        hurry(server)
        eventually(lambda: "readme" not in seen(server))
        answer = server.get("/api/github/readme")
    assert (answer.status, answer.json()["error"]) == (404, "not_found")


def test_down_from_the_first_second_the_folder_s_snapshot_is_shown_until_github_is_back(
    hub: Hub, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIOGRAPH_GITHUB_TOKEN", TOKEN)
    hub.instead = DOWN
    with running(folder) as server:
        assert hub.asked.wait(PATIENCE_SECONDS)
        body = seen(server)
        assert (body["profile"]["login"], body["stale"]) == ("quillmere-sample", True)
        assert body["asOf"] == "2026-11-02T06:00:00Z"
        eventually(lambda: any("GitHub answered with HTTP 503" in e for e in server.errors))
        hub.instead = lambda _: None
        hurry(server)
        eventually(lambda: is_fresh(server))
        told = [server.get(f"/api/github{path}").body.decode() for path in PATHS]
        before = seen(server)
    assert any(line.endswith("studiograph.github: GitHub was read\n") for line in server.errors)
    assert not any("Traceback" in line for line in server.errors)
    assert_token_is_told_to_github_alone(hub, folder, [*told, *server.output, *server.errors])
    hub.instead = DOWN
    with running(folder) as server:  # a restart shows the last answer at once with its age
        assert seen(server) == before
        hurry(server)
        eventually(lambda: seen(server)["stale"])
        assert seen(server) == {**before, "stale": True}


def assert_token_is_told_to_github_alone(hub: Hub, folder: Path, told: list[str]) -> None:
    kept = [path.read_text(errors="replace") for path in (folder.parent / "var").glob("git*")]
    assert TOKEN not in "".join([*told, *kept])
    assert {headers["authorization"] for _, headers in hub.heard} == {f"Bearer {TOKEN}"}


def test_no_read_waits_while_github_is_silent_and_neither_does_the_end(
    hub: Hub, folder: Path
) -> None:
    hub.instead = always(HANG)
    with running(folder) as server:
        assert hub.asked.wait(PATIENCE_SECONDS)
        for path in ("/api/github", "/api/github/readme.md", "/api/status", "/llms.txt"):
            assert server.get(path).status == 200
        assert len(hub.heard) == 1, "it is still waiting"
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE_SECONDS) == 0
        assert len(hub.heard) == 1
    assert not any("Traceback" in line for line in server.errors)


def test_of_several_processes_one_asks_and_all_show_what_it_saw(hub: Hub, folder: Path) -> None:
    with running(folder, "--workers", "2") as server:
        eventually(lambda: all(is_fresh(server) for _ in range(40)))
    assert hub.paths.count(f"/users/{LOGIN}") == 1
    file = folder.parent / "var" / "github.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_where_nothing_is_known_github_s_reads_are_unavailable_and_no_other_is(
    folder: Path, operations: Operations
) -> None:
    (folder / "github.toml").unlink()
    settings = Settings(
        content=folder, data=folder.parent / "var", ai_embedder="hash", github_user="nobody"
    )
    ask = asking(build(settings, operations=operations))
    for path in PATHS:
        answer = ask(f"/api/github{path}")
        assert (answer.status_code, answer.json()["error"]) == (503, "unavailable")
        assert answer.headers["cache-control"] == "no-store"
    for path in ("/llms.txt", "/llms-full.txt", "/api/manifest", "/api/manifest.sig", "/"):
        assert ask(path).status_code == 200
    known = ask("/api/graphql?query=%7BgithubAccount%7Bstale%7D%20thesis%7D").json()
    costly = ask(f"/api/graphql?query={COSTLY}")
    assert known["data"]["githubAccount"] is None
    assert known["data"]["thesis"]
    assert [error["path"] for error in known["errors"]] == [["githubAccount"]]
    assert costly.status_code == 400
    assert "costs more" in costly.text
