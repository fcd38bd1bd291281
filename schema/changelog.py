"""The changelog: what was added, changed, fixed, removed and announced, entry by entry."""

import enum
from typing import Annotated

from schema.sections import Status
from sdl.declare import Output, enum_type
from sdl.marks import Cites, Heading
from sdl.scalar_types import ChangeId, Count, Digest, Instant, Line, Path, Reference, Text, Url


@enum_type
class ChangeKind(enum.Enum):
    """What a changelog entry reports."""

    ADDED = "added"
    """Something new."""
    CHANGED = "changed"
    """Something that was there and is different now."""
    FIXED = "fixed"
    """Something that was wrong and is right now."""
    REMOVED = "removed"
    """Something that is gone."""
    ANNOUNCED = "announced"
    """Something that is going to happen, or news."""


class ChangelogEntry(Output):
    """One published entry; once published it never changes."""

    id: ChangeId
    """The entry's id, unique for ever."""
    published_at: Instant
    """When it was published, unique among entries."""
    kind: ChangeKind
    """What it reports."""
    title: Annotated[Line, Heading()]
    """The entry in one line."""
    body: Text
    """What changed, why, and what it means for readers."""
    refs: Annotated[list[Reference] | None, Cites()] = None
    """What it is about: `<kind>/<slug>`."""
    url: Url | None = None
    """Where there is more."""


class AgentPulse(Output):
    """What changed since an instant, and where to ask next."""

    since: Instant | None = None
    """The instant asked about; absent, every change is listed."""
    as_of: Instant
    """The newest change of the whole site."""
    revision: Digest
    """The digest of the whole content."""
    rollup_hash: Digest
    """The RFC 9162 tree head over all changelog entries, oldest first."""
    tree_size: Count
    """How many changelog entries the tree head covers."""
    count: Count
    """How many changes are listed here."""
    changes: list[ChangelogEntry]
    """The changes published after `since`, newest first."""
    status: Status
    """The studio's state."""
    next: Path
    """The path to ask for what comes after this."""
