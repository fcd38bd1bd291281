"""Two thousand generated queries, each answered with data."""

from collections import Counter
from pathlib import Path
from typing import Any

import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.core.result import Ok
from schemathesis.graphql import nodes

import sdl

SLUGS = ["tidebook", "harborlight", "fathom", "founder-attestation", "nothing-here", "a"]
PUBLIC = Path(sdl.__file__).parent / "public.graphql"

schemathesis.graphql.scalar("Slug", st.sampled_from(SLUGS).map(nodes.String))
CONFIG = schemathesis.Config.from_dict({"generation": {"mode": "positive"}})
SCHEMA = schemathesis.graphql.from_path(str(PUBLIC), config=CONFIG)
UNHURRIED = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
OPERATIONS = [found.ok() for found in SCHEMA.get_all_operations() if isinstance(found, Ok)]


def test_two_thousand_generated_queries_are_answered(server: str) -> None:
    seen: Counter[int] = Counter()

    @given(st.one_of([operation.as_strategy() for operation in OPERATIONS]))
    @settings(max_examples=2_000, deadline=None, suppress_health_check=UNHURRIED)
    def ask(case: schemathesis.Case[Any]) -> None:
        response = case.call(base_url=f"{server}/api/graphql")
        seen[response.status_code] += 1
        case.validate_response(response)
        assert response.status_code == 200

    ask()
    assert len(OPERATIONS) > 20
    assert seen.total() >= 2_000
