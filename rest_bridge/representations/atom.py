"""The changelog feed as Atom. Source: RFC 4287."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element, SubElement, tostring

from sdl.types.directives import MEDIA_TYPES

ATOM = MEDIA_TYPES["ATOM"]
NAMESPACE = "http://www.w3.org/2005/Atom"


def atom_document(feed: Mapping[str, Any]) -> bytes:
    """Return the feed as Atom; its date is that of its newest entry."""
    address, home = feed["atomUrl"], feed["homePageUrl"]
    root = Element("feed", {"xmlns": NAMESPACE, **_language(feed)})
    items = feed["items"]
    SubElement(root, "id").text = f"{home}#changelog"
    SubElement(root, "title").text = feed["title"]
    SubElement(root, "subtitle").text = feed["description"]
    newest = max((item["datePublished"] for item in items), default="2000-01-01T00:00:00Z")
    SubElement(root, "updated").text = newest
    SubElement(root, "link", {"rel": "self", "type": ATOM, "href": address})
    SubElement(root, "link", {"rel": "alternate", "href": home})
    for author in feed["authors"]:
        person = SubElement(root, "author")
        SubElement(person, "name").text = author["name"]
        SubElement(person, "uri").text = author["url"]
    for item in items:
        _entry(root, item, home)
    return bytes(tostring(root, encoding="utf-8", xml_declaration=True))


def _entry(root: Element, item: Mapping[str, Any], home: str) -> None:
    entry = SubElement(root, "entry")
    SubElement(entry, "id").text = _tag(home, item["datePublished"], item["id"])
    SubElement(entry, "title").text = item["title"]
    SubElement(entry, "updated").text = item["datePublished"]
    SubElement(entry, "published").text = item["datePublished"]
    SubElement(entry, "link", {"rel": "alternate", "href": item["url"]})
    for tag in item["tags"]:
        SubElement(entry, "category", {"term": tag})
    SubElement(entry, "content").text = item["contentText"]


def _tag(home: str, since: str, name: str) -> str:
    """Return an id that never changes. Source: RFC 4151."""
    return f"tag:{urlsplit(home).hostname},{since[:10]}:{name}"


def _language(feed: Mapping[str, Any]) -> dict[str, str]:
    return {"xml:lang": feed["language"]} if "language" in feed else {}
