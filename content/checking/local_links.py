"""Links that no reader can follow: to the reader's own machine, or to a private network."""

import re
from collections.abc import Iterator
from ipaddress import ip_address, ip_network
from typing import Any
from urllib.parse import urlsplit

from content.checking.errors import Finding
from content.checking.own_paths import AS_WRITTEN, is_derived, paths_in
from content.checking.texts import texts_in
from content.reading.toml_positions import KeyPath
from schema.site import Site
from sdl.tools.code_in_text import without_code

_LINK = re.compile(r"\]\([ \t]*(?P<address>https?://[^\s)]+)", re.IGNORECASE)
_ADDRESS = re.compile(r"(?P<address>https?://\S+)", re.IGNORECASE)
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
    for path, text in texts_in(content):
        if path[0] != "changelog" and not is_derived(path):
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
    address_alone = _ADDRESS.fullmatch(text)
    for link in [address_alone] if address_alone else _LINK.finditer(without_code(text)):
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
