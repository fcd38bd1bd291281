"""A feed as Atom: its form, its names, and texts that look like markup."""

from typing import Any
from xml.etree.ElementTree import Element

from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError
from relax_ng import schema, xml

from rest_bridge.representations.atom import NAMESPACE, atom_document
from sdl.types.scalar_types import Line, Text

HOME = "https://studio.example"
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


def test_a_feed_without_a_language_names_none() -> None:
    without = {name: value for name, value in feed(item()).items() if name != "language"}
    assert read(without).keys() == []


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
