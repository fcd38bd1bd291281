"""The request that a method of the server gets."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp_bridge.protocol.jsonrpc import Id, Message
from rest_bridge.representations.markdown import markdown_document
from rest_bridge.representations.rendering import Places, rendered
from sdl.caller import Caller
from sdl.operations.operation import Operation
from sdl.running.runner import Snapshot
from sdl.types.shape import Shape

Work = Coroutine[Any, Any, Any]
Watch = Callable[[Id, Work], Work]
"""Does the work of the request with this id; cancels it when the caller leaves or cancels it.

Raises: ClientDisconnect if it was cancelled.
"""


async def to_its_end(_: Id, work: Work) -> Any:
    """Do the work of a caller that cannot be seen to leave."""
    return await work


@dataclass(frozen=True)
class Request:
    """A message with its protocol version, its caller and the snapshot to answer it from."""

    message: Message
    version: str
    snapshot: Snapshot
    caller: Caller
    index: str
    """The path of the index, which markdown begins with."""
    watch: Watch = to_its_end

    @property
    def params(self) -> Mapping[str, Any]:
        """The message's params."""
        return self.message.params

    async def while_connected(self, work: Work) -> Any:
        """Return the result of the work. Raises: ClientDisconnect."""
        return await self.watch(self.message.id, work)

    def text(self, operation: Operation, body: Any, media_type: str) -> str:
        """Return the body of an operation as a text, as HTTP sends it in this media type."""
        return rendered(operation, operation.shape, body, media_type, Places(self.index)).decode()

    @property
    def base_url(self) -> str:
        """The address of this service."""
        return str(self.snapshot.directory["baseUrl"])

    def markdown(
        self, operation: Operation, shape: Shape, body: Any, addresses: Sequence[str] = ()
    ) -> str:
        """Return a body, or a part of one, as markdown; a text stays as it is."""
        if isinstance(body, str):
            return body
        return markdown_document(operation.title, *operation.unwrapped(shape, body), addresses)
