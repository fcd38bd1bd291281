"""What a GitHub account shows: profile, activity, stars, repositories, readme."""

from typing import Annotated

from sdl.declare import Output
from sdl.marks import Heading, Prose
from sdl.scalar_types import Count, Flag, Instant, Line, Markdown, Url


class GithubProfile(Output):
    """The account."""

    login: Line
    """The account's login."""
    name: Annotated[Line, Heading()]
    """The account's display name, or its login where it has none."""
    bio: Line | None = None
    """What the account says of itself."""
    url: Url
    """The account's address."""
    followers: Count
    """How many accounts follow it."""
    following: Count
    """How many accounts it follows."""
    public_repos: Count
    """How many public repositories it has."""
    created_at: Instant
    """When it was created."""


class GithubEvent(Output):
    """Something the account did in public."""

    id: Line
    """GitHub's id of the event."""
    type: Line
    """GitHub's type of the event."""
    repo: Line
    """The repository, `owner/name`."""
    title: Annotated[Line, Heading()]
    """The event in one line."""
    url: Url
    """Where it can be looked at."""
    at: Instant
    """When it happened."""


class GithubStar(Output):
    """A repository the account starred."""

    repo: Annotated[Line, Heading()]
    """The repository, `owner/name`."""
    description: Line | None = None
    """What the repository says of itself."""
    language: Line | None = None
    """Its main language."""
    stars: Count
    """How many accounts starred it."""
    url: Url
    """The repository's address."""
    starred_at: Instant
    """When the account starred it."""


class GithubRepo(Output):
    """A repository of the account."""

    name: Annotated[Line, Heading()]
    """The repository's name."""
    description: Line | None = None
    """What the repository says of itself."""
    url: Url
    """The repository's address."""
    language: Line | None = None
    """Its main language."""
    stars: Count
    """How many accounts starred it."""
    forks: Count
    """How many forks it has."""
    topics: list[Line]
    """Its topics."""
    pushed_at: Instant
    """When it was last pushed to."""
    archived: Flag
    """Whether it is archived."""


class GithubReadme(Output):
    """The account's readme: that of the public repository which has the account's name."""

    markdown: Annotated[Markdown, Prose()]
    """The readme's text."""
    sha: Line
    """The git object id of that text."""
    fetched_at: Instant
    """When it was fetched."""


class GithubSnapshot(Output):
    """All of it as it was at one instant."""

    as_of: Instant
    """When the snapshot was taken."""
    profile: GithubProfile
    """The account."""
    activity: list[GithubEvent]
    """What it did lately, newest first."""
    stars: list[GithubStar]
    """What it starred, newest first."""
    reading_list: list[GithubStar]
    """The starred repositories that carry the reading-list topic."""
    repos: list[GithubRepo]
    """Its public repositories, the one last pushed to first."""
    readme: GithubReadme | None = None
    """Its readme, where it has one."""


class Github(GithubSnapshot):
    """What the studio's GitHub account shows, as it was at one instant."""

    stale: Flag
    """Whether it may be out of date: false only if GitHub answered within the last hour, and has
    not failed to answer since."""
