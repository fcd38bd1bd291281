"""Compact errors: a body with the error's code only, for operations declared `brief`.

Source: the errors of chat in the specification of this service.
"""

from typing import Any

import orjson
from starlette.responses import Response

from rest_bridge.representations.responses import Relations, error_headers, links
from sdl.errors import ApiError, RateLimitedError
from sdl.types.directives import MEDIA_TYPES

MAX_DETAIL = 500

_UNITS = {86400: "d", 3600: "h", 60: "m", 1: "s"}


def compact_error(error: ApiError, path: str, relations: Relations) -> Response:
    """Return the error as its code; a rate limit error also has the limit and its window.

    Why it happened stands in the header `Detail`; `Link` leads to the description of the path.
    """
    body: dict[str, Any] = {"ok": False, "error": error.code}
    if isinstance(error, RateLimitedError) and error.limit_status is not None:
        body["limit"] = error.limit_status.limit
        body["window"] = window_text(error.limit_status.window_seconds)
    headers = {
        "content-type": MEDIA_TYPES["JSON"],
        "detail": _detail(error),
        "link": ", ".join([f'<{path}>; rel="help"', *links(relations)]),
        **error_headers(error),
    }
    return Response(orjson.dumps(body), error.status, headers)


def _detail(error: ApiError) -> str:
    """Return what is wrong as the value of a header: ASCII without control characters."""
    texts = [problem.text for problem in error.problems] or [error.detail]
    return "; ".join(texts).encode("unicode_escape").decode()[:MAX_DETAIL]


def window_text(seconds: int) -> str:
    """Return the length of a window in its largest unit: 3600 is `1h`."""
    unit = next(unit for unit in _UNITS if seconds % unit == 0)
    return f"{seconds // unit}{_UNITS[unit]}"
