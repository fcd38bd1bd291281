"""What every tool is: its entry in the list, and a call of it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from mcp_bridge.protocol.jsonrpc import Request
from sdl.running.runner import Snapshot
from sdl.tools.json_text import to_json

NOTE = "> "
"""What the note of a text begins with."""


class Tool(ABC):
    """A tool."""

    name: str
    title: str
    description: str
    reads: bool
    """Whether it changes nothing and reaches nobody outside of this service."""

    @property
    def destroys(self) -> bool:
        """Whether a call may delete or overwrite something."""
        return False

    @abstractmethod
    def input_schema(self, snapshot: Snapshot) -> dict[str, Any]:
        """Return the JSON Schema of the arguments."""

    @abstractmethod
    def output_schema(self, max_bytes: int) -> dict[str, Any] | None:
        """Return the JSON Schema of the structured content; None if there is none."""

    @abstractmethod
    async def run(self, arguments: Mapping[str, Any], request: Request) -> bytes:
        """Return the result as JSON. Raises: ApiError."""

    def entry(self, input_schema: Mapping[str, Any], output_bytes: int) -> dict[str, Any]:
        """Return the tool's entry in the list; without an output schema if it may have 0 bytes."""
        output = self.output_schema(output_bytes) if output_bytes > 0 else None
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": input_schema,
            **({"outputSchema": output} if output is not None else {}),
            "annotations": {
                "readOnlyHint": self.reads,
                "destructiveHint": self.destroys,
                "openWorldHint": not self.reads,
            },
        }


def result_of(text: str, structured: Any = None, *, is_error: bool = False) -> bytes:
    """Return the result of a call: a text, and the same as JSON where the tool has that."""
    content = [{"type": "text", "text": text}]
    also = {"structuredContent": structured} if structured is not None else {}
    return to_json({"content": content, **also, "isError": is_error})


def with_note(text: str, note: str) -> str:
    """Return a text after a note, if there is one."""
    return f"{NOTE}{note}\n\n{text}" if note else text
