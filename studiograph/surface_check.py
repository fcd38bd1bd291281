"""Whether all surfaces of a service say what was published, seen from outside.

A surface that carries data gives each statement's data, from which its leaf hash and the content
root are made again. A surface that carries text must hold each text of a statement. Which
statements there are, and their hashes, was checked before: it is in the signed log of words.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from textwrap import shorten
from typing import Any, Protocol
from urllib.parse import unquote

from graphql import REMOVE, DirectiveNode, Visitor, print_ast, visit

from mcp_bridge.bodies import ID, URL, is_address
from mcp_bridge.description import PATH as MCP_PATH
from mcp_bridge.schema_profile import ITEMS
from resolvers.signing.canonical import canonical
from resolvers.signing.keys import ProofError
from resolvers.signing.verify import VerificationError, parse
from resolvers.transparency.merkle import as_digest, as_hash, leaf_hash, root
from resolvers.transparency.service_check import KnownWords
from rest_bridge.endpoints.graphql import PATH as GRAPHQL_PATH
from rest_bridge.http.rendering import MARKDOWN
from sdl.generated_tools import FETCH
from sdl.operation import Operation
from sdl.projection import MAX_LIMIT, names
from sdl.runner import Operations
from sdl.shape import ListShape, ObjectShape, Shape, to_plain_json
from sdl.statements import INTERFACE, content_reads, named_items
from studiograph.wiring.documents import PINNED, document_statement
from studiograph.wiring.export import LIST
from studiograph.wiring.mcp import listed_statements

Ask = Callable[..., tuple[int, bytes]]
"""`ask(path, body=None, accept="*/*")` returns a status and a body; with a body it is a POST."""

_OK = 200
_SHOWN = 60
"""How much of a missing text an error shows. Units: characters."""
_LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
_UNREAD = (LookupError, TypeError, ValueError, AttributeError, RecursionError, ProofError)
"""What reading an answer of an unexpected form can raise."""


@dataclass(frozen=True)
class Read:
    """The read whose answer is a statement's data."""

    path: str
    operation: Operation
    values: Mapping[str, str]
    """The values of the variables in its path."""


class DataSurface(Protocol):
    """A surface that carries data."""

    @property
    def name(self) -> str:
        """Its name in messages."""
        ...

    def carries(self, read: Read) -> bool:
        """Whether it gives the data of this read."""
        ...

    def data(self, read: Read) -> Any:
        """Return the data of a read. Raises: VerificationError."""
        ...


@dataclass(frozen=True)
class Rest:
    """The reads as JSON."""

    ask: Ask
    name = "REST"

    def carries(self, read: Read) -> bool:
        """Return True: each statement of content is a read."""
        del read
        return True

    def data(self, read: Read) -> Any:
        """Return the body. Raises: VerificationError."""
        return parse(read.path, _body(self.ask, read.path))

    def interface(self) -> Iterator[tuple[str, Any]]:
        """Yield the name and the data of each document that describes the service."""
        base_url = ""
        for path in PINNED:
            text = _body(self.ask, path).decode()
            base_url = base_url or parse(path, text.encode())["servers"][0]["url"]
            yield document_statement(path, text, base_url)


@dataclass(frozen=True)
class GraphQL:
    """The documents of the stored operations, sent as queries of a caller."""

    ask: Ask
    name = "GraphQL"

    def carries(self, read: Read) -> bool:
        """Return True: each read of content is a field of the public schema."""
        del read
        return True

    def data(self, read: Read) -> Any:
        """Return what the query answers, without what is null. Raises: VerificationError."""
        operation = read.operation
        query = print_ast(visit(operation.document, _WithoutDirectives()))
        body = {"query": query, "operationName": operation.name, "variables": dict(read.values)}
        result = parse(GRAPHQL_PATH, _body(self.ask, GRAPHQL_PATH, body))
        if result.get("errors"):
            raise VerificationError(GRAPHQL_PATH, str(result["errors"][0]["message"]))
        value = result["data"][operation.root_key]
        is_whole = operation.rest is not None and operation.rest.whole
        return to_plain_json(operation.shape, {operation.root_key: value} if is_whole else value)


class _WithoutDirectives(Visitor):
    """Drops what only our compiler understands."""

    def enter_directive(self, node: DirectiveNode, *_: object) -> object:
        del node
        return REMOVE


@dataclass(frozen=True)
class Mcp:
    """The structured content of tools, and the texts of `fetch`."""

    ask: Ask
    name = "MCP"

    def carries(self, read: Read) -> bool:
        """Return whether a tool gives this read."""
        return read.operation.mcp is not None

    def data(self, read: Read) -> Any:
        """Return the structured content as the read has it. Raises: VerificationError."""
        operation = read.operation
        if operation.path_variables or not names(operation):
            return self._part(operation, read.values)
        if not isinstance(operation.shape, ListShape):
            keys = [member.key for member in _fields(operation.shape)]
            return self._part(operation, {"fields": ",".join(keys)})
        entries: list[Any] = []
        while not len(entries) % MAX_LIMIT:
            page = self._part(operation, {"limit": MAX_LIMIT, "offset": len(entries)})
            entries += page
            if not page:
                break
        return entries

    def _part(self, operation: Operation, arguments: Mapping[str, Any]) -> Any:
        tool = operation.mcp.tool if operation.mcp is not None else ""
        structured = self._call(tool, arguments)["structuredContent"]
        is_list = isinstance(operation.shape, ListShape)
        return _as_over_http(operation.shape, structured[ITEMS] if is_list else structured)

    def text(self, name: str) -> str:
        """Return the markdown of an entry or a section. Raises: VerificationError."""
        return str(self._call(FETCH, {"id": name})["structuredContent"]["text"])

    def interface(self) -> Iterator[tuple[str, Any]]:
        """Yield the name and the data of each statement that the lists carry."""
        lists: dict[str, Any] = {}
        for method in _LISTS:
            lists |= self._result(method, {})
        yield from listed_statements(lists)

    def _call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        result = self._result("tools/call", {"name": tool, "arguments": dict(arguments)})
        if result.get("isError"):
            raise VerificationError(MCP_PATH, f"{tool} fails")
        return result

    def _result(self, method: str, params: Mapping[str, Any]) -> Any:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": dict(params)}
        accept = "application/json, text/event-stream"
        document = parse(MCP_PATH, _body(self.ask, MCP_PATH, message, accept))
        if "result" not in document:
            raise VerificationError(MCP_PATH, f"{method} fails")
        return document["result"]


@dataclass(frozen=True)
class Export:
    """A folder that `studiograph export` has written."""

    folder: Path
    name = "export"

    def carries(self, read: Read) -> bool:
        """Return True: each read is a file."""
        del read
        return True

    def data(self, read: Read) -> Any:
        """Return what the file of a read holds. Raises: VerificationError."""
        name = self._files.get(read.path)
        if name is None:
            raise VerificationError(read.path, "has no file")
        try:
            return parse(name, (self.folder / name).read_bytes())
        except OSError as error:
            raise VerificationError(name, error.strerror or "cannot be read") from error

    @cached_property
    def _files(self) -> dict[str, str]:
        try:
            return dict(json.loads((self.folder / LIST).read_bytes())["files"])
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise VerificationError(str(self.folder / LIST), "is no list of an export") from error


@dataclass
class SurfaceCheck:
    """What holds of the surfaces of a service whose log of words was checked."""

    ask: Ask
    operations: Operations
    words: KnownWords
    holds: list[str] = field(default_factory=list)

    def run(self, export: Path | None = None) -> None:
        """Compare all surfaces. Raises: VerificationError, naming the surface and statements."""
        mcp = Mcp(self.ask)
        rest = Rest(self.ask)
        self._compare(rest, rest.interface)
        self._compare(GraphQL(self.ask))
        self._compare(mcp, mcp.interface)
        if export is not None:
            self._compare(Export(export))
        else:
            self.holds.append("export: not compared; name its folder with --export")
        full = self.operations.path("GetLlmsFull")
        document = _body(self.ask, full).decode()
        self._search(full, lambda _: document)
        self._search("markdown", lambda read: _body(self.ask, read.path, None, MARKDOWN).decode())
        self._search(f"MCP {FETCH}", lambda read: mcp.text(read.path.removeprefix("/api/")))

    @cached_property
    def reads(self) -> dict[str, Read]:
        """The reads of the statements that have one, by name."""
        content = [name for name in self.words.statements if not name.startswith(INTERFACE)]
        found: dict[str, Read] = {}
        for operation in content_reads(self.operations):
            template = operation.rest.path if operation.rest is not None else ""
            pattern = re.compile(re.sub(r"\\\{\w+\\\}", "([^/]+)", re.escape(template)))
            for name in content:
                if match := pattern.fullmatch(f"/api/{name}"):
                    values = zip(
                        operation.path_variables, map(unquote, match.groups()), strict=True
                    )
                    found[name] = Read(f"/api/{name}", operation, dict(values))
        return found

    @cached_property
    def data(self) -> dict[str, Any]:
        """The data of each read over REST, which has been compared."""
        rest = Rest(self.ask)
        return {name: rest.data(read) for name, read in self.reads.items()}

    def _compare(
        self,
        surface: DataSurface,
        more: Callable[[], Iterator[tuple[str, Any]]] = lambda: iter(()),
    ) -> None:
        """Derive the content root from a surface. Raises: VerificationError."""
        listed = self.words.statements
        hashes: dict[str, str] = {}
        for name, data in (*self._carried(surface), *_read(surface.name, "", lambda: [*more()])):
            hashes[name] = as_digest(leaf_hash(canonical({"name": name, "data": data})))
        wrong = [name for name, digest in hashes.items() if listed.get(name) != digest]
        if wrong:
            differing = ", ".join(sorted(wrong))
            raise VerificationError(surface.name, f"differs from what was published: {differing}")
        derived = {**listed, **hashes}
        head = as_digest(root([as_hash(derived[name]) for name in sorted(listed)]))
        rest = len(listed) - len(hashes)
        self.holds.append(
            f"{surface.name}: {len(hashes)} statements, {head}; it does not carry the other {rest}"
        )

    def _carried(self, surface: DataSurface) -> Iterator[tuple[str, Any]]:
        listed = self.words.statements
        for name, read in self.reads.items():
            if not surface.carries(read):
                continue
            data = _read(surface.name, name, partial(surface.data, read))
            yield name, data
            for item in named_items(name, data):
                if item.name in listed and item.name not in self.reads:
                    yield item

    def _search(self, surface: str, text_of: Callable[[Read], str]) -> None:
        """Look for each text of each statement. Raises: VerificationError."""
        count = 0
        for name, read in self.reads.items():
            found = _flat(_read(surface, name, partial(text_of, read)))
            for text in _texts(self.data[name]):
                count += 1
                if _flat(text) not in found:
                    shown = shorten(text, _SHOWN, placeholder=" …")
                    raise VerificationError(surface, f"does not hold a text of {name}: {shown}")
        self.holds.append(
            f"{surface}: holds all {count} texts of {len(self.reads)} statements; their order and"
            " what is no text were not compared"
        )


def _body(ask: Ask, path: str, body: Any = None, accept: str = "*/*") -> bytes:
    status, data = ask(path, body, accept)
    if status != _OK:
        raise VerificationError(path, f"answers {status}")
    return data


def _read(surface: str, name: str, read: Callable[[], Any]) -> Any:
    """Return what is read; every failure names the surface and the statement."""
    place = f"{surface}: {name}" if name else surface
    try:
        return read()
    except VerificationError as error:
        raise VerificationError(place, str(error)) from error
    except _UNREAD as error:
        raise VerificationError(place, "has an unexpected form") from error


def _as_over_http(shape: Shape, body: Any) -> Any:
    """Return a body as it is over HTTP: MCP writes addresses in full, with an id beside them."""
    if isinstance(shape, ListShape):
        return [_as_over_http(shape.item, item) for item in body]
    if not isinstance(shape, ObjectShape):
        return body
    addresses = {member.key for member in shape.fields if is_address(member)}
    found = {}
    for member in shape.fields:
        if member.key in addresses and ID in body:
            found[URL] = f"/api/{body[ID]}"
        elif member.key in body:
            found[member.key] = _as_over_http(member.shape, body[member.key])
    unknown = body.keys() - {member.key for member in shape.fields} - ({ID} if addresses else set())
    return {**found, **{key: body[key] for key in unknown}}


def _fields(shape: Shape) -> tuple[Any, ...]:
    return shape.fields if isinstance(shape, ObjectShape) else ()


def _texts(value: Any) -> Iterator[str]:
    """Yield every text in plain JSON."""
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)
    elif isinstance(value, str):
        yield value


def _flat(text: str) -> str:
    """Return a text without the backslashes of markdown, and with single spaces."""
    return " ".join(text.replace("\\", "").split())
