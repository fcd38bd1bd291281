"""A framework around the engine: requests pass it, it runs what blocks, its statuses count."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
import strawberry
from asgi_call import asking
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from rest_bridge.http.live import RESPONSE
from sdl.running.live import Framework, empty_response
from sdl.running.live_errors import REFUSED
from surfaces import Bearer, Surfaces

OPERATION = 'query Open($how: String! = "") @rest(path: "/open") @mcp { open(how: $how) }'
URL = "http://localhost"


class DeniedError(Exception):
    pass


class LostError(LookupError):
    """It says more than one thing."""

    messages: ClassVar = ["Lost.", "Look elsewhere."]


FAILURES: dict[str, Exception] = {
    "denied": DeniedError(),
    "lost": LostError(),
    "key": KeyError("k"),
}


@strawberry.type
class Query:
    @strawberry.field
    def open(self, info: strawberry.Info, how: str) -> str:
        if how in FAILURES:
            raise FAILURES[how]
        info.context["response"].headers["X-Own"] = "set"
        return "open"


class House:
    """A framework that closes at night."""

    def __init__(self) -> None:
        self.passed: list[str] = []

    @property
    def errors(self) -> dict[type[Exception], int]:
        return {DeniedError: REFUSED, LostError: 404}

    def wrap(self, app: ASGIApp) -> ASGIApp:
        async def pass_door(scope: Scope, receive: Receive, send: Send) -> None:
            self.passed.append(scope["path"])
            if (b"x-night", b"yes") in scope["headers"]:
                await PlainTextResponse("Closed.", 503)(scope, receive, send)
                return
            scope[RESPONSE] = empty_response()
            await app(scope, receive, send)

        return pass_door

    async def run_sync(self, work: Callable[[], Any]) -> Any:
        self.passed.append("work")
        return work()

    def __call__(self, request: Any, response: Any) -> dict[str, Any]:
        assert request is None or response is request.scope[RESPONSE]
        return {"response": response}


def service(house: House, folder: Path, **options: Any) -> Surfaces:
    (folder / "open.graphql").write_text(OPERATION)
    return Surfaces(strawberry.Schema(Query), folder, url=URL, get_context=house, **options)


def test_requests_pass_it_and_it_runs_resolvers(tmp_path: Path) -> None:
    house = House()
    assert isinstance(house, Framework)
    ask = asking(service(house, tmp_path))
    answer = ask("/open")
    assert (answer.json(), answer.headers["x-own"]) == ("open", "set")
    assert house.passed == ["/open", "work"]
    closed = ask("/open", headers={"x-night": "yes"})
    assert (closed.status_code, closed.text) == (503, "Closed.")
    assert closed.headers["x-request-id"]


@pytest.mark.parametrize(
    ("how", "status", "text"),
    [("denied", 401, "Unauthorized"), ("lost", 404, "Lost.; Look elsewhere."), ("key", 500, None)],
)
def test_its_exceptions_have_its_statuses(
    tmp_path: Path, how: str, status: int, text: str | None
) -> None:
    answer = asking(service(House(), tmp_path))(f"/open?how={how}")
    assert answer.status_code == status
    assert text is None or answer.json()["detail"] == text


def test_those_of_the_service_come_first(tmp_path: Path) -> None:
    ask = asking(service(House(), tmp_path, errors={LookupError: 410}))
    assert [ask(f"/open?how={how}").status_code for how in FAILURES] == [401, 410, 410]
    assert ask("/open?how=denied", headers={"cookie": "a=b"}).status_code == 403


def test_a_token_is_asked_for_before(tmp_path: Path) -> None:
    house = House()
    ask = asking(service(house, tmp_path, auth=Bearer(required=True)))
    assert ask("/open").status_code == 401
    assert not house.passed


def test_frozen_data_passes_nobody(tmp_path: Path) -> None:
    house = House()
    frozen = service(house, tmp_path, revision=lambda: "1")
    house.passed.clear()
    asking(frozen)("/llms.txt")
    assert not house.passed
