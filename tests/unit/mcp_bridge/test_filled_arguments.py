"""Arguments as a model fills them that may leave nothing out, and writes numbers as texts."""

from typing import Any

import pytest

from mcp_bridge.tools.arguments import as_meant

SCHEMA = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "limit": {"type": "integer"},
        "share": {"type": "number"},
        "dryRun": {"type": "boolean"},
        "kinds": {"type": "array", "items": {"type": "string", "enum": ["project", "faq"]}},
        "names": {"type": "array", "items": {"type": "string"}},
        "numbers": {"type": "array", "items": {"type": "integer"}},
        "agent": {"type": "object", "properties": {"name": {"type": "string"}}, "required": []},
        "messages": {
            "type": "array",
            "items": {"type": "object", "properties": {"role": {"type": "string"}}},
        },
    },
    "required": ["query"],
}


@pytest.mark.parametrize("nothing", [None, "", []])
def test_what_says_nothing_is_absent_where_it_is_optional(nothing: object) -> None:
    optional = [name for name in SCHEMA["properties"] if name != "query"]
    assert as_meant(SCHEMA, {"query": "x", **dict.fromkeys(optional, nothing)}) == {"query": "x"}
    assert as_meant(SCHEMA, {"query": nothing}) == {"query": nothing}
    assert as_meant(SCHEMA, {"query": "x", "other": nothing}) == {"query": "x", "other": nothing}
    assert as_meant(SCHEMA, {"agent": {"name": nothing}}) == {"agent": {}}


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("limit", "2", 2),
        ("limit", " 2 ", 2),
        ("limit", "2.5", "2.5"),
        ("limit", "two", "two"),
        ("limit", "true", "true"),
        ("share", "0.5", 0.5),
        ("share", "1", 1),
        ("dryRun", "false", False),
        ("dryRun", "True", True),
        ("dryRun", "yes", "yes"),
        ("dryRun", "1", "1"),
        ("kinds", '["project", "faq"]', ["project", "faq"]),
        ("kinds", "project, faq", ["project", "faq"]),
        ("kinds", "project", ["project"]),
        ("names", "Smith, J", ["Smith, J"]),
        ("numbers", ["1", 2], [1, 2]),
        ("numbers", "1,2", [1, 2]),
        ("agent", '{"name": "a"}', {"name": "a"}),
        ("agent", "a", "a"),
        ("messages", '[{"role": "user"}]', [{"role": "user"}]),
        ("query", "2", "2"),
        ("query", "[]", "[]"),
    ],
)
def test_a_text_is_read_as_the_type_of_its_schema(name: str, text: Any, value: object) -> None:
    read = as_meant(SCHEMA, {name: text})[name]
    assert read == value
    assert type(read) is type(value)
