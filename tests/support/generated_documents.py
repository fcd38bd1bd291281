"""Schemathesis hooks that generate valid GraphQL documents and operation names."""

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import schemathesis
from hypothesis import strategies as st
from hypothesis_graphql import nodes, queries

import sdl
from mcp_bridge.description import PATH as MCP_PATH
from rest_bridge.endpoints.graphql import GRAPHQL, MAX_GET_QUERY
from rest_bridge.endpoints.graphql import PATH as GRAPHQL_PATH
from sdl.arguments.strict_json import MAX_INTEGER
from sdl.types.scalar_types import IdempotencyKey

NAME = "Asked"
ASKED = {"/api/search": "query", "/api/chat": "query", "/api/intent": "goal"}
"""What a GET with parameters needs; without any, it describes the path."""
KEY = re.compile(IdempotencyKey.pattern)
PUBLIC = Path(sdl.__file__).parent / "public.graphql"
SLUGS = ("tidebook", "harborlight", "fathom", "founder-attestation", "nothing-here", "a")

INSTANTS = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)).map(  # noqa: DTZ001 - the text has the zone
    lambda instant: f"{instant:%Y-%m-%dT%H:%M:%SZ}"
)
DOCUMENTS: st.SearchStrategy[str] = (
    queries(
        PUBLIC.read_text(),
        custom_scalars={
            "Slug": st.sampled_from(SLUGS).map(nodes.String),
            "DateTime": INSTANTS.map(nodes.String),
        },
        allow_x00=False,
    )
    .map(lambda document: f"query {NAME} {document}")
    .filter(lambda document: len(quote(document)) <= MAX_GET_QUERY)
)

schemathesis.openapi.format("graphql", DOCUMENTS)
OBJECTS = ["{}", '{"a": 1}', '{"b": [true, "c"]}']
schemathesis.openapi.format("json-object", st.sampled_from(OBJECTS))
schemathesis.openapi.format("graphql-name", st.sampled_from(["", NAME]))


@schemathesis.serializer(GRAPHQL)
def document_bytes(_: Any, value: Any) -> bytes:
    """The document as it is; what is none, as the text it has."""
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.hook("filter_case")
def is_what_words_say(_: Any, case: schemathesis.Case[Any]) -> bool:
    """Whether a case keeps what the description says in words, since no schema can say it."""
    if case.path == GRAPHQL_PATH and case.method == "GET" and "query" not in (case.query or {}):
        return not case.query  # without a query, the name of an operation is ignored
    if case.meta is None or case.meta.generation.mode.is_negative:
        return True
    asked = case.query if case.method == "GET" else case.body
    if case.method == "GET" and case.path in ASKED:
        question = str(dict(case.query or {}).get(ASKED[case.path], ""))
        return not case.query or 0 < len(quote(question)) <= MAX_GET_QUERY
    if case.path not in (GRAPHQL_PATH, MCP_PATH) or not isinstance(asked, dict) or not asked:
        return True
    name, query = asked.get("operationName"), asked.get("query")
    if case.path == GRAPHQL_PATH and (
        not isinstance(query, str) or (name and not re.search(rf"query {name}\b", query))
    ):
        return False
    text = json.dumps(asked)
    exact = all(int(digits) <= MAX_INTEGER for digits in re.findall(r"[0-9]{16,}", text))
    return exact and r"\u0000" not in text


@schemathesis.hook("before_call")
def name_each_call(_: Any, case: schemathesis.Case[Any], __: Any) -> None:
    """Give each call a name of its own: the same one again is rightly refused to other words."""
    if case.headers and KEY.fullmatch(str(case.headers.get("Idempotency-Key", ""))):
        case.headers["Idempotency-Key"] = str(uuid4())
