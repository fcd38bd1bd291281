"""Fleet: a harbour's ships and crews as a Relay server gives them."""

import asyncio
from collections.abc import Iterable
from typing import Annotated, Any, Self

import strawberry
from starlette.requests import Request
from strawberry import relay


class Store:
    def __init__(self) -> None:
        self.ships: dict[int, dict[str, Any]] = {
            i: {"name": name, "fleet": fleet}
            for i, (name, fleet) in enumerate(
                [
                    ("Aurora", 1),
                    ("Borealis", 1),
                    ("Corvus", 1),
                    ("Dorado", 2),
                    ("Eridanus", 2),
                    ("Fornax", 2),
                    ("Gemini", 2),
                    ("Hydra", 2),
                ],
                1,
            )
        }
        self.fleets = {1: "North", 2: "South"}


STORE = Store()


@strawberry.interface(description="Anything that floats or commands.")
class Named:
    name: str


@strawberry.type
class Ship(Named, relay.Node):
    code: relay.NodeID[int]
    name: str
    fleet_code: strawberry.Private[int]

    @strawberry.field
    async def fleet(self) -> "Fleet":
        await asyncio.sleep(0)
        return Fleet.make(self.fleet_code)

    @classmethod
    def make(cls, i: int | str) -> Self | None:
        row = STORE.ships.get(int(i))
        return row and cls(code=int(i), name=row["name"], fleet_code=row["fleet"])

    @classmethod
    def resolve_nodes(cls, *, node_ids: Iterable[str], **_: object) -> list[Self | None]:
        return [cls.make(i) for i in node_ids]


@strawberry.type
class Fleet(Named, relay.Node):
    code: relay.NodeID[int]
    name: str

    @relay.connection(relay.ListConnection[Ship])
    def ships(self) -> Iterable[Ship]:
        return [Ship.make(i) for i, row in STORE.ships.items() if row["fleet"] == self.code]

    @classmethod
    def make(cls, i: int | str) -> Self | None:
        name = STORE.fleets.get(int(i))
        return name and cls(code=int(i), name=name)

    @classmethod
    async def resolve_nodes(cls, *, node_ids: Iterable[str], **_: object) -> list[Self | None]:
        await asyncio.sleep(0)
        return [cls.make(i) for i in node_ids]


@strawberry.type
class Counted(relay.ListConnection[Ship]):
    total: int = 0

    @classmethod
    def resolve_connection(cls, nodes: Iterable[Ship], **arguments: Any) -> Any:
        nodes = list(nodes)
        made = super().resolve_connection(nodes, **arguments)
        made.total = len(nodes)
        return made


@strawberry.type
class Query:
    node: relay.Node = relay.node(description="Whatever has this global id.")
    nodes: list[relay.Node | None] = relay.node()
    ship: Ship | None = relay.node()

    @relay.connection(Counted, description="All ships, by their number.")
    def ships(self, name_starts: str | None = None) -> Iterable[Ship]:
        return [
            Ship.make(i)
            for i, row in STORE.ships.items()
            if row["name"].startswith(name_starts or "")
        ]

    @relay.connection(relay.ListConnection[Fleet])
    async def fleets(self) -> Iterable[Fleet]:
        return [Fleet.make(i) for i in STORE.fleets]

    @strawberry.field
    def captain(self, info: strawberry.Info) -> str:
        return info.context["captain"]

    @strawberry.field
    def flagship(self) -> Named:
        return Ship.make(1)


@strawberry.type
class ShipAdded:
    ship: Ship


@strawberry.type
class NameTaken:
    message: str
    name: str


@strawberry.type
class FleetUnknown:
    message: str


AddShipResult = Annotated[ShipAdded | NameTaken | FleetUnknown, strawberry.union("AddShipResult")]


@strawberry.type
class Mutation:
    @strawberry.mutation
    async def add_ship(self, name: str, fleet: relay.GlobalID) -> AddShipResult:
        if name in (s["name"] for s in STORE.ships.values()):
            return NameTaken(message=f"There is a ship called {name}.", name=name)
        if fleet.type_name != "Fleet" or int(fleet.node_id) not in STORE.fleets:
            return FleetUnknown(message="No such fleet.")
        i = max(STORE.ships) + 1
        STORE.ships[i] = {"name": name, "fleet": int(fleet.node_id)}
        return ShipAdded(ship=Ship.make(i))

    @strawberry.mutation
    def scuttle(self, info: strawberry.Info, id: relay.GlobalID) -> Ship | None:
        ship = Ship.make(id.node_id)
        STORE.ships.pop(int(id.node_id), None)
        return ship


def get_context(request: Request | None) -> dict[str, Any]:
    token = request.headers.get("authorization", "") if request is not None else ""
    return {"captain": token.removeprefix("Bearer ") or "nobody", "request": request}


schema = strawberry.Schema(Query, Mutation, types=[Ship, Fleet])
OPTIONS = {
    "name": "Fleet",
    "get_context": get_context,
    "graphql": True,
    "errors": {ValueError: 400},
}
