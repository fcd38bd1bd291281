"""Tasks of several people: a plain schema with logins, loaders, permissions and hooks."""
# mypy: disable-error-code="untyped-decorator"

import asyncio
import threading
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import strawberry
from graphql import GraphQLError
from starlette.requests import Request
from strawberry.dataloader import DataLoader
from strawberry.extensions import MaskErrors, SchemaExtension
from strawberry.permission import BasePermission

TOKENS = {"ada-token": "ada", "ben-token": "ben"}


@dataclass
class Store:
    """The tasks by their owners."""

    tasks: dict[int, "Task"] = field(default_factory=dict)
    loads: list[Sequence[str]] = field(default_factory=list)
    """What each call of the loader asked for."""


class SignedIn(BasePermission):
    message = "Sign in first."

    def has_permission(self, source: Any, info: strawberry.Info, **_: Any) -> bool:  # noqa: ARG002 - Strawberry's
        return info.context["user"] is not None


class Admin(BasePermission):
    message = "Only Ada may."

    async def has_permission(self, source: Any, info: strawberry.Info, **_: Any) -> bool:  # noqa: ARG002 - Strawberry's
        return bool(info.context["user"] == "ada")


@strawberry.type
class Person:
    name: str
    mail: str


@strawberry.type
class Task:
    id: int
    title: str
    owner_name: strawberry.Private[str]

    @strawberry.field(description="Whose it is.")
    async def owner(self, info: strawberry.Info) -> Person:
        found: Person = await info.context["people"].load(self.owner_name)
        return found

    @strawberry.field(description="What is secret about it.", permission_classes=[Admin])
    async def cost(self) -> int | None:
        return 7


class TaskGoneError(Exception):
    """The task has been there."""


@strawberry.type
class Query:
    @strawberry.field(description="Who calls.")
    def me(self, info: strawberry.Info) -> str:
        info.context["response"].set_cookie("seen", "yes")
        return info.context["user"] or "nobody"

    @strawberry.field(description="The caller's tasks.", permission_classes=[SignedIn])
    async def tasks(self, info: strawberry.Info) -> list[Task]:
        await asyncio.sleep(0)
        user, store = info.context["user"], info.context["store"]
        return [task for task in store.tasks.values() if task.owner_name == user]

    @strawberry.field(description="One task of the caller.", permission_classes=[SignedIn])
    async def task(self, info: strawberry.Info, id: int) -> Task | None:  # noqa: A002 - the schema's
        if id == 404:
            raise TaskGoneError("This task is gone.")
        found = info.context["store"].tasks.get(id)
        return found if found and found.owner_name == info.context["user"] else None

    @strawberry.field(description="Fails in several ways.")
    def failing(self, info: strawberry.Info, how: str) -> str:
        if how == "told":
            raise GraphQLError("The sea is rough.")
        if how == "code":
            raise GraphQLError("Taken.", extensions={"code": "CONFLICT"})
        if how == "status":
            info.context["response"].status_code = 418
            return "a teapot"
        raise ValueError("a password")

    @strawberry.field(description="The thread that runs it.")
    def thread(self) -> str:
        return threading.current_thread().name

    @strawberry.field(description="What a hook has put into the context.")
    def opened(self, info: strawberry.Info) -> str:
        return str(info.context["opened"])


@strawberry.type
class Mutation:
    @strawberry.mutation(description="Add a task.", permission_classes=[SignedIn])
    def add(self, info: strawberry.Info, title: str) -> Task:
        store = info.context["store"]
        number = max(store.tasks, default=0) + 1
        task = Task(id=number, title=title, owner_name=info.context["user"])
        store.tasks[number] = task
        return task


@strawberry.type
class Tick:
    user: str
    count: int


@strawberry.type
class Subscription:
    @strawberry.subscription(description="Counts for its caller.")
    async def ticks(self, info: strawberry.Info) -> AsyncGenerator[Tick, None]:
        for count in (1, 2):
            yield Tick(user=info.context["user"] or "nobody", count=count)


class Opening(SchemaExtension):
    """Puts something into the context for the time of an operation."""

    def on_operation(self) -> Iterator[None]:
        self.execution_context.context["opened"] = "open"
        yield
        self.execution_context.context["opened"] = "closed"


def context_of(store: Store) -> Any:
    """Return the function that makes the context of a request."""

    async def load(names: list[str]) -> list[Person]:
        store.loads.append(names)
        return [Person(name=name, mail=f"{name}@tasks.example") for name in names]

    async def get_context(request: Request | None) -> dict[str, Any]:
        header = request.headers.get("authorization", "") if request is not None else ""
        user = TOKENS.get(header.removeprefix("Bearer "))
        return {"user": user, "store": store, "people": DataLoader(load)}

    return get_context


def schema(*, masked: bool = False) -> strawberry.Schema:
    """Return the schema, which masks its errors if it is `masked`."""
    extensions: list[Any] = [Opening, *([MaskErrors] if masked else [])]
    return strawberry.Schema(Query, Mutation, Subscription, extensions=extensions)
