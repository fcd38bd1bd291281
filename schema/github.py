"""Public data of a GitHub account: profile, activity, stars, repositories, readme."""

from typing import Annotated

from sdl.declare import Output
from sdl.marks import Heading, Prose
from sdl.scalar_types import Count, Flag, Instant, Line, Markdown, Url


class GithubProfile(Output):
    """The studio's GitHub account."""

    login: Line
    """The account's login."""
    name: Annotated[Line, Heading()]
    """The account's display name, or its login if it has none."""
    bio: Line | None = None
    """The account's bio."""
    url: Url
    """The account's URL."""
    followers: Count
    """The number of followers."""
    following: Count
    """The number of accounts it follows."""
    public_repos: Count
    """The number of public repositories."""
    created_at: Instant
    """When the account was created."""


class GithubEvent(Output):
    """A public event of the account, for example a push."""

    id: Line
    """GitHub's id of the event."""
    type: Line
    """GitHub's type of the event, for example PushEvent."""
    repo: Line
    """The repository, as `owner/name`."""
    title: Annotated[Line, Heading()]
    """The event in one line."""
    url: Url
    """The URL of what the event is about."""
    at: Instant
    """When it happened."""


class GithubStar(Output):
    """A repository the account starred."""

    repo: Annotated[Line, Heading()]
    """The repository, as `owner/name`."""
    description: Line | None = None
    """The repository's description."""
    language: Line | None = None
    """Its main programming language."""
    stars: Count
    """The number of stars."""
    url: Url
    """The repository's URL."""
    starred_at: Instant
    """When the account starred it."""


class GithubRepo(Output):
    """A public repository of the account."""

    name: Annotated[Line, Heading()]
    """The repository's name."""
    description: Line | None = None
    """The repository's description."""
    url: Url
    """The repository's URL."""
    language: Line | None = None
    """Its main programming language."""
    stars: Count
    """The number of stars."""
    forks: Count
    """The number of forks."""
    topics: list[Line]
    """Its topics."""
    pushed_at: Instant
    """When it was last pushed to."""
    archived: Flag
    """Whether it is archived."""


class GithubReadme(Output):
    """The profile readme: that of the public repository with the account's name."""

    markdown: Annotated[Markdown, Prose()]
    """The text of the readme, in markdown."""
    sha: Line
    """The git object id of the text."""
    fetched_at: Instant
    """When it was fetched."""


class GithubSnapshot(Output):
    """All the data, as it was at one time."""

    as_of: Instant
    """When the snapshot was taken."""
    profile: GithubProfile
    """The profile of the account."""
    activity: list[GithubEvent]
    """Recent public events, newest first."""
    stars: list[GithubStar]
    """Starred repositories, newest first."""
    reading_list: list[GithubStar]
    """Starred repositories with the reading-list topic, newest first."""
    repos: list[GithubRepo]
    """Public repositories, the most recently pushed first."""
    readme: GithubReadme | None = None
    """The profile readme, if there is one."""


class Github(GithubSnapshot):
    """Public data of the studio's GitHub account, as it was at one time."""

    stale: Flag
    """Whether the data may be out of date: false only if GitHub answered within the last hour and
    has not failed since."""
