"""A bookshop: a plain Strawberry schema over a database that changes, served by the engine alone.

Nothing of a studio is imported here.
"""
# mypy: disable-error-code="untyped-decorator"

import sqlite3
from datetime import date
from enum import Enum
from pathlib import Path

import strawberry

from surfaces import Licence, Surfaces

URL = "https://books.example"
FOLDER = Path(__file__).parent


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


def books(info: strawberry.Info, where: str = "", *values: object) -> list[Book]:
    cursor = info.context["database"].execute(f"SELECT * FROM books {where}", values)  # noqa: S608 - ours
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


@strawberry.type
class Query:
    @strawberry.field(description="Every book.")
    def books(self, info: strawberry.Info, genre: Genre | None = None) -> list[Book]:
        return [b for b in books(info) if genre in (None, b.genre)]

    @strawberry.field(description="One book.")
    def book(self, info: strawberry.Info, id: int) -> Book | None:  # noqa: A002 - the schema's word
        return next(iter(books(info, "WHERE id = ?", id)), None)


@strawberry.type
class Mutation:
    @strawberry.mutation(description="Take a book from the shelf.")
    def order(self, info: strawberry.Info, input: OrderInput) -> Book:  # noqa: A002 - the schema's word
        change = "UPDATE books SET stock = stock - ? WHERE id = ? AND stock >= ?"
        with info.context["database"] as database:
            if not database.execute(change, (input.copies, input.book, input.copies)).rowcount:
                raise LookupError("There are not as many of this book.")
        return books(info, "WHERE id = ?", input.book)[0]


def bookshop(database: sqlite3.Connection) -> Surfaces:
    """The shop as an ASGI application. Nothing is kept: the database may change at any time."""
    return Surfaces(
        strawberry.Schema(Query, Mutation),
        FOLDER,
        name="Lantern Books",
        summary="A bookshop by the harbour.",
        url=URL,
        owner="Ada Moss",
        email="ada@books.example",
        licence=Licence(
            "CC BY 4.0", "https://creativecommons.org/licenses/by/4.0/", "Lantern Books"
        ),
        get_context=lambda: {"database": database},
        errors={LookupError: 404},
        graphql=True,
        hosts=["books.example", "localhost"],
    )
