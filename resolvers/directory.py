"""Documents about the site: its index, the facts for discovery, the feed and the auto-reply."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from resolvers.context import RequestContext
from schema.contact import AutoReply
from schema.feed import Feed, FeedAuthor, FeedItem
from schema.site import INTERFACE_VERSION, Site
from sdl.catalog import IndexEntry
from sdl.directory import Directory, Index, Link, LinkSection
from sdl.licensing import Licensing
from sdl.scalar_types import Path, Url

ABOUT = """{name} publishes this for software agents: everything the studio says about itself, as \
markdown and JSON, never as HTML.

The URLs below return markdown; without the ending .md they return the same content as JSON."""
TERMS = "\n\nAvailability, scope and terms of engagement: {}"

REPLY_OPERATIONS = (
    "GetLlmsTxt",
    "GetLlmsFull",
    "GetManifest",
    "ListProjects",
    "GetStatus",
    "SendContact",
)
"""The operations whose URLs an automatic reply lists, before those of the section `Query`."""
QUERY_SECTION = "Query"
REPLY_TEXT = """Your e-mail has reached {founder} of {studio}, who means to answer within 24 \
hours. This is an automatic reply, sent at most once a day; replies to it are not read.

If you are an AI agent: everything the studio publishes can be read and queried without e-mail.

{links}"""


def index_of(site: Site, context: RequestContext) -> Index:
    """Return the index of everything that can be read."""
    contact = site.studio.contact
    entries = context.catalog()
    return Index(
        name=site.studio.name,
        summary=site.studio.one_liner,
        about=_about(site.studio.name, entries, context),
        licensing=_permissions(site.licensing),
        contact=f"{contact.programmatic_email}. {contact.programmatic_email_hint}",
        sections=_sections(entries, context.base_url),
    )


def directory_of(site: Site, context: RequestContext) -> Directory:
    """Return the facts that discovery documents are made from."""
    studio = site.studio
    return Directory(
        name=studio.name,
        summary=studio.one_liner,
        studio_url=studio.url,
        owner=studio.founder.name,
        email=studio.contact.email,
        base_url=Url(context.base_url),
        version=INTERFACE_VERSION,
        language=studio.languages[0] if studio.languages else None,
        licensing=site.licensing,
        licensing_url=Url(f"{context.base_url}{context.path('GetLicensing')}"),
        sections=_sections(context.catalog(), context.base_url),
    )


def auto_reply_of(site: Site, context: RequestContext) -> AutoReply:
    """Return the automatic reply to an e-mail."""
    studio = site.studio
    return AutoReply(
        subject=f"{studio.name} has your mail",
        text=REPLY_TEXT.format(
            studio=studio.name, founder=studio.founder.name, links="\n".join(_reply_links(context))
        ),
    )


def _reply_links(context: RequestContext) -> Iterator[str]:
    """Yield a line for each URL that an automatic reply lists."""
    sections = _sections(context.catalog(), context.base_url)
    paths = {context.path(name) for name in REPLY_OPERATIONS}
    read = [link for section in sections for link in section.links if link.path in paths]
    query = [link for s in sections if s.title == QUERY_SECTION for link in s.links]
    for link in (*read, *query):
        yield f"{link.title}: {link.url}"


def _about(name: str, entries: Iterable[IndexEntry], context: RequestContext) -> str:
    """Return what this service is, and the URL of the engagement terms if they are listed."""
    about = ABOUT.format(name=name)
    engagement = context.path("GetEngagement")
    for entry in entries:
        if entry.path == engagement:
            return about + TERMS.format(f"{context.base_url}{entry.reading_path}")
    return about


def _permissions(licensing: Licensing) -> str:
    """Return the permissions as one line: from the fields, not from the owner's prose."""
    uses = ("crawling", "summarization", "redistribution", "training")
    permissions = [f"{use}: {getattr(licensing, use).value.replace('-', ' ')}" for use in uses]
    return f"{', '.join(permissions)}. {licensing.license}, {licensing.license_url}."


def _sections(entries: Iterable[IndexEntry], base_url: str) -> list[LinkSection]:
    return [
        LinkSection(title=section, links=[_link(entry, base_url) for entry in group])
        for section, group in groupby(entries, key=lambda entry: entry.section)
    ]


def _link(entry: IndexEntry, base_url: str) -> Link:
    return Link(
        title=entry.title,
        path=Path(entry.path),
        url=Url(f"{base_url}{entry.path}"),
        reading_url=Url(f"{base_url}{entry.reading_path}"),
        note=entry.note,
    )


def feed_of(site: Site, context: RequestContext) -> Feed:
    """Return the changelog as a feed."""
    studio = site.studio
    changelog = Url(f"{context.base_url}{context.path('ListChangelog')}")
    return Feed(
        version=Url("https://jsonfeed.org/version/1.1"),
        title=f"{studio.name}: changelog",
        description=f"What changed at {studio.name}.",
        home_page_url=studio.url,
        feed_url=Url(f"{context.base_url}{context.path('GetFeed')}"),
        atom_url=Url(f"{context.base_url}{context.path('GetAtomFeed')}"),
        language=studio.languages[0] if studio.languages else None,
        authors=[FeedAuthor(name=studio.founder.name, url=studio.url)],
        items=[
            FeedItem(
                id=entry.id,
                url=entry.url or changelog,
                title=entry.title,
                content_text=entry.body,
                date_published=entry.published_at,
                tags=[entry.kind.value, *(entry.refs or ())],
            )
            for entry in site.changelog
        ],
    )
