"""Where we send to: how an address is read, and which networks are public. Makes no connection.

A URL is read once and rebuilt from its parts; only those are used from then on.

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
"""Last labels of names that no public resolver answers for."""

_LONGEST_HOST = 253
_URL = re.compile(r"[Hh][Tt][Tt][Pp][Ss]://([^/?]*)(.*)")
_TARGET = re.compile(r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*")
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_NAME = re.compile(rf"(?:{_LABEL}\.)+[a-z][a-z0-9-]{{0,61}}[a-z0-9]")
"""A name of at least two labels, of which the last is no number: so no spelling of an address."""
_SECOND = frozenset(
    (
        *("ac", "co", "com", "edu", "go", "gob", "gouv", "gov", "ltd"),
        *("mil", "ne", "net", "nhs", "nom", "or", "org", "plc", "sch"),
    )
)
"""What countries put before their own label, so that a name of somebody has three labels."""

_ALLOCATED = ip_network("2000::/3")
"""What IANA gives out. All of ::/8, 64:ff9b::/96, 100::/64, 5f00::/16 and fc00::/6 is outside."""
_DENIED = tuple(
    ip_network(network)
    for network in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
        *("172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16"),
        *("198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"),
        "168.63.129.16/32",  # what a cloud gives its machines to ask about themselves
        *("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"),
    )
)


@dataclass(frozen=True)
class TargetUrl:
    """Where to send: the parts of a URL, checked."""

    host: str
    port: int
    target: str = field(repr=False)
    """The path and the query. It may hold a secret."""
    owner: str
    """Whom the host is counted for: the name that somebody registered, as far as can be seen."""
    scheme: str = "https"

    @property
    def url(self) -> str:
        """The URL, made of the parts."""
        port = "" if self.port == {"https": 443, "http": 80}[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}{self.target}"


class TargetPolicy(Protocol):
    """Which destinations there are."""

    def parse(self, text: str, /) -> TargetUrl:
        """The destination that a URL names. Raises: InvalidInput."""
        ...

    async def addresses(self, destination: TargetUrl, /) -> Sequence[Address]:
        """Every address to connect to, asked for anew. Raises: Blocked, Unreachable."""
        ...


@dataclass(frozen=True)
class PublicHostsOnly:
    """The public hosts, and none that is this service's own."""

    own_hosts: frozenset[str]
    """Names and addresses of this service, in lower case and without a port."""
    resolver: str = ""
    """The DNS resolver that is asked, if it is not the machine's own."""

    def parse(self, text: str) -> TargetUrl:
        """The destination that a URL names. Raises: InvalidInput."""
        destination = parse_target(text)
        if destination.host in self.own_hosts:
            raise _refusal("must not be an address of this service")
        return destination

    async def addresses(self, destination: TargetUrl) -> Sequence[Address]:
        """Every address of the host, all of them public. Raises: Blocked, Unreachable."""
        names = [destination.host, *filter(_is_public_name, self.own_hosts)]
        found, *own = await gather(*map(self._lookup, names))
        ours = {*_literals(self.own_hosts), *(address for each in own for address in each)}
        if not found:
            raise ConnectionFailedError
        if not all(is_public_address(address) and address not in ours for address in found):
            raise BlockedTargetError
        return found

    async def _lookup(self, name: str) -> list[Address]:
        from resolvers.http_client.dns import resolve  # noqa: PLC0415 - brings dnspython

        return await resolve(name, self.resolver)


def parse_target(text: str) -> TargetUrl:
    """The destination that a URL names. Raises: InvalidInput."""
    if len(text) > MAX_LENGTH:
        raise _refusal(f"must have at most {MAX_LENGTH} characters")
    found = _URL.fullmatch(text)
    if found is None:
        raise _refusal("must begin with https://", "https://hooks.example.com/path")
    host, colon, port = found[1].partition(":")
    if "@" in found[1]:
        raise _refusal("must hold no user name and no password")
    name = _public_name(host)
    if colon and port not in PORTS:
        raise _refusal("must name no port but these", *PORTS)
    if not _TARGET.fullmatch(found[2]):
        raise _refusal("must have no fragment, and a path and query that are percent-encoded")
    target = found[2] if found[2].startswith("/") else f"/{found[2]}"
    return TargetUrl(name, int(port or PORTS[0]), target, _owner(name))


def is_public_address(address: Address) -> bool:
    """Whether an address is one of the public network, and carries no other one inside."""
    if address.version == _ALLOCATED.version and address not in _ALLOCATED:
        return False
    return not any(address in network for network in _DENIED)


def _public_name(text: str) -> str:
    """The host as it is looked up. Raises: InvalidInput."""
    name = text.lower()
    if not _is_public_name(name):
        raise _refusal("must name a host of the public DNS, in ASCII and by no address")
    return name


def _is_public_name(name: str) -> bool:
    labels = name.split(".")
    return (
        len(name) <= _LONGEST_HOST
        and _NAME.fullmatch(name) is not None
        and labels[-1] not in NOT_PUBLIC
        and all(_is_canonical(label) for label in labels if label[2:4] == "--")
    )


def _is_canonical(label: str) -> bool:
    """Whether a label with a prefix is the one spelling of a name that IDNA allows."""
    import idna  # noqa: PLC0415 - such names are rare, and its tables large

    try:
        return label == idna.alabel(idna.ulabel(label)).decode("ascii")
    except idna.IDNAError:
        return False


def _owner(name: str) -> str:
    """The registered name, without the list of public suffixes.

    It counts many customers of one platform as one, and never one owner of a name as many, but
    for those who own a label that elsewhere stands for a country's registry.
    """
    labels = name.split(".")
    is_national = len(labels[-1]) == 2 and labels[-2] in _SECOND  # noqa: PLR2004 - a country's code
    return ".".join(labels[-3 if is_national else -2 :])


def _literals(hosts: Iterable[str]) -> Iterator[Address]:
    for host in hosts:
        try:
            yield ip_address(host.strip("[]"))
        except ValueError:
            continue


def _refusal(rule: str, *allowed: str) -> InvalidInputError:
    return InvalidInputError(
        "The URL is none that can be sent to.", [FieldProblem("url", rule, allowed)]
    )
