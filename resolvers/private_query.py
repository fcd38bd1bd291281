"""The root `Query` of stored operations: the public one, and fields for them alone."""

from typing import Annotated, ClassVar

import strawberry

from resolvers.agent_guide import agent_guide_of, skill_of
from resolvers.ai.service import EMBED
from resolvers.context import Info
from resolvers.directory import auto_reply_of, directory_of, feed_of, index_of
from resolvers.prompt_tasks import comparison_of, introduction_of, outreach_of
from resolvers.query import Query
from schema.changelog import Feed
from schema.directory import AgentGuide, Directory, ServiceIndex, Skill
from schema.services.contact import AutoReply
from schema.services.prompts import Comparison, Introduction, IntroductionLength, Outreach
from schema.services.search import Embeddings, EmbedInput
from schema.services.signatures import (
    ConsistencyProof,
    InclusionProof,
    KeySet,
    StatementChanges,
    StatementHistory,
    StatementProof,
    TransparencyLog,
    WordsLog,
)
from schema.services.subscribe import Delivery
from sdl.errors import (
    AiUnavailableError,
    InvalidInputError,
    NotFoundError,
    RateLimitedError,
    UnavailableError,
)
from sdl.types.declare import field
from sdl.types.scalar_types import ChangeId, Slug

StatementName = Annotated[str, strawberry.argument(description="The statement's name.")]


class PrivateQuery(Query):
    """Everything that stored operations can query: the public fields and those of their own."""

    graphql_name: ClassVar[str] = "Query"

    @field()
    def index(self, info: Info) -> ServiceIndex:
        """Start page: what this service is, with links to everything that can be read on it."""
        return index_of(self, info.context)

    @field()
    def agent_guide(self, info: Info) -> AgentGuide:
        """The index for agents that act: the rules of acting, then everything that can be read."""
        return agent_guide_of(self, info.context)

    @field()
    def skill(self, info: Info) -> Skill:
        """How to work with this studio, as an agent skill."""
        return skill_of(self, info.context)

    @field()
    def directory(self, info: Info) -> Directory:
        """The facts that discovery documents are made from: owner, policy and all links."""
        return directory_of(self, info.context)

    @field()
    def feed(self, info: Info) -> Feed:
        """The changelog as JSON Feed 1.1."""
        return feed_of(self, info.context)

    @field()
    def auto_reply(
        self,
        info: Info,
        published: Annotated[
            str | None,
            strawberry.argument(description="What the content answers to the mail's question."),
        ] = None,
    ) -> AutoReply:
        """The automatic reply to e-mail to the agents' mailbox."""
        return auto_reply_of(self, info.context, published)

    @field(fails=(NotFoundError,))
    def delivery(
        self,
        entry: Annotated[ChangeId, strawberry.argument(description="The id of a changelog entry.")],
    ) -> Delivery:
        """The JSON body that webhooks receive when an entry is published."""
        match = next((item for item in self.changelog if item.id == entry), None)
        if match is None:
            raise NotFoundError("No entry of the changelog has this id.")
        kind = f"changelog.{match.kind.value}"
        return Delivery(type=kind, timestamp=match.published_at, data=match)

    @field()
    def key_set(self, info: Info) -> KeySet:
        """Public keys to verify signatures with, and revoked keys."""
        return info.context.key_set

    @field()
    def log(self, info: Info) -> TransparencyLog:
        """The changelog as an append-only transparency log."""
        return info.context.log.summary

    @field()
    def checkpoint(self, info: Info) -> str:
        """The signed tree head of the log, a C2SP checkpoint."""
        return info.context.log.checkpoint

    @field(fails=(NotFoundError,))
    def inclusion_proof(
        self,
        info: Info,
        index: Annotated[
            int,
            strawberry.argument(
                description="The position of the entry in the log, from 0, oldest first."
            ),
        ],
    ) -> InclusionProof:
        """The proof that an entry is in the log."""
        return info.context.log.inclusion(index)

    @field(fails=(NotFoundError,))
    def consistency_proof(
        self,
        info: Info,
        from_size: Annotated[
            int, strawberry.argument(description="The number of entries in the earlier log.")
        ],
    ) -> ConsistencyProof:
        """The proof that the log only grew since an earlier size."""
        return info.context.log.consistency(from_size)

    @field()
    def words_log(self, info: Info) -> WordsLog:
        """The log of everything that was published, and the statements of this revision."""
        return info.context.words().summary

    @field()
    def words_checkpoint(self, info: Info) -> str:
        """The signed tree head of the words log, a C2SP checkpoint."""
        return info.context.words().checkpoint

    @field(fails=(NotFoundError,))
    def words_consistency(
        self,
        info: Info,
        from_size: Annotated[
            int, strawberry.argument(description="The number of revisions in the earlier log.")
        ],
    ) -> ConsistencyProof:
        """The proof that an earlier words log is a prefix of the current one."""
        return info.context.words().consistency(from_size)

    @field(fails=(NotFoundError,))
    def statement_changes(
        self,
        info: Info,
        since: Annotated[
            str,
            strawberry.argument(
                description="The digest of a published revision, or the size of the log then."
            ),
        ],
    ) -> StatementChanges:
        """The statements that were added, changed or removed since a revision."""
        return info.context.words().changes_since(since)

    @field(fails=(NotFoundError,))
    def statement_history(self, info: Info, name: StatementName) -> StatementHistory:
        """The revisions that changed a statement."""
        return info.context.words().history_of(info.context.statement_name(name))

    @field(fails=(NotFoundError,))
    def statement_proof(self, info: Info, name: StatementName) -> StatementProof:
        """The proof that the studio published a statement."""
        return info.context.words().proof(info.context.statement_name(name))

    @field(fails=(NotFoundError,))
    def statement_tlog_proof(self, info: Info, name: StatementName) -> str:
        """The same proof in the form C2SP tlog-proof."""
        return info.context.words().tlog_proof(info.context.statement_name(name))

    @field(
        fails=(InvalidInputError, RateLimitedError, AiUnavailableError, UnavailableError),
        spends=EMBED,
    )
    async def embed(
        self,
        info: Info,
        input: Annotated[  # noqa: A002 - GraphQL's name for such an argument
            EmbedInput, strawberry.argument(description="The texts to embed.")
        ],
    ) -> Embeddings:
        """Embedding vectors of texts, from the model that also embeds the studio's content."""
        context = info.context
        return await context.answers.embed(input, context.caller)

    @field()
    def introduction(
        self,
        audience: Annotated[
            str | None, strawberry.argument(description="Who will read the introduction.")
        ] = None,
        length: Annotated[
            IntroductionLength | None,
            strawberry.argument(description="Its length; a paragraph if absent."),
        ] = None,
    ) -> Introduction:
        """The task to introduce the studio, with the facts to use."""
        return introduction_of(self, audience, length)

    @field()
    def outreach(
        self,
        purpose: Annotated[str, strawberry.argument(description="The purpose of the message.")],
        sender: Annotated[
            str | None, strawberry.argument(name="from", description="The sender.")
        ] = None,
    ) -> Outreach:
        """The task to draft a message to the founder, with the facts to use."""
        return outreach_of(self, purpose, sender)

    @field(fails=(NotFoundError, InvalidInputError))
    def comparison(
        self,
        a: Annotated[Slug, strawberry.argument(description="A project's slug.")],
        b: Annotated[Slug, strawberry.argument(description="Another project's slug.")],
    ) -> Comparison:
        """The task to compare two projects, with both of them."""
        return comparison_of(self, a, b)
