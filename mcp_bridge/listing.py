"""What the server lists for one snapshot: its tools, resources, prompts and instructions."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from textwrap import shorten
from typing import Any

import orjson

from mcp_bridge.prompts import prompt, prompts_in
from mcp_bridge.protocol.protocol_versions import SUPPORTED
from mcp_bridge.resources import (
    EXTENSION,
    LIST_SKILLS,
    resource,
    resources_in,
    skill_list,
    skill_resources,
    skills_in,
)
from mcp_bridge.tools.all_tools import ToolOptions, list_tools, tools_in
from sdl.operations.catalog import FETCH, READ
from sdl.operations.operation import Operation
from sdl.running.runner import Operations, Snapshot
from sdl.types.declare import slug_of

INSTRUCTIONS_BYTES = 2 * 1024
MAX_NAMES = 800
"""The longest list of names in the instructions. Units: characters."""


class Registry:
    """The tools, and the operations that are resources and prompts, by name."""

    def __init__(self, operations: Operations, options: ToolOptions) -> None:
        all_operations = list(operations)
        self.tools = tools_in(all_operations, options)
        self.resources = resources_in(all_operations, options.scheme)
        self.prompts = prompts_in(all_operations)
        self.skills = skills_in(all_operations)

    @property
    def readable(self) -> dict[str, Operation]:
        """The resources, and the files of the skills, by URI."""
        return {**self.resources, **self.skills}


@dataclass(frozen=True)
class ServerListing:
    """Everything that the server lists for one snapshot."""

    registry: Registry
    snapshot: Snapshot

    @property
    def directory(self) -> Mapping[str, Any]:
        """The name, version and base URL of the service."""
        return self.snapshot.directory

    @cached_property
    def implementation(self) -> dict[str, str]:
        """The server's name, version and description."""
        directory = self.directory
        return {
            "name": slug_of(directory["name"]) or self.snapshot.words.noun,
            "title": directory["name"],
            "version": directory["version"],
            "description": directory["summary"],
            "websiteUrl": directory["baseUrl"],
        }

    @property
    def short_name(self) -> dict[str, str]:
        """The server's name and version, which every result has since 2026-07-28."""
        return {key: self.implementation[key] for key in ("name", "version")}

    @cached_property
    def capabilities(self) -> dict[str, dict[str, Any]]:
        """The capabilities that have at least one tool, resource or prompt."""
        registry = self.registry
        capabilities = {
            "tools": registry.tools,
            "resources": registry.readable,
            "prompts": registry.prompts,
            "completions": registry.resources or registry.prompts,
        }
        return {name: {} for name, operations in capabilities.items() if operations}

    @property
    def listening_capabilities(self) -> dict[str, dict[str, Any]]:
        """The capabilities since 2026-07-28, which announce changes of the list of tools."""
        tools = {"tools": {"listChanged": True}} if self.registry.tools else {}
        return self.capabilities | tools

    @property
    def extensions(self) -> dict[str, dict[str, Any]]:
        """The extensions of the protocol, as capabilities since 2026-07-28."""
        return {"extensions": {EXTENSION: {}}} if self.registry.skills else {}

    @cached_property
    def tools(self) -> list[dict[str, Any]]:
        """The tools as `tools/list` returns them."""
        return list_tools(self.registry.tools, self.snapshot)

    @cached_property
    def resources(self) -> list[dict[str, Any]]:
        """The resources without variables, and the files of the skills."""
        registry = self.registry
        found = [resource(u, o) for u, o in registry.resources.items() if not o.path_variables]
        return [*found, *skill_resources(registry.skills, self.snapshot)]

    @cached_property
    def templates(self) -> list[dict[str, Any]]:
        """The resource templates: resources with variables."""
        operations = self.registry.resources.items()
        return [resource(uri, o) for uri, o in operations if o.path_variables]

    @cached_property
    def prompts(self) -> list[dict[str, Any]]:
        """The prompts as `prompts/list` returns them."""
        return [prompt(name, o) for name, o in self.registry.prompts.items()]

    @cached_property
    def lists(self) -> dict[str, bytes]:
        """The results of the list methods and of `server/discover`, by method."""
        return {
            "tools/list": orjson.dumps({"tools": self.tools}),
            "resources/list": orjson.dumps({"resources": self.resources}),
            "resources/templates/list": orjson.dumps({"resourceTemplates": self.templates}),
            "prompts/list": orjson.dumps({"prompts": self.prompts}),
            LIST_SKILLS: skill_list(self.registry.skills, self.snapshot),
            "server/discover": orjson.dumps(
                {
                    "supportedVersions": list(SUPPORTED),
                    "capabilities": {**self.listening_capabilities, **self.extensions},
                    "instructions": self.instructions,
                }
            ),
        }

    @cached_property
    def instructions(self) -> str:
        """How a model uses this server, in at most `INSTRUCTIONS_BYTES` bytes."""
        text = ""
        for line in self._instruction_lines():
            if len((text + line).encode()) <= INSTRUCTIONS_BYTES:
                text += f"{line}\n"
        return text.strip()

    def _instruction_lines(self) -> Iterator[str]:
        directory, registry = self.directory, self.registry
        name, summary = directory["name"], directory["summary"]
        about = summary if summary.startswith(name) else f"{name}: {summary}"
        yield shorten(about, 400, placeholder=" …")
        if note := directory.get("languageNote"):
            yield note
        yield self.snapshot.words.reading
        reading = [name for name, tool in registry.tools.items() if tool.reads]
        acting = [name for name, tool in registry.tools.items() if not tool.reads]
        if reading:
            yield f"To read, call: {_names(reading)}."
        if acting:
            yield (
                f"To act, call: {_names(acting)}. {self.snapshot.words.acting}: call them only if"
                " your user wants that."
            )
        if registry.tools:
            whole = "; fetch never shortens" if FETCH in registry.tools else ""
            yield (
                "A result is text. Most tools give the same data in structuredContent too, where a"
                " list is the member items. A long result is shortened, and its first line says"
                f" how to get the rest{whole}."
            )
        if registry.resources:
            yield (f"Resources are whole documents, never shortened: {_names(registry.resources)}.")
        if registry.prompts:
            yield f"To begin a task, use a prompt: {_names(registry.prompts)}."
        slugs = "Get slugs from a list; never guess them. " if READ in registry.tools else ""
        yield (
            f"{slugs}An error lists every wrong argument and what is allowed; correct it and call"
            " again."
        )
        if any("agent" in tool["inputSchema"]["properties"] for tool in self.tools):
            yield (
                "If a tool has the argument agent, say who you are; if it has dryRun, call it with"
                " dryRun true first. Never invent a name or an address for a person."
            )
        yield f"HTTP offers the same: {directory['baseUrl']}/"


@lru_cache(maxsize=4)
def registry_of(operations: Operations, options: ToolOptions) -> Registry:
    """Return what the operations declare; the same object each time, so listings are shared."""
    return Registry(operations, options)


def listing_of(registry: Registry, snapshot: Snapshot) -> ServerListing:
    """Return the listing of a snapshot; it is built once."""
    return snapshot.cached(("mcp listing", registry), lambda: ServerListing(registry, snapshot))


def _names(names: Iterable[str]) -> str:
    return shorten(", ".join(names), MAX_NAMES, placeholder=" …")
