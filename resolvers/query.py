"""The public root `Query`: sections are fields of the site, the rest are resolvers here."""

from collections.abc import Sequence
from datetime import datetime
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
from schema.onchain import Artifact, OnChain
from schema.project import Domain, Project, Work
from schema.sections import FaqEntry, GlossaryEntry, Price
from schema.services.intent import IntentInput, Route
from schema.services.search import SearchInput, SearchResult
from schema.services.signatures import Identity
from schema.site import INTERFACE_VERSION, EntrySlugs, Manifest, Site
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
from sdl.errors import (
    AiUnavailableError,
    FieldProblem,
    InvalidInputError,
    NotFoundError,
    UnavailableError,
)
from sdl.types.declare import Named, field
from sdl.types.scalar_types import ChangeId, Instant, Path, Slug, Text, format_instant

Since = Annotated[
    Instant | None,
    strawberry.argument(description="Only what was published after this time."),
]


class Query(Site):
    """Everything that the public GraphQL endpoint can query."""

    @field(fails=(NotFoundError,))
    def project(
        self,
        slug: Annotated[Slug, strawberry.argument(description="The project's slug.")],
    ) -> Project | None:
        """One project by its slug."""
        return next((project for project in self.projects if project.slug == slug), None)

    @field(fails=(NotFoundError,))
    def domain(
        self,
        info: Info,
        slug: Annotated[Slug, strawberry.argument(description="The domain's slug.")],
    ) -> Domain | None:
        """One field of work by its slug."""
        return info.context.entries.find("domain", slug)

    @field(fails=(NotFoundError,))
    def practice_area(
        self,
        info: Info,
        slug: Annotated[Slug, strawberry.argument(description="The slug of the service or skill.")],
    ) -> PracticeArea | None:
        """One service or skill with its evidence, by its slug."""
        return info.context.entries.find("practice", slug)

    @field(fails=(NotFoundError,))
    def conviction(
        self,
        info: Info,
        slug: Annotated[Slug, strawberry.argument(description="The principle's slug.")],
    ) -> Conviction | None:
        """One principle that the studio works by, by its slug."""
        return info.context.entries.find("conviction", slug)

    @field(fails=(NotFoundError,))
    def looking_for_entry(
        self,
        info: Info,
        slug: Annotated[
            Slug, strawberry.argument(description="The slug of the kind of client or project.")
        ],
    ) -> LookingFor | None:
        """One kind of client or project that the studio is looking for, by its slug."""
        return info.context.entries.find("lookingFor", slug)

    @field(fails=(NotFoundError,))
    def faq_entry(
        self,
        info: Info,
        slug: Annotated[Slug, strawberry.argument(description="The question's slug.")],
    ) -> FaqEntry | None:
        """One frequently asked question with its answer, by its slug."""
        return info.context.entries.find("faq", slug)

    @field(fails=(NotFoundError,))
    def glossary_entry(
        self,
        info: Info,
        slug: Annotated[Slug, strawberry.argument(description="The term's slug.")],
    ) -> GlossaryEntry | None:
        """One term of the glossary by its slug."""
        return info.context.entries.find("glossary", slug)

    @field(fails=(NotFoundError,))
    def price(
        self,
        info: Info,
        slug: Annotated[Slug, strawberry.argument(description="The price's slug.")],
    ) -> Price | None:
        """What one thing costs, by its slug."""
        return info.context.entries.find("price", slug)

    @field(fails=(NotFoundError,))
    def work(
        self,
        info: Info,
        slug: Annotated[Slug, strawberry.argument(description="The work's slug.")],
    ) -> Work | None:
        """One finished work, by its slug."""
        return info.context.entries.find("work", slug)

    @field(fails=(NotFoundError,))
    def thesis(self) -> Text | None:
        """The studio's thesis: what it holds to be true about its field and builds on."""
        return self.studio.thesis

    @field()
    def founder(self) -> Founder:
        """The founder, who runs the studio alone."""
        return self.studio.founder

    @field()
    def currently_studying(self) -> list[Study]:
        """What the founder is studying now."""
        return self.studio.currently_studying

    @field()
    def practice(self) -> list[PracticeArea]:
        """Services and skills, each with evidence that proves it."""
        return self.studio.practice

    @field()
    def convictions(self) -> list[Conviction]:
        """The principles the studio works by."""
        return self.studio.convictions

    @field()
    def looking_for(self) -> list[LookingFor]:
        """Kinds of clients and projects the studio is looking for."""
        return self.studio.looking_for

    @field(fails=(NotFoundError,))
    def scheduling(self) -> Scheduling | None:
        """Time zone, working hours and response time."""
        return self.studio.scheduling

    @field()
    def journey(self) -> list[JourneyStep]:
        """History of the studio and its founder's career, oldest first."""
        return self.studio.journey

    @field(fails=(NotFoundError,))
    def on_chain(self) -> OnChain | None:
        """On-chain identity: ENS names, wallets and artifacts of the studio."""
        return self.studio.on_chain

    @field(fails=(NotFoundError,))
    def artifact(
        self,
        slug: Annotated[Slug, strawberry.argument(description="The artifact's slug.")],
    ) -> Artifact | None:
        """One on-chain artifact by its slug."""
        chain = self.studio.on_chain
        artifacts = chain.artifacts if chain is not None else []
        return next((artifact for artifact in artifacts if artifact.slug == slug), None)

    @field(fails=(InvalidInputError,))
    def certifications(
        self,
        category: Annotated[
            str | None,
            strawberry.argument(description="Only certificates of this category, ignoring case."),
        ] = None,
        issuer: Annotated[
            str | None,
            strawberry.argument(description="Only certificates of this issuer, ignoring case."),
        ] = None,
    ) -> list[Certification]:
        """The founder's certificates, all or of one category, one issuer or both."""
        held = self.studio.certifications
        _check_known("category", category, [each.category for each in held])
        _check_known("issuer", issuer, [each.issuer for each in held])
        return [
            certificate
            for certificate in held
            if category is None or certificate.category.casefold() == category.casefold()
            if issuer is None or certificate.issuer.casefold() == issuer.casefold()
        ]

    @field(fails=(NotFoundError,))
    def changelog_entry(
        self,
        id: Annotated[ChangeId, strawberry.argument(description="The entry's id.")],  # noqa: A002 - the name on the wire
    ) -> ChangelogEntry | None:
        """One changelog entry by its id."""
        return next((entry for entry in self.changelog if entry.id == id), None)

    @field(fails=(NotFoundError,))
    def certification(
        self,
        info: Info,
        slug: Annotated[Slug, strawberry.argument(description="The certificate's slug.")],
    ) -> Certification | None:
        """One certificate of the founder by its slug."""
        return info.context.entries.find("certification", slug)

    @field()
    def changes(
        self,
        kind: Annotated[
            ChangeKind | None, strawberry.argument(description="Only entries of this kind.")
        ] = None,
        since: Since = None,
    ) -> list[ChangelogEntry]:
        """Changelog entries, newest first; all, or of one kind, after a given time, or both."""
        return [
            entry
            for entry in self.changelog
            if (kind is None or entry.kind is kind)
            and (since is None or entry.published_at > since)
        ]

    @field()
    def agent_pulse(self, info: Info, since: Since = None) -> AgentPulse:
        """Changes after a given time, the current status and the path for the next poll."""
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
            next=_pulse_path(info, newest),
        )

    @field()
    def identity(self, info: Info) -> Identity:
        """Proof of identity: domain, names and signing keys, each verified or not."""
        return info.context.identity

    @field(fails=(UnavailableError,))
    def github_account(self, info: Info) -> Github | None:
        """All public data of the studio's GitHub account."""
        return _github(info)

    @field(fails=(UnavailableError,))
    def github_profile(self, info: Info) -> GithubProfile | None:
        """The profile of the studio's GitHub account: name, bio, followers, repository count."""
        github = _github(info)
        return None if github is None else github.profile

    @field(fails=(UnavailableError,))
    def github_activity(self, info: Info) -> list[GithubEvent] | None:
        """Recent public GitHub events of the studio, newest first."""
        github = _github(info)
        return None if github is None else github.activity

    @field(fails=(UnavailableError,))
    def github_stars(self, info: Info) -> list[GithubStar] | None:
        """GitHub repositories that the studio starred, newest first."""
        github = _github(info)
        return None if github is None else github.stars

    @field(fails=(UnavailableError,))
    def github_reading_list(self, info: Info) -> list[GithubStar] | None:
        """Starred GitHub repositories on the studio's reading list, newest first."""
        github = _github(info)
        return None if github is None else github.reading_list

    @field(fails=(UnavailableError,))
    def github_repos(self, info: Info) -> list[GithubRepo] | None:
        """The studio's public GitHub repositories, the most recently pushed first."""
        github = _github(info)
        return None if github is None else github.repos

    @field(fails=(UnavailableError, NotFoundError))
    def github_readme(self, info: Info) -> GithubReadme | None:
        """The profile readme of the studio's GitHub account."""
        github = _github(info)
        return None if github is None else github.readme

    @field(fails=(InvalidInputError, AiUnavailableError))
    async def search(
        self,
        info: Info,
        input: Annotated[  # noqa: A002 - GraphQL's name for such an argument
            SearchInput,
            strawberry.argument(description="The query, with an optional kind and limit."),
        ],
    ) -> SearchResult:
        """Semantic and keyword search over projects, FAQ, glossary and services."""
        return await info.context.answers.search(input, info.context.caller)

    @field(fails=(InvalidInputError, AiUnavailableError))
    async def intent(
        self,
        info: Info,
        input: Annotated[  # noqa: A002 - the same
            IntentInput, strawberry.argument(description="The goal in plain words.")
        ],
    ) -> Route:
        """The API calls that achieve a goal described in plain words, best first."""
        return await info.context.answers.route(input, info.context.caller)

    @field()
    def manifest(self, info: Info) -> Manifest:
        """The whole content in one object, with its digest and tree head."""
        return Manifest.model_construct(
            **dict(self),
            slugs=EntrySlugs(
                practice=_slugs(self.studio.practice),
                convictions=_slugs(self.studio.convictions),
                looking_for=_slugs(self.studio.looking_for),
                certifications=_slugs(self.studio.certifications),
                faq=_slugs(self.faq),
            ),
            revision=info.context.revision,
            rollup_hash=info.context.log.rollup_hash,
            version=INTERFACE_VERSION,
        )


def _slugs(entries: Sequence[Named]) -> list[Slug]:
    return [entry.slug for entry in entries]


def _check_known(name: str, value: str | None, known: Sequence[str]) -> None:
    """Raise `InvalidInputError` with the known values, if there are any and it is none of them."""
    if value is not None and known and value.casefold() not in {one.casefold() for one in known}:
        problem = FieldProblem(name, "is not known", tuple(sorted({*known})))
        raise InvalidInputError(f"No certificate has this {name}.", [problem])


def _pulse_path(info: Info, newest: datetime | None) -> Path:
    """Return the path of the pulse since `newest`, or of the whole pulse if that is None."""
    path = info.context.path("GetAgentPulse")
    return Path(path if newest is None else f"{path}?since={format_instant(newest)}")


def _github(info: Info) -> Github | None:
    """Return the GitHub data; None if the studio shows no account.

    Raise UnavailableError if there is none yet. The fields are nullable, so that other fields of a
    query are answered without it.
    """
    if info.context.github is None and info.context.shows_github:
        raise UnavailableError("No GitHub data is available yet; try again later.")
    return info.context.github
