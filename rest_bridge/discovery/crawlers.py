"""What crawlers read first: robots.txt, the sitemap, the licence, the security contact.

All of them say the one policy that stands in the content, and none says more than that.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, time, timedelta
from typing import Any
from urllib.parse import quote
from xml.etree.ElementTree import Element, SubElement

from rest_bridge.discovery.documents import DocumentContext
from rest_bridge.http.xml import text_element, xml_document

RSL = "application/rsl+xml"
SECURITY_DAYS = 180

_ADDRESS = "@!$'*+-._~"
"""What stands in a mailto address as it is. Source: RFC 6068 section 2."""

_SITEMAP_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
_RSL_NAMESPACE = "https://rslstandard.org/rsl"
_AGENTS = """GPTBot OAI-SearchBot ChatGPT-User ClaudeBot Claude-User Claude-SearchBot PerplexityBot
Perplexity-User Google-Extended Applebot-Extended CCBot Bytespider meta-externalagent Amazonbot"""
_SIGNALS = {"search": "crawling", "ai-input": "summarization", "ai-train": "training"}
_PREFERENCES = {"search": "crawling", "train-ai": "training"}
_USAGES = {
    "search": "crawling",
    "ai-index": "crawling",
    "ai-input": "summarization",
    "ai-train": "training",
}


def robots(facts: DocumentContext) -> bytes:
    """robots.txt. Source: RFC 9309; contentsignals.org; IETF aipref; RSL 1.0.

    A yes or no cannot say "with attribution": what is allowed so is left to the licence.
    """
    licensing = facts.directory["licensing"]
    signals = _yes_or_no(licensing, _SIGNALS, ("yes", "no"))
    usage = _yes_or_no(licensing, _PREFERENCES, ("y", "n"))
    lines = [f"User-agent: {name}" for name in ("*", *_AGENTS.split())]
    lines += [f"Content-Signal: {', '.join(signals)}"] if signals else []
    lines += [f"Content-Usage: / {', '.join(usage)}"] if usage else []
    lines += ["Disallow: /" if licensing["crawling"] == "not-allowed" else "Allow: /", ""]
    for name, relation in (("License", "license"), ("Sitemap", "sitemap")):
        pointer = facts.relations.get(relation)
        lines += [f"{name}: {facts.url(pointer.path)}"] if pointer else []
    return "\n".join([*lines, ""]).encode()


def sitemap(facts: DocumentContext) -> bytes:
    """Return every address that the index lists. Source: sitemaps.org, protocol 0.9."""
    root = Element("urlset", {"xmlns": _SITEMAP_NAMESPACE})
    modified = facts.snapshot.modified
    addresses = (link["readingUrl"] for s in facts.directory["sections"] for link in s["links"])
    for address in dict.fromkeys([facts.url("/"), *addresses]):
        entry = SubElement(root, "url")
        text_element(entry, "loc", address)
        if modified is not None:
            changed = datetime.fromtimestamp(modified, UTC).date()
            text_element(entry, "lastmod", changed.isoformat())
    return xml_document(root)


def licence(facts: DocumentContext) -> bytes:
    """The policy in Really Simple Licensing. Source: RSL 1.0."""
    licensing = facts.directory["licensing"]
    root = Element("rsl", {"xmlns": _RSL_NAMESPACE})
    content = SubElement(root, "content", {"url": "/"})
    permitted = [
        (usages, payment)
        for permission, payment in (("allowed", "free"), ("with-attribution", "attribution"))
        if (usages := _usages(licensing, permission))
    ]
    prohibited = _usages(licensing, "not-allowed")
    for usages, payment in permitted or [("", "")]:
        terms = SubElement(content, "license")
        if usages:
            SubElement(terms, "permits", {"type": "usage"}).text = usages
        if prohibited:
            SubElement(terms, "prohibits", {"type": "usage"}).text = prohibited
        paid = SubElement(terms, "payment", {"type": payment}) if payment else None
        if paid is not None and payment == "attribution":
            text_element(paid, "standard", licensing["licenseUrl"])
    owner = {"type": "person", "contactEmail": facts.directory["email"]}
    SubElement(content, "copyright", owner).text = facts.directory["owner"]
    text_element(content, "terms", facts.directory["licensingUrl"])
    return xml_document(root)


def security(facts: DocumentContext) -> bytes:
    """security.txt, good for half a year from today. Source: RFC 9116."""
    expires = datetime.combine(facts.today + timedelta(days=SECURITY_DAYS), time(), UTC)
    lines = [
        f"Contact: mailto:{quote(facts.directory['email'], safe=_ADDRESS)}",
        f"Expires: {expires:%Y-%m-%dT%H:%M:%SZ}",
    ]
    if "language" in facts.directory:
        lines.append(f"Preferred-Languages: {facts.directory['language']}")
    lines += [f"Canonical: {facts.url(d.path)}" for d in facts.documents if d.make is security]
    return "\n".join([*lines, ""]).encode()


def _yes_or_no(
    licensing: Mapping[str, Any], words: Mapping[str, str], answers: tuple[str, str]
) -> list[str]:
    """`word=answer` for each word whose permission has no condition."""
    plain = {"allowed": answers[0], "not-allowed": answers[1]}
    found: Iterator[tuple[str, str]] = ((word, licensing[field]) for word, field in words.items())
    return [f"{word}={plain[permission]}" for word, permission in found if permission in plain]


def _usages(licensing: Mapping[str, Any], permission: str) -> str:
    return " ".join(word for word, field in _USAGES.items() if licensing[field] == permission)
