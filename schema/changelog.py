"""The changelog: its entries, their kinds and the pulse of recent changes."""

import enum
from typing import Annotated

from schema.sections import Status
from sdl.types.declare import Output, asked, enum_type
from sdl.types.marks import Cites, Heading
from sdl.types.scalar_types import (
    ChangeId,
    Count,
    Digest,
    Instant,
    Line,
    Path,
    Reference,
    Text,
    Url,
)


@enum_type
class ChangeKind(enum.Enum):
    """The kind of change that a changelog entry reports."""

    ADDED = "added"
    """Something new."""
    CHANGED = "changed"
    """Something existing works differently now."""
    FIXED = "fixed"
    """A fault was corrected."""
    REMOVED = "removed"
    """Something was removed."""
    ANNOUNCED = "announced"
    """An announcement, or a change that is still to come."""


class ChangelogEntry(Output):
    """One changelog entry. It never changes after it is published."""

    id: Annotated[ChangeId, asked()]
    """The entry's id, unique and permanent."""
    published_at: Annotated[
        Instant, asked("when was this change published", says="{title}: {publishedAt}.")
    ]
    """When it was published; no two entries have the same time."""
    kind: Annotated[ChangeKind, asked()]
    """The kind of change."""
    title: Annotated[Line, Heading(), asked()]
    """The change in one line."""
    body: Annotated[Text, asked("what changed and why", "tell me about this change", says="{body}")]
    """What changed, why, and what it means for readers."""
    refs: Annotated[list[Reference] | None, Cites(), asked()] = None
    """The entries it is about, each as `<kind>/<slug>`."""
    url: Annotated[
        Url | None, asked("where can I read more about this change", says="{title}: {url}.")
    ] = None
    """A page with more about it."""


class AgentPulse(Output):
    """Changes after a given time, the current status and the path for the next poll."""

    since: Instant | None = None
    """The time asked about; absent when all changes are listed."""
    as_of: Instant | None = None
    """The time of the newest changelog entry or project update, if there is one."""
    revision: Digest
    """The SHA-256 digest of the whole content; it changes when any content changes."""
    rollup_hash: Digest
    """The RFC 9162 Merkle tree head over all changelog entries, oldest first."""
    tree_size: Count
    """The number of changelog entries in the tree."""
    count: Count
    """The number of entries in `changes`."""
    changes: list[ChangelogEntry]
    """The entries published after `since`, newest first."""
    status: Status
    """The current status of the studio and its projects."""
    next: Path
    """The path to poll next; it returns only what is published after these changes."""
