"""Every stored operation on every surface it has, each body against its derived schema."""

import json
from typing import Any

import httpx
import jsonschema
import pytest

from rest_bridge.resource import JSON, MARKDOWN
from schema.directives import Example
from sdl.operation import Operation
from sdl.runner import Operations
from sdl.shape import json_schema
from studiograph.app import load_operations

OPERATIONS = load_operations()
EXAMPLES = [
    pytest.param(operation, example, id=f"{operation.name}: {example.name}")
    for operation in OPERATIONS
    for example in operation.examples
]


def test_sample(client: httpx.Client) -> None:
    assert client.get("/api/thesis").json()["thesis"]
