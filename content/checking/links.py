"""Links in the content: to own pages, to places that no reader can reach, and to the web.

A link to an own page is written as a path and served as a whole address: both
`[prices](/api/faq/what-it-costs)` and `url = "/api/projects/tidebook"`. Entries of the changelog
stay as they are written: their hashes are published, and must not change with the address of the
service. The studio's website names the studio in its log, so it is no path either.
"""

import re
from collections.abc import Iterator
from ipaddress import ip_address, ip_network
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from content.checking.errors import Finding
from content.checking.findings import constraint_of, field_at
from content.checking.texts import is_derived, texts_in, texts_once
from content.reading.toml_positions import KeyPath
from schema.site import Site
from sdl.tools.code_in_text import without_code
from sdl.types.scalar_types import Url

_LINK = re.compile(r"\]\([ \t]*(?P<path>/(?!/)[^\s)]*)")
_RELATIVE = re.compile(r"\]\([ \t]*(?P<path>(?![/]|[A-Za-z][A-Za-z0-9+.-]*:)[^\s)]+)\)")
_PATH = re.compile(r"(?P<path>/(?!/)[!-~]*)")
AS_WRITTEN: tuple[KeyPath, ...] = (("changelog",), ("studio", "url"))
"""The parts of the content whose links stay as they are written."""


class OwnLink(NamedTuple):
    """A link to a page of this studio: where it stands, and the path that it names."""

    place: KeyPath
    path: str


def with_whole_addresses(
    tree: dict[str, Any], base_url: str
) -> tuple[dict[str, Any], list[OwnLink]]:
    """Return the content with own links below the base URL, and these links as they are written."""
    found: list[OwnLink] = []
    result = tree
    for place, text in texts_in(tree):
        if not text.startswith("/") and "](" not in text:
            continue
        if any(place[:length] in AS_WRITTEN for length in range(1, len(place) + 1)):
            continue
        is_address = constraint_of(field_at(place)) is Url
        address = _PATH.fullmatch(text) if is_address else None
        links = [address] if address else [] if is_address else [*paths_in(text)]
        for link in reversed(links):
            text = f"{text[: link.start('path')]}{base_url}{text[link.start('path') :]}"  # noqa: PLW2901 - each link is made whole
        if links:
            result = _replaced(result, place, text)
            found += [OwnLink(place, link["path"]) for link in links]
    return result, [link for link in found if not is_derived(link.place)]


def _replaced(holder: Any, place: KeyPath, text: str) -> Any:
    """Return a table or a list with a text at a place; the one that was read stays as it is."""
    if not place:
        return text
    copy = holder.copy()
    copy[place[0]] = _replaced(copy[place[0]], place[1:], text)
    return copy


def relative_links(site: Site) -> Iterator[Finding]:
    """Yield a finding for each link that only a page at a certain address could lead somewhere."""
    for path, text in texts_in(site.to_json()):
        for link in _RELATIVE.finditer(without_code(text)) if "](" in text else ():
            rule = f"the link to {link['path']} has no page from which it leads anywhere"
            yield Finding(path, rule, "begin it with https:// or, if it is a page here, with /")


def paths_in(text: str) -> Iterator[re.Match[str]]:
    """Yield each path that a link of a text leads to, as the group `path`."""
    if "/" in text and "](" in text:
        yield from _LINK.finditer(without_code(text))


_WEB_LINK = re.compile(r"\]\([ \t]*(?P<address>https?://[^\s)]+)", re.IGNORECASE)
_WHOLE_ADDRESS = re.compile(r"(?P<address>https?://\S+)", re.IGNORECASE)
_PRIVATE = (
    *(".localhost", ".local", ".home.arpa"),
    *(".internal", ".intranet", ".lan", ".home", ".corp"),
)
"""The ends of names that no public DNS answers. Source: RFC 6761, RFC 6762 with its appendix G,
RFC 8375."""
_EXAMPLES = [
    ip_network(net)
    for net in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32")
]
"""What stands for public addresses, as `.example` does for names. Source: RFC 5737, RFC 3849."""


def is_local(address: str) -> bool:
    """Whether an http or https address is one of this machine or of a private network."""
    try:
        host = (urlsplit(address).hostname or "").rstrip(".")
    except ValueError:  # brackets around no IPv6 address, which is a fault of its own
        return False
    try:
        ip = ip_address(host)
    except ValueError:
        return "." not in host or host.endswith(_PRIVATE)
    return not (ip.is_global or any(ip in net for net in _EXAMPLES))


def local_links(content: dict[str, Any], base_url: str = "") -> Iterator[Finding]:
    """Yield a finding for each link to this machine or a private network, but for own pages.

    The changelog is left out: what it has published must stay as it is. So is what is taken from
    GitHub, which other people write.
    """
    for path, text in texts_once(content):
        if path[0] != "changelog":
            yield from _local_in(path, text, base_url)


def changelog_links(site: Site, count: int) -> Iterator[Finding]:
    """Yield a finding for each such link, and each path, in the newest entries of the changelog.

    There are `count` of them. A path stays a path there, which means nothing in a feed.
    """
    for index, entry in enumerate(site.changelog[:count]):
        yield from entry_links(entry.body, ("changelog", index, "body"))


def entry_links(body: str, place: KeyPath = ("changelog",)) -> Iterator[Finding]:
    """Yield a finding for each such link in the body of an entry that is not published yet."""
    yield from _local_in(place, body)
    for link in paths_in(body):
        rule = f"the link to {link['path']} stays a path, since entries never change"
        yield Finding(place, rule, "write the whole address, with https:// before it")


def _local_in(path: KeyPath, text: str, base_url: str = "") -> Iterator[Finding]:
    address_alone = _WHOLE_ADDRESS.fullmatch(text)
    for link in [address_alone] if address_alone else _WEB_LINK.finditer(without_code(text)):
        address = link["address"]
        is_own = bool(base_url) and f"{address}/".startswith(f"{base_url}/")
        if is_local(address) and not is_own:
            parts = urlsplit(address)
            own = parts._replace(scheme="", netloc="").geturl() or "/"
            rule = f"{address} leads to {parts.hostname}, which readers cannot reach"
            fix = f"write {own} alone if it is a page of this studio, or else a public address"
            if path[0] == "changelog":
                fix = "write a public address"
            elif path in AS_WRITTEN:
                fix = "write the public address of the studio's website"
            yield Finding(path, rule, fix if address_alone else f"{fix}, or the words in backticks")


_ADDRESS = re.compile(r"https?://[^\s<>\"'`\\\]]+")
_ENDS = ".,;:!?)"


def links_of(site: Site) -> dict[str, KeyPath]:
    """Return each http and https address with the place where it first stands."""
    found: dict[str, KeyPath] = {}
    for path, text in texts_in(site.to_json()):
        for address in _ADDRESS.findall(text):
            end = "" if "(" in address else ")"
            found.setdefault(address.rstrip(_ENDS.replace(")", end)), path)
    return found
