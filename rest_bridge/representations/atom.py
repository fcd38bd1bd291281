"""The changelog feed as Atom. Source: RFC 4287."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element, SubElement

from rest_bridge.representations.xml import text_element, xml_document
from sdl.types.directives import MEDIA_TYPES

ATOM = MEDIA_TYPES["ATOM"]
NAMESPACE = "http://www.w3.org/2005/Atom"


def atom_document(feed: Mapping[str, Any]) -> bytes:
    """Return the feed as Atom; its date is that of its newest entry."""
    address, home = feed["atomUrl"], feed["homePageUrl"]
    root = Element("feed", {"xmlns": NAMESPACE, **_language(feed)})
    items = feed["items"]
    text_element(root, "id", f"{home}#changelog")
    text_element(root, "title", feed["title"])
    text_element(root, "subtitle", feed["description"])
    text_element(
        root, "updated", max((i["datePublished"] for i in items), default="2000-01-01T00:00:00Z")
    )
    SubElement(root, "link", {"rel": "self", "type": ATOM, "href": address})
    SubElement(root, "link", {"rel": "alternate", "href": home})
    for author in feed["authors"]:
        person = SubElement(root, "author")
        text_element(person, "name", author["name"])
        text_element(person, "uri", author["url"])
    for item in items:
        _entry(root, item, home)
    return xml_document(root)


def _entry(root: Element, item: Mapping[str, Any], home: str) -> None:
    entry = SubElement(root, "entry")
    text_element(entry, "id", _tag(home, item["datePublished"], item["id"]))
    text_element(entry, "title", item["title"])
    text_element(entry, "updated", item["datePublished"])
    text_element(entry, "published", item["datePublished"])
    SubElement(entry, "link", {"rel": "alternate", "href": item["url"]})
    for tag in item["tags"]:
        SubElement(entry, "category", {"term": tag})
    text_element(entry, "content", item["contentText"])


def _tag(home: str, since: str, name: str) -> str:
    """Return an id that never changes. Source: RFC 4151."""
    return f"tag:{urlsplit(home).hostname},{since[:10]}:{name}"


def _language(feed: Mapping[str, Any]) -> dict[str, str]:
    return {"xml:lang": feed["language"]} if "language" in feed else {}
