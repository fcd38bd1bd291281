"""Documents for crawlers: robots.txt, the sitemap, the licence, the security contact.

They repeat the licensing policy of the content and add nothing to it.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta
from typing import Any
from urllib.parse import quote
from xml.etree.ElementTree import Element, SubElement, tostring

from rest_bridge.discovery.documents import DocumentContext
from rest_bridge.representations.responses import content_signal, yes_or_no

RSL = "application/rsl+xml"
SECURITY_DAYS = 180

_ADDRESS = "@!$'*+-._~"
"""Characters that a mailto address does not percent-encode. Source: RFC 6068 section 2."""

_SITEMAP_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
_RSL_NAMESPACE = "https://rslstandard.org/rsl"
_AGENTS = """GPTBot OAI-SearchBot ChatGPT-User ClaudeBot Claude-User Claude-SearchBot PerplexityBot
Perplexity-User Google-Extended Applebot-Extended CCBot Bytespider meta-externalagent Amazonbot"""
_PREFERENCES = {"search": "crawling", "train-ai": "training"}
_USAGES = {
    "search": "crawling",
    "ai-index": "crawling",
    "ai-input": "summarization",
    "ai-train": "training",
}


def robots(context: DocumentContext) -> bytes:
    """Return robots.txt. Source: RFC 9309; contentsignals.org; IETF aipref; RSL 1.0; ARD v0.91.

    Its signals say only yes or no, so a use allowed with attribution is left to the licence.
    """
    licensing = context.directory.get("licensing")
    signals = content_signal(licensing)
    usage = yes_or_no(licensing, _PREFERENCES, ("y", "n"))
    here = context.snapshot.path("/")
    lines = [f"User-agent: {name}" for name in ("*", *_AGENTS.split())]
    lines += [f"Content-Signal: {signals}"] if signals else []
    lines += [f"Content-Usage: {here} {', '.join(usage)}"] if usage else []
    is_refused = licensing is not None and licensing["crawling"] == "not-allowed"
    lines += [f"{'Disallow' if is_refused else 'Allow'}: {here}", ""]
    for name, relation in (("License", "license"), ("Sitemap", "sitemap"), ("Agentmap", "ard")):
        target = context.relations.get(relation)
        lines += [f"{name}: {context.url(target.path)}"] if target else []
    return "\n".join([*lines, ""]).encode()


def sitemap(context: DocumentContext) -> bytes:
    """Return the sitemap: every address in the catalog. Source: sitemaps.org, protocol 0.9."""
    root = Element("urlset", {"xmlns": _SITEMAP_NAMESPACE})
    modified = context.snapshot.modified
    addresses = (link["readingUrl"] for s in context.directory["sections"] for link in s["links"])
    for address in dict.fromkeys([context.url("/"), *addresses]):
        entry = SubElement(root, "url")
        SubElement(entry, "loc").text = address
        if modified is not None:
            changed = datetime.fromtimestamp(modified, UTC).date()
            SubElement(entry, "lastmod").text = changed.isoformat()
    return bytes(tostring(root, encoding="utf-8", xml_declaration=True))


def licence(context: DocumentContext) -> bytes:
    """Return the licensing policy as license.xml. Source: RSL 1.0."""
    licensing = context.directory["licensing"]
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
        element = SubElement(terms, "payment", {"type": payment}) if payment else None
        if element is not None and payment == "attribution":
            SubElement(element, "standard").text = licensing["licenseUrl"]
    owner = {"type": "person", "contactEmail": context.directory["email"]}
    SubElement(content, "copyright", owner).text = context.directory["owner"]
    SubElement(content, "terms").text = context.directory["licensingUrl"]
    return bytes(tostring(root, encoding="utf-8", xml_declaration=True))


def security(context: DocumentContext) -> bytes:
    """Return security.txt, which expires half a year from today. Source: RFC 9116."""
    expires = datetime.combine(context.today + timedelta(days=SECURITY_DAYS), time(), UTC)
    lines = [
        f"Contact: mailto:{quote(context.directory['email'], safe=_ADDRESS)}",
        f"Expires: {expires:%Y-%m-%dT%H:%M:%SZ}",
    ]
    if "language" in context.directory:
        lines.append(f"Preferred-Languages: {context.directory['language']}")
    lines += [f"Canonical: {context.url(d.path)}" for d in context.documents if d.make is security]
    return "\n".join([*lines, ""]).encode()


def _usages(licensing: Mapping[str, Any], permission: str) -> str:
    return " ".join(usage for usage, field in _USAGES.items() if licensing[field] == permission)
