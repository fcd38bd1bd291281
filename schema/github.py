"""Public data of a GitHub account: profile, activity, stars, repositories, readme."""

from typing import Annotated

from pydantic import Field

from sdl.types.declare import Output
from sdl.types.marks import Foreign, Heading, Prose, Says
from sdl.types.scalar_types import Count, Flag, Instant, Line, Markdown, Url


class GithubProfile(Output):
    """The studio's GitHub account."""

    login: Annotated[Line, Says("The GitHub account is {login} ({url}).")]
    """The account's login."""
    name: Annotated[Line, Heading()]
    """The account's display name, or its login if it has none."""
    bio: Annotated[Line | None, Foreign()] = None
    """The account's bio."""
    url: Url
    """The account's URL."""
    followers: Annotated[Count, Says("{login} has {followers} followers on GitHub.")]
    """The number of followers."""
    following: Count
    """The number of accounts it follows."""
    public_repos: Annotated[Count, Says("{login} has {publicRepos} public repositories on GitHub.")]
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
    title: Annotated[Line, Heading(), Foreign()]
    """The event in one line."""
    url: Url
    """The URL of what the event is about."""
    at: Instant
    """When it happened."""


class GithubStar(Output):
    """A repository the account starred."""

    repo: Annotated[Line, Heading()]
    """The repository, as `owner/name`."""
    description: Annotated[Line | None, Foreign()] = None
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
    description: Annotated[Line | None, Foreign(), Says("{name}: {description}")] = None
    """The repository's description."""
    url: Annotated[Url, Says("{name} is at {url}.")]
    """The repository's URL."""
    language: Annotated[Line | None, Says("{name} is written in {language}.")] = None
    """Its main programming language."""
    stars: Annotated[Count, Says("{name} has {stars} stars.")]
    """The number of stars."""
    forks: Annotated[Count, Says("{name} has {forks} forks.")]
    """The number of forks."""
    topics: Annotated[list[Line], Says("Topics of {name}: {topics}.")] = Field(default_factory=list)
    """The repository's topics on GitHub."""
    pushed_at: Annotated[Instant, Says("{name} was last changed on {pushedAt}.")]
    """When it was last pushed to."""
    archived: Annotated[Flag, Says("{name} is {archived?archived|not archived}.")]
    """Whether it is archived."""


class GithubReadme(Output):
    """The profile readme: that of the public repository with the account's name."""

    markdown: Annotated[Markdown, Prose(), Foreign()]
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
    activity: list[GithubEvent] = Field(default_factory=list)
    """Recent public events, newest first."""
    stars: Annotated[list[GithubStar], Says("Starred: [10: {stars.repo}].")] = Field(
        default_factory=list
    )
    """Starred repositories, newest first."""
    reading_list: Annotated[list[GithubStar], Says("Reading list: [10: {readingList.repo}].")] = (
        Field(default_factory=list)
    )
    """Starred repositories with the reading-list topic, newest first."""
    repos: Annotated[
        list[GithubRepo], Says("Repositories: [{repos.name}[ ({repos.language})]].")
    ] = Field(default_factory=list)
    """Public repositories, the most recently pushed first."""
    readme: GithubReadme | None = None
    """The profile readme, if there is one."""


class Github(GithubSnapshot):
    """Public data of the studio's GitHub account, as it was at one time."""

    stale: Flag
    """Whether the data may be out of date: false only if GitHub answered within the last hour and
    has not failed since."""
