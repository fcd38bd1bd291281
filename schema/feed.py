"""The changelog as a feed: JSON Feed 1.1, and the same as Atom."""

from sdl.types.declare import Output
from sdl.types.scalar_types import ChangeId, Instant, LanguageCode, Line, Text, Url


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
