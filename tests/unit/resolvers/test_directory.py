"""The documents about the site: the feed of its changelog and the index of its surfaces."""

from dataclasses import replace

import pytest
from local_service import bound

from resolvers.context import RequestContext
from resolvers.directory import NEVER_INFER, directory_of, feed_of, has_prices, index_of
from schema.changelog import ChangelogEntry
from schema.directory import ServiceIndex
from schema.site import Site
from sdl.operations.catalog import OPTIONAL, IndexEntry
from sdl.running.runner import Operations

BASE_URL = "https://studio.example"
CARDS = (
    IndexEntry("Studio", "About", "/read/about", "/read/about.md", "Who it is."),
    IndexEntry("Studio", "Thesis", "/read/thesis", "/read/thesis.md", "What it holds."),
    IndexEntry("News", "Feed", "/read/feed", "/read/feed", "What changed.", body=("url", "kinds")),
    IndexEntry("News", "Atom", "/read/atom", "/read/atom", "What changed.", minor=True),
    *(
        IndexEntry(OPTIONAL, "Signed", path, path, "Signed.", minor=True)
        for path in ("/read/part.sig?section=faq", "/read/all.sig", "/read/part.sig?section=log")
    ),
)


@pytest.fixture(scope="module")
def call(operations: Operations) -> RequestContext:
    """The context of a service whose paths are none of ours."""
    context = bound(operations, base_url=BASE_URL).context
    assert isinstance(context, RequestContext)
    return replace(
        context,
        catalog=lambda: CARDS,
        tokens=lambda entry: None if entry.body else 120,
        path=lambda name: f"/read/{name.lower()}",
    )


@pytest.fixture(scope="module")
def index(sample: Site, call: RequestContext) -> ServiceIndex:
    """The index of the sample studio."""
    return index_of(sample, call)


@pytest.mark.parametrize("field", ["url", "refs"])
def test_an_entry_without_a_place_or_references_is_an_item_too(
    field: str, sample: Site, call: RequestContext
) -> None:
    bare: ChangelogEntry = sample.changelog[0].model_copy(update={field: None})
    (item,) = feed_of(sample.model_copy(update={"changelog": [bare]}), call).items
    assert item.url == (bare.url or f"{BASE_URL}/read/listchangelog")
    assert item.tags == [bare.kind.value, *(bare.refs or [])]


def test_a_studio_without_news_has_an_empty_feed(sample: Site, call: RequestContext) -> None:
    assert feed_of(sample.model_copy(update={"changelog": []}), call).items == []


@pytest.mark.parametrize(("language", "said"), [(None, "en"), ("pt", "pt")])
def test_the_language_of_the_words_is_not_one_that_is_spoken(
    language: str | None, said: str, sample: Site, call: RequestContext
) -> None:
    studio = sample.studio.model_copy(update={"languages": ["nb", "en"], "language": language})
    site = sample.model_copy(update={"studio": studio})
    assert feed_of(site, call).language == said
    assert directory_of(site, call).language == said


def test_the_index_says_how_to_use_the_service(index: ServiceIndex) -> None:
    lines = index.about.splitlines()
    reads = "/read/listprices.md; /read/getengagement.md; /read/getstatus.md"
    assert f"- Prices, terms, availability: {reads}." in lines
    assert "- Signed: /read/all.sig; /read/part.sig?section=faq (or log)." in lines
    assert lines[-1].startswith("- What is not published here is unknown")


def test_a_purpose_that_nothing_serves_has_no_line(sample: Site, call: RequestContext) -> None:
    bare = replace(call, catalog=lambda: CARDS[:1], path=lambda _: "/")
    lines = index_of(sample, bare).about.splitlines()
    assert [line for line in lines if line.startswith("- ")] == [f"- {NEVER_INFER}"]


def test_the_index_has_every_card_in_its_section(index: ServiceIndex) -> None:
    assert [(s.title, [link.title for link in s.links]) for s in index.sections] == [
        ("Studio", ["About", "Thesis"]),
        ("News", ["Feed"]),
    ]


def test_the_directory_has_also_what_the_index_leaves_out(
    sample: Site, call: RequestContext, index: ServiceIndex
) -> None:
    listed = [link.path for s in directory_of(sample, call).sections for link in s.links]
    assert listed == [card.path for card in CARDS]
    shown = [link.path for section in index.sections for link in section.links]
    assert shown == [card.path for card in CARDS if not card.minor]


def test_a_note_says_what_to_send_or_how_long_the_document_is(index: ServiceIndex) -> None:
    notes = [link.note for section in index.sections for link in section.links]
    assert notes == [
        "Who it is. ~120 tokens",
        "What it holds. ~120 tokens",
        "What changed. POST {url, kinds}.",
    ]


def test_a_link_has_its_path_and_both_of_its_addresses(index: ServiceIndex) -> None:
    links = [link for section in index.sections for link in section.links]
    for link, card in zip(links, CARDS[:3], strict=True):
        assert link.path == card.path
        assert link.url == f"{BASE_URL}{card.path}"
        assert link.reading_url == f"{BASE_URL}{card.reading_path}"


def test_only_absolute_addresses_know_the_base_url(sample: Site, call: RequestContext) -> None:
    elsewhere = replace(call, base_url="https://b.example")
    for made in (feed_of, index_of):
        here, there = made(sample, call).to_json(), made(sample, elsewhere).to_json()
        assert here != there
        assert str(here).replace(BASE_URL, "https://b.example") == str(there)


@pytest.mark.parametrize("price", ["from 900 EUR a day", "\u20ac 140", "11.000 euros", "38 pounds"])
def test_the_index_says_prices_only_where_there_are_some(sample: Site, price: str) -> None:
    assert has_prices(sample)
    without = sample.model_copy(update={"prices": []})
    assert not has_prices(without)
    assert without.engagement is not None
    terms = without.engagement.model_copy(update={"response_sla": price})
    assert has_prices(without.model_copy(update={"engagement": terms}))
