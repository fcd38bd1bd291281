"""What running an operation does with errors, null and unknown names."""

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import strawberry

from sdl.errors import DeliveryFailedError, InternalError, InvalidInputError, NotFoundError
from sdl.operations.compiler import compile_operations
from sdl.running.public_query import GraphQLRequest, PublicQueries
from sdl.running.runner import Operations, Snapshot
from sdl.types.directives import Fails

NOBODY: Any = None
"""The context of fields that need none."""


@strawberry.type
class Query:
    """A root whose fields fail, each in its own way."""

    @strawberry.field(directives=[Fails(codes=[DeliveryFailedError.code])])  # type: ignore[untyped-decorator]
    def known(self) -> str | None:
        """What a resolver names and declares."""
        raise DeliveryFailedError("The relay refused it.")

    @strawberry.field
    def silent(self) -> str | None:
        """What a resolver names and does not declare."""
        raise DeliveryFailedError("The relay refused it.")

    @strawberry.field
    def broken(self) -> str | None:
        """What nobody foresaw."""
        raise ZeroDivisionError("a secret of ours")

    @strawberry.field
    def needed(self) -> str:
        """What must be there and is not."""
        raise ZeroDivisionError("a secret of ours")

    @strawberry.field
    def nothing(self) -> str | None:
        """What is not there."""
        return None

    @strawberry.field
    def echo(self, number: int) -> int:
        """The number."""
        return number


@pytest.fixture
def reading(tmp_path: Path) -> Snapshot:
    """Operations over the failing root."""
    for name in ("operations", "fragments"):
        (tmp_path / name).mkdir()
    for name in ("known", "silent", "broken", "needed", "nothing"):
        text = f'"Asks." query {name.title()} {{ {name} }}'
        (tmp_path / "operations" / f"{name}.graphql").write_text(text)
    text = '"Asks." query Echo("A number." $number: Int!) { echo(number: $number) }'
    (tmp_path / "operations" / "echo.graphql").write_text(text)
    schema = strawberry.Schema(Query)._schema  # noqa: SLF001 - no public name for it
    return Snapshot(Operations(schema, compile_operations(schema, tmp_path)), None, NOBODY, 0.0)


@pytest.fixture
def quiet() -> Iterator[None]:
    """Without the log of faults, which is not what is shown here."""
    log = logging.getLogger("studiograph.faults")
    log.disabled = True
    yield
    log.disabled = False


def test_an_error_with_a_name_arrives_as_itself(reading: Snapshot) -> None:
    with pytest.raises(DeliveryFailedError, match="The relay refused it"):
        reading.read("Known")


def test_an_error_that_is_not_declared_is_our_own_fault(reading: Snapshot) -> None:
    with pytest.raises(InternalError):
        reading.read("Silent")


@pytest.mark.parametrize("name", ["Broken", "Needed"])
def test_an_unforeseen_error_is_ours_and_keeps_its_text_to_itself(
    reading: Snapshot, name: str
) -> None:
    with pytest.raises(InternalError) as caught:
        reading.read(name)
    assert "secret" not in caught.value.detail
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_null_is_not_found(reading: Snapshot) -> None:
    with pytest.raises(NotFoundError):
        reading.read("Nothing")


def test_variables_that_do_not_fit_are_invalid_input(reading: Snapshot) -> None:
    with pytest.raises(InvalidInputError):
        reading.read("Echo", number="three")
    assert reading.read("Echo", number=3) == 3


def test_an_operation_without_a_route_is_pointed_to_at_the_root(reading: Snapshot) -> None:
    assert reading.operations.path("Echo") == "/"
    assert reading.operations.path("NoSuchOperation") == "/"


@pytest.mark.usefixtures("quiet")
def test_an_inquiry_tells_named_errors_and_hides_the_others(reading: Snapshot) -> None:
    found = asyncio.run(
        PublicQueries(reading.operations.schema).execute(
            reading, GraphQLRequest("{ known broken }")
        )
    )
    assert found.executed
    assert found.body["data"] == {"known": None, "broken": None}
    told = {error["path"][0]: error for error in found.body["errors"]}
    assert told["known"]["message"] == "The relay refused it."
    assert told["known"]["extensions"] == {"code": "delivery_failed"}
    assert told["broken"]["extensions"] == {"code": "internal"}
    assert "secret" not in str(found.body)


@pytest.mark.usefixtures("quiet")
def test_data_that_became_null_is_still_an_answer(reading: Snapshot) -> None:
    found = asyncio.run(
        PublicQueries(reading.operations.schema).execute(reading, GraphQLRequest("{ needed }"))
    )
    assert found.executed
    assert found.body["data"] is None


def test_an_unforeseen_error_is_logged_once_with_its_traceback(
    reading: Snapshot, caplog: pytest.LogCaptureFixture
) -> None:
    asyncio.run(
        PublicQueries(reading.operations.schema).execute(reading, GraphQLRequest("{ broken }"))
    )
    logged = [record for record in caplog.records if record.name == "studiograph.faults"]
    assert len(logged) == 1
    assert logged[0].exc_info is not None
    assert logged[0].exc_info[0] is ZeroDivisionError


def test_a_callers_mistake_is_not_logged_as_a_fault(
    reading: Snapshot, caplog: pytest.LogCaptureFixture
) -> None:
    for query in ("{ nope }", "{", "mutation { a }", '{ echo(number: "x") }', "query A { broken }"):
        asyncio.run(
            PublicQueries(reading.operations.schema).execute(
                reading, GraphQLRequest(query, operation_name="B")
            )
        )
    assert caplog.records == []
