"""A bookshop: a plain Strawberry schema over a database that changes, served by the engine alone.

Nothing of a studio is imported here.
"""
# mypy: disable-error-code="untyped-decorator"

import sqlite3
from datetime import date
from enum import Enum
from itertools import groupby
from pathlib import Path as Folder

import strawberry
from starlette.routing import Router

from mcp_bridge.http import McpHttp, mcp_routes
from mcp_bridge.server import Server
from rest_bridge.discovery.documents import document_routes
from rest_bridge.document_list import DOCUMENTS
from rest_bridge.endpoints.graphql import graphql_routes
from rest_bridge.http.client_address import caller_of
from rest_bridge.http.middleware import RequestGuard
from rest_bridge.http.responses import index_path
from rest_bridge.routes import relations_of, router, write_routes
from sdl.caller import Caller
from sdl.catalog import catalog_of
from sdl.compiler import compile_operations
from sdl.directives import Fails
from sdl.directory import Directory, Link, LinkSection, ServiceIndex
from sdl.errors import NotFoundError
from sdl.licensing import Licensing, Permission
from sdl.public_query import PublicQueries
from sdl.runner import Operations, Snapshot
from sdl.scalar_types import Email, Path, Url
from sdl.scalars import build_schema

URL = "https://books.example"
FOLDER = Folder(__file__).parent
LICENSING = Licensing(
    summary="Quote it, and say where it is from.",
    crawling=Permission.ALLOWED,
    summarization=Permission.WITH_ATTRIBUTION,
    redistribution=Permission.NOT_ALLOWED,
    training=Permission.NOT_ALLOWED,
    license="CC BY 4.0",
    license_url=Url("https://creativecommons.org/licenses/by/4.0/"),
    attribution="Lantern Books",
    body="Quote what the shop says of its books, and name the shop.",
)


@strawberry.enum
class Genre(Enum):
    """What a book is."""

    NOVEL = "novel"
    SEA_STORY = "sea-story"


@strawberry.type(description="A book on the shelf.")
class Book:
    id: int
    title: str = strawberry.field(description="Its title.")
    description: str = strawberry.field(description="The book in one sentence.")
    genre: Genre
    price: float
    published: date
    stock: int

    @strawberry.field(description="Whether it can be ordered.")
    def available(self) -> bool:
        return self.stock > 0


@strawberry.input(description="What a reader orders.")
class OrderInput:
    book: int = strawberry.field(description="The book's number.")
    genre: Genre | None = None
    copies: int = 1


def sections(snapshot: Snapshot) -> list[LinkSection]:
    """Everything that can be read, by section."""
    return [
        LinkSection(
            title=title,
            links=[
                Link(
                    title=entry.title,
                    path=Path(entry.path),
                    url=Url(URL + entry.path),
                    reading_url=Url(URL + entry.reading_path),
                    note=entry.note,
                )
                for entry in entries
            ],
        )
        for title, entries in groupby(catalog_of(snapshot), key=lambda entry: entry.section)
    ]


class Shop:
    """What resolvers are handed: the database, and what is asked of it."""

    def __init__(self, operations: Operations, database: sqlite3.Connection) -> None:
        self.database = database
        self.snapshot = Snapshot(operations, None, self)

    def for_caller(self, caller: Caller) -> "Shop":  # noqa: ARG002 - everybody may ask the same
        return self

    def books(self, where: str = "", *values: object) -> list[Book]:
        cursor = self.database.execute(f"SELECT * FROM books {where}", values)  # noqa: S608 - ours
        names = [column[0] for column in cursor.description]
        rows = [dict(zip(names, row, strict=True)) for row in cursor]
        return [
            Book(
                **{
                    **row,
                    "genre": Genre(row["genre"]),
                    "published": date.fromisoformat(row["published"]),
                }
            )
            for row in rows
        ]


Info = strawberry.Info[Shop]


@strawberry.type
class Query:
    @strawberry.field(description="Every book.")
    def books(self, info: Info, genre: Genre | None = None) -> list[Book]:
        return [b for b in info.context.books() if genre in (None, b.genre)]

    @strawberry.field(description="One book.")
    def book(self, info: Info, id: int) -> Book | None:  # noqa: A002 - the schema's word
        return next(iter(info.context.books("WHERE id = ?", id)), None)

    @strawberry.field(description="What documents are made of.")
    def directory(self, info: Info) -> Directory:
        return Directory(
            name="Lantern Books",
            summary="A bookshop by the harbour.",
            studio_url=Url(URL),
            owner="Ada Moss",
            email=Email("ada@books.example"),
            base_url=Url(URL),
            version="1.0",
            licensing=LICENSING,
            licensing_url=Url(URL),
            notices=[],
            sections=sections(info.context.snapshot),
        )

    @strawberry.field(description="Everything that can be read.")
    def index(self, info: Info) -> ServiceIndex:
        return ServiceIndex(
            name="Lantern Books",
            summary="A bookshop by the harbour.",
            about="The shelf changes with every order.",
            licensing=LICENSING.summary,
            contact="ada@books.example",
            sections=sections(info.context.snapshot),
        )


@strawberry.type
class Mutation:
    @strawberry.mutation(
        description="Take a book from the shelf.", directives=[Fails(codes=[NotFoundError.code])]
    )
    def order(self, info: Info, input: OrderInput) -> Book:  # noqa: A002 - the schema's word
        change = "UPDATE books SET stock = stock - ? WHERE id = ? AND stock >= ?"
        with info.context.database as database:
            if not database.execute(change, (input.copies, input.book, input.copies)).rowcount:
                raise NotFoundError("There are not as many of this book.")
        return info.context.books("WHERE id = ?", input.book)[0]


def bookshop(database: sqlite3.Connection) -> RequestGuard:
    """The shop as an ASGI application. Nothing is kept: the database may change at any time."""
    schema = build_schema(Query, Mutation)
    executable = schema._schema  # noqa: SLF001 - Strawberry has no public name for it
    operations = Operations(executable, compile_operations(executable, FOLDER))

    def current() -> Snapshot:
        return Shop(operations, database).snapshot

    relations = relations_of(operations, DOCUMENTS)
    mcp = McpHttp(
        Server(operations, current, index_path(relations)), URL, relations, lambda _: "127.0.0.1"
    )
    routes = [
        *write_routes(
            operations, current, lambda s: caller_of(s, ()), {}, relations, more_members={}
        ),
        *graphql_routes(
            PublicQueries(executable), schema.as_str, "{ books { title } }", current, relations
        ),
        *mcp_routes(mcp),
        *document_routes(DOCUMENTS, current, relations, lambda: date(2026, 3, 1)),
    ]
    application: Router = router(operations, current, relations, routes)
    return RequestGuard(application, ["books.example", "localhost"])
