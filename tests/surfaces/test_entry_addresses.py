"""Every entry that search finds has an address of its own, whose answer is the entry."""

from local_service import Ask
from offenders import offenders

from resolvers.search.documents import Document, documents_of
from schema.site import Site
from sdl.running.runner import Operations, Snapshot
from studiograph.wiring.services import citation_urls


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


def test_the_manifest_has_the_slugs_that_entries_do_not_hold(ask: Ask) -> None:
    manifest = ask("/api/manifest").json()
    named = {"practice": "practice", "convictions": "convictions", "lookingFor": "looking-for"}
    parts = {member: (manifest["studio"][member], path) for member, path in named.items()}
    parts["certifications"] = (manifest["studio"]["certifications"], "certifications")
    parts["faq"] = (manifest["faq"], "faq")
    assert {*manifest["slugs"]} == {*parts}
    for member, (entries, path) in parts.items():
        slugs = manifest["slugs"][member]
        assert [ask(f"/api/{path}/{slug}").json() for slug in slugs] == entries


def test_an_unknown_entry_is_answered_with_the_known_ones(ask: Ask, sample: Site) -> None:
    answer = ask("/api/faq/no-such-question")
    assert answer.status_code == 404
    assert answer.json()["fields"][0]["allowed"] == [entry.slug for entry in sample.faq]


def test_the_addresses_of_entries_add_no_tool(operations: Operations) -> None:
    entries = [o for o in operations if o.path_variables and o.is_read]
    assert [o.name for o in entries if o.mcp is not None] == ["GetProject"]


def test_how_an_entry_is_cited_leads_to_it_and_to_its_proof(ask: Ask, sample: Site) -> None:
    certificate = sample.studio.certifications[0].slug
    names = {
        "project/tidebook": "projects/tidebook",
        "domain/ledgers": "domains/ledgers",
        "lookingFor/nobody": "looking-for/nobody",
        f"certification/{certificate}": f"certifications/{certificate}",
    }
    for cited, own in names.items():
        moved = ask(f"/api/{cited}", params={"fields": "title"}, follow_redirects=False)
        assert moved.status_code == 308
        assert moved.headers["location"] == f"/api/{own}?fields=title"
        proofs = [ask("/api/proof", params={"name": name}) for name in (cited, own)]
        assert proofs[0].json().get("statement") == proofs[1].json().get("statement")
    assert (
        ask("/api/proof", params={"name": "project/tidebook"}).json()["name"]
        == names["project/tidebook"]
    )


def test_a_change_is_read_by_its_id_and_found_by_its_title(ask: Ask, sample: Site) -> None:
    entry = sample.changelog[0]
    assert ask(f"/api/changelog/{entry.id}").json()["title"] == entry.title
    found = ask("/api/search", params={"query": entry.title}).json()["results"]
    assert found[0]["url"] == f"/api/changelog/{entry.id}"
    plain = ask("/api/search", params={"query": "the figures of November", "limit": 20}).json()
    assert "changelogEntry" not in {hit["kind"] for hit in plain["results"]}


def test_a_derived_slug_is_what_graphql_is_asked_by(ask: Ask, sample: Site) -> None:
    slug = sample.studio.convictions[0].slug
    query = f'{{ convictions {{ slug }} conviction(slug: "{slug}") {{ headline }} }}'
    data = ask("/api/graphql", "POST", json={"query": query}).json()["data"]
    assert data["convictions"][0]["slug"] == slug
    assert data["conviction"]["headline"] == sample.studio.convictions[0].headline
