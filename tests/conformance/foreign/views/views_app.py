"""Desk: a help desk, with about everything that Strawberry's HTTP views know."""

import asyncio
import datetime as dt
import decimal
import enum
import threading
import uuid
from collections.abc import AsyncGenerator, Iterator
from typing import Any

import strawberry
from graphql import GraphQLError
from starlette.requests import Request
from strawberry.extensions import FieldExtension, MaskErrors, SchemaExtension
from strawberry.permission import BasePermission
from strawberry.scalars import JSON
from strawberry.types import Info

ZONE = dt.UTC
DATABASE = "postgres://desk:hunter2@db"
STATE: dict[str, Any] = {"note": "hello", "opened": 0, "closed": 0, "cancelled": 0}


class NotHereError(LookupError):
    pass


@strawberry.enum(description="How much it hurts.")
class Level(enum.Enum):
    LOW = 1
    HIGH = 2
    URGENT = 9


@strawberry.enum
class Mood(enum.Enum):
    GOOD = strawberry.enum_value("g", description="All well.")
    BAD = strawberry.enum_value("b", deprecation_reason="Say GRIM.")
    GRIM = "x"


class SignedIn(BasePermission):
    message = "Sign in first."
    error_extensions = {"code": "UNAUTHENTICATED"}

    def has_permission(self, source: Any, info: Info, **kwargs: Any) -> bool:
        return bool(info.context["user"])


class IsAgent(BasePermission):
    message = "Only agents may do that."
    error_extensions = {"code": "FORBIDDEN"}

    async def has_permission(self, source: Any, info: Info, **kwargs: Any) -> bool:
        await asyncio.sleep(0)
        return info.context["user"] == "agent"


class Plain(BasePermission):
    message = "Not for you."

    def has_permission(self, source: Any, info: Info, **kwargs: Any) -> bool:
        return info.context["user"] == "agent"


class Shout(FieldExtension):
    def resolve(self, next_: Any, source: Any, info: Info, **kwargs: Any) -> Any:
        return next_(source, info, **kwargs).upper()

    async def resolve_async(self, next_: Any, source: Any, info: Info, **kwargs: Any) -> Any:
        return (await next_(source, info, **kwargs)).upper()


@strawberry.type
class Receipt:
    id: uuid.UUID
    amount: decimal.Decimal
    day: dt.date
    at: dt.datetime
    time: dt.time
    extra: JSON
    share: float
    big: int


@strawberry.type
class Ticket:
    id: strawberry.ID
    title: str
    level: Level
    mood: Mood | None = None
    assignee: str | None = None
    opened: dt.datetime = dt.datetime(2026, 3, 1, 12, tzinfo=ZONE)
    subject: str = strawberry.field(default="s", deprecation_reason="Use title.")

    @strawberry.field
    def history(self) -> list[str] | None:
        if self.id == "2":
            raise RuntimeError(f"cannot read {DATABASE}")
        return ["opened"]


TICKETS = {
    i: Ticket(id=str(i), title=t, level=level)
    for i, (t, level) in enumerate(
        [("Printer", Level.LOW), ("Network", Level.URGENT), ("Door", Level.HIGH)], 1
    )
}


@strawberry.input
class Tag:
    name: str
    weight: int = 1


@strawberry.input
class TicketInput:
    title: str
    level: Level = Level.LOW
    tags: list[Tag] = strawberry.field(default_factory=list)
    due: dt.date | None = None
    assignee: str | None = strawberry.UNSET


@strawberry.input(one_of=True)
class By:
    id: strawberry.ID | None = strawberry.UNSET
    title: str | None = strawberry.UNSET


@strawberry.type
class Query:
    greeting: str  # from the root value
    version: int = 3

    @strawberry.field
    def hello(self, name: str = "world") -> str:
        return f"Hello {name}"

    @strawberry.field
    async def hello_later(self, name: str | None = None) -> str:
        await asyncio.sleep(0)
        return f"Hello {name or 'world'}"

    @strawberry.field
    def thread(self) -> str:
        "Synchronous: a resolver that may block."
        return "loop" if threading.current_thread() is threading.main_thread() else "thread"

    @strawberry.field
    def ticket(self, id: strawberry.ID) -> Ticket | None:
        return TICKETS.get(int(id)) if id.isdigit() else None

    @strawberry.field
    async def ticket_or_error(self, id: strawberry.ID) -> Ticket:
        if not id.isdigit() or int(id) not in TICKETS:
            raise NotHereError(f"There is no ticket {id}.")
        return TICKETS[int(id)]

    @strawberry.field
    def tickets(
        self,
        level: Level | None = None,
        levels: list[Level] | None = None,
        mood: Mood = Mood.GOOD,
    ) -> list[Ticket]:
        wanted = set(levels or []) | ({level} if level else set())
        return [t for t in TICKETS.values() if not wanted or t.level in wanted]

    @strawberry.field
    def find(self, by: By) -> Ticket | None:
        if by.id is not strawberry.UNSET:
            return TICKETS.get(int(by.id))
        return next((t for t in TICKETS.values() if t.title == by.title), None)

    @strawberry.field
    def receipt(
        self,
        id: uuid.UUID | None = None,
        amount: decimal.Decimal | None = None,
        day: dt.date | None = None,
        at: dt.datetime | None = None,
        extra: JSON | None = None,
        share: float = 0.5,
        paid: bool = False,
    ) -> Receipt:
        return Receipt(
            id=id or uuid.UUID(int=7),
            amount=amount if amount is not None else decimal.Decimal("12.50"),
            day=day or dt.date(2026, 2, 28),
            at=at or dt.datetime(2026, 2, 28, 8, 30, tzinfo=ZONE),
            time=dt.time(8, 30),
            extra=extra if extra is not None else {"paid": paid, "lines": [1, None, {"a": "ü"}]},
            share=share,
            big=2**31 - 1,
        )

    @strawberry.field
    def me(self, info: Info) -> str | None:
        return info.context["user"]

    @strawberry.field
    def visits(self, info: Info) -> int:
        request, response = info.context["request"], info.context["response"]
        n = int(request.cookies.get("visits", 0)) + 1
        response.set_cookie("visits", str(n), httponly=True)
        response.headers["x-visits"] = str(n)
        return n

    @strawberry.field
    def teapot(self, info: Info) -> str:
        info.context["response"].status_code = 418
        return "short and stout"

    @strawberry.field(permission_classes=[SignedIn])
    def secret(self) -> str:
        return "the word is swordfish"

    @strawberry.field(permission_classes=[SignedIn])
    def secret_or_null(self) -> str | None:
        return "the word is swordfish"

    @strawberry.field(permission_classes=[SignedIn, IsAgent])
    async def salary(self) -> int:
        return 4100

    @strawberry.field(permission_classes=[Plain])
    def plain(self) -> str:
        return "plain"

    @strawberry.field
    def boom(self) -> str:
        raise RuntimeError(f"cannot connect to {DATABASE}")

    @strawberry.field
    def said(self, code: str | None = None) -> str:
        raise GraphQLError("That is not how it works.", extensions={"code": code} if code else None)

    @strawberry.field
    def refused(self) -> str:
        raise PermissionError("The file is locked.")

    @strawberry.field(extensions=[Shout()])
    async def loud(self, word: str) -> str:
        return word

    @strawberry.field
    def opened(self, info: Info) -> str:
        return info.context["database"]

    @strawberry.field(deprecation_reason="Use hello.")
    def hi(self) -> str:
        return "hi"


@strawberry.type
class Mutation:
    @strawberry.mutation
    async def open_ticket(self, info: Info, input: TicketInput) -> Ticket:
        if not input.title.strip():
            raise GraphQLError(
                "A ticket needs a title.", extensions={"code": "BAD_USER_INPUT", "field": "title"}
            )
        return Ticket(
            id="100",
            title=input.title,
            level=input.level,
            assignee=(input.assignee or None)
            if input.assignee is not strawberry.UNSET
            else f"{sum(t.weight for t in input.tags)} tags",
        )

    @strawberry.mutation
    def set_note(self, note: str | None = strawberry.UNSET) -> str:
        if note is strawberry.UNSET:
            return "unchanged"
        STATE["note"] = note
        return "cleared" if note is None else f"set to {note}"

    @strawberry.mutation
    def merge(self, first: TicketInput, second: TicketInput) -> str:
        return f"{first.title}+{second.title}"

    @strawberry.mutation(permission_classes=[SignedIn])
    def close_ticket(self, id: strawberry.ID, reason: str = "done") -> Ticket:
        if int(id) not in TICKETS:
            raise NotHereError(f"There is no ticket {id}.")
        return Ticket(id=id, title=f"closed: {reason}", level=Level.LOW)

    @strawberry.mutation
    def log_in(self, info: Info, name: str) -> bool:
        info.context["response"].set_cookie("user", name, httponly=True, samesite="lax")
        return True


@strawberry.type
class Tick:
    n: int
    by: str | None


@strawberry.type
class Subscription:
    @strawberry.subscription
    async def ticks(self, info: Info, upto: int = 3) -> AsyncGenerator[Tick, None]:
        for n in range(1, upto + 1):
            await asyncio.sleep(0)
            yield Tick(n=n, by=info.context["user"])

    @strawberry.subscription
    async def counts(self) -> AsyncGenerator[int, None]:
        yield 1
        yield 2

    @strawberry.subscription
    async def breaks(self) -> AsyncGenerator[int, None]:
        yield 1
        raise RuntimeError(f"lost {DATABASE}")


class Database(SchemaExtension):
    "What is opened before an operation and closed after it."

    def on_operation(self) -> Iterator[None]:
        self.execution_context.context["database"] = "open"
        STATE["opened"] += 1
        yield
        STATE["closed"] += 1

    def get_results(self) -> dict[str, Any]:
        return {"took": "0ms"}


def masked(error: GraphQLError) -> bool:
    return (
        not isinstance(
            error.original_error, (LookupError, PermissionError, GraphQLError, type(None))
        )
        and "Permission" not in type(error.original_error).__name__
    )


async def get_context(request: Request | None = None) -> dict[str, Any]:
    "As for GraphQLRouter: the request (None on stdio); the view adds the response."
    user = None
    if request is not None:
        user = request.headers.get("authorization", "").removeprefix(
            "Bearer "
        ) or request.cookies.get("user")
    return {"user": user}


schema = strawberry.Schema(
    Query,
    Mutation,
    Subscription,
    extensions=[Database, lambda: MaskErrors(should_mask_error=masked)],
)
OPTIONS = {
    "name": "Desk",
    "get_context": get_context,
    "graphql": True,
    "root_value": Query(greeting="Good morning"),
    "errors": {LookupError: 404, PermissionError: 403},
}
