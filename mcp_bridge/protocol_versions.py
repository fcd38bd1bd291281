"""Which revision of the protocol a message speaks: by handshake, or on every request.

Source: MCP 2026-07-28, basic/versioning and basic/transports/streamable-http.
"""

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any

from starlette.datastructures import Headers

from mcp_bridge.jsonrpc import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    UNSUPPORTED_VERSION,
    JsonRpcError,
    Message,
)

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Revisions that begin with `initialize`."""
STATELESS = "2026-07-28"
"""The revision that every request names by itself."""
SUPPORTED = (STATELESS, *reversed(HANDSHAKE))
DISCOVER = "server/discover"
WITHOUT_HEADER = "2025-03-26"
"""What a request speaks that names no revision: the last one without a header for it."""

VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
SERVER_INFO = "io.modelcontextprotocol/serverInfo"
VERSION_HEADER, METHOD_HEADER, NAME_HEADER = "mcp-protocol-version", "mcp-method", "mcp-name"

NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""The parameter that `Mcp-Name` repeats, by method."""

MAX_ECHO = 64
_CODED = re.compile(r"=\?base64\?(.*)\?=")


def version_of(message: Message, headers: Headers | None) -> str:
    """The revision that a request speaks; without headers, it came on stdio. Raises: Refusal."""
    meta = message.params.get("_meta")
    declared = meta.get(VERSION) if isinstance(meta, dict) else None
    named = _single(headers, VERSION_HEADER) if headers is not None else declared
    if message.method != DISCOVER and declared in (None, *HANDSHAKE):
        if headers is not None and declared is not None and named not in (None, declared):
            raise _mismatch(VERSION_HEADER)
        if named is None:
            return declared or WITHOUT_HEADER
        if named in HANDSHAKE:
            return named
        if named != STATELESS:
            raise unsupported(named)
    _check_envelope(meta)
    if headers is not None:
        _check_headers(message, declared, headers)
    if declared != STATELESS:
        raise unsupported(declared)
    return STATELESS


def check_notification(headers: Headers | None) -> None:
    """Nothing, for a notification in a revision that is spoken here. Raises: Refusal."""
    named = _single(headers, VERSION_HEADER) if headers is not None else None
    if named is not None and named not in SUPPORTED:
        raise unsupported(named)


def unsupported(requested: object) -> JsonRpcError:
    """The refusal of a revision, with those that are spoken."""
    data = {"supported": list(SUPPORTED), "requested": str(requested)[:MAX_ECHO]}
    return JsonRpcError(
        UNSUPPORTED_VERSION, "This revision of the protocol is not spoken here.", data
    )


def _check_envelope(meta: Any) -> None:
    given: Mapping[str, Any] = meta if isinstance(meta, dict) else {}
    missing = [name for name in (VERSION, CAPABILITIES) if name not in given]
    if missing:
        raise JsonRpcError(INVALID_PARAMS, f"params._meta must have {' and '.join(missing)}.")
    if not isinstance(given[VERSION], str) or not isinstance(given[CAPABILITIES], dict):
        text = f"In params._meta, {VERSION} is a text and {CAPABILITIES} an object."
        raise JsonRpcError(INVALID_PARAMS, text)


def _check_headers(message: Message, declared: Any, headers: Headers) -> None:
    """Nothing, where the headers say what the body says. Raises: Refusal."""
    if _single(headers, VERSION_HEADER) != declared:
        raise _mismatch(VERSION_HEADER)
    if _single(headers, METHOD_HEADER) != message.method:
        raise _mismatch(METHOD_HEADER)
    parameter = NAMED_BY.get(message.method)
    if parameter is not None and isinstance(name := message.params.get(parameter), str):
        found = _single(headers, NAME_HEADER)
        if found is None or decoded(found) != name:
            raise _mismatch(NAME_HEADER)


def decoded(value: str) -> str | None:
    """The text behind a header's value, which may be in Base64; None for what is no such text."""
    coded = _CODED.fullmatch(value)
    if coded is None:
        return value
    try:
        data = base64.b64decode(coded[1], validate=True)
        return data.decode() if base64.b64encode(data).decode() == coded[1] else None
    except (binascii.Error, UnicodeDecodeError):
        return None


def _single(headers: Headers, name: str) -> str | None:
    found = headers.getlist(name)
    if len(found) > 1:
        raise _mismatch(name)
    return found[0].strip() if found else None


def _mismatch(header: str) -> JsonRpcError:
    return JsonRpcError(HEADER_MISMATCH, f"The header {header} does not say what the body says.")
