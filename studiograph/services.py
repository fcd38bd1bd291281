"""What is made once and lasts for all revisions of the content: keys, stores, budgets, targets."""

import time
from pathlib import Path

from resolvers.ai.service import CHAT, EMBED, AnswerService
from resolvers.contact.idempotency import IdempotencyStore
from resolvers.contact.maildir import Maildir
from resolvers.contact.service import LIMIT_NAME, ContactService
from resolvers.contact.transport import MailTransport
from resolvers.http_client.targets import TargetPolicy
from resolvers.rate_limits.limiter import RateLimiter, parse_limit
from resolvers.webhooks.service import HOST_LIMIT, HOST_LIMIT_NAME
from resolvers.webhooks.service import LIMIT_NAME as SUBSCRIBE
from schema.site import Site
from schema.studio import Studio
from studiograph.settings import Settings, database_of
from studiograph.wiring.ai import make_runtime
from studiograph.wiring.github import make_mirror
from studiograph.wiring.proofs import Proofs, system_clock
from studiograph.wiring.webhooks import SUBSCRIBE_OPERATION, Webhooks, public_targets


class Services:
    """The services of one process. Raises: ProofFault, StateFault."""

    def __init__(
        self, settings: Settings, site: Site, destinations: TargetPolicy | None = None
    ) -> None:
        """With the public hosts as destinations, unless others are handed in."""
        self.settings = settings
        self.quotas = {
            LIMIT_NAME: settings.contact_limit,
            CHAT: settings.chat_limit,
            EMBED: settings.embed_limit,
            SUBSCRIBE: settings.subscribe_limit,
        }
        self.proofs = Proofs(settings, site)
        self.mirror = make_mirror(settings, system_clock)
        self.database = database_of(settings)
        limits = {**self.quotas, HOST_LIMIT_NAME: HOST_LIMIT}
        budgets = {name: parse_limit(name, text) for name, text in limits.items()}
        self.limits = RateLimiter(settings.ratelimit_url, self.database, budgets)
        self.wing = make_runtime(settings)
        allowed = destinations or public_targets(settings)
        self.webhooks = Webhooks(settings, self.database, self.limits, allowed)
        self._receipts = IdempotencyStore(self.database, time.time)

    @property
    def facts(self) -> dict[str, dict[str, str]]:
        """What the descriptions of operations tell besides, by their names."""
        return {SUBSCRIBE_OPERATION: {"publicKey": self.webhooks.key.public_text}}

    def answers(self) -> AnswerService:
        """The counter where questions are asked."""
        return AnswerService(self.wing, self.limits, chats=self.settings.ai_llm != "none")

    def desk(self, studio: Studio) -> ContactService:
        """The desk for messages to a studio's human."""
        mailbox = mailbox_of(self.settings, studio)
        target = target_of(self.settings, studio)
        return ContactService(target, mailbox, self.limits, self._receipts, system_clock)

    def refresh(self) -> bool:
        """Whether a fact is not what it was."""
        return any([self.proofs.refresh(), self.mirror.refresh()])

    async def close(self) -> None:
        """Nothing, once no store is open any more."""
        await self.wing.close()
        await self.limits.close()
        await self.database.close()


def mailbox_of(settings: Settings, studio: Studio) -> str:
    """The address of the agents' mailbox."""
    return settings.mail_from or studio.contact.programmatic_email


def target_of(settings: Settings, studio: Studio) -> MailTransport:
    """Where messages to the human go."""
    to = settings.mail_to or studio.contact.email
    if not settings.smtp_url.get_secret_value():
        return Maildir(inbox_of(settings), to)
    from resolvers.contact.smtp import SmtpTransport  # noqa: PLC0415 - only where a relay is set

    return SmtpTransport(settings.smtp_url.get_secret_value(), mailbox_of(settings, studio), to)


def inbox_of(settings: Settings) -> Path:
    """The folder of the inbox on this machine."""
    return settings.data / "inbox"
