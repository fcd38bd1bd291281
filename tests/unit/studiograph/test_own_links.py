"""Links to the studio's own pages: written as paths, served as addresses, never dead."""

import asyncio
import json
from pathlib import Path

import pytest
from local_service import Ask, stored_operations
from minimal_studio import write_minimal_studio

from content.checking.errors import ContentError
from content.checking.links import is_local
from content.reading.reader import load, read
from resolvers.transparency.log import leaves_of
from rest_bridge.http.ready_answers import ReadyAnswers
from schema.site import Site
from studiograph.__main__ import main
from studiograph.application import make_application, read_content
from studiograph.asgi import build
from studiograph.commands.export import targets_of
from studiograph.settings import Settings
from studiograph.wiring.documents import operation_paths
from studiograph.wiring.proofs import proof_store

HERE = "https://saltmarsh.example"
FAQ = '[[faq]]\nq = "What does it cost?"\na = """\n{answer}"""\ntags = []\n'
PROJECT = """
[[projects]]
slug = "{slug}"
name = "Tides"
tagline = "Tide tables."
summary = "Tide tables."
status = "in-production"
url = "{url}"
domain = []
stack = []
highlights = []
ownership = "studio"
startedAt = "2021-04"
keywords = []
actions = []
relatedProjects = []
lastUpdated = 2026-01-02
"""
ENTRY = """
[[changelog]]
id = "2026-01-0{day}-open"
publishedAt = 2026-01-0{day}T10:00:00Z
kind = "added"
title = "Open {day}"
body = "{body}"
"""


@pytest.fixture
def studio(tmp_path: Path) -> Path:
    return write_minimal_studio(tmp_path / "content")


def settings_of(studio: Path, base_url: str = HERE) -> Settings:
    settings = Settings(content=studio, data=studio.parent / "var")
    return settings.model_copy(update={"base_url": base_url})


def say(studio: Path, answer: str) -> None:
    (studio / "faq.toml").write_text(FAQ.format(answer=answer))


def test_a_path_in_a_link_is_served_as_an_address_and_code_stays(studio: Path) -> None:
    answer = "See [prices](/api/faq#cost), [one]( /api/about).\nWrite `[x](/api/faq)`, or /mcp."
    say(studio, answer)
    assert load(studio).faq[0].a == answer
    served = load(studio, base_url=HERE).faq[0].a
    assert served == answer.replace("](/api/faq#", f"]({HERE}/api/faq#").replace(
        "( /api/about", f"( {HERE}/api/about"
    )


def test_a_field_of_an_address_may_be_a_path(studio: Path) -> None:
    (studio / "projects.toml").write_text(PROJECT.format(slug="tides", url="/api/projects/tides"))
    site = read_content(settings_of(studio), stored_operations()).site
    assert site.projects[0].url == f"{HERE}/api/projects/tides"
    assert site.status.projects[0].url == site.projects[0].url
    with pytest.raises(ContentError, match="is not an absolute http or https address"):
        load(studio)


def test_an_entry_of_the_changelog_is_the_same_at_every_address(studio: Path) -> None:
    body = "See [prices](/api/faq) and [this](http://localhost:8000)."
    (studio / "changelog.toml").write_text(ENTRY.format(day=2, body=body))
    sites = [
        read_content(settings_of(studio, base_url), stored_operations()).site
        for base_url in (HERE, "https://other.example", "")
    ]
    assert [leaves_of(site.changelog) for site in sites] == [leaves_of(sites[0].changelog)] * 3
    assert {site.changelog[0].body for site in sites} == {body}


def test_only_entries_that_are_not_published_are_warned_of(
    studio: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = studio / "changelog.toml"
    file.write_text(ENTRY.format(day=2, body="See [prices](/api/faq)."))
    make_application(settings_of(studio))
    file.write_text(file.read_text() + ENTRY.format(day=3, body="See [all](/api/about)."))
    monkeypatch.chdir(studio.parent)
    assert main(["check", "--json"]) == 0
    warned = json.loads(capsys.readouterr().out)["warnings"]
    said = [
        (w["line"], w["named"], w["rule"]) for w in warned if w["file"] == f"content/{file.name}"
    ]
    assert said == [
        (
            14,
            'changelog[1] "2026-01-03-open".body',
            "the link to /api/about stays a path, since entries never change",
        )
    ]


def test_a_dead_link_stops_a_start_before_anything_is_published(studio: Path) -> None:
    say(studio, "See [prices](/api/prices).")
    (studio / "changelog.toml").write_text(ENTRY.format(day=2, body="Open."))
    with pytest.raises(ContentError) as caught:
        make_application(settings_of(studio))
    assert [problem.rule for problem in caught.value.problems] == ["this studio has no /api/prices"]
    assert not proof_store(settings_of(studio)).database.is_initialised()


def test_a_reload_with_a_link_that_died_keeps_the_last_good_content(studio: Path) -> None:
    say(studio, "See [it](/api/projects/tides).")
    projects = studio / "projects.toml"
    projects.write_text(PROJECT.format(slug="tides", url="https://tides.example"))
    current = make_application(settings_of(studio), preview=True).current
    first = current().revision
    projects.write_text(PROJECT.format(slug="ebb", url="https://tides.example"))
    assert asyncio.run(current.reload()) is False
    assert (current().revision, current.state["content"]) == (first, "stale")
    projects.write_text(PROJECT.format(slug="tides", url="https://tides.example/new"))
    assert asyncio.run(current.reload()) is True
    assert current().data.faq[0].a == f"See [it]({HERE}/api/projects/tides)."


def test_a_preview_shows_links_to_this_machine_and_check_warns_of_them(
    studio: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    say(studio, "See [it](http://localhost:8000/api/faq).")
    make_application(settings_of(studio, ""), watch=True)
    monkeypatch.chdir(studio.parent)
    assert main(["check", "--quiet"]) == 0
    assert main(["check", "--strict", "--quiet"]) == 1
    assert "leads to localhost, which readers cannot reach" in capsys.readouterr().out
    with pytest.raises(ContentError, match="leads to localhost"):
        load(studio, base_url=HERE)


def test_check_warns_of_a_link_that_begins_nowhere_and_not_of_own_pages(
    studio: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    say(studio, "See [it](projects/tides.md), [that](#top), [all](/api/faq), [Ana](mailto:a@b.c).")
    monkeypatch.chdir(studio.parent)
    assert main(["check", "--json"]) == 0
    warnings = json.loads(capsys.readouterr().out)["warnings"]
    assert [w["rule"] for w in warnings if w["rule"].startswith(("the link", "http"))] == [
        "the link to projects/tides.md has no page from which it leads anywhere",
        "the link to #top has no page from which it leads anywhere",
    ]


@pytest.mark.parametrize(
    ("address", "is_so"),
    [
        ("http://LOCALHOST./x", True),
        ("http://me.localhost", True),
        ("http://[::1]:8000", True),
        ("http://10.1.2.3", True),
        ("http://169.254.1.1", True),
        ("http://printer", True),
        ("http://nas.home.arpa", True),
        ("https://studio.example", False),
        ("https://localhost.example", False),
        ("http://1.1.1.1", False),
        ("http://[2606:4700::1111]", False),
        ("http://[2001:db8::2]", False),
        ("http://192.0.2.7", False),
        ("http://[not", False),
    ],
)
def test_an_address_is_local_by_its_host(address: str, *, is_so: bool) -> None:
    assert is_local(address) is is_so


def test_a_link_in_an_entry_below_a_draft_is_found_at_its_line(studio: Path) -> None:
    draft = FAQ.format(answer="Not yet.").replace("[[faq]]", "[[faq]]\ndraft = true")
    text = draft.replace("What", "When") + FAQ.format(answer="[a](/api/nothing)")
    (studio / "faq.toml").write_text(text)
    reading = read(studio, base_url=HERE)
    places = [path for path, _ in reading.own_links]
    assert places == [("faq", 0, "a")]
    with pytest.raises(ContentError) as caught:
        read_content(settings_of(studio), stored_operations())
    assert [(p.line, p.key) for p in caught.value.problems] == [(9, "faq[1].a")]


def test_every_path_that_a_link_may_name_is_answered_and_every_answer_may_be_named(
    sample: Site, ask: Ask
) -> None:
    paths = {*operation_paths(stored_operations(), sample)}
    unanswered = [path for path in sorted(paths) if ask(path).status_code == 404]
    assert unanswered == []


@pytest.mark.parametrize("base_url", ["", HERE])
def test_what_a_minimal_studio_exports_may_be_linked_to(studio: Path, base_url: str) -> None:
    settings = settings_of(studio, base_url)
    service = build(settings, preview=True)
    ready = service.ready
    assert isinstance(ready, ReadyAnswers)
    targets = [target for target in targets_of(ready.current()) if "?" not in target]
    say(studio, "\n".join(f"[{target}]({target})" for target in targets))
    revision = read_content(settings, stored_operations())
    assert len(revision.reading.own_links) == len(targets) > 50
