"""Errors of the paths that tell a code alone: one closed shape for each status.

Source: the errors of chat in the specification of this service.
"""

from typing import Any

import orjson
from starlette.responses import Response

from rest_bridge.replies import error_headers
from rest_bridge.response_items import Item, closed
from schema.directives import MEDIA_TYPES
from schema.errors import RateLimited, StudioError

_UNITS = {86400: "d", 3600: "h", 60: "m", 1: "s"}


def brief(error: StudioError) -> Response:
    """The error as its code; a spent budget says how large it is."""
    body: dict[str, Any] = {"ok": False, "error": error.code}
    if isinstance(error, RateLimited) and error.spent is not None:
        body["limit"] = error.spent.limit
        body["window"] = window_text(error.spent.window_seconds)
    headers = {"content-type": MEDIA_TYPES["JSON"], **error_headers(error)}
    return Response(orjson.dumps(body), error.status, headers)


def window_text(seconds: int) -> str:
    """The length of a window in its largest unit: 3600 is `1h`."""
    unit = next(unit for unit in _UNITS if seconds % unit == 0)
    return f"{seconds // unit}{_UNITS[unit]}"


def brief_schema(same: list[type[StudioError]]) -> Item:
    """The JSON Schema of the body that one of the errors of a status has."""
    told: Item = {"ok": {"const": False}, "error": {"enum": sorted(e.code for e in same)}}
    if RateLimited in same:
        told["limit"] = {"type": "integer", "description": "The calls of a window."}
        told["window"] = {"type": "string", "description": "The window's length, such as 1h."}
    return closed(told)
