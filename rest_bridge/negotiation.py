"""Which representation a caller wants.

Source: RFC 9110 sections 12.4.2 and 12.5.1.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from starlette.datastructures import Headers

from schema.errors import Fault, NotAcceptable

_QUALITY = re.compile(r"(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)")
_RANGE = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+)/([!#$%&'*+.^_`|~0-9A-Za-z-]+)")
MAX_RANGES = 50


@dataclass(frozen=True)
class MediaRange:
    """One element of an Accept header."""

    kind: str
    subkind: str
    quality: float
    place: int

    def matches(self, media_type: str) -> bool:
        """Whether a media type is inside the range."""
        kind, _, subkind = media_type.partition("/")
        return self.kind in ("*", kind) and self.subkind in ("*", subkind)

    @property
    def precision(self) -> int:
        """2 for a media type, 1 for `kind/*`, 0 for `*/*`."""
        return (self.kind != "*") + (self.subkind != "*")


_PLAIN = {"json": ["application/json"], "xml": ["application/xml", "text/xml"]}


def accepted(headers: Headers) -> str:
    """The Accept header, its lines joined."""
    return ", ".join(headers.getlist("accept"))


def plain_types(media_type: str) -> list[str]:
    """The plain media types that a more particular one is a case of. Source: RFC 6839, RFC 7303."""
    found = _PLAIN.get(media_type.rpartition("+")[2].rpartition("/")[2], [])
    return [name for name in found if name != media_type]


def choose(accept: str, offered: Sequence[str]) -> str | None:
    """The offered media type the header likes best; of equal quality, the leftmost in it."""
    ranges = list(parse_accept(accept))
    if not ranges:
        return offered[0]
    ranked: list[tuple[float, int, int, str]] = []
    for order, media_type in enumerate(offered):
        matching = [found for found in ranges if found.matches(media_type)]
        if matching:
            best = max(matching, key=lambda found: (found.precision, -found.place))
            if best.quality > 0:
                ranked.append((-best.quality, best.place, order, media_type))
    return min(ranked)[3] if ranked else None


def negotiate(headers: Headers, offered: Sequence[str]) -> str:
    """The offered media type the caller likes best. Raises: NotAcceptable."""
    chosen = choose(accepted(headers), offered)
    if chosen is None:
        raise NotAcceptable(
            "Nothing that the Accept header allows is made here.",
            [Fault("Accept", "names no form of this resource", tuple(dict.fromkeys(offered)))],
        )
    return chosen


def parse_accept(accept: str) -> Iterator[MediaRange]:
    """The header's well-formed elements; what is malformed is passed over."""
    for place, element in enumerate(accept.split(",")[:MAX_RANGES]):
        name, *parameters = (part.strip() for part in element.split(";"))
        quality = _quality(parameters)
        found = _RANGE.fullmatch(name.lower())
        if found is not None and quality is not None and not (found[1] == "*" != found[2]):
            yield MediaRange(found[1], found[2], quality, place)


def _quality(parameters: list[str]) -> float | None:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "q":
            return float(value) if _QUALITY.fullmatch(value.strip()) else None
    return 1.0
