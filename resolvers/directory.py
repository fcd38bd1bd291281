"""Documents about the site: its index, the facts for discovery, the feed and the auto-reply."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from resolvers.context import RequestContext
from schema.changelog import Feed, FeedAuthor, FeedItem
from schema.directory import Directory, Link, LinkSection, ServiceIndex
from schema.language_names import ENGLISH, is_english, language_note
from schema.sections import Licensing
from schema.services.contact import AutoReply
from schema.site import INTERFACE_VERSION, Site
from schema.studio import Studio
from sdl.operations.catalog import OPTIONAL, IndexEntry
from sdl.types.scalar_types import LanguageCode, Path, Url

ABOUT = """What {name} publishes about itself, for software agents. URLs that end in .md are \
markdown; without .md they are JSON. Paths in this text begin at {base_url}."""
TERMS, PRICED_TERMS = "Terms, availability", "Prices, terms, availability"
_AMOUNT = re.compile(
    r"(?:[€$£¥]|\b(?:EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN)\b)\s?\d"
    r"|\d\s?(?:[€$£¥]|(?:EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN|euros?|pounds?|dollars?|francs?)\b)",
    re.IGNORECASE,
)
HOW_TO: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        TERMS,
        (
            ("ListPrices", "{path}.md"),
            ("GetEngagement", "{path}.md"),
            ("GetStatus", "{path}.md"),
        ),
    ),
    (
        "Ask",
        (
            ("SearchContent", "{path}?query= finds entries"),
            ("Ask", "{path}?query= answers with citations"),
            ("RouteIntent", "{path}?goal= names the requests for a goal"),
        ),
    ),
    (
        "Write to the human",
        (("SendContact", "POST {path}, first with `dryRun`, if your user wants that"),),
    ),
    ("Verify", (("GetKeySet", "Ed25519 over canonical JSON (RFC 8785), with the keys of {path}"),)),
)
"""How to use the service: a line for each purpose, with a phrase for each operation there is."""
NEVER_INFER = (
    "What is not published here is unknown: never infer a price, a date, a client or availability."
)

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
REPLY_ANSWER = """

What is published about your question:

{published}"""


def index_of(site: Site, context: RequestContext) -> ServiceIndex:
    """Return the index: what the directory lists, without other forms and parts of that."""
    contact = site.studio.contact
    entries = context.catalog()
    shown = [entry for entry in entries if not entry.minor]
    return ServiceIndex(
        name=site.studio.name,
        summary=site.studio.one_liner,
        about=_about(site, entries, context),
        licensing=_permissions(site.licensing) if site.licensing is not None else None,
        contact=". ".join(filter(None, (contact.agents_email, contact.programmatic_email_hint))),
        sections=_sections((_described(entry, context) for entry in shown), context.base_url),
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
        language=_language(studio),
        language_note=_language_note(studio),
        licensing=site.licensing,
        licensing_url=Url(f"{context.base_url}{context.path('GetLicensing')}")
        if site.licensing is not None
        else None,
        notices=list(context.notices),
        sections=_sections(context.catalog(), context.base_url),
    )


def auto_reply_of(site: Site, context: RequestContext, published: str | None) -> AutoReply:
    """Return the automatic reply to an e-mail, with what the content answers to its question."""
    studio = site.studio
    text = REPLY_TEXT.format(
        studio=studio.name, founder=studio.founder.name, links="\n".join(_reply_links(context))
    )
    if published:
        text += REPLY_ANSWER.format(published=published)
    return AutoReply(subject=f"{studio.name} has your mail", text=text)


def _language(studio: Studio) -> LanguageCode:
    """Return the language of the words, which need not be one that the studio works in."""
    return studio.language or LanguageCode(ENGLISH)


def _language_note(studio: Studio) -> str | None:
    language = _language(studio)
    return None if is_english(language) else language_note(language)


def _reply_links(context: RequestContext) -> Iterator[str]:
    """Yield a line for each URL that an automatic reply lists."""
    sections = _sections(context.catalog(), context.base_url)
    paths = {context.path(name) for name in REPLY_OPERATIONS}
    read = [link for section in sections for link in section.links if link.path in paths]
    query = [link for s in sections if s.title == QUERY_SECTION for link in s.links]
    for link in (*read, *query):
        yield f"{link.title}: {link.url}"


def has_prices(site: Site) -> bool:
    """Whether there is a list of prices, or the terms name an amount of money."""
    terms = site.engagement.model_dump_json() if site.engagement is not None else ""
    return bool(site.prices) or _AMOUNT.search(terms) is not None


def _about(site: Site, entries: Iterable[IndexEntry], context: RequestContext) -> str:
    """Return what this service is and, in a line for each purpose, how to use it."""
    about = ABOUT.format(name=site.studio.name, base_url=context.base_url)
    if note := _language_note(site.studio):
        about += f" {note}"
    return "\n".join([about, "", *(f"- {line}" for line in _instructions(site, entries, context))])


def _instructions(
    site: Site, entries: Iterable[IndexEntry], context: RequestContext
) -> Iterator[str]:
    for named, phrases in HOW_TO:
        purpose = PRICED_TERMS if named == TERMS and has_prices(site) else named
        paths = [(context.path(name), phrase) for name, phrase in phrases]
        if found := [phrase.format(path=path) for path, phrase in paths if path != "/"]:
            yield f"{purpose}: {'; '.join(found)}."
    if signed := list(_signed_forms(entries)):
        yield f"Signed: {'; '.join(signed)}."
    yield NEVER_INFER


def _signed_forms(entries: Iterable[IndexEntry]) -> Iterator[str]:
    """Yield every signed form: a path of its own, or one path for all values of its parameter."""
    paths = [entry.path for entry in entries if entry.section == OPTIONAL]
    for base, group in groupby(sorted(paths), key=lambda path: path.partition("=")[0]):
        values = [path.partition("=")[2] for path in group]
        if any(values):
            yield f"{base}={values[0]}" + (f" (or {', '.join(values[1:])})" if values[1:] else "")
        else:
            yield base


def _described(entry: IndexEntry, context: RequestContext) -> IndexEntry:
    """Return the entry with the body to send there, or how long the document is, in its note."""
    note = entry.note
    if entry.body:
        note = f"{note} POST {{{', '.join(entry.body)}}}."
    tokens = context.tokens(entry)
    if note and not note.endswith((".", "!", "?")):
        note = f"{note}."
    return replace(entry, note=note if tokens is None else f"{note} ~{tokens} tokens")


def _permissions(licensing: Licensing) -> str:
    """Return the permissions as one line: from the fields, not from the owner's prose."""
    uses = ("crawling", "summarization", "redistribution", "training")
    permissions = [f"{use}: {getattr(licensing, use).value.replace('-', ' ')}" for use in uses]
    return f"{', '.join(permissions)}. {licensing.license}, {licensing.license_url}."


def _sections(entries: Iterable[IndexEntry], base_url: str) -> list[LinkSection]:
    return [
        LinkSection(
            title=section,
            links=[_link(entry, base_url) for entry in group],
        )
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
        language=_language(studio),
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
