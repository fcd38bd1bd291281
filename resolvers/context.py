"""The context of a request: what resolvers read besides the content."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

import strawberry

from resolvers.ai.service import AnswerService
from resolvers.contact.service import ContactService
from resolvers.transparency.log import Log
from resolvers.transparency.words import Words
from resolvers.webhooks.service import SubscriptionService
from schema.github import Github
from schema.services.entry_graph import EntryGraph
from schema.services.signatures import Identity, KeySet
from sdl.caller import Caller, Channel
from sdl.operations.catalog import IndexEntry
from sdl.operations.operation import section_of
from sdl.types.scalar_types import Digest

ANONYMOUS = Caller("", Channel.HTTP)
"""The caller of requests whose answer is the same for everybody, such as reads."""


@dataclass(frozen=True)
class RequestContext:
    """The context of one request; all of it belongs to one revision of the content."""

    base_url: str
    entries: EntryGraph
    revision: Digest
    log: Log
    words: Callable[[], Words]
    """Return what this revision says, with its proofs."""
    statement_name: Callable[[str], str]
    """Return the name of a statement, also for how an entry is cited: `project/tidebook`."""
    key_set: KeySet
    identity: Identity
    github: Github | None
    """The data of the studio's GitHub account; None if there is none, or none yet."""
    shows_github: bool
    """Whether the studio shows an account."""
    catalog: Callable[[], Sequence[IndexEntry]]
    """Return every address that can be read in this revision, in the order of the index."""
    tokens: Callable[[IndexEntry], int | None]
    """Return about how many tokens an entry's document has; None if it is not counted."""
    path: Callable[[str], str]
    """Return the HTTP path of the stored operation with this name; `/` if there is none."""
    contact: ContactService
    subscriptions: SubscriptionService
    answers: AnswerService
    """Search, chat, intent and embeddings: `resolvers/ai/service.py`."""
    notices: Sequence[str] = ()
    """What callers are told of what is kept about them, in a sentence each."""
    caller: Caller = ANONYMOUS
    """The caller."""

    def proof_path(self, url: str) -> str | None:
        """Return the path of the proof that what stands at a path was published, if it has one."""
        name = section_of(url)
        if name not in self.words().content.texts:
            return None
        return f"{self.path('GetStatementProof')}?name={quote(name, safe='/')}"

    def for_caller(self, caller: Caller) -> "RequestContext":
        """Return this context with another caller."""
        return replace(self, caller=caller)


Info = strawberry.Info[RequestContext, Any]
