"""What a generator must know to ask GraphQL well: documents, their names, their media type.

Read by Schemathesis as its hooks. No claims here.
"""

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import schemathesis
from hypothesis import strategies as st
from hypothesis_graphql import nodes, queries

import sdl
from rest_bridge.graphql import GRAPHQL, MAX_GET_QUERY
from rest_bridge.graphql import PATH as GRAPHQL_PATH
from schema.json_text import MAX_INTEGER

NAME = "Asked"
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
schemathesis.openapi.format("graphql-name", st.sampled_from(["", NAME]))


@schemathesis.serializer(GRAPHQL)
def document_bytes(_: Any, value: Any) -> bytes:
    """The document as it is; what is none, as the text it has."""
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.hook("filter_case")
def is_what_words_say(_: Any, case: schemathesis.Case[Any]) -> bool:
    """Whether a case keeps what the description says in words, since no schema can say it."""
    if case.path != GRAPHQL_PATH or case.meta is None or case.meta.generation.mode.is_negative:
        return True
    asked = case.query if case.method == "GET" else case.body
    if not isinstance(asked, dict) or not asked:
        return True
    name, query = asked.get("operationName"), asked.get("query")
    if not isinstance(query, str) or (name and not re.search(rf"query {name}\b", query)):
        return False
    text = json.dumps(asked)
    exact = all(int(digits) <= MAX_INTEGER for digits in re.findall(r"[0-9]{16,}", text))
    return exact and r"\u0000" not in text
