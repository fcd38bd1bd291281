"""Conversion of an account's events on GitHub, each to one line of text and a URL.

Source: https://docs.github.com/rest/using-the-rest-api/github-event-types.
"""

import re
from typing import Any

from resolvers.github.convert import SnapshotPart, convert_items, single_line
from schema.github import GithubEvent
from sdl.types.scalar_types import Url

_TITLES = {
    "CommitCommentEvent": "Commented on a commit in {repo}",
    "CreateEvent": "Created {kind} {ref}",
    "DeleteEvent": "Deleted {kind} {ref}",
    "ForkEvent": "Forked {repo}",
    "GollumEvent": "Edited the wiki of {repo}",
    "IssueCommentEvent": "Commented on {thing} {number}",
    "IssuesEvent": "{action} issue {number}",
    "PublicEvent": "Made {repo} public",
    "PullRequestEvent": "{action} pull request {number}",
    "PullRequestReviewCommentEvent": "Commented on pull request {number}",
    "PullRequestReviewEvent": "Reviewed pull request {number}",
    "PushEvent": "Pushed to {ref}",
    "ReleaseEvent": "{action} {release}",
    "WatchEvent": "Starred {repo}",
}
"""The line for each type of event; the title of its issue or pull request follows, if any."""
_WITH_PAGE = ("comment", "review", "release", "forkee", "issue", "pull_request")
"""The members of a payload that have a page of their own, the most specific first."""


def activity_of(response: Any, web: str) -> SnapshotPart:
    """Return a page of events; `web` is the address of GitHub's pages. Raises: GithubError."""

    def convert(event: Any) -> GithubEvent:
        repo, payload = event["repo"]["name"], event["payload"]
        return GithubEvent(
            id=str(event["id"]),
            type=event["type"],
            repo=repo,
            title=_title(event["type"], repo, payload),
            url=_page_url(payload) or Url(f"{web}/{repo}{_path(payload)}"),
            at=event["created_at"],
        )

    return SnapshotPart(activity=convert_items(convert, response, "events"))


def _title(event_type: str, repo: str, payload: dict[str, Any]) -> str:
    subject = payload.get("issue") or payload.get("pull_request") or {}
    release = payload.get("release") or {}
    action = "merged" if subject.get("merged") else payload.get("action") or ""
    values = {
        "repo": repo,
        "action": action.capitalize(),
        "kind": payload.get("ref_type"),
        "ref": (payload.get("ref") or repo).removeprefix("refs/heads/"),
        "thing": "pull request" if "pull_request" in subject else "issue",
        "number": subject.get("number"),
        "release": release.get("name") or release.get("tag_name"),
    }
    try:
        line = _TITLES[event_type].format_map({k: value for k, value in values.items() if value})
    except KeyError:
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", event_type.removesuffix("Event"))
        line = f"{words.capitalize()} in {repo}"
    title = subject.get("title")
    return single_line(f"{line}: {title}" if title else line) or event_type


def _page_url(payload: dict[str, Any]) -> Any:
    urls = [(payload.get(name) or {}).get("html_url") for name in _WITH_PAGE]
    return next((url for url in urls if url), None)


def _path(payload: dict[str, Any]) -> str:
    """Return the commit or pull request below the repository, for an event without a page."""
    if "head" in payload:
        return f"/commit/{payload['head']}"
    number = (payload.get("pull_request") or {}).get("number")
    return f"/pull/{number}" if number else ""
