"""The targets of outgoing requests: parsing of URLs, and the rules for public hosts.

A URL is parsed once; after that only its checked parts are used.

Source: RFC 3986 (URLs), RFC 1123 section 2.1 (host names), RFC 5891 section 5.3 (A-labels), RFC
6761 (special names), RFC 6890 and the registries it began (special addresses).
"""

import re
from asyncio import gather
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Protocol

from resolvers.http_client.errors import BlockedTargetError, ConnectionFailedError
from sdl.errors import FieldProblem, InvalidInputError

Address = IPv4Address | IPv6Address

MAX_LENGTH = 500
PORTS = ("443", "8443")
NOT_PUBLIC = frozenset({"localhost", "local", "internal", "invalid", "test", "onion", "arpa"})
"""Top-level labels that do not exist in the public DNS."""

_MAX_HOST = 253
_URL = re.compile(r"[Hh][Tt][Tt][Pp][Ss]://([^/?]*)(.*)")
_TARGET = re.compile(r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*")
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_NAME = re.compile(rf"(?:{_LABEL}\.)+[a-z][a-z0-9-]{{0,61}}[a-z0-9]")
"""A name of at least two labels. The last is not numeric, so it cannot be an IP address."""
_SECOND_LEVEL = frozenset(
    (
        *("ac", "co", "com", "edu", "go", "gob", "gouv", "gov", "ltd"),
        *("mil", "ne", "net", "nhs", "nom", "or", "org", "plc", "sch"),
    )
)
"""Second-level labels of country domains, below which names are registered."""

_ALLOCATED = ip_network("2000::/3")
"""Global unicast IPv6. This excludes ::/8, 64:ff9b::/96, 100::/64, 5f00::/16 and fc00::/6."""
_DENIED = tuple(
    ip_network(network)
    for network in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
        *("172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16"),
        *("198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"),
        "168.63.129.16/32",  # Azure: the platform's address for its virtual machines
        *("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"),
    )
)


@dataclass(frozen=True)
class TargetUrl:
    """The checked parts of a URL."""

    host: str
    port: int
    target: str = field(repr=False)
    """The path and the query; they may contain a secret."""
    owner: str
    """The registered domain, by which rate limits count the host (see `_owner`)."""
    scheme: str = "https"

    @property
    def url(self) -> str:
        """The URL, built from the parts."""
        port = "" if self.port == {"https": 443, "http": 80}[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}{self.target}"


class TargetPolicy(Protocol):
    """The rules for which targets are allowed."""

    def parse(self, text: str, /) -> TargetUrl:
        """Parse and check a URL. Raises: InvalidInputError."""
        ...

    async def addresses(self, target: TargetUrl, /) -> Sequence[Address]:
        """Look up the addresses to connect to.

        Raises: BlockedTargetError, ConnectionFailedError.
        """
        ...


@dataclass(frozen=True)
class PublicHostsOnly:
    """Allows public hosts, except those of this service itself."""

    own_hosts: frozenset[str]
    """Names and addresses of this service, in lower case, without a port."""
    resolver: str = ""
    """The DNS resolver; by default, the machine's own."""

    def parse(self, text: str) -> TargetUrl:
        """Parse and check a URL. Raises: InvalidInputError."""
        target = parse_target(text)
        if target.host in self.own_hosts:
            raise _refusal("must not be an address of this service")
        return target

    async def addresses(self, target: TargetUrl) -> Sequence[Address]:
        """Look up every address of the host; all of them must be public and not our own.

        Raises: BlockedTargetError, ConnectionFailedError.
        """
        names = [target.host, *filter(_is_public_name, self.own_hosts)]
        addresses, *own_lookups = await gather(*map(self._lookup, names))
        looked_up = (address for lookup in own_lookups for address in lookup)
        own_addresses = {*_ip_literals(self.own_hosts), *looked_up}
        if not addresses:
            raise ConnectionFailedError
        if not all(map(is_public_address, addresses)) or own_addresses.intersection(addresses):
            raise BlockedTargetError
        return addresses

    async def _lookup(self, name: str) -> list[Address]:
        from resolvers.http_client.dns import resolve  # noqa: PLC0415 - dnspython, 0.05 s

        return await resolve(name, self.resolver)


def parse_target(text: str) -> TargetUrl:
    """Parse and check a URL. Raises: InvalidInputError."""
    if len(text) > MAX_LENGTH:
        raise _refusal(f"must have at most {MAX_LENGTH} characters")
    match = _URL.fullmatch(text)
    if match is None:
        raise _refusal(
            "must begin with https://, then a public host name and no port, or 443 or 8443, as in"
            " https://hooks.example.com/path"
        )
    host, colon, port = match[1].partition(":")
    if "@" in match[1]:
        raise _refusal("must contain no user name and no password")
    name = _public_name(host)
    if colon and port not in PORTS:
        raise _refusal("must have no port, or one of these", *PORTS)
    if not _TARGET.fullmatch(match[2]):
        raise _refusal("must have no fragment, and its path and query must be percent-encoded")
    target = match[2] if match[2].startswith("/") else f"/{match[2]}"
    return TargetUrl(name, int(port or PORTS[0]), target, _owner(name))


def is_public_address(address: Address) -> bool:
    """Return whether an address is public and does not embed another address."""
    if address.version == _ALLOCATED.version and address not in _ALLOCATED:
        return False
    return not any(address in network for network in _DENIED)


def _public_name(text: str) -> str:
    """Return a host in lower case. Raises: InvalidInputError."""
    name = text.lower()
    if (rule := _broken_rule(name)) is not None:
        raise _refusal(rule)
    return name


def _is_public_name(name: str) -> bool:
    return _broken_rule(name) is None


def _broken_rule(name: str) -> str | None:
    """Return the rule that a host breaks, if it is no name that the public DNS can have."""
    labels = name.split(".")
    rules = (
        (
            name.isascii(),
            "must name its host in ASCII: letters of other alphabets in the form xn--...",
        ),
        (
            not name.startswith("[") and not labels[-1].isdigit(),
            "must name a host; an IP address is not allowed",
        ),
        (len(labels) > 1, "must have the whole name of its host, as in hooks.example.com"),
        (
            labels[-1] not in NOT_PUBLIC,
            f"must name a host in the public DNS, where no name ends in .{labels[-1]}",
        ),
        (
            len(name) <= _MAX_HOST and _NAME.fullmatch(name) is not None,
            "must name a host by parts of 1 to 63 letters, digits and hyphens, none at the ends of"
            f" a part; at most {_MAX_HOST} in all",
        ),
        (
            all(_is_canonical(label) for label in labels if label[2:4] == "--"),
            "must have no part like ab--cd, which names of other alphabets (xn--...) alone have",
        ),
    )
    return next((rule for holds, rule in rules if not holds), None)


def _is_canonical(label: str) -> bool:
    """Return whether a label such as `xn--...` is the canonical IDNA form."""
    import idna  # noqa: PLC0415 - rarely needed, with large tables

    try:
        return label == idna.alabel(idna.ulabel(label)).decode("ascii")
    except idna.IDNAError:
        return False


def _owner(name: str) -> str:
    """Return the registered domain, guessed without the list of public suffixes.

    All customers of one hosting platform count as one owner. One owner does not count as many,
    except for those who own a domain such as `co.xy` in a country without such second levels.
    """
    labels = name.split(".")
    has_second_level = len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL  # noqa: PLR2004 - a country's code
    return ".".join(labels[-3 if has_second_level else -2 :])


def _ip_literals(hosts: Iterable[str]) -> Iterator[Address]:
    for host in hosts:
        try:
            yield ip_address(host.strip("[]"))
        except ValueError:
            continue


def _refusal(rule: str, *allowed: str) -> InvalidInputError:
    return InvalidInputError(
        "Webhooks cannot be sent to this URL.", [FieldProblem("url", rule, allowed)]
    )
