"""Generated queries, each answered with data; `make faults` generates ten times as many."""

import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import schemathesis
from ai_service import LOADING_SECONDS, answers_state
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from running_server import eventually
from schemathesis.core.result import Ok
from schemathesis.graphql import nodes

import sdl

SCALE = int(os.environ.get("FAULTS_SCALE", "1"))
COUNT, COMPUTED_COUNT = 400 * SCALE, 25 * SCALE
SLUGS = ["tidebook", "harborlight", "fathom", "founder-attestation", "nothing-here", "a"]
PUBLIC = Path(sdl.__file__).parent / "public.graphql"

schemathesis.graphql.scalar("Slug", st.sampled_from(SLUGS).map(nodes.String))
CONFIG = schemathesis.Config.from_dict({"generation": {"mode": "positive"}})
SCHEMA = schemathesis.graphql.from_path(str(PUBLIC), config=CONFIG)
UNHURRIED = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
OPERATIONS = [found.ok() for found in SCHEMA.get_all_operations() if isinstance(found, Ok)]
COMPUTED = {"search", "intent"}
"""What takes a text and a limit whose range no schema of GraphQL can say."""


def answerable(case: schemathesis.Case[Any]) -> schemathesis.Case[Any]:
    """The case with texts that are long enough and limits from 10 to 19."""
    body = re.sub(r'\b(goal|query): "(?!"")', r'\1: "tides ', str(case.body))
    case.body = re.sub(r"\blimit: -?\d*(\d)\b", r"limit: 1\1", body)
    return case


def is_refused_input(answer: dict[str, Any]) -> bool:
    """Whether an answer has no other errors than that such an input was refused."""
    errors = answer.get("errors", [])
    refused = [
        error["extensions"].get("code") == "validation_failed" and {*error["path"]} <= COMPUTED
        for error in errors
        if "path" in error
    ]
    return bool(errors) and len(refused) == len(errors) and all(refused)


def test_generated_queries_are_answered(server: str) -> None:
    seen: Counter[int | str] = Counter()
    computed = [found for found in OPERATIONS if found.label.rpartition(".")[2] in COMPUTED]
    assert len(computed) == len(COMPUTED)

    def ask(case: schemathesis.Case[Any]) -> None:
        response = case.call(base_url=f"{server}/api/graphql")
        seen[response.status_code] += 1
        answer = response.json()
        seen.update(COMPUTED & {*(answer["data"] or ())})
        if not is_refused_input(answer):
            case.validate_response(response)
        assert response.status_code == 200

    with httpx.Client(base_url=server, timeout=LOADING_SECONDS) as client:
        eventually(lambda: answers_state(client) == "ready", LOADING_SECONDS)
    anything = st.one_of([operation.as_strategy() for operation in OPERATIONS])
    answered = [operation.as_strategy().map(answerable) for operation in computed]
    for cases, count in ((anything, COUNT), *((each, COMPUTED_COUNT) for each in answered)):
        unhurried = settings(max_examples=count, deadline=None, suppress_health_check=UNHURRIED)
        unhurried(given(cases)(ask))()
    assert len(OPERATIONS) > 20
    assert seen[200] >= COUNT
    assert all(seen[name] for name in COMPUTED), seen
