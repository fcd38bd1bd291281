"""The JSON Schema of a webhook's URL against what the service refuses."""

import re

import pytest
from hostile_addresses import URLS
from jsonschema import Draft202012Validator

from resolvers.http_client.targets import parse_target
from schema.services.subscribe import SubscribeInput
from sdl.arguments.input_schemas import arguments_schema
from sdl.running.runner import Operations

NOT_IN_A_PATTERN = re.compile(r"//[^/]*(?:--|[A-Z])|//[^/]{254}|\n")
"""What its schema allows: labels of other scripts, names in capitals or too long as a whole."""


@pytest.fixture
def validator(operations: Operations) -> Draft202012Validator:
    """The validator of the URL."""
    schema = arguments_schema(operations.by_name["Subscribe"])
    assert {*schema["properties"]} == {
        info.alias or name for name, info in SubscribeInput.model_fields.items()
    }
    return Draft202012Validator(schema["properties"]["url"])


def test_what_is_always_refused_is_refused_by_the_schema(validator: Draft202012Validator) -> None:
    allowed = [url for url in URLS if validator.is_valid(url)]
    assert [url for url in allowed if not NOT_IN_A_PATTERN.search(url)] == []
    assert len(allowed) < 10
    for url in ("http://hooks.example.com/", "https://[2001:db8::1]/", "https://10.0.0.1/"):
        assert not validator.is_valid(url)


@pytest.mark.parametrize(
    "url",
    [
        *("https://a.example.com", "https://example.com:443/", "https://example.com:8443/x"),
        *("https://example.com?a=b&c", "https://a.b.example.co.uk/x%2F..", "https://t.co/"),
        *("https://xn--bcher-kva.example/", "https://a.xn--p1ai/", "https://internal.example.com/"),
        *("https://127.0.0.1.nip.io/", "https://1and1.com/?q=http://127.0.0.1@/"),
    ],
)
def test_what_is_accepted_is_allowed_by_the_schema(
    validator: Draft202012Validator, url: str
) -> None:
    assert parse_target(url).scheme == "https"
    assert validator.is_valid(url)
