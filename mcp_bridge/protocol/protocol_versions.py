"""The protocol version of a message: agreed by handshake, or named in every request.

Source: MCP 2026-07-28, basic/versioning and basic/transports/streamable-http.
"""

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any

from starlette.datastructures import Headers

from mcp_bridge.protocol.jsonrpc import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    UNSUPPORTED_VERSION,
    JsonRpcError,
    Message,
)

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Versions that begin with `initialize`."""
STATELESS = "2026-07-28"
"""The version that has no handshake: every request names it."""
SUPPORTED = (STATELESS, *reversed(HANDSHAKE))
DISCOVER = "server/discover"
WITHOUT_HEADER = "2025-03-26"
"""The version of a request that names none: the last version without a header for it."""

VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
SERVER_INFO = "io.modelcontextprotocol/serverInfo"
VERSION_HEADER, METHOD_HEADER, NAME_HEADER = "mcp-protocol-version", "mcp-method", "mcp-name"

NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""The parameter that `Mcp-Name` repeats, by method."""

MAX_ECHO = 64
_CODED = re.compile(r"=\?base64\?(.*)\?=")


def version_of(message: Message, headers: Headers | None) -> str:
    """Return the version of a request; `headers` is None on stdio. Raises: JsonRpcError.

    It is empty on stdio after a handshake, which alone has named it.
    """
    meta = message.params.get("_meta")
    meta_version = meta.get(VERSION) if isinstance(meta, dict) else None
    version = _single(headers, VERSION_HEADER) if headers is not None else meta_version
    if message.method != DISCOVER and meta_version in (None, *HANDSHAKE):
        if headers is not None and meta_version is not None and version not in (None, meta_version):
            raise _mismatch(VERSION_HEADER)
        if version is None:
            return meta_version or (WITHOUT_HEADER if headers is not None else "")
        if version in HANDSHAKE:
            return version
        if version != STATELESS:
            raise unsupported(version)
    _check_envelope(meta)
    if headers is not None:
        _check_headers(message, meta_version, headers)
    if meta_version != STATELESS:
        raise unsupported(meta_version)
    return STATELESS


def check_notification(headers: Headers | None) -> None:
    """Raise `JsonRpcError` if the headers of a notification name an unsupported version."""
    version = _single(headers, VERSION_HEADER) if headers is not None else None
    if version is not None and version not in SUPPORTED:
        raise unsupported(version)


def unsupported(requested: object) -> JsonRpcError:
    """Return the error for an unsupported version, with the supported ones."""
    data = {"supported": list(SUPPORTED), "requested": str(requested)[:MAX_ECHO]}
    return JsonRpcError(UNSUPPORTED_VERSION, "Unsupported protocol version.", data)


def _check_envelope(meta: Any) -> None:
    members: Mapping[str, Any] = meta if isinstance(meta, dict) else {}
    missing = [name for name in (VERSION, CAPABILITIES) if name not in members]
    if missing:
        raise JsonRpcError(INVALID_PARAMS, f"params._meta must have {' and '.join(missing)}.")
    if not isinstance(members[VERSION], str) or not isinstance(members[CAPABILITIES], dict):
        text = f"In params._meta, {VERSION} must be a string and {CAPABILITIES} an object."
        raise JsonRpcError(INVALID_PARAMS, text)
    if not isinstance(members.get(CLIENT_INFO, {}), dict):
        raise JsonRpcError(INVALID_PARAMS, f"In params._meta, {CLIENT_INFO} must be an object.")


def _check_headers(message: Message, meta_version: Any, headers: Headers) -> None:
    """Raise `JsonRpcError` if a header differs from the body."""
    if _single(headers, VERSION_HEADER) != meta_version:
        raise _mismatch(VERSION_HEADER)
    if _single(headers, METHOD_HEADER) != message.method:
        raise _mismatch(METHOD_HEADER)
    parameter = NAMED_BY.get(message.method)
    if parameter is not None and isinstance(name := message.params.get(parameter), str):
        value = _single(headers, NAME_HEADER)
        if value is None or decoded(value) != name:
            raise _mismatch(NAME_HEADER)


def decoded(value: str) -> str | None:
    """Return the text of a header's value, which may be in Base64; None if that is invalid."""
    match = _CODED.fullmatch(value)
    if match is None:
        return value
    try:
        data = base64.b64decode(match[1], validate=True)
        return data.decode() if base64.b64encode(data).decode() == match[1] else None
    except (binascii.Error, UnicodeDecodeError):
        return None


def _single(headers: Headers, name: str) -> str | None:
    values = headers.getlist(name)
    if len(values) > 1:
        raise _mismatch(name)
    return values[0].strip() if values else None


def _mismatch(header: str) -> JsonRpcError:
    return JsonRpcError(HEADER_MISMATCH, f"The header {header} does not match the body.")
