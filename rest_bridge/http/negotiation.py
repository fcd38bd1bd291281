"""What a caller prefers: the media type by Accept, the content coding by Accept-Encoding.

Where an MCP client listens, it must accept an event stream, too: `mcp_bridge/protocol/http.py`.

Source: RFC 9110 sections 12.4.2, 12.5.1 and 12.5.3.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from starlette.datastructures import Headers

from rest_bridge.http.compression import CODERS
from sdl.errors import FieldProblem, NotAcceptableError
from sdl.operations.operation import Operation

_QUALITY = re.compile(r"(?:0(?:\.[0-9]{0,3})?|\.[0-9]{1,3}|1(?:\.0{0,3})?)")
"""A weight; Java writes none of its zeros."""
_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"  # noqa: S105 - a word of HTTP, no secret
_RANGE = re.compile(rf"\*/\*|(?!\*/){_TOKEN}/{_TOKEN}")
"""A media range; `*/json` is none."""
MAX_ELEMENTS = 50
MAX_KEPT = 512
"""The longest value whose choice is kept."""
DECIDING = ("Accept", "Accept-Encoding")
"""The headers of a request that decide how each read is answered."""
HTML, MARKDOWN, TEXT = "text/html", "text/markdown", "text/plain"

_PLAIN = {"json": ["application/json"], "xml": ["application/xml", "text/xml"]}


def negotiate(headers: Headers, offered: tuple[str, ...]) -> str:
    """Return the offered media type that the caller prefers. Raises: NotAcceptableError."""
    choice = preferred(headers, offered)
    if choice is None:
        raise NotAcceptableError(
            "This path has no media type that the Accept header allows.",
            [FieldProblem("Accept", "allows no media type of this path", offered)],
        )
    return choice


def vary_of(operation: Operation, more: Iterable[str] = ()) -> str:
    """Return the `Vary` of a read: the headers that decide its answer, and `more`."""
    own = (variable.header for variable in operation.variables if variable.header is not None)
    return ", ".join(dict.fromkeys((*DECIDING, *(name.title() for name in own), *more)))


def preferred(headers: Headers, offered: tuple[str, ...]) -> str | None:
    """Return the offered media type that the caller prefers; None if he takes none of them."""
    return choose(_value(headers), offered)


def is_allowed(headers: Headers, *media_types: str) -> bool:
    """Whether the caller takes one of these media types."""
    return preferred(headers, media_types) is not None


def is_named(headers: Headers, media_type: str) -> bool:
    """Whether Accept has this media type itself, with a quality above 0."""
    return _is_named(_ranges(_value(headers)), media_type)


def choose(accept: str, offered: tuple[str, ...]) -> str | None:
    """Return the offered media type of the best quality for a value of Accept, if any.

    Of equals it is the first in the header; without a valid element the first that is offered.
    """
    # Many callers share a value; long ones are rare and would fill the memory of them.
    return (_choose if len(accept) <= MAX_KEPT else _choose.__wrapped__)(accept, offered)


@lru_cache(maxsize=2048)
def _choose(accept: str, offered: tuple[str, ...]) -> str | None:
    ranges = _ranges(accept)
    # A browser shows plain text; markdown it would only offer as a download.
    in_browser = _is_named(ranges, HTML) and not _is_named(ranges, MARKDOWN)
    choice = _best(ranges, offered)
    if choice == MARKDOWN and TEXT in offered and in_browser:
        return _best(ranges, (TEXT,)) or choice
    return choice


def _best(ranges: dict[str, tuple[float, int]], offered: tuple[str, ...]) -> str | None:
    if not ranges:
        return offered[0]
    ranked = []
    for order, media_type in enumerate(offered):
        exactly_or_less = (media_type, f"{media_type.partition('/')[0]}/*", "*/*")
        quality, place = next((ranges[name] for name in exactly_or_less if name in ranges), (0, 0))
        if quality > 0:
            ranked.append((-quality, place, order, media_type))
    return min(ranked)[3] if ranked else None


def _is_named(ranges: dict[str, tuple[float, int]], media_type: str) -> bool:
    return ranges.get(media_type, (0, 0))[0] > 0


def _ranges(accept: str) -> dict[str, tuple[float, int]]:
    """Return the quality and the place of each media range, where it stands first."""
    ranges: dict[str, tuple[float, int]] = {}
    for place, (name, quality) in enumerate(_weighted(accept)):
        media_range = "*/*" if name == "*" else name  # as old clients of Java write it
        if _RANGE.fullmatch(media_range):
            ranges.setdefault(media_range, (quality, place))
    return ranges


def choose_encoding(accept_encoding: str) -> str | None:
    """Return the coding to send, or None to send the bytes unencoded."""
    is_short = len(accept_encoding) <= MAX_KEPT
    return (_choose_encoding if is_short else _choose_encoding.__wrapped__)(accept_encoding)


@lru_cache(maxsize=1024)
def _choose_encoding(accept_encoding: str) -> str | None:
    qualities = dict(_weighted(accept_encoding))
    default = qualities.get("*", 0.0)
    best = max(CODERS, key=lambda name: qualities.get(name, default))
    quality = qualities.get(best, default)
    unencoded = qualities.get("identity", 0.0)
    return best if quality > 0 and quality >= unencoded else None


def _weighted(value: str) -> Iterator[tuple[str, float]]:
    """Yield the elements of a header with their qualities; malformed ones are passed over."""
    for element in value.split(",")[:MAX_ELEMENTS]:
        name, *parameters = (part.strip() for part in element.split(";"))
        quality = _quality(parameters)
        if quality is not None:
            yield name.lower(), quality


def _quality(parameters: list[str]) -> float | None:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "q":
            return float(value) if _QUALITY.fullmatch(value.strip()) else None
    return 1.0


def _value(headers: Headers) -> str:
    return ", ".join(headers.getlist("accept"))


def plain_types(media_type: str) -> list[str]:
    """Return the general media types of a structured one: `application/json` for `+json`.

    Source: RFC 6839, RFC 7303.
    """
    names = _PLAIN.get(media_type.rpartition("+")[2].rpartition("/")[2], [])
    return [name for name in names if name != media_type]
