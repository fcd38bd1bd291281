"""The services of a process, made from the settings once for all revisions of the content."""

import os
import random
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from starlette.types import Scope

from resolvers.ai.engine import ModelConfig
from resolvers.ai.memory import share_one_arena
from resolvers.ai.runtime import ModelRuntime
from resolvers.ai.service import CHAT, EMBED, AnswerService
from resolvers.contact.idempotency import IdempotencyStore
from resolvers.contact.service import LIMIT_NAME as CONTACT
from resolvers.contact.service import ContactService
from resolvers.contact.transport import Maildir, MailTransport, Notices, NoticeTransport
from resolvers.db.database import Database
from resolvers.embeddings.config import EmbedderConfig
from resolvers.github.convert import AccountName
from resolvers.github.mirror import Clock, GithubMirror
from resolvers.http_client.client import OutboundClient
from resolvers.http_client.targets import PublicHostsOnly, TargetPolicy
from resolvers.mailbox.rules import sender_digest
from resolvers.rate_limits.limiter import RateLimiter, parse_limit
from resolvers.signing.keys import derived_secret
from resolvers.usage.recorder import UsageRecorder
from resolvers.usage.store import QUESTIONS, UsageStore
from resolvers.webhooks.delivery_store import DeliveryStore
from resolvers.webhooks.keys import load_keys
from resolvers.webhooks.retry_policy import RetryPolicy
from resolvers.webhooks.sender import DeliveryWorker
from resolvers.webhooks.service import HOST_LIMIT, HOST_LIMIT_NAME, SubscriptionService
from resolvers.webhooks.service import LIMIT_NAME as SUBSCRIBE
from resolvers.webhooks.signing import SecretCipher
from resolvers.webhooks.subscription_store import SubscriptionStore
from resolvers.webhooks.verification import EndpointVerifier
from rest_bridge.endpoints.write import AgentOf
from rest_bridge.http.access_log import request_observers
from schema.services.signatures import Claim, ClaimStatus, ClaimType, Identity
from schema.site import Site
from schema.studio import Studio
from sdl.caller import Agent
from sdl.operations.catalog import entry_reads
from sdl.running.runner import Operations
from sdl.types.declare import Output, marks_of
from sdl.types.marks import Searchable
from sdl.types.scalar_types import format_instant
from studiograph.settings import Settings, SettingsError
from studiograph.wiring.proofs import Proofs, system_clock

if TYPE_CHECKING:
    from resolvers.chat.language_model import LanguageModel


class Services:
    """The services of one process. Raises: ProofError, DatabaseError."""

    def __init__(
        self,
        settings: Settings,
        site: Site,
        destinations: TargetPolicy | None = None,
        *,
        preview: bool = False,
    ) -> None:
        """Make the services; `destinations` limits webhook targets, by default to public hosts.

        A `preview` publishes nothing: what it serves leaves no trace in a log.
        """
        self.settings = settings
        self.preview = preview
        self.limit_texts = {
            CONTACT: settings.contact_limit,
            CHAT: settings.chat_limit,
            EMBED: settings.embed_limit,
            SUBSCRIBE: settings.subscribe_limit,
        }
        self.proofs = Proofs(settings, site, publishes=not preview)
        self.mirror = make_mirror(settings, system_clock)
        self.database = self.proofs.store.database
        limits = {**self.limit_texts, HOST_LIMIT_NAME: HOST_LIMIT}
        parsed = {name: parse_limit(name, text) for name, text in limits.items()}
        self.limits = RateLimiter(self.database, parsed)
        self.models = make_runtime(settings, site.studio.language or "en")
        targets = destinations or public_targets(settings)
        self.webhooks = Webhooks(settings, self.database, self.limits, targets)
        notify_url = settings.notify_url.get_secret_value()
        self.notices = Notices(notify_url, site.studio.name) if notify_url else None
        self.usage = UsageRecorder(
            UsageStore(self.database),
            derived_secret(self.proofs.key_ring, _LABEL),
            system_clock,
            questions=settings.mirror == "questions",
        )
        self._idempotency = IdempotencyStore(self.database, time.time)

    @property
    def public_keys(self) -> dict[str, dict[str, str]]:
        """Extra members of operations in OpenAPI, by operation name."""
        return {SUBSCRIBE_OPERATION: {"publicKey": self.webhooks.key.public_text}}

    def answer_service(self) -> AnswerService:
        """Return the service for search, chat, intent and embeddings."""
        chats = self.settings.ai_llm != "none"
        return AnswerService(self.models, self.limits, chats=chats, usage=self.usage)

    def contact_service(self, studio: Studio) -> ContactService:
        """Return the service for messages to a studio's human."""
        mailbox = mailbox_address(self.settings, studio)
        return ContactService(
            self.transport(studio), mailbox, self.limits, self._idempotency, system_clock
        )

    def transport(self, studio: Studio) -> MailTransport:
        """Return the transport of messages to the human, with a notice of each if one is asked."""
        transport = make_transport(self.settings, studio)
        return NoticeTransport(transport, self.notices) if self.notices else transport

    def refresh(self) -> bool:
        """Read keys, claims and GitHub data again; return whether any has changed."""
        return any([self.proofs.refresh(), self.mirror.refresh()])

    async def close(self) -> None:
        """Send the last notices, and close the models and all stores."""
        if self.notices is not None:
            await self.notices.close()
        await self.models.close()
        await self.database.close()


def mailbox_address(settings: Settings, studio: Studio) -> str:
    """Return the address of the agents' mailbox."""
    return settings.mail_from or studio.contact.agents_email


def make_transport(settings: Settings, studio: Studio) -> MailTransport:
    """Return the transport of messages to the human: SMTP, or the inbox on this machine."""
    to = settings.mail_to or studio.contact.email
    if not settings.smtp_url.get_secret_value():
        return Maildir(inbox_folder(settings), to)
    from resolvers.contact.smtp import SmtpTransport  # noqa: PLC0415 - 0.01 s, only where a relay is set

    return SmtpTransport(
        settings.smtp_url.get_secret_value(), mailbox_address(settings, studio), to
    )


def inbox_folder(settings: Settings) -> Path:
    """Return the folder of the inbox on this machine."""
    return settings.data / "inbox"


def check_no_loop(settings: Settings, studio: Studio) -> None:
    """Check that mails are not forwarded to the mailbox itself. Raises: SettingsError."""
    mailbox = mailbox_address(settings, studio)
    if settings.smtp_url.get_secret_value() and sender_digest(mailbox) == sender_digest(
        make_transport(settings, studio).to
    ):
        raise SettingsError(
            f"{mailbox} is both the agents' mailbox and the human's address. Fix: set"
            " STUDIOGRAPH_MAIL_TO to an address that a person reads."
        )


CHANGELOG_OPERATION = "ListChangelog"
SUBSCRIBE_OPERATION, UNSUBSCRIBE_OPERATION = "Subscribe", "Unsubscribe"
"""The operations whose paths subscribers need."""


def public_targets(settings: Settings) -> PublicHostsOnly:
    """Return the policy that allows public hosts, without this service's own."""
    own_hosts = {urlsplit(settings.public_url).hostname or "", *settings.hosts}
    return PublicHostsOnly(frozenset(own_hosts), settings.dns_resolver)


def user_agent(settings: Settings) -> str:
    """Return the User-Agent of every request to a receiver."""
    return f"studiograph-webhooks/2 (+{settings.public_url})"


class Webhooks:
    """The webhooks of one process. Raises: ProofError, DatabaseError."""

    def __init__(
        self, settings: Settings, database: Database, limits: RateLimiter, targets: TargetPolicy
    ) -> None:
        keys = load_keys(settings.data / "keys", database)
        self.settings = settings
        self.key = keys.signing
        self.cipher = SecretCipher(keys.encryption, os.urandom)
        self.outbound = OutboundClient(targets)
        self.subscriptions = SubscriptionStore(database, time.time)
        self.deliveries = DeliveryStore(database, time.time)
        self.verifier = EndpointVerifier(self.outbound, os.urandom, user_agent(settings))
        self._limits = limits

    def service(self, site: "Site", changelog_path: str, path: str) -> SubscriptionService:
        """Return the subscription service for one revision of the content."""
        newest = max((entry.published_at for entry in site.changelog), default=None)
        return SubscriptionService(
            subscriptions=self.subscriptions,
            targets=self.outbound.destinations,
            verifier=self.verifier,
            limits=self._limits,
            cipher=self.cipher,
            key=self.key,
            random=os.urandom,
            clock=system_clock,
            newest="" if newest is None else format_instant(newest),
            topic=f"{self.settings.public_url}{changelog_path}",
            path=path,
        )

    def with_webhook_key(self, identity: Identity, path: str) -> Identity:
        """Return the identity with one more claim: the key that signs deliveries."""
        public_key = self.key.public_text
        claim = Claim(
            type=ClaimType.WEBHOOK_KEY,
            subject="deliveries",
            expected=public_key,
            observed=public_key,
            status=ClaimStatus.VERIFIED,
            detail="Signs every webhook delivery. The content is signed with other keys.",
            how=f"Read publicKey at {path}, and check the v1a signature of a delivery with it.",
        )
        return Identity(claims=[*identity.claims, claim])

    def worker(self) -> DeliveryWorker:
        """Return the worker that makes this process's deliveries."""
        return DeliveryWorker(
            store=self.deliveries,
            outbound=self.outbound,
            cipher=self.cipher,
            key=self.key,
            retry_policy=RetryPolicy(random.uniform, self.settings.webhook_schedule),
            agent=user_agent(self.settings),
            clock=system_clock,
        )


ANSWER_SECONDS = 60
"""How much longer than its first word a whole answer may take."""


def make_runtime(settings: Settings, language: str) -> ModelRuntime:
    """Return the runtime; it has loaded no model yet. Raises: SettingsError."""
    _check_models(settings)
    share_one_arena()
    has_model = settings.ai_llm == "openai-like"
    config = ModelConfig(
        data=settings.data,
        embedder=EmbedderConfig(
            kind=settings.ai_embedder,
            base_url=settings.ai_embed_base_url,
            api_key=settings.ai_embed_api_key.get_secret_value(),
            model=settings.ai_embed_model,
            dimensions=settings.ai_embed_dimensions,
            query_prefix=settings.ai_embed_query_prefix,
            doc_prefix=settings.ai_embed_doc_prefix,
            language=language,
        ),
        writer=partial(_writer, settings) if has_model else None,
        falls_back=settings.ai_llm_fallback == "extractive",
    )
    return ModelRuntime(config)


def citation_urls(operations: Operations) -> Callable[[str, str], str]:
    """Return a function from an entry's kind and slug to its path.

    It is the entry's own path, or that of the list that contains it, or the root's.
    """
    fields = dict(_searchable_fields(Site))
    lists = {o.root.name.value: o for o in operations if o.is_read and not o.path_variables}
    entries = entry_reads(operations)

    def path_of(kind: str, slug: str) -> str:
        read = entries.get(kind) or lists.get(fields.get(kind, ""))
        if read is None or read.rest is None:
            return "/"
        variables = dict.fromkeys(read.path_variables, quote(slug, safe=""))
        return read.rest.path.format_map(variables)

    return path_of


def _searchable_fields(kind: type[Output]) -> Iterator[tuple[str, str]]:
    """Yield each searchable kind and its GraphQL field."""
    for name, info in kind.model_fields.items():
        for mark in marks_of(info):
            if isinstance(mark, Searchable):
                yield mark.kind, info.alias or name
        inner = info.annotation
        if isinstance(inner, type) and issubclass(inner, Output):
            yield from _searchable_fields(inner)


def _check_models(settings: Settings) -> None:
    """Check that the settings fit together. Raises: SettingsError."""
    needs = (
        ("ai_embedder", "openai-like", ("ai_embed_base_url", "ai_embed_model")),
        ("ai_embedder", "huggingface", ("ai_embed_model",)),
        ("ai_llm", "openai-like", ("ai_llm_base_url", "ai_llm_model")),
    )
    problems = [
        f"STUDIOGRAPH_{required.upper()}: is needed with STUDIOGRAPH_{name.upper()}={value}"
        for name, value, others in needs
        if getattr(settings, name) == value
        for required in others
        if not getattr(settings, required)
    ]
    if problems:
        raise SettingsError("\n".join(problems))


def _writer(settings: Settings) -> "LanguageModel":
    from resolvers.chat.language_model import (  # noqa: PLC0415 - 0.2 s, only with a language model
        LanguageModel,
        LanguageModelConfig,
    )

    return LanguageModel(
        LanguageModelConfig(
            base_url=settings.ai_llm_base_url,
            api_key=settings.ai_llm_api_key.get_secret_value(),
            model=settings.ai_llm_model,
            timeout_seconds=settings.ai_llm_timeout_s,
            total_seconds=settings.ai_llm_timeout_s + ANSWER_SECONDS,
            max_tokens=settings.ai_llm_max_tokens,
            temperature=settings.ai_llm_temperature,
        )
    )


def account_of(settings: Settings) -> AccountName:
    """Return the configured account; its `user` is empty if none is configured."""
    return AccountName(
        api_url=settings.github_api_url.rstrip("/"),
        user=settings.github_user,
        topic=settings.github_reading_topic,
        token=settings.github_token.get_secret_value(),
    )


def make_mirror(settings: Settings, clock: Clock) -> GithubMirror:
    """Return the mirror of the configured account, kept in the data folder."""
    return GithubMirror(account_of(settings), settings.data / "github.json", clock)


def agent_verification(settings: Settings, outbound: OutboundClient) -> AgentOf | None:
    """Return what verifies the agent of a request; None if no signatures are verified."""
    if settings.agent_signatures == "off":
        return None
    from resolvers.agent_identity.signed_request import RequestHead  # noqa: PLC0415 - as above
    from resolvers.agent_identity.verifier import (  # noqa: PLC0415 - http_sf, 0.04 s, and by default nothing is verified
        AgentVerifier,
        KeyDirectories,
    )

    directories = KeyDirectories(outbound, f"studiograph-agents/1 (+{settings.public_url})")
    verifier = AgentVerifier(directories, outbound.destinations)

    async def agent_of(scope: Scope) -> Agent | None:
        headers = [
            (name.decode("latin-1"), text.decode("latin-1")) for name, text in scope["headers"]
        ]
        head = RequestHead(scope["method"], settings.public_url, _target(scope), headers)
        return await verifier.agent_of(head)

    return agent_of


def _target(scope: Scope) -> str:
    """Return the path and the query, as sent."""
    path: bytes = (scope.get("raw_path") or scope["path"].encode()).partition(b"?")[0]
    query: bytes = scope["query_string"]
    return (path + b"?" + query if query else path).decode("latin-1")


NOTICE = (
    f"Questions to chat, search and intent are kept for {QUESTIONS.days} days without addresses,"
    " numbers and what looks like a name, and the studio sees words that three callers used."
)
_LABEL = b"studiograph: callers who asked"  # changing it would count them twice


def notices_of(settings: Settings) -> Sequence[str]:
    """Return what callers are told of what is kept about them."""
    return (NOTICE,) if settings.mirror == "questions" else ()


@asynccontextmanager
async def counting(settings: Settings, usage: UsageRecorder) -> AsyncIterator[None]:
    """Count until the block ends, unless that is switched off."""
    if settings.mirror == "off":
        yield
        return
    request_observers.append(usage.note_request)
    try:
        async with usage.recording():
            yield
    finally:
        request_observers.remove(usage.note_request)
