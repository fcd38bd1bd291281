"""The roots: what can be asked. A plain section needs no resolver, the rest a few lines each."""

from typing import Annotated

import strawberry

from resolvers.context import Info
from schema.changelog import AgentPulse, ChangeKind, ChangelogEntry
from schema.github import (
    Github,
    GithubEvent,
    GithubProfile,
    GithubReadme,
    GithubRepo,
    GithubStar,
)
from schema.identity import Identity
from schema.intent import IntentInput, Route
from schema.onchain import Artifact, OnChain
from schema.project import Project
from schema.search import SearchInput, SearchResult
from schema.site import INTERFACE_VERSION, Manifest, Site
from schema.studio import (
    Certification,
    Conviction,
    Founder,
    JourneyStep,
    LookingFor,
    PracticeArea,
    Scheduling,
    Study,
)
from sdl.declare import field
from sdl.errors import AiUnavailableError, InvalidInputError, NotFoundError, UnavailableError
from sdl.scalar_types import Instant, Path, Slug, Text, format_instant

Since = Annotated[
    Instant | None,
    strawberry.argument(description="Only what was published after this instant."),
]


class Query(Site):
    """Everything that anybody can ask of the studio."""

    @field(fails=(NotFoundError,))
    def project(
        self,
        slug: Annotated[Slug, strawberry.argument(description="The project's slug.")],
    ) -> Project | None:
        """One project by its slug."""
        return next((project for project in self.projects if project.slug == slug), None)

    @field()
    def thesis(self) -> Text:
        """What the studio holds to be true about its field, and builds on."""
        return self.studio.thesis

    @field()
    def founder(self) -> Founder:
        """The one person behind the studio."""
        return self.studio.founder

    @field()
    def currently_studying(self) -> list[Study]:
        """What the founder is learning now."""
        return self.studio.currently_studying

    @field()
    def practice(self) -> list[PracticeArea]:
        """The areas the studio practises in."""
        return self.studio.practice

    @field()
    def convictions(self) -> list[Conviction]:
        """What the studio believes and works by."""
        return self.studio.convictions

    @field()
    def looking_for(self) -> list[LookingFor]:
        """What the studio would like to be approached with."""
        return self.studio.looking_for

    @field()
    def scheduling(self) -> Scheduling:
        """When the studio works and how soon it answers."""
        return self.studio.scheduling

    @field()
    def journey(self) -> list[JourneyStep]:
        """The way the studio came, oldest first."""
        return self.studio.journey

    @field()
    def on_chain(self) -> OnChain:
        """The studio's identity on public chains."""
        return self.studio.on_chain

    @field(fails=(NotFoundError,))
    def artifact(
        self,
        slug: Annotated[Slug, strawberry.argument(description="The artifact's slug.")],
    ) -> Artifact | None:
        """One on-chain artifact by its slug."""
        artifacts = self.studio.on_chain.artifacts
        return next((artifact for artifact in artifacts if artifact.slug == slug), None)

    @field()
    def certifications(
        self,
        category: Annotated[
            str | None,
            strawberry.argument(description="Only this category; case does not matter."),
        ] = None,
        issuer: Annotated[
            str | None,
            strawberry.argument(description="Only this issuer; case does not matter."),
        ] = None,
    ) -> list[Certification]:
        """The certificates the founder holds."""
        return [
            certificate
            for certificate in self.studio.certifications
            if category is None or certificate.category.casefold() == category.casefold()
            if issuer is None or certificate.issuer.casefold() == issuer.casefold()
        ]

    @field()
    def changes(
        self,
        kind: Annotated[
            ChangeKind | None, strawberry.argument(description="Only entries of this kind.")
        ] = None,
        since: Since = None,
    ) -> list[ChangelogEntry]:
        """The changelog's entries of a kind, since an instant, or both; newest first."""
        return [
            entry
            for entry in self.changelog
            if (kind is None or entry.kind is kind)
            and (since is None or entry.published_at > since)
        ]

    @field()
    def agent_pulse(self, info: Info, since: Since = None) -> AgentPulse:
        """What changed since an instant, and where to ask next."""
        changes = [e for e in self.changelog if since is None or e.published_at > since]
        newest = changes[0].published_at if changes else since or self.status.as_of
        return AgentPulse(
            since=since,
            as_of=self.status.as_of,
            revision=info.context.revision,
            rollup_hash=info.context.log.rollup_hash,
            tree_size=info.context.log.size,
            count=len(changes),
            changes=changes,
            status=self.status,
            next=Path(f"{info.context.path('GetAgentPulse')}?since={format_instant(newest)}"),
        )

    @field()
    def identity(self, info: Info) -> Identity:
        """Who the studio is, as far as it can be looked up elsewhere."""
        return info.context.identity

    @field(fails=(UnavailableError,))
    def github_account(self, info: Info) -> Github | None:
        """What the studio's GitHub account shows, all of it."""
        return _github(info)

    @field(fails=(UnavailableError,))
    def github_profile(self, info: Info) -> GithubProfile | None:
        """The studio's GitHub account."""
        return _github(info).profile

    @field(fails=(UnavailableError,))
    def github_activity(self, info: Info) -> list[GithubEvent] | None:
        """What the studio did on GitHub lately, newest first."""
        return _github(info).activity

    @field(fails=(UnavailableError,))
    def github_stars(self, info: Info) -> list[GithubStar] | None:
        """The repositories that the studio starred, newest first."""
        return _github(info).stars

    @field(fails=(UnavailableError,))
    def github_reading_list(self, info: Info) -> list[GithubStar] | None:
        """The starred repositories that the studio means to read."""
        return _github(info).reading_list

    @field(fails=(UnavailableError,))
    def github_repos(self, info: Info) -> list[GithubRepo] | None:
        """The studio's public repositories, the one last pushed to first."""
        return _github(info).repos

    @field(fails=(UnavailableError, NotFoundError))
    def github_readme(self, info: Info) -> GithubReadme | None:
        """The readme of the studio's GitHub account."""
        return _github(info).readme

    @field(fails=(InvalidInputError, AiUnavailableError))
    async def search(
        self,
        info: Info,
        input: Annotated[  # noqa: A002 - GraphQL's word for what is handed in
            SearchInput, strawberry.argument(description="What is searched for.")
        ],
    ) -> SearchResult:
        """What the studio has published that fits some words or a question."""
        return await info.context.answers.search(input)

    @field(fails=(InvalidInputError, AiUnavailableError))
    async def intent(
        self,
        info: Info,
        input: Annotated[  # noqa: A002 - the same
            IntentInput, strawberry.argument(description="The goal.")
        ],
    ) -> Route:
        """The requests that lead to a goal told in plain words."""
        return await info.context.answers.route(input)

    @field()
    def manifest(self, info: Info) -> Manifest:
        """Every section of the site in one object, with what binds them together."""
        return Manifest.model_construct(
            **dict(self),
            revision=info.context.revision,
            rollup_hash=info.context.log.rollup_hash,
            version=INTERFACE_VERSION,
        )


def _github(info: Info) -> Github:
    """What GitHub shows; the fields are nullable, so that without it the others still answer."""
    if info.context.github is None:
        raise UnavailableError("Nothing is known yet of what GitHub shows.")
    return info.context.github
