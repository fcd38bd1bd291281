"""What stored operations alone can ask, besides everything that anybody can."""

from typing import Annotated, ClassVar

import strawberry

from resolvers.context import Info
from resolvers.directory import auto_reply_of, directory_of, feed_of, index_of
from resolvers.prompt_tasks import comparison_of, introduction_of, outreach_of
from resolvers.query import Query
from schema.contact import AutoReply
from schema.feed import Feed
from schema.prompts import Comparison, Introduction, IntroductionLength, Outreach
from schema.search import Embeddings, EmbedInput
from schema.signatures import ConsistencyProof, InclusionProof, KeySet, TransparencyLog
from schema.subscribe import Delivery
from sdl.declare import field
from sdl.directory import Directory, Index
from sdl.errors import (
    AiUnavailableError,
    InvalidInputError,
    NotFoundError,
    RateLimitedError,
    UnavailableError,
)
from sdl.scalar_types import ChangeId, Slug


class PrivateQuery(Query):
    """Everything that stored operations can ask, the documents about the site included."""

    graphql_name: ClassVar[str] = "Query"

    @field()
    def index(self, info: Info) -> Index:
        """What this service is and everything that can be read on it."""
        return index_of(self, info.context)

    @field()
    def directory(self, info: Info) -> Directory:
        """What documents about this service are made of."""
        return directory_of(self, info.context)

    @field()
    def feed(self, info: Info) -> Feed:
        """The changelog as JSON Feed 1.1."""
        return feed_of(self, info.context)

    @field()
    def auto_reply(self, info: Info) -> AutoReply:
        """The automatic answer to a mail to the agents' mailbox."""
        return auto_reply_of(self, info.context)

    @field(fails=(NotFoundError,))
    def delivery(
        self,
        entry: Annotated[ChangeId, strawberry.argument(description="The id of a changelog entry.")],
    ) -> Delivery:
        """What is sent to subscribed addresses when an entry is published."""
        found = next((each for each in self.changelog if each.id == entry), None)
        if found is None:
            raise NotFoundError("There is no such entry.")
        kind = f"changelog.{found.kind.value}"
        return Delivery(type=kind, timestamp=found.published_at, data=found)

    @field()
    def key_set(self, info: Info) -> KeySet:
        """The keys that signatures are checked with."""
        return info.context.key_set

    @field()
    def log(self, info: Info) -> TransparencyLog:
        """The changelog as an append-only log."""
        return info.context.log.summary

    @field()
    def checkpoint(self, info: Info) -> str:
        """The signed head of the log, a C2SP checkpoint."""
        return info.context.log.checkpoint

    @field(fails=(NotFoundError,))
    def inclusion_proof(
        self,
        info: Info,
        index: Annotated[
            int, strawberry.argument(description="The entry's place, from 0, oldest first.")
        ],
    ) -> InclusionProof:
        """The proof that an entry stands in the log."""
        return info.context.log.inclusion(index)

    @field(fails=(NotFoundError,))
    def consistency_proof(
        self,
        info: Info,
        from_size: Annotated[
            int, strawberry.argument(description="How many entries the log held then.")
        ],
    ) -> ConsistencyProof:
        """The proof that the log still begins as it once was."""
        return info.context.log.consistency(from_size)

    @field(
        fails=(InvalidInputError, RateLimitedError, AiUnavailableError, UnavailableError),
        spends="embed",
    )
    async def embed(
        self,
        info: Info,
        input: Annotated[  # noqa: A002 - GraphQL's word for what is handed in
            EmbedInput, strawberry.argument(description="The texts.")
        ],
    ) -> Embeddings:
        """The vectors of texts, made as those of the studio's own texts are."""
        call = info.context
        return await call.answers.embed(input, call.caller)

    @field()
    def introduction(
        self,
        audience: Annotated[
            str | None, strawberry.argument(description="Who is to read it.")
        ] = None,
        length: Annotated[
            IntroductionLength | None, strawberry.argument(description="How long it is.")
        ] = None,
    ) -> Introduction:
        """The task of introducing the studio, with what is to be told."""
        return introduction_of(self, audience, length)

    @field()
    def outreach(
        self,
        purpose: Annotated[str, strawberry.argument(description="What the message is for.")],
        sender: Annotated[
            str | None, strawberry.argument(name="from", description="Who writes.")
        ] = None,
    ) -> Outreach:
        """The task of writing to the studio's human, with what makes a message welcome."""
        return outreach_of(self, purpose, sender)

    @field(fails=(NotFoundError, InvalidInputError))
    def comparison(
        self,
        a: Annotated[Slug, strawberry.argument(description="A project's slug.")],
        b: Annotated[Slug, strawberry.argument(description="Another project's slug.")],
    ) -> Comparison:
        """The task of comparing two projects, with both."""
        return comparison_of(self, a, b)
