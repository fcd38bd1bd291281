"""The index of the surfaces, and the changelog as a feed: documents about the site."""

from typing import Annotated

from schema.declare import Output
from schema.marks import Heading, Inline, Summary
from schema.pages import Licensing
from schema.words import ChangeId, Email, Instant, LanguageCode, Line, Path, Text, Url


class Link(Output):
    """A pointer to one thing that can be read here."""

    title: Annotated[Line, Heading()]
    """What it is."""
    path: Path
    """Its path on this service."""
    url: Url
    """Its absolute address."""
    reading_url: Url
    """Its absolute address in the form that language models read best."""
    note: Annotated[Line, Summary()]
    """What a reader finds there."""


class LinkSection(Output):
    """Links that belong together."""

    title: Annotated[Line, Heading()]
    """What they have in common."""
    links: Annotated[list[Link], Inline()]
    """The links."""


class Directory(Output):
    """What documents about this service are made of."""

    name: Annotated[Line, Heading()]
    """The studio's name."""
    summary: Annotated[Line, Summary()]
    """The studio in one sentence."""
    studio_url: Url
    """The studio's own address."""
    owner: Line
    """The person who answers for it."""
    email: Email
    """The address a human answers."""
    base_url: Url
    """The address of this service."""
    version: Line
    """The version of this interface."""
    language: LanguageCode | None = None
    """The language of its texts."""
    licensing: Licensing
    """What may be done with the content."""
    licensing_url: Url
    """Where the policy stands in full."""
    sections: list[LinkSection]
    """Everything that can be read."""


class Index(Output):
    """What this service is and everything that can be read on it."""

    name: Annotated[Line, Heading()]
    """The studio's name."""
    summary: Annotated[Line, Summary()]
    """The studio in one sentence."""
    about: Text
    """What this service is and how to use it."""
    licensing: str
    """What may be done with the content, in one sentence."""
    contact: str
    """How to reach the human."""
    sections: Annotated[list[LinkSection], Inline()]
    """Everything that can be read, by section."""


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
