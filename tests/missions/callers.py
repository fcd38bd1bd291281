"""Two callers that know the base address alone, and count what they send and get."""

import json
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx
from mcp_messages import headers_of, message

from mcp_bridge.protocol.protocol_versions import STATELESS

CHARACTERS_PER_TOKEN = 4
_LINK = re.compile(r"\]\((https?://[^)\s]+)\)")


@dataclass
class Caller:
    """What a mission has cost, and everything that the caller has read."""

    client: httpx.Client
    calls: int = 0
    characters: int = 0
    read: list[str] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        """What was sent and got. Units: tokens of four characters."""
        return self.characters // CHARACTERS_PER_TOKEN

    @property
    def text(self) -> str:
        """Everything that was read after the entrance."""
        return "\n".join(self.read[1:])

    def _count(self, sent: str, got: str) -> None:
        self.calls += 1
        self.characters += len(sent) + len(got)
        self.read.append(got)


@dataclass
class RestCaller(Caller):
    """A caller by REST: reads the index, and asks for what it lists."""

    paths: set[str] = field(default_factory=set)

    def enter(self) -> None:
        """Read the index."""
        index = self.get("/llms.txt")
        self.paths = {urlsplit(address).path for address in _LINK.findall(index)}

    def section(self, path: str, **parameters: str) -> str:
        """Read what the index lists at a path as markdown, or a part of it.

        Of what it does not list, the service says that it has not published it, or that there is
        none.
        """
        response = self.client.get(f"{path}.md", params=parameters)
        assert response.is_success or f"{path}.md" not in self.paths, response.text
        self._count(f"GET {path}.md?{urlencode(parameters)}", response.text)
        return response.text

    def get(self, path: str, **parameters: str) -> str:
        """Read a path."""
        query = f"?{urlencode(parameters)}" if parameters else ""
        response = self.client.get(f"{path}{query}")
        assert response.status_code == 200, response.text
        self._count(f"GET {path}{query}", response.text)
        return response.text

    def refused(self, path: str, **parameters: str) -> str:
        """Read what is not there, or not so; return what the caller is told."""
        query = f"?{urlencode(parameters)}" if parameters else ""
        response = self.client.get(f"{path}{query}")
        assert 400 <= response.status_code < 500, response.text
        self._count(f"GET {path}{query}", response.text)
        return response.text

    def delete(self, path: str, secret: str) -> str:
        """End what is at a path."""
        response = self.client.delete(path, headers={"authorization": f"Bearer {secret}"})
        assert response.is_success, response.text
        self._count(f"DELETE {path}", response.text)
        return response.text

    def get_json(self, path: str, **parameters: str) -> Any:
        """Read a path as JSON."""
        return json.loads(self.get(path, **parameters))

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """Send a body."""
        assert path in self.paths or f"{path}.md" in self.paths, f"{path} is not in the index"
        response = self.client.post(path, json=body)
        assert response.is_success, response.text
        self._count(f"POST {path} {json.dumps(body)}", response.text)
        return response.json()


@dataclass
class McpCaller(Caller):
    """A caller by MCP: lists the tools, and calls those that are listed."""

    tools: dict[str, Any] = field(default_factory=dict)

    def enter(self) -> None:
        """List the tools."""
        result = self._send("tools/list")
        self.tools = {tool["name"]: tool for tool in result["tools"]}

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool; return its result, of which both forms are counted."""
        assert tool in self.tools, f"{tool} is not a tool"
        for name in arguments:
            assert name in self.tools[tool]["inputSchema"]["properties"], f"{tool}: {name}"
        result = self._send("tools/call", name=tool, arguments=arguments)
        assert not result.get("isError"), result
        return result

    def section(self, name: str, **arguments: Any) -> str:
        """Read a section, or be told that it is not published."""
        properties = self.tools["read"]["inputSchema"]["properties"]
        if name not in properties["section"]["enum"]:
            return self.refused("read", section=name)
        text: str = self.call("read", section=name, **arguments)["content"][0]["text"]
        return text

    def refused(self, tool: str, **arguments: Any) -> str:
        """Call a tool for what is not there, or not so; return what the caller is told."""
        result = self._send("tools/call", name=tool, arguments=arguments)
        assert result.get("isError"), result
        text: str = result["content"][0]["text"]
        return text

    def _send(self, method: str, **params: Any) -> dict[str, Any]:
        sent = message(method, STATELESS, **params)
        response = self.client.post("/mcp", json=sent, headers=headers_of(sent, STATELESS))
        assert response.status_code == 200, response.text
        result: dict[str, Any] = response.json()["result"]
        seen = {key: result[key] for key in result if key != "_meta"}
        texts = [part["text"] for part in result.get("content", ()) if part["type"] == "text"]
        self._count(json.dumps(params), json.dumps(seen, ensure_ascii=False))
        self.read[-1] += "\n".join(texts)
        return result
