"""The request that a method of the server gets."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcp_bridge.jsonrpc import Message
from rest_bridge.http.rendering import rendered
from sdl.caller import Caller
from sdl.operation import Operation
from sdl.runner import Snapshot


@dataclass(frozen=True)
class Request:
    """A message with its protocol version, its caller and the snapshot to answer it from."""

    message: Message
    version: str
    snapshot: Snapshot
    caller: Caller
    index: str
    """The path of the index, which markdown begins with."""

    @property
    def params(self) -> Mapping[str, Any]:
        """The message's params."""
        return self.message.params

    def text(self, operation: Operation, body: Any, media_type: str) -> str:
        """Return the body of an operation as a text, as HTTP sends it in this media type."""
        return rendered(operation, operation.shape, body, media_type, self.index).decode()
