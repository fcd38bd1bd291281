"""The Accept header: choose the media type that the caller prefers, or refuse with 406.

MCP's transport has rules of its own for this header, in `mcp_bridge/protocol/http.py`.

Source: RFC 9110 sections 12.4.2 and 12.5.1.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from starlette.datastructures import Headers

from sdl.errors import FieldProblem, NotAcceptableError

_QUALITY = re.compile(r"(?:0(?:\.[0-9]{0,3})?|\.[0-9]{1,3}|1(?:\.0{0,3})?)")
"""A weight; Java writes none of its zeros."""
_RANGE = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+)/([!#$%&'*+.^_`|~0-9A-Za-z-]+)")
MAX_RANGES = 50

MAX_KEPT = 512
"""The longest value whose choice is kept."""
HTML, MARKDOWN, TEXT = "text/html", "text/markdown", "text/plain"

_PLAIN = {"json": ["application/json"], "xml": ["application/xml", "text/xml"]}


class MediaRange(NamedTuple):
    """One element of an Accept header."""

    kind: str
    subkind: str
    quality: float
    place: int

    @property
    def precision(self) -> int:
        """2 for a media type, 1 for `kind/*`, 0 for `*/*`."""
        return (self.kind != "*") + (self.subkind != "*")


@dataclass(frozen=True)
class Accept:
    """A parsed Accept header; without a valid element it accepts everything."""

    ranges: tuple[MediaRange, ...]

    @classmethod
    def parse(cls, headers: Headers) -> "Accept":
        """Parse the header with all its lines joined; malformed elements are ignored."""
        return cls(tuple(_ranges(_value(headers))))

    def choose(self, offered: Sequence[str]) -> str | None:
        """Return the offered media type of the best quality; of equals, the first in the header."""
        if not self.ranges:
            return offered[0]
        ranked: list[tuple[float, int, int, str]] = []
        for order, media_type in enumerate(offered):
            kind, _, subkind = media_type.partition("/")
            matching = [
                own
                for own in self.ranges
                if own.kind in ("*", kind) and own.subkind in ("*", subkind)
            ]
            if matching:
                best = max(matching, key=lambda own: (own.precision, -own.place))
                if best.quality > 0:
                    ranked.append((-best.quality, best.place, order, media_type))
        return min(ranked)[3] if ranked else None

    def names(self, media_type: str) -> bool:
        """Whether the header names this media type itself, with a quality above 0."""
        return any(
            f"{element.kind}/{element.subkind}" == media_type and element.quality > 0
            for element in self.ranges
        )


def negotiate(headers: Headers, offered: tuple[str, ...]) -> str:
    """Return the offered media type that the caller prefers. Raises: NotAcceptableError."""
    choice = choose(_value(headers), offered)
    if choice is None:
        raise NotAcceptableError(
            "This path has no media type that the Accept header allows.",
            [FieldProblem("Accept", "allows no media type of this path", offered)],
        )
    return choice


def is_allowed(headers: Headers, media_type: str) -> bool:
    """Whether the caller takes a media type."""
    return choose(_value(headers), (media_type,)) is not None


def choose(accept: str, offered: tuple[str, ...]) -> str | None:
    """Return the offered media type for a value of Accept, which many callers share, if any."""
    return _kept_choice(accept, offered) if len(accept) <= MAX_KEPT else _choice(accept, offered)


def _choice(accept: str, offered: tuple[str, ...]) -> str | None:
    parsed = Accept(tuple(_ranges(accept)))
    choice = parsed.choose(offered)
    # A browser shows plain text; markdown it would only offer as a download.
    in_browser = parsed.names(HTML) and not parsed.names(MARKDOWN)
    if choice == MARKDOWN and TEXT in offered and in_browser:
        return parsed.choose([TEXT]) or choice
    return choice


_kept_choice = lru_cache(maxsize=2048)(_choice)


def _value(headers: Headers) -> str:
    return ", ".join(headers.getlist("accept"))


def plain_types(media_type: str) -> list[str]:
    """Return the general media types of a structured one: `application/json` for `+json`.

    Source: RFC 6839, RFC 7303.
    """
    names = _PLAIN.get(media_type.rpartition("+")[2].rpartition("/")[2], [])
    return [name for name in names if name != media_type]


def _ranges(accept: str) -> Iterator[MediaRange]:
    for place, element in enumerate(accept.split(",")[:MAX_RANGES]):
        name, *parameters = (part.strip() for part in element.split(";"))
        name = "*/*" if name == "*" else name  # as old clients of Java write it
        quality = _quality(parameters)
        match = _RANGE.fullmatch(name.lower())
        if match is not None and quality is not None and _is_range(match[1], match[2]):
            yield MediaRange(match[1], match[2], quality, place)


def _is_range(kind: str, subtype: str) -> bool:
    return kind != "*" or subtype == "*"  # `*/json` is not one


def _quality(parameters: list[str]) -> float | None:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "q":
            return float(value) if _QUALITY.fullmatch(value.strip()) else None
    return 1.0
