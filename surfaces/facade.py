"""`Surfaces`: REST, markdown, OpenAPI, MCP, llms.txt and discovery documents of any schema."""

import re
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import dataclass
from functools import lru_cache, partial
from http import HTTPStatus
from inspect import iscoroutinefunction
from itertools import groupby
from pathlib import Path
from time import time
from typing import Any
from urllib.parse import quote, urlsplit

from starlette.routing import Mount, Route, Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from strawberry import Schema

from mcp_bridge.description import CARD, CARD_PATH, DESCRIPTION, server_card
from mcp_bridge.description import PATH as MCP
from mcp_bridge.listing import Registry
from mcp_bridge.tools.all_tools import ToolOptions
from rest_bridge.discovery.documents import Document, DocumentContext
from rest_bridge.document_list import DOCUMENTS
from rest_bridge.endpoints.graphql import schema_path
from rest_bridge.http.client_address import caller_of
from rest_bridge.http.live import VARY
from rest_bridge.http.query_string import route_path
from rest_bridge.representations.rendering import TEXT
from sdl.arguments.values import read_arguments
from sdl.errors import InvalidInputError
from sdl.operations.catalog import IndexEntry, catalog_of
from sdl.operations.compiler import compile_operations
from sdl.operations.operation import Operation, form_paths
from sdl.operations.rules import OperationError, OperationProblem, problem_at, problem_of
from sdl.running.live import GetContext, LiveQueries, LiveSchema, LiveSnapshot
from sdl.running.live_errors import Statuses
from sdl.running.runner import Operations, Signer, Snapshot
from surfaces.assembly import Assembly, GraphQL
from surfaces.bearer import RESOURCE_PATH, Bearer, BearerGuard
from surfaces.licence import Licence

INDEX_PATH, GRAPHQL_PATH = "/llms.txt", "/graphql"
EXAMPLE = "{ __typename }"
RESERVED = frozenset(
    (
        *(own.path for own in DOCUMENTS),
        *(INDEX_PATH, CARD_PATH, RESOURCE_PATH, f"{RESOURCE_PATH}{MCP}", schema_path(GRAPHQL_PATH)),
        *(f"{path}{end}" for path in (MCP, GRAPHQL_PATH) for end in ("", ".md", ".json")),
    )
)
"""The paths that the service itself has."""
WITHOUT_DATA = (RESOURCE_PATH, "/robots.txt", "/.well-known/security.txt")
"""What documents begin with that are the same whatever the data is."""
AT_ROOT = (INDEX_PATH, "/robots.txt", "/.well-known/")
"""What paths begin with that callers ask the root of a host for, wherever it is mounted."""
MAX_ADDRESSES = 8
"""How many addresses one service is kept ready for, if what mounts it says them."""
STRICT, LOOSE = ToolOptions(reads=False), ToolOptions(reads=False, strict=False)


class NoOperationsError(OperationError):
    """A folder has no operations yet; `surfaces draft` writes some for its schema."""

    def __init__(self, schema: Schema, folder: Path) -> None:
        self.schema, self.folder = schema, folder
        text = "no *.graphql file here, or in operations/ below it, has an operation"
        if not folder.is_dir():
            text = f"{folder.absolute()} is no folder; a path begins at the working directory"
        fix = "`surfaces draft module:schema` with this folder writes first ones"
        super().__init__([OperationProblem(str(folder), 1, 1, f"{text}: {fix}")])


class Surfaces:
    """An ASGI application that serves the stored operations of a folder on a schema.

    Without `revision` data is live: each call runs the schema for its caller, and nothing is kept.
    """

    def __init__(  # noqa: PLR0913 - keywords name all but the first two
        self,
        schema: Schema,
        operations: str | Path,
        *,
        name: str = "",
        summary: str = "",
        url: str = "http://127.0.0.1:8000",
        version: str = "1.0",
        owner: str = "",
        email: str = "",
        language: str = "",
        licence: Licence | None = None,
        get_context: GetContext | None = None,
        root_value: Any = None,
        errors: Statuses | None = None,
        auth: Bearer | None = None,
        graphql: bool = False,
        revision: Callable[[], str] | None = None,
        sign: Signer | None = None,
        strict: bool = False,
        hosts: Iterable[str] | None = None,
        threads: bool = True,
    ) -> None:
        """Compile the operations and put the service together.

        `get_context` takes `request` and `response`, as in a Strawberry view; `errors` maps classes
        of exceptions to HTTP statuses. `revision` returns a text that changes whenever the data
        does: until it changes, answers are kept, so they must be the same for every caller.
        Raises: OperationError with every problem; TypeError or ValueError for a wrong argument.
        """
        _check_arguments(schema, url, licence, hosts, revision=revision, sign=sign)
        if auth is not None and not isinstance(auth, Bearer):
            raise TypeError("auth: give a Bearer(...).")
        folder = Path(operations)
        executable = schema._schema  # noqa: SLF001 - Strawberry has no public name for it
        compiled = compile_operations(executable, folder, strict=strict)
        if not compiled:
            raise NoOperationsError(schema, folder)
        self.folder = folder
        self.sdl = schema.as_str if graphql else None
        """Prints the schema on which callers may write queries; None if they may not."""
        self.operations = Operations(executable, compiled)
        self.live = LiveSchema(schema, get_context, root_value, errors, threads=threads)
        self._revision = revision
        self._bearer = auth
        self._about = {
            "name": name or _words(folder.resolve().name),
            "summary": summary or f"{name or 'This service'}, for agents.",
            "version": version,
            "owner": owner,
            "email": email,
            "notices": [],
            **({"language": language} if language else {}),
            **({"licensing": licence.facts(), "licensingUrl": licence.url} if licence else {}),
            **({"security": auth.security()} if auth else {}),
        }
        extras = (MCP, *((GRAPHQL_PATH, schema_path(GRAPHQL_PATH)) if graphql else ()))
        self._made: dict[str, Any] = {"extras": extras, "signer": sign}
        if problems := [*self._problems()]:
            raise OperationError(problems)
        queries = LiveQueries(self.live)
        self._parts: dict[str, Any] = {
            "operations": self.operations,
            "tools": STRICT if strict else LOOSE,
            "caller_of": partial(caller_of, trusted=()),
            "graphql": GraphQL(queries, schema.as_str, EXAMPLE, GRAPHQL_PATH) if graphql else None,
            "hosts": hosts,
        }
        self._mounted = lru_cache(MAX_ADDRESSES)(self.at)
        self.move(url.rstrip("/"))

    def at(self, url: str) -> "Surfaces":
        """Return the same service at another address."""
        own = copy(self)
        own.move(url)
        return own

    def move(self, url: str) -> None:
        """Put together what has the address in it."""
        self.url, self._prefix = url, urlsplit(url).path
        self.documents = tuple(self._documents())
        self._made = {**self._made, "facts": self._facts}
        self._snapshot: Snapshot = (
            LiveSnapshot(self.operations, None, None, **self._made, live=self.live)
            if self._revision is None
            else self._bound(self._revision())
        )
        assembly = Assembly(
            **self._parts,
            current=self.current,
            base_url=self.url,
            documents=self.documents,
            related=self.documents,
            wrap=self.guarded,
            challenge=self._bearer.challenge(self.url) if self._bearer else "Bearer",
        )
        self.mcp_server = assembly.server
        self._app, _ = assembly.application()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; every link has the path of `url`, or else the scope's `root_path`."""
        app: ASGIApp = self._app
        if scope["type"] != "lifespan":
            root, scope = scope.get("root_path", ""), {**scope}
            if root and not self._prefix:
                app = self._mounted(self.url + root)
            elif root != self._prefix:
                if root:  # what mounts it has other words for the path than callers have
                    scope["path"] = route_path(scope)
                    raw = scope.get("raw_path") or b""
                    scope["raw_path"] = raw.removeprefix(quote(root).encode())
                scope["root_path"] = self._prefix
        await app(scope, receive, send)

    @property
    def well_known(self) -> Router:
        """An application for the root of the host: what callers look for there alone.

        These are `/llms.txt`, `/robots.txt` and `/.well-known/`, and the path of `url` without a
        slash, which a mount leaves to others. Raises: ValueError.
        """
        return Router(self._routes_at_root())

    def beside(self, site: ASGIApp) -> Router:
        """Return an application that has the service below its path, and is `site` elsewhere.

        It has what `well_known` has, too, where the site has nothing. Raises: ValueError.
        """
        prefix, *known = self._routes_at_root(site)
        return Router([prefix, Mount(self._prefix, self), *known], default=site)

    def _routes_at_root(self, site: ASGIApp | None = None) -> list[Route]:
        if not self._prefix:
            raise ValueError(
                "url: write the path that the service is mounted at, too, such as"
                " https://tasks.example/agents. Without one it is at the root itself."
            )
        known = AtRoot(self, self._prefix, site)
        own = [each.path for each in self.documents]
        own += [each.rest.path for each in self.operations if each.rest is not None]
        own += [f"{RESOURCE_PATH}{self._prefix}{end}" for end in ("", MCP)] if self._bearer else []
        paths = dict.fromkeys(path for path in own if path.startswith(AT_ROOT))
        return [Route(self._prefix, self), *(Route(path, known) for path in paths)]

    def current(self) -> Snapshot:
        """Return the snapshot that requests are answered from."""
        if self._revision is not None and (revision := self._revision()) != self._snapshot.revision:
            self._snapshot = self._bound(revision)
        return self._snapshot

    def _bound(self, revision: str) -> Snapshot:
        """Return the operations bound to the data as it is now."""
        root, context = self.live.frozen()
        own = {**self._made, "statuses": self.live.errors}
        return Snapshot(self.operations, root, context, time(), revision=revision, **own)

    def guarded(self, app: ASGIApp) -> ASGIApp:
        """Return an application that only those reach who may."""
        app = self.live.wrap(app) if self._revision is None else app
        if self._bearer is None:
            return app
        open_to_all = "" if self._revision is None else WITHOUT_DATA
        free = [own.path for own in self.documents if own.path.startswith(open_to_all)]
        return BearerGuard(app, self._bearer, self.url, free)

    def _documents(self) -> Iterator[Document]:
        """Yield the documents for which everything is known."""
        note = "Everything here."
        yield Document(INDEX_PATH, TEXT, "Index", note, _index, rel="service-doc", minor=True)
        if not any(own.rest is not None and own.rest.path == "/" for own in self.operations):
            yield Document("/", TEXT, "Root", note, _index, minor=True)
        for document in DOCUMENTS:
            if not document.needs or self._about.get(document.needs):
                yield document
        yield Document(CARD_PATH, CARD, "MCP server card", DESCRIPTION, _card, minor=True)
        if self._bearer is not None:
            yield from self._bearer.documents(self.url)

    def _facts(self, snapshot: Snapshot) -> dict[str, Any]:
        """Return who provides the service, and the links to everything that can be read."""
        documents = [own.index_entry for own in self.documents if own.make is not _index]
        entries = [own for own in (*catalog_of(snapshot), *documents) if own.is_link]
        return {
            **self._about,
            "baseUrl": self.url,
            "studioUrl": self.url,
            "sections": [
                {"title": title, "links": [self._link(own) for own in group]}
                for title, group in groupby(entries, key=lambda own: own.section)
            ],
        }

    def _link(self, entry: IndexEntry) -> dict[str, str]:
        return {
            "title": entry.title,
            "path": entry.path,
            "url": self.url + entry.path,
            "readingUrl": self.url + entry.reading_path,
            "note": entry.note,
        }

    def _problems(self) -> Iterator[OperationProblem]:
        """Yield what cannot be served with these arguments."""
        for own in self.operations:
            rest = own.rest
            paths = (rest.path, *form_paths(rest.path, rest.media).values()) if rest else ()
            if taken := [path for path in paths if path in RESERVED]:
                yield problem_of(own, "rest", f"path: {taken[0]} is the service's own")
            if not any((own.rest, own.mcp, own.resource, own.prompt)):
                yield problem_at(own.node, "no surface: write @rest, @mcp, @resource or @prompt")
            yield from _example_problems(own)
            for text in self.live.refusals(own):
                yield problem_at(own.node, f"an extension of the schema refuses it: {text}")
            is_live = self._revision is None
            yield from self._live_problems(own) if is_live else self._frozen_problems(own)

    def _live_problems(self, operation: Operation) -> Iterator[OperationProblem]:
        """Yield what cannot be served of data that may differ by caller."""
        for node in (*operation.directives("sign"), *operation.directives("skill")):
            name = node.name.value
            fix = f"@{name} needs data that is the same for everybody: give `revision`"
            yield problem_at(node, fix)
        fix = "each: a list is not read to answer about one item: leave it out"
        for name, own in (("rest", operation.rest), ("prompt", operation.prompt)):
            if own is not None and own.each is not None:
                yield problem_of(operation, name, fix)
        if operation.cache.scope == "PUBLIC":
            if self.live.has_permissions(operation):
                fix = "scope: a field has permissions, so callers differ: leave out PUBLIC"
                yield problem_of(operation, "cache", fix)
            yield from _callers_headers(operation, "leave out PUBLIC")

    def _frozen_problems(self, operation: Operation) -> Iterator[OperationProblem]:
        """Yield what cannot be served of data that is the same for everybody."""
        if self.live.is_awaited(operation):
            fix = "a field is asynchronous, so its data is live: leave out `revision`"
            yield problem_at(operation.node, fix)
        if self.live.has_permissions(operation):
            fix = "a field has permissions, so callers differ: leave out `revision`"
            yield problem_at(operation.node, fix)
        if operation.rest is not None and operation.rest.partial:
            fix = "partial: frozen data has no parts that fail: leave it out, or `revision`"
            yield problem_of(operation, "rest", fix)
        yield from _callers_headers(operation, "leave out `revision`")
        if operation.sign is not None and self._made["signer"] is None:
            yield problem_of(operation, "sign", "@sign needs the argument `sign`")


@dataclass(frozen=True)
class AtRoot:
    """Answers for the root of a host what is below the path of a service, where a site has none."""

    app: ASGIApp
    prefix: str
    site: ASGIApp | None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        status, received = 0, list[Message]()

        async def take() -> Message:
            received.append(await receive())
            return received[-1]

        async def again() -> Message:
            return received.pop(0) if received else await receive()

        async def pass_on(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            if status != HTTPStatus.NOT_FOUND:
                await send(message)

        if self.site is not None:
            await self.site({**scope}, take, pass_on)
        if status in (0, HTTPStatus.NOT_FOUND):
            path = route_path(scope)
            if path.startswith(RESOURCE_PATH):  # it has the path of what a token is for behind it
                path = RESOURCE_PATH + path.removeprefix(RESOURCE_PATH).removeprefix(self.prefix)
            path = self.prefix + path
            own = {**scope, "path": path, "raw_path": quote(path).encode(), "root_path": ""}
            await self.app(own, again, send)


def _callers_headers(operation: Operation, fix: str) -> Iterator[OperationProblem]:
    """Yield a problem for each variable that says who the caller is, where all get the same."""
    for variable in operation.variables:
        if variable.header is not None and variable.header.title() in VARY:
            fault = f"${variable.name}: the header {variable.header} is of one caller: {fix}"
            yield problem_at(operation.node, fault)


def _example_problems(operation: Operation) -> Iterator[OperationProblem]:
    """Yield what is wrong with the values of examples that are said to succeed."""
    for node, example in zip(operation.directives("example"), operation.examples, strict=True):
        try:
            read_arguments(operation, operation.members(example.variables))
        except InvalidInputError as error:
            if example.status < HTTPStatus.BAD_REQUEST:
                wrong = "; ".join(problem.text for problem in error.problems)
                yield problem_at(node, f"example {example.name!r}: {wrong}")


def _check_arguments(
    schema: object, url: str, licence: object, hosts: Iterable[str] | None, **functions: object
) -> None:
    """Raise `TypeError` or `ValueError` for an argument that only fails later."""
    if not isinstance(schema, Schema):
        raise TypeError("schema: give the strawberry.Schema itself.")
    parts = urlsplit(url)
    is_whole = parts.scheme in ("http", "https") and parts.hostname
    if not is_whole or parts.query or parts.fragment or parts.username is not None:
        raise ValueError("url: write the whole address, such as https://tasks.example, alone.")
    if licence is not None and not isinstance(licence, Licence):
        raise TypeError("licence: give a Licence(name, url, attribution).")
    for name, own in functions.items():
        if own is not None and (not callable(own) or iscoroutinefunction(own)):
            raise TypeError(f"{name}: give a function that is called, and not awaited.")
    if isinstance(hosts, str) or any("/" in str(own) for own in hosts or ()):
        raise TypeError('hosts: give a list of names, such as ["tasks.example"].')


def _index(context: DocumentContext) -> bytes:
    """Return the index in the llms.txt format: calls as they are sent, then a link for the rest."""
    facts, entries = context.directory, catalog_of(context.snapshot)
    calls = [_call(own, context) for own in entries if own.method != "GET" or not own.is_link]
    tools = [own.mcp.tool for own in context.snapshot.operations if own.mcp is not None]
    calls += [f"- `POST {context.url(MCP)}`: MCP, with {', '.join(tools)}."] if tools else []
    documents = [own.index_entry for own in context.documents if own.make is not _index]
    lines = [f"# {facts['name']}", "", f"> {facts['summary']}"]
    lines += ["", "Calls:", "", *calls] if calls else []
    linked = [own for own in (*entries, *documents) if own.is_link]
    for title, group in groupby(linked, key=lambda own: own.section):
        links = (f"- [{e.title}]({context.url(e.reading_path)}): {e.note}" for e in group)
        lines += ["", f"## {title}", "", *links]
    return "\n".join([*lines, ""]).encode()


def _call(entry: IndexEntry, context: DocumentContext) -> str:
    return f"- `{entry.method} {context.url(entry.path)}`: {entry.note}"


def _card(context: DocumentContext) -> bytes:
    return server_card(context.snapshot, Registry(context.snapshot.operations, LOOSE))


def _words(name: str) -> str:
    """Return the name of a folder in words."""
    return re.sub(r"[-_]+", " ", name).strip().capitalize() or "Service"
