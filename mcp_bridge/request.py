"""One MCP message with what it is answered from."""

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
    """A message, the protocol version it is in, who sent it, and the snapshot that answers it."""

    message: Message
    version: str
    snapshot: Snapshot
    caller: Caller
    index: str
    """The path of the index of everything, to which markdown points."""

    @property
    def params(self) -> Mapping[str, Any]:
        """The message's params."""
        return self.message.params

    def text(self, operation: Operation, body: Any, media_type: str) -> str:
        """Return what HTTP answers for the body of an operation."""
        return rendered(operation, operation.shape, body, media_type, self.index).decode()
