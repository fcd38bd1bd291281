"""A feed as Atom: its form, its names, and texts that look like markup."""

from typing import Any
from xml.etree.ElementTree import Element

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError
from relax_ng import schema, xml

from rest_bridge.representations.atom import ATOM, NAMESPACE, atom_document
from sdl.types.scalar_types import Line, Text

HOME = "https://studio.example"
HOSTILE = (
    "a < b && b > c",
    "]]> and <![CDATA[ and --> and <?xml?> &amp; &#0; &lt;",
    "\"quoted\" and 'quoted' and `quoted`",
    "</title><entry><id>x</id></entry>",
    "&undefined; %entity;",
    "emoji \U0001f6a2\U0001f1f5\U0001f1f9 and e\u0301 and \u202eright to left\u202c",
    "tab\tand\nnew line\n\nand a paragraph",
    "trailing spaces   ",
    "\u00a0\u3000\ufeff",
    "https://a.example/?a=1&b=2#c",
)
LINE, TEXT = TypeAdapter[str](Line), TypeAdapter[str](Text)


def item(**changes: Any) -> dict[str, Any]:
    return {
        "id": "2026-03-01-first",
        "url": "https://studio.example/a?b=1&c=2",
        "title": "The first",
        "contentText": "Something began.",
        "datePublished": "2026-03-01T09:30:00Z",
        "tags": ["added"],
        **changes,
    }


def feed(*items: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "title": "Studio: changelog",
        "description": "What changed at Studio.",
        "homePageUrl": HOME,
        "atomUrl": "https://agents.studio.example/feed.xml",
        "language": "en",
        "authors": [{"name": "Ada", "url": HOME}],
        "items": list(items),
        **changes,
    }


def read(feed: dict[str, Any]) -> Element:
    """The document's root; the document is valid."""
    data = atom_document(feed)
    assert schema("atom.rng").fits(data)
    return xml(data)


def text(node: Element, path: str) -> str | None:
    return node.findtext(path, namespaces={"": NAMESPACE})


def test_the_document_says_its_version_and_coding() -> None:
    data = atom_document(feed(item()))
    assert data.startswith(b"<?xml version='1.0' encoding='utf-8'?>\n<feed ")
    assert data.decode("utf-8").count("<?") == 1


def test_a_feed_says_whose_it_is_and_where_it_stands() -> None:
    root = read(feed(item()))
    assert text(root, "title") == "Studio: changelog"
    assert text(root, "subtitle") == "What changed at Studio."
    assert (text(root, "author/name"), text(root, "author/uri")) == ("Ada", HOME)
    assert root.get("{http://www.w3.org/XML/1998/namespace}lang") == "en"
    links = [link.attrib for link in root.findall(f"{{{NAMESPACE}}}link")]
    own = {"rel": "self", "type": ATOM, "href": "https://agents.studio.example/feed.xml"}
    assert links == [own, {"rel": "alternate", "href": HOME}]


def test_a_feed_without_a_language_names_none() -> None:
    without = {name: value for name, value in feed(item()).items() if name != "language"}
    assert read(without).keys() == []


def test_a_feed_is_as_old_as_its_newest_entry() -> None:
    days = ("2026-03-01", "2026-11-02", "2026-05-09")
    items = [item(id=f"{day}-a", datePublished=f"{day}T10:00:00Z") for day in days]
    assert text(read(feed(*items)), "updated") == "2026-11-02T10:00:00Z"


def test_an_entry_holds_what_the_item_holds() -> None:
    root = read(feed(item(tags=["added", "project/tide-book"])))
    assert text(root, "entry/title") == "The first"
    assert text(root, "entry/content") == "Something began."
    assert text(root, "entry/published") == text(root, "entry/updated") == "2026-03-01T09:30:00Z"
    link = root.find(f"{{{NAMESPACE}}}entry/{{{NAMESPACE}}}link")
    assert link is not None
    assert link.attrib == {"rel": "alternate", "href": "https://studio.example/a?b=1&c=2"}
    categories = root.iter(f"{{{NAMESPACE}}}category")
    assert [category.get("term") for category in categories] == ["added", "project/tide-book"]


def test_entries_stand_in_the_order_of_the_items() -> None:
    items = [item(id=f"2026-03-0{n}-a", datePublished=f"2026-03-0{n}T10:00:00Z") for n in (3, 2, 1)]
    entries = read(feed(*items)).findall(f"{{{NAMESPACE}}}entry")
    assert [text(entry, "id") for entry in entries] == [
        f"tag:studio.example,2026-03-0{n}:2026-03-0{n}-a" for n in (3, 2, 1)
    ]


def test_a_name_does_not_depend_on_where_the_feed_stands() -> None:
    moved = feed(item(), atomUrl="http://127.0.0.1:8000/feed.xml")
    for path in ("id", "entry/id"):
        assert text(read(moved), path) == text(read(feed(item())), path)


def test_a_feed_without_entries_is_a_feed() -> None:
    root = read(feed())
    assert root.findall(f"{{{NAMESPACE}}}entry") == []
    assert text(root, "updated")


def test_the_name_of_a_feed_stays_when_its_first_entry_comes_and_when_others_follow() -> None:
    later = item(id="2026-04-01-second", datePublished="2026-04-01T09:30:00Z")
    names = [text(read(feed(*items)), "id") for items in ((), (item(),), (later, item()))]
    assert len(set(names)) == 1


@pytest.mark.parametrize(
    "home", ["https://studio.example", "http://studio.example:8080/a", "https://[2001:db8::1]/"]
)
def test_a_name_is_a_uri_wherever_the_studio_lives(home: str) -> None:
    assert read(feed(item(), homePageUrl=home))


@pytest.mark.parametrize("words", HOSTILE)
def test_words_that_look_like_markup_are_words(words: str) -> None:
    root = read(feed(item(title=words, contentText=words, tags=[words]), title=words))
    assert text(root, "title") == words
    assert text(root, "entry/title") == words
    assert text(root, "entry/content") == words
    assert len(root.findall(f"{{{NAMESPACE}}}entry")) == 1
    (category,) = root.iter(f"{{{NAMESPACE}}}category")
    assert category.get("term") == words


def can_be_written(adapter: TypeAdapter[str], words: str) -> bool:
    try:
        adapter.validate_python(words)
    except ValidationError:
        return False
    return True


@given(st.text(), st.text())
@example("a non-character: \ufffe", "and another: \uffff")
def test_whatever_a_changelog_may_hold_comes_through(title: str, body: str) -> None:
    title = title if can_be_written(LINE, title) else "a title"
    body = body if can_be_written(TEXT, body) else "a body"
    root = read(feed(item(title=title, contentText=body)))
    assert text(root, "entry/title") == title
    assert text(root, "entry/content") == body
