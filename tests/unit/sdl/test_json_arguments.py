"""JSON becomes variables, a body or a tool's arguments; every fault of it is told."""

from typing import Any

import jsonschema
import pytest

from sdl.arguments.input_schemas import arguments_schema
from sdl.arguments.values import read_arguments
from sdl.errors import InvalidInputError
from sdl.running.runner import Operations

LETTER = {
    "name": "Ines Ferreira",
    "email": "ines@harbour.example",
    "message": "Would you have time in March?",
}


def faults(operations: Operations, name: str, given: dict[str, Any], **headers: str) -> set[str]:
    """The paths of what is wrong."""
    with pytest.raises(InvalidInputError) as refused:
        read_arguments(operations.by_name[name], given, headers)
    return {fault.path for fault in refused.value.problems}


def test_a_header_fills_the_variable_that_names_it_and_no_member_does(
    operations: Operations,
) -> None:
    operation = operations.by_name["SendContact"]
    found = read_arguments(operation, LETTER, {"Idempotency-Key": "once"})
    assert found["idempotencyKey"] == "once"
    assert faults(operations, "SendContact", {**LETTER, "idempotencyKey": "x"}) == {
        "idempotencyKey"
    }
    with pytest.raises(InvalidInputError):
        read_arguments(operation, LETTER, {"Idempotency-Key": "two words"})


@pytest.mark.parametrize(
    ("name", "given", "variables"),
    [
        ("GetProject", {"slug": "tidebook"}, {"slug": "tidebook"}),
        ("ListChangelog", {"kind": "added"}, {"kind": "ADDED"}),
        ("GetInclusionProof", {"index": 3}, {"index": 3}),
        ("ListCertifications", {"issuer": "ACM"}, {"issuer": "ACM"}),
        ("ListCertifications", {}, {}),
    ],
)
def test_plain_variables_are_members_themselves(
    operations: Operations, name: str, given: dict[str, Any], variables: dict[str, Any]
) -> None:
    assert read_arguments(operations.by_name[name], given) == variables


def test_every_schema_is_one_closed_object_without_references_and_nulls(
    operations: Operations,
) -> None:
    for operation in operations:
        schema = arguments_schema(operation)
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
        text = str(schema)
        assert "$ref" not in text
        assert "null" not in text
        for member in schema["properties"].values():
            assert member["description"]


@pytest.mark.parametrize(
    "given",
    [
        LETTER,
        {**LETTER, "company": "", "agent": "a" * 120, "dryRun": True},
        {**LETTER, "name": "a" * 121},
        {**LETTER, "message": "a" * 4001},
        {**LETTER, "message": " " * 30},
        {**LETTER, "email": "a@b"},
        {**LETTER, "dryRun": None},
        {**LETTER, "name": "Ada\r\nBcc: x@y.example"},
    ],
)
def test_the_schema_and_the_reading_agree(operations: Operations, given: dict[str, Any]) -> None:
    operation = operations.by_name["SendContact"]
    told = jsonschema.Draft202012Validator(arguments_schema(operation)).is_valid(given)
    try:
        read_arguments(operation, given)
        taken = True
    except InvalidInputError:
        taken = False
    assert told == taken
