"""Every entry that search finds has an address of its own, whose answer is the entry."""

from local_service import Ask
from offenders import offenders

from resolvers.search.documents import Document, documents_of
from schema.site import Site
from sdl.runner import Operations, Snapshot
from studiograph.wiring.ai import citation_urls

QUESTION = {"query": "what does an audit cost?", "limit": 5}


def documents(sample: Site, operations: Operations) -> tuple[Document, ...]:
    return documents_of(sample, citation_urls(operations))


def test_no_two_entries_share_an_address(sample: Site, operations: Operations) -> None:
    urls = [document.url for document in documents(sample, operations)]
    assert len({*urls}) == len(urls) >= 100


def test_the_address_of_an_entry_answers_with_its_name(
    sample: Site, operations: Operations, ask: Ask
) -> None:
    def check(document: Document) -> None:
        answer = ask(document.url, headers={"accept": "text/plain"})
        assert answer.status_code == 200
        assert document.title in answer.text or document.kind == document.slug

    assert offenders(check, documents(sample, operations)) == []


def test_an_entry_equals_the_item_of_its_list(reading: Snapshot) -> None:
    for operation in reading.operations:
        if operation.rest is None or operation.rest.each is None:
            continue
        name, _, member = operation.rest.each.partition(".")
        listed = reading.read(name)
        items = reading.items_of(operation)
        bodies = [reading.run(operation, dict(item.values)) for item in items]
        assert bodies == (listed[member] if member else listed), operation.name


def test_an_unknown_entry_is_answered_with_the_known_ones(ask: Ask, sample: Site) -> None:
    answer = ask("/api/faq/no-such-question")
    assert answer.status_code == 404
    assert answer.json()["fields"][0]["allowed"] == [entry.slug for entry in sample.faq]


def test_the_addresses_of_entries_add_no_tool(operations: Operations) -> None:
    entries = [o for o in operations if o.path_variables and o.is_read]
    assert [o.name for o in entries if o.mcp is not None] == ["GetProject"]


def test_a_derived_slug_is_what_graphql_is_asked_by(ask: Ask, sample: Site) -> None:
    slug = sample.studio.convictions[0].slug
    query = f'{{ convictions {{ slug }} conviction(slug: "{slug}") {{ headline }} }}'
    data = ask("/api/graphql", "POST", json={"query": query}).json()["data"]
    assert data["convictions"][0]["slug"] == slug
    assert data["conviction"]["headline"] == sample.studio.convictions[0].headline


def test_a_search_carries_the_texts_of_the_first_three(
    ask: Ask, sample: Site, operations: Operations
) -> None:
    texts = {document.url: document.text for document in documents(sample, operations)}
    results = ask("/api/search", "POST", json={**QUESTION, "text": True}).json()["results"]
    assert [hit.get("text") for hit in results] == [
        *(texts[hit["url"]] for hit in results[:3]),
        None,
        None,
    ]
    plain = ask("/api/search", "POST", json=QUESTION).json()["results"]
    assert plain == [{n: v for n, v in hit.items() if n != "text"} for hit in results]
