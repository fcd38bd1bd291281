"""The stored operations as intent sees them, and what it makes of goals it has never seen."""

import re
import tomllib
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

import httpx
import pytest
from graphql import OperationType
from repository import ROOT

from resolvers.embeddings.hashing import HashingEmbedder
from resolvers.intent.operation import Parameter, RoutableOperation
from resolvers.intent.operations import MIN_GOALS, is_reached, missing_goals, routable_operations
from resolvers.intent.router import IntentRouter
from rest_bridge.endpoints.health import ENTRIES
from sdl.arguments.values import read_arguments
from sdl.operations.catalog import OPTIONAL
from sdl.operations.operation import Operation
from sdl.running.runner import Operations, Snapshot
from sdl.types.directives import Intent as Goals
from studiograph.application import index_entries

HOUSE = ROOT / "evals/questions/tune/house-sample.toml"
GOALS: list[dict[str, Any]] = tomllib.loads(HOUSE.read_text())["goal"]
REQUESTS: list[dict[str, Any]] = tomllib.loads((ROOT / "evals/requests.toml").read_text())["goal"]
FIRST_FEW = 3
ENOUGH_OF_TEN = 8


@pytest.fixture(scope="module")
def posts(reading: Snapshot) -> dict[str, RoutableOperation]:
    """The goalposts of the sample studio."""
    return {post.operation: post for post in routable_operations(reading)}


@pytest.fixture(scope="module")
def intent(posts: dict[str, RoutableOperation]) -> IntentRouter:
    """Intent over the sample studio, without a model."""
    return IntentRouter(tuple(posts.values()), HashingEmbedder())


def member(post: RoutableOperation, name: str) -> Parameter:
    """The member with this name."""
    return next(each for each in post.parameters if each.name == name)


def test_every_operation_that_is_reached_is_a_goalpost_and_no_other(
    posts: dict[str, RoutableOperation], operations: Operations
) -> None:
    addresses = {(each.rest.method, each.rest.path) for each in operations if each.rest}
    assert addresses <= {(post.method, post.path) for post in posts.values()}
    assert {"GetFounder", "GetStudioIdentity", "ListCurrentlyStudying"} <= set(posts)
    assert not {"GetAutoReply", "GetDirectory", "CompareProjects", "DraftOutreach"} & set(posts)
    assert len({(post.method, post.path) for post in posts.values()}) == len(posts)


def test_every_address_of_the_index_has_goals(reading: Snapshot, operations: Operations) -> None:
    entries = [entry for entry in index_entries(reading) if entry.section != OPTIONAL]
    every = routable_operations(reading, entries)
    items = {path for each in operations for path in item_paths(each, reading)}
    assert {entry.path for entry in entries} - items <= {each.path for each in every}
    assert [each.path for each in every if len(each.goals) < MIN_GOALS] == []
    robots = next(each for each in every if each.path == "/robots.txt")
    assert (robots.operation, robots.method) == ("GetRulesForCrawlers", "GET")


def item_paths(operation: Operation, reading: Snapshot) -> list[str]:
    """The paths of the items that fill the path of an operation."""
    path = operation.rest.path if operation.rest else ""
    return [item.path(path) for item in reading.items_of(operation)]


def test_ours_have_goals_enough_and_no_goal_twice(operations: Operations) -> None:
    assert missing_goals(operations) == []
    goals = [goal for each in operations if each.intent for goal in each.intent.goals]
    assert len({goal.casefold() for goal in goals}) == len(goals) >= MIN_GOALS * 40
    assert not {goal.casefold() for goal in goals} & {each["text"].casefold() for each in GOALS}


def test_an_operation_with_few_goals_is_told_by_its_place(operations: Operations) -> None:
    known = operations.by_name["GetThesis"]
    few = [
        replace(known, intent=None),
        replace(known, intent=Goals(["one"] * (MIN_GOALS - 1))),
        replace(known, intent=Goals(["one"] * MIN_GOALS)),
        replace(known, intent=None, rest=None, sign=None, mcp=None),
    ]
    told = [str(fault) for each in few for fault in missing_goals([each])]
    assert [line.split(": ", 1)[1] for line in told] == [
        "intent: has 0 example goals; give it 4 or more",
        "intent: has 3 example goals; give it 4 or more",
    ]
    assert all(re.match(r"sdl/operations/get_thesis\.graphql:\d+:\d+: ", line) for line in told)


def test_a_streamed_answer_is_a_form_of_the_one_at_the_same_address(reading: Snapshot) -> None:
    known = reading.operations.by_name["SendContact"]
    node = replace(known.node, operation=OperationType.SUBSCRIPTION)
    streamed = replace(known, name="StreamContact", node=node, intent=Goals(["one more"]))
    every = Operations(reading.operations.schema, [streamed, *reading.operations])
    found = routable_operations(replace(reading, operations=every))
    contact = next(post for post in found if post.path == "/api/contact")
    assert contact.operation == "SendContact"
    assert contact.media == ("application/json", "text/markdown", "text/event-stream")
    assert contact.goals[-1] == "one more"
    assert "StreamContact" not in {post.operation for post in found}
    assert missing_goals(every) == []


def test_a_prompt_alone_is_reached_by_no_request(operations: Operations) -> None:
    assert [is_reached(operations.by_name[n]) for n in ("IntroduceStudio", "GetFounder")] == [
        False,
        True,
    ]


def test_a_path_knows_its_slugs_and_their_titles(posts: dict[str, RoutableOperation]) -> None:
    assert member(posts["GetProject"], "slug") == replace(
        member(posts["GetProject"], "slug"),
        location="path",
        is_required=True,
        words={"tidebook": "Tidebook", "harborlight": "Harborlight", "fathom": "Fathom"},
    )
    assert set(member(posts["GetArtifact"], "slug").words) == {
        *("founder-attestation", "harbour-lantern", "tidebook-desks"),
    }
    assert "Get artifact" not in member(posts["GetArtifact"], "slug").words.values()


def test_a_filter_knows_the_words_of_its_enum_or_those_that_stand_in_the_list(
    posts: dict[str, RoutableOperation],
) -> None:
    assert set(member(posts["ListChangelog"], "kind").words) == {
        *("added", "changed", "fixed", "removed", "announced"),
    }
    issuers = member(posts["ListCertifications"], "issuer").words
    assert {"Meridian Cloud School", "Lattice Quantum Lab"} <= set(issuers)
    assert "blockchain" in member(posts["ListCertifications"], "category").words
    assert member(posts["ListChangelog"], "since").words == {}


def test_what_acts_says_so_with_what_it_requires(posts: dict[str, RoutableOperation]) -> None:
    contact = posts["SendContact"]
    required = [each.name for each in contact.parameters if each.is_required]
    assert (contact.acts, contact.tool, required) == (
        True,
        "send_contact",
        ["name", "email", "message"],
    )
    assert member(contact, "Idempotency-Key").location == "header"
    assert [post.operation for post in posts.values() if post.acts and post.method == "GET"] == []


def test_of_two_ways_to_ask_the_first_is_required(posts: dict[str, RoutableOperation]) -> None:
    assert [m.name for m in posts["Ask"].parameters if m.is_required] == ["query"]


def test_signed_forms_stand_at_their_paths(posts: dict[str, RoutableOperation]) -> None:
    assert posts["GetManifest"].signed_path == "/api/manifest.sig"
    assert posts["ListFaq"].signed_path == "/api/snapshot.sig?section=faq"
    assert posts["GetFounder"].path == "/api/snapshot.sig?section=studio.founder"


def test_what_is_unavailable_is_no_goalpost(reading: Snapshot) -> None:
    away = replace(reading, context=replace(reading.context, github=None))  # type: ignore[type-var]
    found = {post.operation for post in routable_operations(away)}
    assert {name for name in found if "Github" in name} == set()
    assert "GetAbout" in found


def known_goals(posts: dict[str, RoutableOperation]) -> list[dict[str, Any]]:
    """The goals that an operation of ours serves."""
    return [goal for goal in GOALS if set(goal["operations"]) & set(posts)]


def test_most_goals_find_their_operation_even_without_a_model(
    posts: dict[str, RoutableOperation], intent: IntentRouter
) -> None:
    goals = known_goals(posts)
    found = [
        goal
        for goal in goals
        if {each.operation for each in intent.route(goal["text"], FIRST_FEW)}
        & set(goal["operations"])
    ]
    assert len(found) * 10 >= len(goals) * ENOUGH_OF_TEN


def test_a_request_that_is_ready_is_exactly_what_was_asked(reading: Snapshot) -> None:
    posts = routable_operations(reading, (*index_entries(reading), *ENTRIES))
    intent = IntentRouter(posts, HashingEmbedder())
    ready, wrong = 0, list[str]()
    for goal in (each for each in REQUESTS if each["half"] == "dev"):
        found = intent.route(goal["text"], 1)[0]
        if found.requires or found.confidence != "high":
            continue
        ready += 1
        request, body = found.request, found.request.body or {}
        is_served = f"{request.method} {unquote(request.path)}" in goal["requests"]
        if not is_served or goal.get("missing") or body != goal.get("body", body):
            wrong.append(f"{goal['text']}: {request}")
    assert wrong == []
    assert ready * 2 > sum(each["half"] == "dev" for each in REQUESTS)


def test_a_read_that_requires_nothing_answers(
    intent: IntentRouter, ask: Callable[..., httpx.Response], posts: dict[str, RoutableOperation]
) -> None:
    sent = 0
    for goal in known_goals(posts):
        for each in intent.route(goal["text"], FIRST_FEW):
            if each.method == "GET" and not each.requires:
                answer = ask(each.request.path, headers=dict(each.request.headers))
                # No proof is of an entry that does not exist, and intent does not count entries.
                allowed = {404} if "/api/log/" in each.path else set()
                assert answer.status_code in {200} | allowed, each.request
                sent += 1
    assert sent > len(GOALS)


def test_a_read_is_recommended_with_the_request_that_was_meant(
    intent: IntentRouter, posts: dict[str, RoutableOperation]
) -> None:
    for goal in known_goals(posts):
        meant = goal["operations"][0]
        found = [each for each in intent.route(goal["text"], 10) if each.operation == meant]
        if found and "path" in goal:
            assert found[0].request.path == goal["path"], goal["text"]


@pytest.mark.parametrize(
    "goal",
    [
        "send a message to the founder; name: Ines Ferreira, email: ines@harbour.example,"
        " message: Could you review our tide forecasts in March?",
        "call send_contact, dry run, my name is Ines, reply to ines@harbour.example,"
        ' "Could you review our tide forecasts in March?"',
    ],
)
def test_a_message_that_requires_nothing_fits_its_operation(
    goal: str, intent: IntentRouter, operations: Operations
) -> None:
    found = intent.route(goal, 1)[0]
    assert (found.operation, found.requires) == ("SendContact", ())
    contact: Operation = operations.by_name["SendContact"]
    assert found.request.body is not None
    assert found.mcp is not None
    assert read_arguments(contact, found.request.body)["input"] == dict(found.request.body)
    assert found.mcp.arguments == found.request.body
