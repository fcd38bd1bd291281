"""What is announced of one reading: the lists, the server, how to use it. Answers no call."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from textwrap import shorten
from typing import Any

import orjson

from mcp_bridge.prompts import prompt, prompts_in
from mcp_bridge.protocol_versions import SUPPORTED
from mcp_bridge.resources import resource, resources_in
from mcp_bridge.tools import is_read_only, list_tools, tools_in
from sdl.declare import slug_of
from sdl.operation import Operation
from sdl.runner import Operations, Snapshot

INSTRUCTIONS_BYTES = 2 * 1024
MAX_NAMES = 800
"""What one line of names may have in the instructions. Units: characters."""


class Registry:
    """The operations that are tools, resources and prompts, each by its name."""

    def __init__(self, operations: Operations) -> None:
        every = list(operations)
        self.tools = tools_in(every)
        self.resources = resources_in(every)
        self.prompts = prompts_in(every)


@dataclass(frozen=True)
class ServerListing:
    """Everything announced of one reading."""

    registry: Registry
    snapshot: Snapshot

    @property
    def directory(self) -> Mapping[str, Any]:
        """Who answers here, and where."""
        return self.snapshot.directory

    @cached_property
    def implementation(self) -> dict[str, str]:
        """The server as it names itself."""
        known = self.directory
        return {
            "name": slug_of(known["name"]) or "studio",
            "title": known["name"],
            "version": known["version"],
            "description": known["summary"],
            "websiteUrl": known["baseUrl"],
        }

    @cached_property
    def capabilities(self) -> dict[str, dict[str, Any]]:
        """What there is to ask for."""
        known = self.registry
        found = {"tools": known.tools, "resources": known.resources, "prompts": known.prompts}
        completed = [("completions", known.resources or known.prompts)]
        return {name: {} for name, there in (*found.items(), *completed) if there}

    @cached_property
    def tools(self) -> list[dict[str, Any]]:
        """The tools."""
        return list_tools(self.registry.tools, self.snapshot)

    @cached_property
    def resources(self) -> list[dict[str, Any]]:
        """The resources without variables."""
        found = self.registry.resources.items()
        return [resource(uri, o) for uri, o in found if not o.path_variables]

    @cached_property
    def templates(self) -> list[dict[str, Any]]:
        """The resources with variables."""
        found = self.registry.resources.items()
        return [resource(uri, o) for uri, o in found if o.path_variables]

    @cached_property
    def prompts(self) -> list[dict[str, Any]]:
        """The prompts."""
        return [prompt(name, o) for name, o in self.registry.prompts.items()]

    @cached_property
    def lists(self) -> dict[str, bytes]:
        """The answers of the methods that list, by method."""
        return {
            "tools/list": orjson.dumps({"tools": self.tools}),
            "resources/list": orjson.dumps({"resources": self.resources}),
            "resources/templates/list": orjson.dumps({"resourceTemplates": self.templates}),
            "prompts/list": orjson.dumps({"prompts": self.prompts}),
            "server/discover": orjson.dumps(
                {
                    "supportedVersions": list(SUPPORTED),
                    "capabilities": self.capabilities,
                    "instructions": self.instructions,
                }
            ),
        }

    @cached_property
    def instructions(self) -> str:
        """How a model uses this server, in at most `INSTRUCTIONS_BYTES` bytes."""
        kept = ""
        for line in self._guide():
            if len((kept + line).encode()) <= INSTRUCTIONS_BYTES:
                kept += f"{line}\n"
        return kept.strip()

    def _guide(self) -> Iterator[str]:
        known, catalogue = self.directory, self.registry
        yield shorten(f"{known['name']}: {known['summary']}", 400, placeholder=" …")
        yield (
            "Everything here is what the studio says of itself. Reads cost nothing and leave no"
            " trace; a tool that is not read-only reaches a human or costs something, so call it"
            " only when your user wants that."
        )
        for mark, first in ((True, "To read"), (False, "To act")):
            found = [n for n, o in catalogue.tools.items() if is_read_only(o) is mark]
            if found:
                yield f"{first}, call: {_names(found)}."
        if catalogue.tools:
            yield (
                "Each answer comes twice: as markdown in content, to read and quote, and as JSON in"
                " structuredContent, where a list stands under items."
            )
        if catalogue.resources:
            yield f"To attach whole documents, read: {_names(catalogue.resources)}."
        if catalogue.prompts:
            yield f"To begin a task, take a prompt: {_names(catalogue.prompts)}."
        yield (
            "Slugs name things: get them from a list, never guess them. An error names every"
            " argument that is wrong and what is allowed; correct it and call again."
        )
        if any("agent" in t["inputSchema"]["properties"] for t in self.tools):
            yield (
                "Where a tool takes agent, say who you are; where it takes dryRun, try with true"
                " first. Never invent a name or an address for a person."
            )
        yield f"The same over HTTP, with signatures: {known['baseUrl']}/"


def listing_of(registry: Registry, snapshot: Snapshot) -> ServerListing:
    """Return what is announced of a snapshot, made once."""
    return snapshot.cached("mcp listing", lambda: ServerListing(registry, snapshot))


def _names(names: Mapping[str, Operation] | Sequence[str]) -> str:
    return shorten(", ".join(names), MAX_NAMES, placeholder=" …")
