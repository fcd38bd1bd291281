"""Public data of a GitHub account: profile, activity, stars, repositories, readme."""

from typing import Annotated

from pydantic import Field

from sdl.types.declare import Output, asked
from sdl.types.marks import Foreign, Heading, Prose
from sdl.types.scalar_types import Count, Flag, Instant, Line, Markdown, Url


class GithubProfile(Output):
    """The studio's GitHub account."""

    login: Annotated[
        Line,
        asked("what is the studio's GitHub account", says="The GitHub account is {login} ({url})."),
    ]
    """The account's login."""
    name: Annotated[Line, Heading(), asked()]
    """The account's display name, or its login if it has none."""
    bio: Annotated[Line | None, Foreign(), asked()] = None
    """The account's bio."""
    url: Annotated[Url, asked()]
    """The account's URL."""
    followers: Annotated[
        Count,
        asked(
            "how many followers does the studio have on GitHub",
            says="{login} has {followers} followers on GitHub.",
        ),
    ]
    """The number of followers."""
    following: Annotated[Count, asked()]
    """The number of accounts it follows."""
    public_repos: Annotated[
        Count,
        asked(
            "how many public repositories does the studio have",
            says="{login} has {publicRepos} public repositories on GitHub.",
        ),
    ]
    """The number of public repositories."""
    created_at: Annotated[Instant, asked()]
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

    name: Annotated[Line, Heading(), asked()]
    """The repository's name."""
    description: Annotated[
        Line | None,
        Foreign(),
        asked(
            "what is the github repo about",
            "what does the repository contain",
            says="{name}: {description}",
        ),
    ] = None
    """The repository's description."""
    url: Annotated[
        Url,
        asked(
            "where is the github repo", "the address of the repository", says="{name} is at {url}."
        ),
    ]
    """The repository's URL."""
    language: Annotated[
        Line | None,
        asked(
            "in which programming language is the github repo written",
            says="{name} is written in {language}.",
        ),
    ] = None
    """Its main programming language."""
    stars: Annotated[
        Count, asked("how many stars has the github repo", says="{name} has {stars} stars.")
    ]
    """The number of stars."""
    forks: Annotated[
        Count, asked("how many forks has the github repo", says="{name} has {forks} forks.")
    ]
    """The number of forks."""
    topics: Annotated[
        list[Line],
        asked("which topics does the github repo have", says="Topics of {name}: {topics}."),
    ] = Field(default_factory=list)
    """Its topics."""
    pushed_at: Annotated[
        Instant,
        asked(
            "when was the github repo last changed", says="{name} was last changed on {pushedAt}."
        ),
    ]
    """When it was last pushed to."""
    archived: Annotated[
        Flag,
        asked("is the github repo archived", says="{name} is {archived?archived|not archived}."),
    ]
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

    as_of: Annotated[Instant, asked()]
    """When the snapshot was taken."""
    profile: Annotated[GithubProfile, asked()]
    """The profile of the account."""
    activity: Annotated[list[GithubEvent], asked()] = Field(default_factory=list)
    """Recent public events, newest first."""
    stars: Annotated[
        list[GithubStar],
        asked("which repositories has the studio starred", says="Starred: [10: {stars.repo}]."),
    ] = Field(default_factory=list)
    """Starred repositories, newest first."""
    reading_list: Annotated[
        list[GithubStar],
        asked(
            "what is on the studio's reading list", says="Reading list: [10: {readingList.repo}]."
        ),
    ] = Field(default_factory=list)
    """Starred repositories with the reading-list topic, newest first."""
    repos: Annotated[
        list[GithubRepo],
        asked(
            "which repositories does the studio have on GitHub",
            "which open source code do they publish",
            "is the source code public",
            says="Repositories: [{repos.name}[ ({repos.language})]].",
        ),
    ] = Field(default_factory=list)
    """Public repositories, the most recently pushed first."""
    readme: Annotated[GithubReadme | None, asked()] = None
    """The profile readme, if there is one."""


class Github(GithubSnapshot):
    """Public data of the studio's GitHub account, as it was at one time."""

    stale: Annotated[Flag, asked()]
    """Whether the data may be out of date: false only if GitHub answered within the last hour and
    has not failed since."""
