"""The GraphQL endpoint runs what it must and repeats what it may, for one revision of the data."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import httpx
import pytest
import strawberry
from graphql import GraphQLSchema
from starlette.routing import Router
from wire import WireTransport

from rest_bridge.endpoints.graphql import PATH, RESPONSE, graphql_routes
from rest_bridge.http.middleware import RequestGuard
from rest_bridge.http.ready_answers import ReadyAnswers
from sdl.running.public_query import PublicQueries
from sdl.running.runner import Operations, Snapshot

JSON = "application/json"


@strawberry.type
class Query:
    """A root that counts how often it is asked."""

    @strawberry.field
    def counted(self, info: strawberry.Info[Any, Any], number: int = 0) -> int:
        """The number."""
        info.context.append(number)
        return number

    @strawberry.field
    def failing(self, info: strawberry.Info[Any, Any]) -> int | None:
        """Nothing."""
        info.context.append(-1)
        raise ZeroDivisionError


@dataclass
class Shop:
    """An endpoint, and how often its resolvers ran."""

    snapshot: Snapshot
    runs: list[int]
    max_waiting: int = 64
    client: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        queries = PublicQueries(self.snapshot.operations.schema, self.max_waiting)
        routes = graphql_routes(queries, str, "{ counted }", lambda: self.snapshot, {})
        ready = ReadyAnswers(lambda: self.snapshot)
        service = RequestGuard(Router(routes), ["localhost"], ready=ready)
        self.client = httpx.Client(transport=WireTransport(service), base_url="http://localhost")

    def post(self, query: str = "{ counted }", **headers: str) -> Any:
        """The answer to a POST."""
        return self.client.post(PATH, json={"query": query}, headers=headers)

    def get(self, query: str = "{ counted }", method: str = "GET", **headers: str) -> Any:
        """The answer to a GET or a HEAD."""
        return self.client.request(method, PATH, params={"query": query}, headers=headers)


@pytest.fixture
def snapshot() -> Snapshot:
    """One revision of no data."""
    schema: GraphQLSchema = strawberry.Schema(Query)._schema  # noqa: SLF001 - no public name
    runs: Any = []
    return Snapshot(Operations(schema, ()), None, runs, 0.0)


@pytest.fixture
def shop(snapshot: Snapshot) -> Shop:
    """An endpoint on this revision."""
    runs: Any = snapshot.context
    return Shop(snapshot, runs)


def test_a_repeated_query_runs_no_resolver(shop: Shop) -> None:
    answers = {shop.post().content for _ in range(5)}
    assert answers == {b'{"data":{"counted":0}}'}
    assert len(shop.runs) == 1


def test_a_304_and_a_head_run_no_resolver(shop: Shop) -> None:
    first = shop.get()
    assert len(shop.runs) == 1
    again = shop.get(**{"if-none-match": first.headers["etag"]})
    head = shop.get(method="HEAD")
    assert (again.status_code, again.content) == (304, b"")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["etag"] == again.headers["etag"] == first.headers["etag"]
    assert head.headers["content-length"] == str(len(first.content))
    assert len(shop.runs) == 1


@pytest.mark.parametrize("directive", ["no-cache", "no-store", "max-age=0, no-cache"])
def test_a_caller_may_have_it_run_each_time(shop: Shop, directive: str) -> None:
    for _ in range(3):
        assert shop.post(**{"cache-control": directive}).status_code == 200
        assert shop.get(**{"cache-control": directive}).status_code == 200
    assert len(shop.runs) == 6


@pytest.mark.parametrize(
    "change",
    [
        lambda shop: shop.post("{ counted(number: 2) }"),
        lambda shop: shop.post("query A { counted }"),
        lambda shop: shop.post(accept=RESPONSE),
        lambda shop: shop.post(**{"accept-encoding": "gzip"}),
        lambda shop: shop.get(),
        lambda shop: shop.client.post(PATH, json={"query": "{ counted }", "variables": {"a": 1}}),
        lambda shop: shop.client.post(PATH, json={"query": "{ counted }", "operationName": "B"}),
    ],
)
def test_another_input_or_representation_is_another_answer(
    shop: Shop, change: Callable[[Shop], Any]
) -> None:
    shop.post(**{"accept-encoding": "identity"})
    before = len(shop.runs)
    answer = change(shop)
    is_unknown_operation = answer.status_code == 400
    assert is_unknown_operation or len(shop.runs) == before + 1


def test_variables_are_part_of_the_input(shop: Shop) -> None:
    query = "query ($n: Int!) { counted(number: $n) }"
    for number in (1, 2, 1, 2):
        body = {"query": query, "variables": {"n": number}}
        assert shop.client.post(PATH, json=body).json() == {"data": {"counted": number}}
    assert shop.runs == [1, 2]


def test_a_new_revision_is_asked_anew(shop: Shop) -> None:
    shop.post()
    shop.get()
    before = len(shop.runs)
    shop.snapshot = replace(shop.snapshot)
    shop.post()
    shop.get()
    assert len(shop.runs) == before + 2


def test_data_that_may_change_at_any_time_is_asked_each_time(snapshot: Snapshot) -> None:
    runs: Any = snapshot.context
    shop = Shop(replace(snapshot, modified=None), runs)
    for _ in range(3):
        shop.post()
    assert len(runs) == 3


def test_an_answer_with_an_error_is_not_kept(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    for number in range(3):
        before = len(shop.runs)
        assert shop.post("{ failing }").json()["errors"][0]["extensions"] == {"code": "internal"}
        assert len(shop.runs) > before
        assert len(caplog.records) == number + 1


def test_no_cache_may_store_an_answer_with_an_error(shop: Shop) -> None:
    assert shop.get().headers["cache-control"].startswith("public")
    answer = shop.get("{ failing }")
    assert "errors" in answer.json()
    assert answer.headers["cache-control"] == "no-store"


def test_a_full_queue_is_answered_in_the_form_of_graphql(snapshot: Snapshot) -> None:
    shop = Shop(snapshot, [], max_waiting=0)
    answer = shop.post(accept=RESPONSE)
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "1"
    assert answer.headers["content-type"] == f"{RESPONSE}; charset=utf-8"
    [error] = answer.json()["errors"]
    assert error["extensions"] == {"code": "unavailable"}
