"""The changelog as a feed."""

from sdl.declare import Output
from sdl.scalar_types import ChangeId, Instant, LanguageCode, Line, Text, Url


class FeedAuthor(Output):
    """An author of the feed."""

    name: Line
    """The author's name."""
    url: Url
    """The author's address."""


class FeedItem(Output):
    """A changelog entry as a feed item."""

    id: ChangeId
    """The entry's id."""
    url: Url
    """Where the entry can be read."""
    title: Line
    """The entry in one line."""
    content_text: Text
    """The entry's text."""
    date_published: Instant
    """When it was published."""
    tags: list[Line]
    """What it reports and what it is about."""


class Feed(Output):
    """The changelog as JSON Feed 1.1. Source: https://www.jsonfeed.org/version/1.1/."""

    version: Url
    """The version of the feed format."""
    title: str
    """The feed's title."""
    description: str
    """What the feed is about."""
    home_page_url: Url
    """The address of what the feed describes."""
    feed_url: Url
    """The feed's own address."""
    atom_url: Url
    """The address of the same feed as Atom."""
    language: LanguageCode | None = None
    """The language of the feed, where the studio names one."""
    authors: list[FeedAuthor]
    """Who writes it."""
    items: list[FeedItem]
    """The entries, newest first."""
