"""What can be asked: each root field computes from the site, and says what it left out."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_service import bound
from repository import SAMPLE

from content.reading.revision import Revision, read_revision
from resolvers.transparency.log import leaves_of
from resolvers.transparency.merkle import root
from schema.changelog import ChangelogEntry
from schema.site import INTERFACE_VERSION, Site
from sdl.running.runner import Operations, Snapshot
from sdl.types.scalar_types import format_instant


@pytest.fixture(scope="module")
def revision() -> Revision:
    """The sample's revision."""
    return read_revision(SAMPLE)


def tree_head(entries: Sequence[ChangelogEntry]) -> str:
    """The tree head over entries as every surface writes it."""
    return f"sha256:{root([leaf.hash for leaf in leaves_of(entries)]).hex()}"


def pulse(reading: Snapshot, **variables: Any) -> dict[str, Any]:
    """The body of the pulse."""
    body = reading.read("GetAgentPulse", **variables)
    assert isinstance(body, dict)
    return body


def newest_of_all(site: Site) -> datetime:
    """The newest change, computed a second time."""
    updates = [datetime.combine(p.last_updated, time(), UTC) for p in site.projects]
    return max([entry.published_at for entry in site.changelog] + updates)


def test_the_status_is_as_of_the_newest_change(reading: Snapshot, sample: Site) -> None:
    assert reading.read("GetStatus")["asOf"] == format_instant(newest_of_all(sample))


@pytest.mark.parametrize(
    ("day", "expected"),
    [("2026-11-19", "2026-11-19T00:00:00Z"), ("2025-04-01", None)],
    ids=["a project's", "an entry's"],
)
def test_the_newest_change_may_be_a_project_s_or_an_entry_s(
    day: str, expected: str | None, folder: Path, operations: Operations
) -> None:
    projects, changelog = folder / "projects.toml", folder / "changelog.toml"
    text = re.sub(r"lastUpdated = [\d-]+", f"lastUpdated = {day}", projects.read_text())
    projects.write_text(text)
    expected = expected or max(re.findall(r"publishedAt = (\S+)", changelog.read_text()))
    moved = bound(operations, folder)
    assert moved.read("GetStatus")["asOf"] == expected
    assert pulse(moved)["asOf"] == expected


def test_the_status_says_how_each_project_is(reading: Snapshot, sample: Site) -> None:
    status = reading.read("GetStatus")
    assert [p["slug"] for p in status["projects"]] == [p.slug for p in sample.projects]
    for told, project in zip(status["projects"], sample.projects, strict=True):
        assert told["status"] == project.status.value
        assert told.get("version") == project.version
        assert told.get("url") == project.url


def test_the_pulse_without_an_instant_has_everything(
    reading: Snapshot, revision: Revision, sample: Site
) -> None:
    body = pulse(reading)
    assert list(body) == [
        *("asOf", "revision", "rollupHash", "treeSize", "count", "changes", "status", "next"),
    ]
    assert body["revision"] == revision.digest
    assert body["rollupHash"] == tree_head(sample.changelog)
    assert body["treeSize"] == body["count"] == len(body["changes"]) == len(sample.changelog)
    assert body["changes"] == reading.read("ListChangelog")
    assert body["status"] == reading.read("GetStatus")
    assert body["asOf"] == body["status"]["asOf"]


@given(offset=st.integers(-2, 2), place=st.integers(0, 29))
def test_the_pulse_has_what_was_published_after_the_instant_and_only_that(
    offset: int, place: int, reading: Snapshot, sample: Site
) -> None:
    since = sample.changelog[place].published_at + timedelta(seconds=offset)
    body = pulse(reading, since=format_instant(since))
    later = [entry.id for entry in sample.changelog if entry.published_at > since]
    assert [change["id"] for change in body["changes"]] == later
    assert (body["count"], body["treeSize"]) == (len(later), len(sample.changelog))
    assert body["since"] == format_instant(since)
    (next_since,) = parse_qs(urlsplit(body["next"]).query)["since"]
    assert next_since == (body["changes"][0]["publishedAt"] if later else format_instant(since))


def test_a_site_without_history_has_a_pulse_too(operations: Operations, folder: Path) -> None:
    (folder / "changelog.toml").write_text("changelog = []\n")
    body = pulse(bound(operations, folder))
    assert (body["treeSize"], body["count"], body["changes"]) == (0, 0, [])
    assert body["rollupHash"] == tree_head([])
    assert body["next"].endswith(f"?since={body['asOf']}")


def test_certifications_can_be_filtered_by_both(reading: Snapshot, sample: Site) -> None:
    one = sample.studio.certifications[0]
    both = {"category": one.category, "issuer": one.issuer}
    found = reading.read("ListCertifications", **both)
    assert one.title in [certificate["title"] for certificate in found]
    assert all(both.items() <= certificate.items() for certificate in found)


@pytest.mark.parametrize(
    ("operation", "key"),
    [
        *(("GetThesis", "thesis"), ("ListPractice", "practice"), ("GetOnChain", "onChain")),
        *(("ListConvictions", "convictions"), ("ListLookingFor", "lookingFor")),
        *(("GetScheduling", "scheduling"), ("ListJourney", "journey")),
        ("ListCertifications", "certifications"),
    ],
)
def test_a_part_of_the_profile_is_the_same_alone(
    operation: str, key: str, reading: Snapshot
) -> None:
    alone, profile = reading.read(operation), reading.read("GetAbout")["studio"]
    assert alone == ({key: profile[key]} if key == "thesis" else profile[key])


def test_the_manifest_is_the_sections_and_what_binds_them(
    reading: Snapshot, revision: Revision
) -> None:
    manifest = reading.read("GetManifest")
    assert manifest["revision"] == revision.digest
    assert manifest["rollupHash"] == tree_head(revision.site.changelog)
    assert manifest["version"] == INTERFACE_VERSION
    assert manifest["studio"] == reading.read("GetAbout")["studio"]
    for key in ("changelog", "projects", "faq", "glossary", "domains", "headlineNumbers"):
        assert manifest[key] == reading.read(f"List{key[0].upper()}{key[1:]}")
