"""Conversion of GitHub's responses about an account to our own types.

Their texts were written by strangers, so each becomes one plain line of limited length. What is
missing or empty becomes absent. Private items are dropped. An item that cannot be converted is left
out and counted in the log.
Source: https://docs.github.com/rest, version 2022-11-28.
"""

import logging
import re
from base64 import b64decode
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict

from schema.github import (
    GithubEvent,
    GithubProfile,
    GithubReadme,
    GithubRepo,
    GithubSnapshot,
    GithubStar,
)
from sdl.errors import StudiographError
from sdl.types.scalar_types import Markdown, Url

UNREADABLE = (
    "GitHub's answer could not be read."
    " Fix: check that STUDIOGRAPH_GITHUB_API_URL is the address of its REST API."
)
MAX_WAIT = timedelta(days=1)
"""The longest wait that GitHub can ask for."""
_LINE_CHARACTERS = 400

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_TAG = re.compile("<(?=/?[A-Za-z]|!)")
_MARKDOWN_PREFIX = re.compile(r"^(?:#{1,6} |```|~~~|=+$|-{2,}$| )+")

Value = TypeVar("Value")

log = logging.getLogger("studiograph.github")


class GithubError(StudiographError):
    """GitHub could not be read. The text says why and what to do, and never contains a secret.

    `until` is when GitHub accepts requests again, if it says so.
    """

    def __init__(self, reason: str, until: datetime | None = None) -> None:
        super().__init__(reason)
        self.until = until


@dataclass(frozen=True)
class AccountName:
    """An account, how to reach it, and the topic that marks its reading list."""

    api_url: str
    user: str
    topic: str
    token: str = field(repr=False)


class SnapshotPart(BaseModel):
    """What one response adds to a snapshot."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    profile: GithubProfile | None = None
    activity: list[GithubEvent] = []
    stars: list[GithubStar] = []
    reading_list: list[GithubStar] = []
    repos: list[GithubRepo] = []
    readme: GithubReadme | None = None


class ResultPage(BaseModel):
    """A response as it is stored: its part, its validator, and the address of the next page."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    part: SnapshotPart
    etag: str = ""
    next: str = ""


def snapshot_of(parts: Sequence[SnapshotPart], as_of: datetime) -> GithubSnapshot | None:
    """Join the parts, without items that are on two pages; nothing without a profile."""
    profile = next((part.profile for part in parts if part.profile), None)
    if profile is None:
        return None
    return GithubSnapshot(
        as_of=as_of,
        profile=profile,
        activity=_unique((e for part in parts for e in part.activity), lambda event: event.id),
        stars=_unique((s for part in parts for s in part.stars), lambda star: star.repo),
        reading_list=_unique((s for part in parts for s in part.reading_list), lambda s: s.repo),
        repos=_unique((r for part in parts for r in part.repos), lambda repo: repo.name),
        readme=next((part.readme for part in parts if part.readme), None),
    )


def profile_of(response: Any) -> SnapshotPart:
    """Return the account. Raises: GithubError."""

    def convert(user: Any) -> GithubProfile:
        return GithubProfile(
            login=user["login"],
            name=single_line(user.get("name")) or user["login"],
            bio=single_line(user.get("bio")),
            url=user["html_url"],
            followers=user["followers"],
            following=user["following"],
            public_repos=user["public_repos"],
            created_at=user["created_at"],
        )

    return SnapshotPart(profile=convert_items(convert, [response], "profiles")[0])


def stars_of(response: Any, topic: str) -> SnapshotPart:
    """Return a page of stars, those with the topic also as reading list. Raises: GithubError."""

    def convert(star: Any) -> tuple[GithubStar, bool] | None:
        repo = star["repo"]
        if repo.get("private"):
            return None
        converted = GithubStar(
            repo=repo["full_name"],
            description=single_line(repo.get("description")),
            language=single_line(repo.get("language")),
            stars=repo["stargazers_count"],
            url=repo["html_url"],
            starred_at=star["starred_at"],
        )
        return converted, topic in repo.get("topics", ())

    stars = convert_items(convert, response, "stars")
    return SnapshotPart(
        stars=[star for star, _ in stars],
        reading_list=[star for star, has_topic in stars if has_topic],
    )


def repos_of(response: Any) -> SnapshotPart:
    """Return a page of the account's repositories. Raises: GithubError."""

    def convert(repo: Any) -> GithubRepo | None:
        if repo.get("private"):
            return None
        return GithubRepo(
            name=repo["name"],
            description=single_line(repo.get("description")),
            url=repo["html_url"],
            language=single_line(repo.get("language")),
            stars=repo["stargazers_count"],
            forks=repo["forks_count"],
            topics=repo.get("topics", []),
            pushed_at=repo["pushed_at"] or repo["created_at"],
            archived=repo["archived"],
        )

    return SnapshotPart(repos=convert_items(convert, response, "repositories"))


def readme_of(response: Any, fetched_at: datetime) -> SnapshotPart:
    """Return the readme, if it has any text. Raises: GithubError."""

    def convert(file: Any) -> GithubReadme | None:
        text = b64decode(file["content"]).decode(errors="replace").replace("\r\n", "\n")
        text = _CONTROLS.sub("", text).strip("\ufeff\n")[: Markdown.max_length]
        if not text.strip():
            return None
        return GithubReadme(markdown=Markdown(text), sha=file["sha"], fetched_at=fetched_at)

    return SnapshotPart(readme=next(iter(convert_items(convert, [response], "readmes")), None))


def single_line(text: Any) -> str | None:
    """Return the text as one plain line, cut to the longest line; nothing for an empty one."""
    if not isinstance(text, str):
        return None
    plain = _TAG.sub("< ", " ".join(_CONTROLS.sub(" ", text).split()))
    plain = _MARKDOWN_PREFIX.sub("", plain)
    if len(plain) > _LINE_CHARACTERS:
        plain = f"{plain[: _LINE_CHARACTERS - 1]}…"
    return plain or None


def convert_items(convert: Callable[[Any], Value | None], items: Any, what: str) -> list[Value]:
    """Convert the items that fit; raise `GithubError` if it is no list or none of them fits."""
    if not isinstance(items, list):
        raise GithubError(UNREADABLE)
    values: list[Value | None] = []
    for item in items:
        try:
            values.append(convert(item))
        except (ValueError, TypeError, KeyError, AttributeError):
            continue
    if len(values) < len(items):
        skipped = len(items) - len(values)
        log.warning("%d of %d %s do not fit and are left out", skipped, len(items), what)
        if not values:
            raise GithubError(UNREADABLE)
    return [value for value in values if value is not None]


def _unique(items: Iterable[Value], key: Callable[[Value], Hashable]) -> list[Value]:
    return list({key(item): item for item in items}.values())


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
    """Return the events of a response; `web` is GitHub's base URL. Raises: GithubError."""

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
