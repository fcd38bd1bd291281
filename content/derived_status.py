"""The status section, derived: its file says how the studio is, the other sections say the rest."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from typing import Any


def with_status(tree: dict[str, Any]) -> dict[str, Any]:
    """The tree with its whole status. `asOf` is the newest change of changelog and projects."""
    studio = tree.get("studio")
    projects, entries = _tables(tree.get("projects")), _tables(tree.get("changelog"))
    studies = _tables(studio.get("currentlyStudying") if isinstance(studio, dict) else None)
    status: dict[str, Any] = {
        "projects": _pick(projects, ("slug", "status", "version", "url")),
        "studying": _pick(studies, ("name", "source", "status")),
    }
    if instants := [*_published(entries), *_updated(projects)]:
        status["asOf"] = max(instants)
    if "status" in tree:
        status["studio"] = tree["status"]
    return {**tree, "status": status}


def _published(entries: list[dict[str, Any]]) -> Iterator[datetime]:
    for entry in entries:
        instant = entry.get("publishedAt")
        if isinstance(instant, datetime) and instant.tzinfo is not None:
            yield instant


def _updated(projects: list[dict[str, Any]]) -> Iterator[datetime]:
    for project in projects:
        day = project.get("lastUpdated")
        if isinstance(day, date) and not isinstance(day, datetime):
            yield datetime.combine(day, time(), UTC)


def _tables(value: Any) -> list[dict[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _pick(entries: list[dict[str, Any]], keys: tuple[str, ...]) -> list[dict[str, Any]]:
    return [{key: entry[key] for key in keys if key in entry} for entry in entries]
