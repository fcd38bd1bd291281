"""The services of a process: made once, shared by all revisions of the content."""

import time
from pathlib import Path

from resolvers.ai.service import CHAT, EMBED, AnswerService
from resolvers.contact.idempotency import IdempotencyStore
from resolvers.contact.maildir import Maildir
from resolvers.contact.notice import Notices, NoticeTransport
from resolvers.contact.service import LIMIT_NAME as CONTACT
from resolvers.contact.service import ContactService
from resolvers.contact.transport import MailTransport
from resolvers.http_client.targets import TargetPolicy
from resolvers.mailbox.rules import sender_digest
from resolvers.rate_limits.limiter import RateLimiter, parse_limit
from resolvers.webhooks.service import HOST_LIMIT, HOST_LIMIT_NAME
from resolvers.webhooks.service import LIMIT_NAME as SUBSCRIBE
from schema.site import Site
from schema.studio import Studio
from studiograph.settings import Settings, SettingsError
from studiograph.wiring.ai import make_runtime
from studiograph.wiring.github import make_mirror
from studiograph.wiring.proofs import Proofs, system_clock
from studiograph.wiring.usage import make_recorder
from studiograph.wiring.webhooks import SUBSCRIBE_OPERATION, Webhooks, public_targets


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
        self.usage = make_recorder(settings, self.database, self.proofs.key_ring)
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
