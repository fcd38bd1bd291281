"""A schema that imports models, so Django must be set up before it."""

import asyncio
import threading
from collections.abc import AsyncGenerator
from typing import Any

import strawberry
from asgiref.sync import sync_to_async
from django.contrib.auth import authenticate, login, logout
from django.contrib.auth.models import User
from django.core.exceptions import (
    ObjectDoesNotExist,
    PermissionDenied,
    SuspiciousOperation,
    ValidationError,
)
from django.db import connection
from django.http import Http404
from django.utils.translation import get_language
from strawberry.types import Info

ERRORS = {
    "denied": PermissionDenied("Moderators alone."),
    "nothing": PermissionDenied(),
    "none": ObjectDoesNotExist("No such thread."),
    "missing": Http404("No such page."),
    "odd": SuspiciousOperation("That is odd."),
    "invalid": ValidationError(["Too short.", "Too loud."]),
    "other": ZeroDivisionError("never told"),
}
TOGETHER = threading.Barrier(3, timeout=10)
USED: list[Any] = []
"""The connections that resolvers have used, as SQLite's own objects."""
NEXT = asyncio.Event()
ENDED = threading.Event()


@strawberry.type
class Query:
    @strawberry.field
    def me(self, info: Info) -> str:
        return info.context.request.user.username

    @strawberry.field
    async def me_later(self, info: Info) -> str:
        return info.context.request.user.username

    @strawberry.field
    def place(self, info: Info) -> str:
        request = info.context.request
        return f"{request.tenant} {get_language()} {request.read_before!r} {request.path_info}"

    @strawberry.field
    def members(self) -> int:
        found = User.objects.count()
        USED.append(connection.connection)
        return found

    @strawberry.field
    def breaks(self) -> bool:
        User.objects.count()
        connection.connection.close()  # as a server does that was restarted
        return True

    @strawberry.field
    def together(self) -> bool:
        TOGETHER.wait()
        return True

    @strawberry.field
    async def endless(self) -> bool:
        try:
            await asyncio.Event().wait()
        finally:
            ENDED.set()
        return True

    @strawberry.field
    def fails(self, how: str) -> bool:
        raise ERRORS[how]

    @strawberry.field
    async def session(self, info: Info) -> str:
        request = info.context.request
        return f"{(await request.auser()).is_anonymous} {request.session.get('color')}"


@strawberry.type
class Mutation:
    @strawberry.mutation
    def log_in(self, info: Info, name: str) -> bool:
        user = authenticate(info.context.request, username=name, password="pw")
        login(info.context.request, user)
        return True

    @strawberry.mutation
    def note(self, text: str) -> int:
        return len(text)

    @strawberry.mutation
    def log_out(self, info: Info) -> bool:
        logout(info.context.request)
        return True

    @strawberry.mutation
    async def choose(self, info: Info, color: str) -> bool:
        await info.context.request.session.aset("color", color)
        info.context.response["X-Color"] = color
        info.context.response.set_signed_cookie("color", color)
        info.context.response.status_code = 202
        return True


@strawberry.type
class Subscription:
    @strawberry.subscription
    async def counted(self) -> AsyncGenerator[int, None]:
        NEXT.clear()
        ENDED.clear()
        try:
            while True:
                yield await User.objects.acount()
                await NEXT.wait()
                yield await sync_to_async(lambda: User.objects.count() + 100)()
                NEXT.clear()
                await NEXT.wait()
        finally:
            ENDED.set()


schema = strawberry.Schema(Query, Mutation, Subscription)
