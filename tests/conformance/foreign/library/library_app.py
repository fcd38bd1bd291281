"""Reading Room: SQLAlchemy on a SQLite file, a session for each request, each statement counted."""

import enum
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import strawberry
from graphql import GraphQLError
from sqlalchemy import ForeignKey, create_engine, event, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import (
    DeclarativeBase,
    Mapped,
    mapped_column,
    relationship,
    sessionmaker,
)
from starlette.requests import Request
from strawberry.extensions import SchemaExtension
from strawberry.permission import BasePermission
from strawberry.types import Info

FOLDER = tempfile.TemporaryDirectory(prefix="library")
engine = create_engine(f"sqlite:///{Path(FOLDER.name) / 'library.sqlite'}")
NewSession = sessionmaker(engine, expire_on_commit=False)
STATEMENTS: list[str] = []
SESSIONS = {"opened": 0, "closed": 0}


@event.listens_for(engine, "connect")
def hurry(connection: Any, _record: object) -> None:
    connection.execute("PRAGMA synchronous = OFF")


@event.listens_for(engine, "before_cursor_execute")
def count(_connection: object, _cursor: object, statement: str, *_: object) -> None:
    STATEMENTS.append(statement)


class Base(DeclarativeBase):
    pass


class AuthorRow(Base):
    __tablename__ = "author"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    born: Mapped[int | None]
    books: Mapped[list["BookRow"]] = relationship(back_populates="author", order_by="BookRow.id")


class ShelfRow(Base):
    __tablename__ = "shelf"
    id: Mapped[int] = mapped_column(primary_key=True)
    label: Mapped[str]


class BookRow(Base):
    __tablename__ = "book"
    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str] = mapped_column(unique=True)
    year: Mapped[int]
    blurb: Mapped[str | None]
    author_id: Mapped[int] = mapped_column(ForeignKey("author.id"))
    shelf_id: Mapped[int | None] = mapped_column(ForeignKey("shelf.id"))
    author: Mapped[AuthorRow] = relationship(back_populates="books")


def fill() -> None:
    Base.metadata.drop_all(engine)
    Base.metadata.create_all(engine)
    with NewSession() as s:
        s.add_all(
            [
                AuthorRow(id=i, name=n, born=b)
                for i, n, b in [(1, "Lem", 1921), (2, "Le Guin", 1929), (3, "Borges", None)]
            ]
        )
        s.add_all([ShelfRow(id=1, label="Lemon shelf"), ShelfRow(id=2, label="South wall")])
        s.add_all(
            [
                BookRow(
                    id=1,
                    title="Solaris",
                    year=1961,
                    author_id=1,
                    shelf_id=1,
                    blurb="An *ocean* | that thinks",
                ),
                BookRow(id=2, title="The Dispossessed", year=1974, author_id=2, shelf_id=1),
                BookRow(id=3, title="Ficciones", year=1944, author_id=3),
            ]
        )
        s.flush()
        s.add_all(
            [
                BookRow(
                    id=i, title=f"Volume {i}", year=1900 + i % 100, author_id=1 + i % 3, shelf_id=2
                )
                for i in range(4, 204)
            ]
        )
        s.commit()


@strawberry.interface
class Entry:
    "Whatever has a card in the catalogue."

    id: strawberry.ID
    card: str


@strawberry.type
class Author(Entry):
    name: str
    born: int | None
    row: strawberry.Private[AuthorRow]

    @strawberry.field
    def books(self, limit: int = 10, offset: int = 0) -> list["Book"]:
        return [book(b) for b in self.row.books[offset : offset + limit]]


@strawberry.type
class Shelf(Entry):
    label: str
    row: strawberry.Private[ShelfRow]

    @strawberry.field
    def count(self, info: Info) -> int:
        return info.context["session"].scalar(
            select(func.count()).where(BookRow.shelf_id == self.row.id)
        )


@strawberry.type
class Book(Entry):
    title: str
    year: int
    blurb: str | None
    row: strawberry.Private[BookRow]

    @strawberry.field
    def author(self) -> Author:
        return author(self.row.author)


def author(r: AuthorRow) -> Author:
    return Author(id=r.id, card=f"A{r.id}", name=r.name, born=r.born, row=r)


def book(r: BookRow) -> Book:
    return Book(
        id=r.id,
        card=f"B{r.id}",
        title=r.title,
        year=r.year,
        blurb=r.blurb,
        row=r,
    )


def shelf(r: ShelfRow) -> Shelf:
    return Shelf(id=r.id, card=f"S{r.id}", label=r.label, row=r)


Hit = Annotated[
    Book | Author | Shelf, strawberry.union("Hit", description="What a search may find.")
]


@strawberry.enum
class Order(enum.Enum):
    TITLE = "title"
    YEAR = "year"


@strawberry.input
class Span:
    since: int | None = None
    until: int | None = None


@strawberry.input
class BookFilter:
    title: str | None = None
    author_id: strawberry.ID | None = None
    year: Span | None = None


@strawberry.input
class BookInput:
    title: str
    year: int
    author_id: strawberry.ID
    blurb: str | None = None


@strawberry.input
class BookPatch:
    title: str | None = strawberry.UNSET
    year: int | None = strawberry.UNSET
    blurb: str | None = strawberry.UNSET


class Librarian(BasePermission):
    message = "Only the librarian may do that."

    def has_permission(self, source: Any, info: Info, **kwargs: Any) -> bool:
        return info.context["reader"] == "librarian"


class MissingError(LookupError):
    pass


def one(info: Info, row: Any, id: str) -> Any:
    found = info.context["session"].get(row, int(id)) if str(id).isdigit() else None
    if found is None:
        raise MissingError(f"No {row.__tablename__} {id}.")
    return found


@strawberry.type
class Query:
    @strawberry.field
    def book(self, info: Info, id: strawberry.ID) -> Book | None:
        r = info.context["session"].get(BookRow, int(id)) if id.isdigit() else None
        return r and book(r)

    @strawberry.field
    def author(self, info: Info, id: strawberry.ID) -> Author:
        return author(one(info, AuthorRow, id))

    @strawberry.field
    def books(
        self,
        info: Info,
        filter: BookFilter | None = None,
        order: Order = Order.TITLE,
        limit: int = 5,
        offset: int = 0,
    ) -> list[Book]:
        "Books by a filter."
        if not 0 < limit <= 100:
            raise GraphQLError("limit is 1 to 100.", extensions={"code": "BAD_USER_INPUT"})
        q = (
            select(BookRow)
            .order_by(getattr(BookRow, order.value), BookRow.id)
            .limit(limit)
            .offset(offset)
        )
        if filter and filter.title:
            q = q.where(BookRow.title.contains(filter.title))
        if filter and filter.author_id:
            q = q.where(BookRow.author_id == int(filter.author_id))
        if filter and filter.year and filter.year.since is not None:
            q = q.where(BookRow.year >= filter.year.since)
        if filter and filter.year and filter.year.until is not None:
            q = q.where(BookRow.year <= filter.year.until)
        return [book(r) for r in info.context["session"].scalars(q)]

    @strawberry.field
    def search(self, info: Info, text: str, limit: int = 10) -> list[Hit]:
        s, like = info.context["session"], f"%{text}%"
        found: list[Hit] = [
            book(r) for r in s.scalars(select(BookRow).where(BookRow.title.like(like)))
        ]
        found += [author(r) for r in s.scalars(select(AuthorRow).where(AuthorRow.name.like(like)))]
        found += [shelf(r) for r in s.scalars(select(ShelfRow).where(ShelfRow.label.like(like)))]
        return found[:limit]

    @strawberry.field
    def entry(self, info: Info, card: str) -> Entry | None:
        kinds = {
            "A": (AuthorRow, author),
            "B": (BookRow, book),
            "S": (ShelfRow, shelf),
        }
        if card[:1] not in kinds or not card[1:].isdigit():
            return None
        row, make = kinds[card[0]]
        r = info.context["session"].get(row, int(card[1:]))
        return r and make(r)

    @strawberry.field
    def reader(self, info: Info) -> str:
        return info.context["reader"]


@strawberry.type
class Mutation:
    @strawberry.mutation(permission_classes=[Librarian])
    def add_book(self, info: Info, input: BookInput) -> Book:
        s = info.context["session"]
        one(info, AuthorRow, input.author_id)
        r = BookRow(
            title=input.title, year=input.year, author_id=int(input.author_id), blurb=input.blurb
        )
        s.add(r)
        try:
            s.commit()
        except IntegrityError:
            s.rollback()
            text = f"{input.title} is there already."
            raise GraphQLError(text, extensions={"code": "CONFLICT"}) from None
        info.context["response"].status_code = 201
        return book(r)

    @strawberry.mutation(permission_classes=[Librarian])
    def replace_book(self, info: Info, id: strawberry.ID, input: BookInput) -> Book:
        r = one(info, BookRow, id)
        r.title, r.year, r.author_id, r.blurb = (
            input.title,
            input.year,
            int(input.author_id),
            input.blurb,
        )
        info.context["session"].commit()
        return book(r)

    @strawberry.mutation(permission_classes=[Librarian])
    def patch_book(self, info: Info, id: strawberry.ID, input: BookPatch) -> Book:
        r = one(info, BookRow, id)
        for name in ("title", "year", "blurb"):
            if (v := getattr(input, name)) is not strawberry.UNSET:
                setattr(r, name, v)
        info.context["session"].commit()
        return book(r)

    @strawberry.mutation(permission_classes=[Librarian])
    def remove_book(self, info: Info, id: strawberry.ID) -> bool:
        info.context["session"].delete(one(info, BookRow, id))
        info.context["session"].commit()
        return True


class CloseSession(SchemaExtension):
    def on_operation(self) -> Iterator[None]:
        yield
        self.execution_context.context["session"].close()
        SESSIONS["closed"] += 1


def get_context(request: Request | None = None) -> dict[str, Any]:
    SESSIONS["opened"] += 1
    token = request.headers.get("authorization", "") if request is not None else ""
    return {"session": NewSession(), "reader": token.removeprefix("Bearer ") or "guest"}


fill()
schema = strawberry.Schema(Query, Mutation, extensions=[CloseSession])
OPTIONS = {
    "name": "Reading Room",
    "get_context": get_context,
    "errors": {MissingError: 404, PermissionError: 403},
    "graphql": True,
}
