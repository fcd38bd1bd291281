"""The status section: the studio's state comes from its file, the rest from other sections."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from typing import Any


def with_status(tree: dict[str, Any]) -> dict[str, Any]:
    """Return the content with its complete status.

    `asOf` is the time of the newest changelog entry or project update.
    """
    studio = tree.get("studio")
    projects, entries = _tables(tree.get("projects")), _tables(tree.get("changelog"))
    studies = _tables(studio.get("currentlyStudying") if isinstance(studio, dict) else None)
    status: dict[str, Any] = {
        "projects": _pick(projects, ("slug", "status", "version", "url")),
        "studying": _pick(studies, ("name", "source", "status")),
    }
    if instants := [*_entry_times(entries), *_project_times(projects)]:
        status["asOf"] = max(instants)
    if "status" in tree:
        status["studio"] = tree["status"]
    return {**tree, "status": status}


def _entry_times(entries: list[dict[str, Any]]) -> Iterator[datetime]:
    for entry in entries:
        instant = entry.get("publishedAt")
        if isinstance(instant, datetime) and instant.tzinfo is not None:
            yield instant


def _project_times(projects: list[dict[str, Any]]) -> Iterator[datetime]:
    for project in projects:
        day = project.get("lastUpdated")
        if isinstance(day, date) and not isinstance(day, datetime):
            yield datetime.combine(day, time(), UTC)


def _tables(value: Any) -> list[dict[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _pick(entries: list[dict[str, Any]], keys: tuple[str, ...]) -> list[dict[str, Any]]:
    return [{key: entry[key] for key in keys if key in entry} for entry in entries]
