"""The changelog: its entries and their kinds, the pulse of changes, and the feed."""

import enum
from typing import Annotated

from schema.sections import Status
from sdl.types.declare import Output, enum_type
from sdl.types.marks import Cites, Heading, Says
from sdl.types.scalar_types import (
    ChangeId,
    Count,
    Digest,
    Instant,
    LanguageCode,
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

    id: ChangeId
    """The entry's id, unique and permanent."""
    published_at: Annotated[Instant, Says("{title}: {publishedAt}.")]
    """When it was published; no two entries have the same time."""
    kind: ChangeKind
    """The kind of change."""
    title: Annotated[Line, Heading()]
    """The change in one line."""
    body: Annotated[Text, Says("{body}")]
    """What changed, why, and what it means for readers."""
    refs: Annotated[list[Reference] | None, Cites()] = None
    """The entries it is about, each as `<kind>/<slug>`."""
    url: Annotated[Url | None, Says("{title}: {url}.")] = None
    """A page with more about it."""


class AgentPulse(Output):
    """Changes after a given time, the current status and the path for the next poll."""

    since: Instant | None = None
    """The time after which changes are listed; absent if all changes are listed."""
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


class FeedAuthor(Output):
    """An author of the feed."""

    name: Line
    """The author's name."""
    url: Url
    """The author's URL."""


class FeedItem(Output):
    """A changelog entry as a feed item."""

    id: ChangeId
    """The entry's id."""
    url: Url
    """A page with more about the entry, or the changelog."""
    title: Line
    """The change in one line."""
    content_text: Text
    """The entry's text."""
    date_published: Instant
    """When it was published."""
    tags: list[Line]
    """The kind of change, and the entries it is about."""


class Feed(Output):
    """The changelog as JSON Feed 1.1. Source: https://www.jsonfeed.org/version/1.1/."""

    version: Url
    """The URL of the feed format's version."""
    title: str
    """The feed's title."""
    description: str
    """What the feed is about."""
    home_page_url: Url
    """The studio's website."""
    feed_url: Url
    """The URL of this feed."""
    atom_url: Url
    """The URL of the same feed as Atom."""
    language: LanguageCode | None = None
    """The language of the feed; absent if the studio names none."""
    authors: list[FeedAuthor]
    """The authors of the feed."""
    items: list[FeedItem]
    """The entries, newest first."""
