"""The context of a request: what resolvers read besides the content."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

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
from sdl.catalog import IndexEntry
from sdl.scalar_types import Digest

ANONYMOUS = Caller("", Channel.HTTP)
"""The caller of requests whose answer is the same for everybody, such as reads."""


@dataclass(frozen=True)
class RequestContext:
    """The context of one request; all of it belongs to one revision of the content."""

    base_url: str
    entries: EntryGraph
    revision: Digest
    log: Log
    key_set: KeySet
    identity: Identity
    github: Github | None
    catalog: Callable[[], Sequence[IndexEntry]]
    """Return every address that can be read in this revision, in the order of the index."""
    path: Callable[[str], str]
    """Return the HTTP path of the stored operation with this name; `/` if there is none."""
    contact: ContactService
    subscriptions: SubscriptionService
    answers: AnswerService
    caller: Caller = ANONYMOUS
    """The caller."""

    def for_caller(self, caller: Caller) -> "RequestContext":
        """Return this context with another caller."""
        return replace(self, caller=caller)


Info = strawberry.Info[RequestContext, Any]
