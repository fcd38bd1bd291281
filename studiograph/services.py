"""What is made once and lasts for all revisions of the content: keys, stores, budgets, targets."""

import time
from pathlib import Path

from resolvers.answers.answers import CHAT, EMBED, Answers
from resolvers.letters.contact import BUDGET, Desk
from resolvers.letters.destinations import Destinations
from resolvers.letters.maildir import Maildir
from resolvers.letters.receipts import Receipts
from resolvers.letters.subscribing import BUDGET as SUBSCRIBE
from resolvers.letters.subscribing import HOST_BUDGET, HOST_LIMIT
from resolvers.letters.target import Target
from resolvers.limits import Limits, budget
from schema.site import Site
from schema.studio import Studio
from studiograph.answers import wing_of
from studiograph.github import Mirror
from studiograph.proofs import Proofs, system_clock
from studiograph.settings import Settings
from studiograph.state import database_of
from studiograph.webhooks import BEGINNING, Webhooks, destinations_of


class Services:
    """The services of one process. Raises: ProofFault, StateFault."""

    def __init__(
        self, settings: Settings, site: Site, destinations: Destinations | None = None
    ) -> None:
        """With the public hosts as destinations, unless others are handed in."""
        self.settings = settings
        self.quotas = {
            BUDGET: settings.contact_limit,
            CHAT: settings.chat_limit,
            EMBED: settings.embed_limit,
            SUBSCRIBE: settings.subscribe_limit,
        }
        self.proofs = Proofs(settings, site)
        self.mirror = Mirror(settings)
        self.database = database_of(settings)
        limits = {**self.quotas, HOST_BUDGET: HOST_LIMIT}
        budgets = {name: budget(name, text) for name, text in limits.items()}
        self.limits = Limits(settings.ratelimit_url, self.database, budgets)
        self.wing = wing_of(settings)
        allowed = destinations or destinations_of(settings)
        self.webhooks = Webhooks(settings, self.database, self.limits, allowed)
        self._receipts = Receipts(self.database, time.time)

    @property
    def facts(self) -> dict[str, dict[str, str]]:
        """What the descriptions of operations tell besides, by their names."""
        return {BEGINNING: {"publicKey": self.webhooks.key.public_text}}

    def answers(self) -> Answers:
        """The counter where questions are asked."""
        return Answers(self.wing, self.limits, chats=self.settings.ai_llm != "none")

    def desk(self, studio: Studio) -> Desk:
        """The desk for messages to a studio's human."""
        mailbox = mailbox_of(self.settings, studio)
        target = target_of(self.settings, studio)
        return Desk(target, mailbox, self.limits, self._receipts, system_clock)

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


def target_of(settings: Settings, studio: Studio) -> Target:
    """Where messages to the human go."""
    to = settings.mail_to or studio.contact.email
    if not settings.smtp_url.get_secret_value():
        return Maildir(inbox_of(settings), to)
    from resolvers.letters.relay import Relay  # noqa: PLC0415 - only where a relay is set

    return Relay(settings.smtp_url.get_secret_value(), mailbox_of(settings, studio), to)


def inbox_of(settings: Settings) -> Path:
    """The folder of the inbox on this machine."""
    return settings.data / "inbox"
