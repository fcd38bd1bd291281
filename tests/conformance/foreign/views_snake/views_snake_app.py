"""The desk's second schema: names as they are in Python, a class as its context."""

import asyncio

import strawberry
from starlette.requests import Request
from strawberry.schema.config import StrawberryConfig
from strawberry.types import Info


@strawberry.interface
class HasOwner:
    owner_name: str


@strawberry.type
class BigTruck(HasOwner):
    load_limit: int


@strawberry.type
class FastCar(HasOwner):
    top_speed: int
    plate: str | None = None


@strawberry.input
class TruckInput:
    owner_name: str
    load_limit: int = 5


@strawberry.type
class Query:
    @strawberry.field
    def all_vehicles(self, info: Info, owner_name: str | None = None) -> list[HasOwner]:
        found = [BigTruck(owner_name="Mo", load_limit=7), FastCar(owner_name="Flo", top_speed=220)]
        return [v for v in found if owner_name in (None, v.owner_name)]

    @strawberry.field
    async def who_am_i(self, info: Info) -> str:
        await asyncio.sleep(0)
        return info.context.who_asks

    @strawberry.field(name="oddName")
    def odd(self) -> int:
        return 1


@strawberry.type
class Mutation:
    @strawberry.mutation
    def add_truck(self, new_truck: TruckInput) -> BigTruck:
        return BigTruck(owner_name=new_truck.owner_name, load_limit=new_truck.load_limit)


class Context:
    def __init__(self, who_asks: str) -> None:
        self.who_asks = who_asks


def get_context(request: Request | None) -> Context:
    return Context((request.headers.get("x-who") if request else None) or "nobody")


schema = strawberry.Schema(
    Query, Mutation, types=[BigTruck, FastCar], config=StrawberryConfig(auto_camel_case=False)
)
OPTIONS = {"name": "Garage", "get_context": get_context}
