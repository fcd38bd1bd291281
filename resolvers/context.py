"""What a resolver is handed: facts of this revision and what the roof provides."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import strawberry

from resolvers.ai.service import AnswerService
from resolvers.contact.service import ContactService
from resolvers.transparency.log import Log
from resolvers.webhooks.service import SubscriptionService
from schema.entry_graph import EntryGraph
from schema.github import Github
from schema.identity import Identity
from schema.signatures import KeySet
from sdl.caller import Caller, Channel
from sdl.scalar_types import Digest


class OperationLink(Protocol):
    """One stored operation, or one address of it, as an index shows it."""

    @property
    def section(self) -> str:
        """The index section it belongs to."""
        ...

    @property
    def title(self) -> str:
        """Its title."""
        ...

    @property
    def path(self) -> str:
        """The path to read."""
        ...

    @property
    def reading_path(self) -> str:
        """The path of its markdown form, or the path itself where there is none."""
        ...

    @property
    def note(self) -> str:
        """One line saying what is there."""
        ...


ANONYMOUS = Caller("", Channel.HTTP)
"""Who asks where it does not matter: reads are the same for everybody."""


@dataclass(frozen=True)
class RequestContext:
    """The context of one run: everything belongs to one revision."""

    base_url: str
    entries: EntryGraph
    revision: Digest
    log: Log
    key_set: KeySet
    identity: Identity
    github: Github | None
    catalog: Callable[[], Sequence[OperationLink]]
    """Every address that stored operations answer with this revision."""
    path: Callable[[str], str]
    """The path of the stored operation with this name."""
    contact: ContactService
    subscriptions: SubscriptionService
    answers: AnswerService
    caller: Caller = ANONYMOUS
    """Who asks."""

    def for_caller(self, caller: Caller) -> "RequestContext":
        """The same for one caller."""
        return replace(self, caller=caller)


Info = strawberry.Info[RequestContext, Any]
