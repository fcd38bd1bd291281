"""What a resolver is handed: facts of this revision and what the roof provides."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import strawberry

from resolvers.answers.answers import Answers
from resolvers.letters.contact import Desk
from resolvers.letters.subscribing import SubscriptionDesk
from resolvers.proofs.log import Log
from schema.caller import Caller, Channel
from schema.github import Github
from schema.graph import Graph
from schema.identity import Identity
from schema.signed import KeySet
from schema.words import Digest


class OperationCard(Protocol):
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


NOBODY = Caller("", Channel.HTTP)
"""Who asks where it does not matter: reads are the same for everybody."""


@dataclass(frozen=True)
class Call:
    """The context of one run: everything belongs to one revision."""

    base_url: str
    graph: Graph
    digest: Digest
    log: Log
    key_set: KeySet
    identity: Identity
    github: Github | None
    catalogue: Callable[[], Sequence[OperationCard]]
    """Every address that stored operations answer with this revision."""
    path: Callable[[str], str]
    """The path of the stored operation with this name."""
    desk: Desk
    subscriptions: SubscriptionDesk
    answers: Answers
    caller: Caller = NOBODY
    """Who asks."""

    def of(self, caller: Caller) -> "Call":
        """The same for one caller."""
        return replace(self, caller=caller)


Info = strawberry.Info[Call, Any]
