"""Data that is frozen between two revisions: answers are kept for everybody until the next."""

from pathlib import Path
from typing import Any

import pytest
import strawberry
from asgi_call import Ask, asking
from strawberry.permission import BasePermission

from sdl.operations.rules import OperationError
from surfaces import Surfaces

OPERATIONS = {
    "tides": 'query Tides @rest(path: "/tides") @mcp(tool: "list_tides")'
    " { tides { place height } }",
    "tide": 'query Tide($place: String!) @rest(path: "/tides/{place}", each: "Tides")'
    " { tide(place: $place) { place height } }",
    "raise_tide": 'mutation RaiseTide($by: Int!) @rest(method: POST, path: "/tides")'
    ' @mcp(tool: "raise_tide") { raiseTide(by: $by) }',
}


@strawberry.type
class Tide:
    place: str
    height: int


class Sea:
    """What the tides are, how often they were read, and the revision that is told."""

    height = 1
    reads = 0
    revision = "1"

    def tides(self) -> list[Tide]:
        self.reads += 1
        return [Tide(place=place, height=self.height) for place in ("cork", "kiel")]


def service(sea: Sea, folder: Path, **options: Any) -> Surfaces:
    """The tides, served."""

    @strawberry.type
    class Query:
        @strawberry.field
        def tides(self) -> list[Tide]:
            return sea.tides()

        @strawberry.field
        def tide(self, place: str) -> Tide | None:
            if place == "atlantis":
                raise LookupError("It sank.")
            return next((tide for tide in sea.tides() if tide.place == place), None)

    @strawberry.type
    class Mutation:
        @strawberry.mutation
        def raise_tide(self, by: int) -> int:
            sea.height += by
            return sea.height

    for name, text in OPERATIONS.items():
        (folder / f"{name}.graphql").write_text(text)
    own: dict[str, Any] = {"revision": lambda: sea.revision}
    return Surfaces(strawberry.Schema(Query, Mutation), folder, **(own | options))


@pytest.fixture
def sea() -> Sea:
    """The tides at one metre."""
    return Sea()


@pytest.fixture
def ask(sea: Sea, tmp_path: Path) -> Ask:
    """Requests to the tides."""
    return asking(service(sea, tmp_path))


def test_answers_are_kept_until_the_revision_changes(ask: Ask, sea: Sea) -> None:
    first = ask("/tides")
    assert first.json()[0] == {"place": "cork", "height": 1}
    assert ask("/tides/kiel").json() == {"place": "kiel", "height": 1}
    read, sea.height = sea.reads, 2
    assert ask("/tides").content == first.content
    assert ask("/tides/kiel").json() == {"place": "kiel", "height": 1}
    assert sea.reads == read
    same = ask("/tides", headers={"if-none-match": first.headers["etag"]})
    assert (same.status_code, same.content) == (304, b"")
    sea.revision = "2"
    assert ask("/tides/kiel").json()["height"] == 2
    assert ask("/tides", headers={"if-none-match": first.headers["etag"]}).json()[1]["height"] == 2
    assert sea.reads > read


def test_an_exception_has_the_status_that_is_said_of_it(sea: Sea, tmp_path: Path) -> None:
    text = 'query One($place: String!) @rest(path: "/one") @mcp { tide(place: $place) { height } }'
    (tmp_path / "one.graphql").write_text(text)
    ask = asking(service(sea, tmp_path, errors={LookupError: 410}))
    sunk = ask("/one?place=atlantis")
    assert (sunk.status_code, sunk.json()["detail"]) == (410, "It sank.")
    assert ask("/one?place=cork").status_code == 200


def test_a_mutation_runs_each_time(ask: Ask, sea: Sea) -> None:
    assert ask("/tides", "POST", json={"by": 3}).json() == 4
    assert ask("/tides", "POST", json={"by": 3}).json() == 7
    assert sea.height == 7


def test_each_needs_a_revision(sea: Sea, tmp_path: Path) -> None:
    with pytest.raises(OperationError, match=r"tide\.graphql.*each: a list is not read"):
        service(sea, tmp_path, revision=None)


def test_a_revision_serves_no_field_with_permissions(tmp_path: Path) -> None:
    class IsMember(BasePermission):
        message = "Members only."

        def has_permission(self, source: Any, info: strawberry.Info, **_: Any) -> bool:  # noqa: ARG002 - Strawberry's
            return "authorization" in info.context["request"].headers

    @strawberry.type
    class Query:
        @strawberry.field(permission_classes=[IsMember])  # type: ignore[untyped-decorator]
        def catch(self) -> int:
            return 7

    (tmp_path / "catch.graphql").write_text('query Catch @rest(path: "/catch") { catch }')
    with pytest.raises(OperationError, match="has permissions, so callers differ: leave out"):
        Surfaces(strawberry.Schema(Query), tmp_path, revision=lambda: "1")
    ask = asking(Surfaces(strawberry.Schema(Query), tmp_path))
    refused = ask("/catch")
    assert refused.status_code == 401
    assert refused.json()["request_id"] == refused.headers["x-request-id"]


def test_a_revision_is_a_function(sea: Sea, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="revision: give a function that is called"):
        service(sea, tmp_path, revision="1")


def test_each_fills_a_variable_of_the_path(
    sea: Sea, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        OPERATIONS, "tides", OPERATIONS["tides"].replace('/tides"', '/tides", each: "X"')
    )
    with pytest.raises(OperationError, match="the path has no variable for the items to fill"):
        service(sea, tmp_path)


def test_each_names_a_list(sea: Sea, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = OPERATIONS["tide"].replace('each: "Tides"', 'each: "Tides.place"')
    monkeypatch.setitem(OPERATIONS, "tide", wrong)
    with pytest.raises(OperationError, match=r"each: 'Tides\.place' is no list: write Operation"):
        service(sea, tmp_path)
