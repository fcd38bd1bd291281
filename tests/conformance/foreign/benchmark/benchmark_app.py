"""Atlas: 5,000 items with lists in them, pages of any type, 60 fields, loaders that count."""

import asyncio
import hashlib
from typing import Any, Generic, Optional, TypeVar

import strawberry
from starlette.requests import Request
from strawberry.dataloader import DataLoader
from strawberry.types import Info

T = TypeVar("T")
N = 5000
LOADS: dict[str, list[list[int]]] = {"authors": [], "tags": []}  # the keys of each batch
RAN = {"items": 0, "fields": 0}


@strawberry.type
class Page(Generic[T]):
    "Some of many."

    items: list[T]
    total: int
    has_more: bool


@strawberry.type
class Edge(Generic[T]):
    node: T
    weight: float = 1.0


@strawberry.type
class Tag:
    id: strawberry.ID
    word: str


@strawberry.type
class Author:
    id: strawberry.ID
    name: str

    @strawberry.field
    async def rival(self, info: Info) -> Optional["Author"]:
        return await info.context["authors"].load((int(self.id) + 1) % 50)


@strawberry.type
class Item:
    id: strawberry.ID
    name: str
    price: float
    sizes: list[int]
    notes: list[list[str]]
    number: strawberry.Private[int]

    @strawberry.field
    async def author(self, info: Info) -> Author:
        RAN["fields"] += 1
        return await info.context["authors"].load(self.number % 50)

    @strawberry.field
    async def tags(self, info: Info) -> list[Tag]:
        return await info.context["tags"].load_many([self.number % 7, self.number % 11])

    @strawberry.field
    def checksum(self) -> str:
        return hashlib.sha256(self.name.encode()).hexdigest()[:8]


def item(i: int) -> Item:
    return Item(
        id=str(i),
        name=f"item {i}",
        price=i / 4,
        sizes=[i, i + 1, i + 2],
        notes=[["a", str(i)], []],
        number=i,
    )


@strawberry.type
class Level:
    depth: int

    @strawberry.field
    async def next(self) -> Optional["Level"]:
        return Level(depth=self.depth + 1) if self.depth < 40 else None

    @strawberry.field
    def twins(self) -> list["Level"]:
        return [Level(depth=self.depth + 1), Level(depth=self.depth + 1)]


Wide = strawberry.type(
    type(
        "Wide",
        (),
        {
            "__annotations__": {f"field_{i:02}": int for i in range(60)},
            **{f"field_{i:02}": i for i in range(60)},
        },
    )
)


@strawberry.type
class Query:
    @strawberry.field
    def items(self, limit: int = N, offset: int = 0) -> list[Item]:
        RAN["items"] += 1
        return [item(i) for i in range(offset, min(offset + limit, N))]

    @strawberry.field
    async def all_items(self) -> list[Item]:
        RAN["items"] += 1
        return [item(i) for i in range(N)]

    @strawberry.field
    async def item(self, id: strawberry.ID) -> Item | None:
        await asyncio.sleep(0)
        return item(int(id)) if id.isdigit() and int(id) < N else None

    @strawberry.field
    async def item_page(self, page: int = 1, size: int = 10) -> Page[Item]:
        start = (page - 1) * size
        return Page(
            items=[item(i) for i in range(start, min(start + size, N))],
            total=N,
            has_more=start + size < N,
        )

    @strawberry.field
    def word_page(self, size: int = 3) -> Page[str]:
        return Page(items=[f"word {i}" for i in range(size)], total=100, has_more=True)

    @strawberry.field
    def author_edges(self) -> Page[Edge[Author]]:
        return Page(
            items=[Edge(node=Author(id="1", name="author 1"), weight=0.5)], total=1, has_more=False
        )

    @strawberry.field
    def matrix(self, n: int = 3) -> list[list[int]]:
        return [[i * j for j in range(n)] for i in range(n)]

    @strawberry.field
    def holes(self) -> list[Item | None]:
        return [item(0), None, item(2)]

    @strawberry.field
    def level(self) -> Level:
        return Level(depth=0)

    @strawberry.field
    def wide(self) -> Wide:
        return Wide()

    @strawberry.field
    def wides(self, n: int = 200) -> list[Wide]:
        return [Wide() for _ in range(n)]

    @strawberry.field
    async def slow(self, info: Info, ms: int = 30) -> str:
        await asyncio.sleep(ms / 1000)
        return info.context["who"]


def get_context(request: Request | None) -> dict[str, Any]:
    "Loaders for one request, none for the next."

    async def authors(keys: list[int]) -> list[Author]:
        LOADS["authors"].append(list(keys))
        await asyncio.sleep(0)
        return [Author(id=str(k), name=f"author {k}") for k in keys]

    async def tags(keys: list[int]) -> list[Tag]:
        LOADS["tags"].append(list(keys))
        return [Tag(id=str(k), word=f"tag {k}") for k in keys]

    return {
        "authors": DataLoader(authors),
        "tags": DataLoader(tags),
        "who": (request.headers.get("x-who") if request is not None else None) or "nobody",
    }


schema = strawberry.Schema(Query)
OPTIONS = {"name": "Atlas", "get_context": get_context, "graphql": True}
