"""What GitHub's answers say of an account, in our own types. Asks nobody.

What stands in them was written by strangers: texts become one plain line, cut to what a line
holds; what is missing or empty is absent; what is private does not exist here; an item that cannot
be converted is left out and counted in the log.
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
from sdl.scalar_types import Markdown

UNREADABLE = (
    "GitHub's answer could not be read."
    " Fix: see that STUDIOGRAPH_GITHUB_API_URL is the address of its REST API."
)
MAX_WAIT = timedelta(days=1)
"""The longest that GitHub can ask for patience."""
_LINE_CHARACTERS = 400

_NO_TEXT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_TAG = re.compile("<(?=/?[A-Za-z]|!)")
_MARKS = re.compile(r"^(?:#{1,6} |```|~~~|=+$|-{2,}$| )+")

Value = TypeVar("Value")

log = logging.getLogger("studiograph.github")


class GithubError(StudiographError):
    """GitHub was not read. The text says why and what to do, and never holds a secret.

    `until` is the instant before which GitHub wants to be asked nothing.
    """

    def __init__(self, reason: str, until: datetime | None = None) -> None:
        super().__init__(reason)
        self.until = until


@dataclass(frozen=True)
class AccountName:
    """An account, where it is asked for, and the topic of what its owner means to read."""

    api_url: str
    user: str
    topic: str
    token: str = field(repr=False)


class SnapshotPart(BaseModel):
    """What one answer adds to a snapshot."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    profile: GithubProfile | None = None
    activity: list[GithubEvent] = []
    stars: list[GithubStar] = []
    reading_list: list[GithubStar] = []
    repos: list[GithubRepo] = []
    readme: GithubReadme | None = None


class ResultPage(BaseModel):
    """An answer as it is kept: what it adds, its validator, and the page after it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    part: SnapshotPart
    etag: str = ""
    next: str = ""


def snapshot_of(parts: Sequence[SnapshotPart], as_of: datetime) -> GithubSnapshot | None:
    """What the parts are together; an item that moved to the next page meanwhile stands once."""
    profile = next((part.profile for part in parts if part.profile), None)
    if profile is None:
        return None
    return GithubSnapshot(
        as_of=as_of,
        profile=profile,
        activity=_once((e for part in parts for e in part.activity), lambda event: event.id),
        stars=_once((s for part in parts for s in part.stars), lambda star: star.repo),
        reading_list=_once((s for part in parts for s in part.reading_list), lambda s: s.repo),
        repos=_once((r for part in parts for r in part.repos), lambda repo: repo.name),
        readme=next((part.readme for part in parts if part.readme), None),
    )


def profile_of(answer: Any) -> SnapshotPart:
    """The account. Raises: GithubFault."""

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

    return SnapshotPart(profile=valid_or_none(convert, [answer], "profiles")[0])


def stars_of(answer: Any, topic: str) -> SnapshotPart:
    """A page of starred repositories; those with the topic are to be read. Raises: GithubFault."""

    def convert(star: Any) -> tuple[GithubStar, bool] | None:
        repo = star["repo"]
        if repo.get("private"):
            return None
        made = GithubStar(
            repo=repo["full_name"],
            description=single_line(repo.get("description")),
            language=single_line(repo.get("language")),
            stars=repo["stargazers_count"],
            url=repo["html_url"],
            starred_at=star["starred_at"],
        )
        return made, topic in repo.get("topics", ())

    stars = valid_or_none(convert, answer, "stars")
    return SnapshotPart(
        stars=[star for star, _ in stars],
        reading_list=[star for star, is_marked in stars if is_marked],
    )


def repos_of(answer: Any) -> SnapshotPart:
    """A page of the account's repositories. Raises: GithubFault."""

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

    return SnapshotPart(repos=valid_or_none(convert, answer, "repositories"))


def readme_of(answer: Any, fetched_at: datetime) -> SnapshotPart:
    """The readme, where it has a text. Raises: GithubFault."""

    def convert(file: Any) -> GithubReadme | None:
        text = b64decode(file["content"]).decode(errors="replace").replace("\r\n", "\n")
        text = _NO_TEXT.sub("", text).strip("\ufeff\n")[: Markdown.max_length]
        if not text.strip():
            return None
        return GithubReadme(markdown=Markdown(text), sha=file["sha"], fetched_at=fetched_at)

    return SnapshotPart(readme=next(iter(valid_or_none(convert, [answer], "readmes")), None))


def single_line(text: Any) -> str | None:
    """The text as one plain line, cut to what a line holds; nothing where there is none."""
    if not isinstance(text, str):
        return None
    plain = _TAG.sub("< ", " ".join(_NO_TEXT.sub(" ", text).split()))
    plain = _MARKS.sub("", plain)
    if len(plain) > _LINE_CHARACTERS:
        plain = f"{plain[: _LINE_CHARACTERS - 1]}…"
    return plain or None


def valid_or_none(convert: Callable[[Any], Value | None], items: Any, what: str) -> list[Value]:
    """What can be converted of a list. Raises: GithubFault where it is none, or nothing can."""
    if not isinstance(items, list):
        raise GithubError(UNREADABLE)
    made: list[Value | None] = []
    for item in items:
        try:
            made.append(convert(item))
        except (ValueError, TypeError, KeyError, AttributeError):
            continue
    if len(made) < len(items):
        unfit = len(items) - len(made)
        log.warning("%d of %d %s do not fit and are left out", unfit, len(items), what)
        if not made:
            raise GithubError(UNREADABLE)
    return [value for value in made if value is not None]


def _once(items: Iterable[Value], key: Callable[[Value], Hashable]) -> list[Value]:
    return list({key(item): item for item in items}.values())
