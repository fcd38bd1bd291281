"""Whether it lives and whether it serves what was written last: for whoever runs it."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest
from minimal_studio import write_minimal_studio
from outside_reader import studio_in
from running_server import Running, eventually, running

PATHS = ("/healthz", "/readyz")
STATES = ("loading", "ready")
"""What can be said of the models meanwhile, which are loaded in their own time."""
BREAKAGES = {
    "a word that is not allowed": ("licensing.toml", 'crawling = "maybe"\n'),
    "a published entry that is gone": ("changelog.toml", "changelog = []\n"),
}


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return studio_in(tmp_path_factory.mktemp("health"))


@pytest.fixture(scope="module")
def own(content: Path) -> Iterator[Running]:
    with running(content) as started:
        yield started


def ready(server: Running) -> dict[str, Any]:
    """What it says of itself, but for its models."""
    answer = server.get("/readyz")
    assert answer.status == 200
    told: dict[str, Any] = answer.json()
    assert told.pop("answers") in STATES
    return told


def put(file: Path, text: str) -> None:
    new = file.with_suffix(".new")
    new.write_text(text)
    new.replace(file)


@pytest.mark.parametrize("path", PATHS)
def test_it_answers_in_json_that_nobody_keeps(path: str, client: httpx.Client) -> None:
    response = client.get(path)
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert response.headers["cache-control"] == "no-store"
    assert "etag" not in response.headers
    assert "last-modified" not in response.headers
    conditional = client.get(path, headers={"if-none-match": "*", "if-modified-since": "x"})
    assert (conditional.status_code, conditional.content) == (200, response.content)


@pytest.mark.parametrize("path", PATHS)
def test_it_answers_as_the_description_says(path: str, client: httpx.Client) -> None:
    described = client.get("/openapi.json").json()["paths"][path]["get"]["responses"]
    (schema,) = [form["schema"] for form in described["200"]["content"].values()]
    jsonschema.validate(client.get(path).json(), schema)
    assert "304" not in described


def test_a_service_that_lives_says_no_more_than_that(client: httpx.Client) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}


def test_a_ready_service_names_the_revision_that_it_serves(client: httpx.Client) -> None:
    revision = client.get("/api/manifest").json()["revision"]
    told = client.get("/readyz").json()
    assert told.pop("answers") in STATES
    assert told == {"status": "ready", "revision": revision, "content": "current"}


@pytest.mark.parametrize("name", BREAKAGES)
def test_a_broken_reload_is_told_until_it_is_repaired(
    name: str, own: Running, content: Path
) -> None:
    file, text = content / BREAKAGES[name][0], BREAKAGES[name][1]
    sound, before = file.read_text(), ready(own)
    assert before["content"] == "current"
    put(file, text)
    os.kill(own.process.pid, signal.SIGHUP)
    eventually(lambda: ready(own)["content"] == "stale")
    assert ready(own) == {**before, "content": "stale"}
    assert own.get("/healthz").json() == {"status": "ok"}
    assert own.get("/api/manifest").json()["revision"] == before["revision"]
    put(file, sound)
    os.kill(own.process.pid, signal.SIGHUP)
    eventually(lambda: ready(own)["content"] == "current")
    assert ready(own) == before


def test_every_surface_still_answers_while_the_content_is_stale(
    own: Running, content: Path
) -> None:
    file = content / "faq.toml"
    sound = file.read_text()
    put(file, "faq = 1\n")
    os.kill(own.process.pid, signal.SIGHUP)
    eventually(lambda: ready(own)["content"] == "stale")
    for path in ("/", "/llms.txt", "/api/faq", "/openapi.json", "/robots.txt", "/feed.xml"):
        assert own.get(path).status == 200
    put(file, sound)
    os.kill(own.process.pid, signal.SIGHUP)
    eventually(lambda: ready(own)["content"] == "current")


def test_a_damaged_store_of_jobs_is_told_with_its_fix_and_named_until_it_is_followed(
    tmp_path: Path,
) -> None:
    content = write_minimal_studio(tmp_path / "content")
    jobs = tmp_path / "var" / "jobs.db"
    jobs.parent.mkdir(mode=0o700)
    jobs.write_bytes(b"no database " * 1000)
    with running(content) as server:
        eventually(lambda: server.get("/readyz").json().get("jobs") == "unavailable")
        assert server.get("/readyz").json()["status"] == "ready"
        assert server.get("/api/about").status == 200
    (told,) = (line for line in server.errors if "store of jobs" in line)
    assert "Fix: stop the service, move the file jobs.db" in told
    jobs.rename(tmp_path / "damaged")
    with running(content) as server:
        assert server.get("/llms.txt").status == 200
        assert "jobs" not in server.get("/readyz").json()
    assert not [line for line in server.errors if "store of jobs" in line]
