"""What GitHub tells of the events of an account, each in one line with a page to look at.

Source: https://docs.github.com/rest/using-the-rest-api/github-event-types.
"""

import re
from typing import Any

from resolvers.github.convert import SnapshotPart, single_line, valid_or_none
from schema.github import GithubEvent
from sdl.scalar_types import Url

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
"""What is said of an event; the title of what it is about follows where GitHub tells it."""
_PLACES = ("comment", "review", "release", "forkee", "issue", "pull_request")
"""What in an event has a page of its own, the most particular first."""


def activity_of(answer: Any, web: str) -> SnapshotPart:
    """A page of events, `web` being where repositories can be looked at. Raises: GithubFault."""

    def convert(event: Any) -> GithubEvent:
        repo, payload = event["repo"]["name"], event["payload"]
        return GithubEvent(
            id=str(event["id"]),
            type=event["type"],
            repo=repo,
            title=_title(event["type"], repo, payload),
            url=_place(payload) or Url(f"{web}/{repo}{_path(payload)}"),
            at=event["created_at"],
        )

    return SnapshotPart(activity=valid_or_none(convert, answer, "events"))


def _title(kind: str, repo: str, payload: dict[str, Any]) -> str:
    about = payload.get("issue") or payload.get("pull_request") or {}
    release = payload.get("release") or {}
    action = "merged" if about.get("merged") else payload.get("action") or ""
    known = {
        "repo": repo,
        "action": action.capitalize(),
        "kind": payload.get("ref_type"),
        "ref": (payload.get("ref") or repo).removeprefix("refs/heads/"),
        "thing": "pull request" if "pull_request" in about else "issue",
        "number": about.get("number"),
        "release": release.get("name") or release.get("tag_name"),
    }
    try:
        said = _TITLES[kind].format_map({name: word for name, word in known.items() if word})
    except KeyError:
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind.removesuffix("Event"))
        said = f"{words.capitalize()} in {repo}"
    subject = about.get("title")
    return single_line(f"{said}: {subject}" if subject else said) or kind


def _place(payload: dict[str, Any]) -> Any:
    pages = [(payload.get(name) or {}).get("html_url") for name in _PLACES]
    return next((page for page in pages if page), None)


def _path(payload: dict[str, Any]) -> str:
    """What an event is about, below the address of its repository, where GitHub tells no page."""
    if "head" in payload:
        return f"/commit/{payload['head']}"
    number = (payload.get("pull_request") or {}).get("number")
    return f"/pull/{number}" if number else ""
