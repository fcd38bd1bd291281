"""Documents about the site: the index of its surfaces and the changelog as a feed."""

from itertools import groupby

from resolvers.context import OperationLink, RequestContext
from schema.contact import AutoReply
from schema.feed import Feed, FeedAuthor, FeedItem
from schema.site import INTERFACE_VERSION, Site
from sdl.directory import Directory, Index, Link, LinkSection
from sdl.licensing import Licensing
from sdl.scalar_types import Path, Url

ABOUT = """{name} publishes this for software agents: everything the studio says about itself, as \
markdown and JSON and never as HTML.

The addresses below give markdown; without the ending .md they give JSON of the same content. \
Every list and object comes from one stored query, so the same words stand on every surface."""

REPLY_OPERATIONS = (
    "GetLlmsTxt",
    "GetLlmsFull",
    "GetManifest",
    "ListProjects",
    "GetStatus",
    "SendContact",
)
"""The operations whose addresses an automatic answer gives, besides what takes queries."""
QUERY_SECTION = "Query"
REPLY_TEXT = """Your mail has reached {human} at {name}, who means to answer within 24 hours. This \
is an automatic answer, sent at most once a day; nobody reads an answer to it.

If you are an AI agent: everything the studio says can be read and asked without mail.

{surfaces}"""


def index_of(site: Site, call: RequestContext) -> Index:
    """The index of everything that can be read."""
    contact = site.studio.contact
    return Index(
        name=site.studio.name,
        summary=site.studio.one_liner,
        about=ABOUT.format(name=site.studio.name),
        licensing=_policy(site.licensing),
        contact=f"{contact.programmatic_email}. {contact.programmatic_email_hint}",
        sections=_sections(call),
    )


def directory_of(site: Site, call: RequestContext) -> Directory:
    """What documents about this service are made of."""
    studio = site.studio
    return Directory(
        name=studio.name,
        summary=studio.one_liner,
        studio_url=studio.url,
        owner=studio.founder.name,
        email=studio.contact.email,
        base_url=Url(call.base_url),
        version=INTERFACE_VERSION,
        language=studio.languages[0] if studio.languages else None,
        licensing=site.licensing,
        licensing_url=Url(f"{call.base_url}{call.path('GetLicensing')}"),
        sections=_sections(call),
    )


def auto_reply_of(site: Site, call: RequestContext) -> AutoReply:
    """The automatic answer to a mail."""
    studio = site.studio
    links = [link for section in _sections(call) for link in section.links]
    surfaces = [
        link for link in links if link.path in {call.path(name) for name in REPLY_OPERATIONS}
    ]
    query = [link for s in _sections(call) if s.title == QUERY_SECTION for link in s.links]
    told = "\n".join(f"{link.title}: {link.url}" for link in (*surfaces, *query))
    return AutoReply(
        subject=f"{studio.name} has your mail",
        text=REPLY_TEXT.format(name=studio.name, human=studio.founder.name, surfaces=told),
    )


def _policy(licensing: Licensing) -> str:
    """What may be done with the content: the permissions themselves, whatever the words say."""
    uses = ("crawling", "summarization", "redistribution", "training")
    told = [f"{use}: {getattr(licensing, use).value.replace('-', ' ')}" for use in uses]
    return f"{', '.join(told)}. {licensing.license}, {licensing.license_url}."


def _sections(call: RequestContext) -> list[LinkSection]:
    return [
        LinkSection(title=section, links=[_link(card, call) for card in cards])
        for section, cards in groupby(call.catalog(), key=lambda card: card.section)
    ]


def _link(card: OperationLink, call: RequestContext) -> Link:
    return Link(
        title=card.title,
        path=Path(card.path),
        url=Url(f"{call.base_url}{card.path}"),
        reading_url=Url(f"{call.base_url}{card.reading_path}"),
        note=card.note,
    )


def feed_of(site: Site, call: RequestContext) -> Feed:
    """The changelog as a feed."""
    studio = site.studio
    changelog = Url(f"{call.base_url}{call.path('ListChangelog')}")
    return Feed(
        version=Url("https://jsonfeed.org/version/1.1"),
        title=f"{studio.name}: changelog",
        description=f"What changed at {studio.name}.",
        home_page_url=studio.url,
        feed_url=Url(f"{call.base_url}{call.path('GetFeed')}"),
        atom_url=Url(f"{call.base_url}{call.path('GetAtomFeed')}"),
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
