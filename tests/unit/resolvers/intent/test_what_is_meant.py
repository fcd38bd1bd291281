"""An entry or its list, one section or two, and what is not done here at all."""

from dataclasses import replace

import pytest
from sample_operations import POSTS

from resolvers.embeddings.hashing import HashingEmbedder
from resolvers.intent.operation import Parameter, RoutableOperation
from resolvers.intent.router import IntentRouter, Recommendation

READ = RoutableOperation("Show", "Show", "The news.", ("show the news of ports",), "GET", "/news")


@pytest.fixture(scope="module")
def intent() -> IntentRouter:
    """The small service, found by its words alone: the same with and without a model."""
    return IntentRouter(POSTS, HashingEmbedder())


def first(intent: IntentRouter, goal: str) -> Recommendation:
    """The best recommendation."""
    return intent.route(goal, 1)[0]


SLUG = Parameter("slug", "path", is_required=True, words={"spar": "Spar", "tide-watch": "Tides"})
WHOLE = replace(READ, operation="ListYards", path="/api/yards", section="yards")
ENTRY = replace(
    READ, operation="GetYard", path="/api/yards/{slug}", section="yards", parameters=(SLUG,)
)


@pytest.mark.parametrize(
    ("goal", "path", "is_sure"),
    [
        ("show the news of the yard Spar", "/api/yards/spar", True),
        ("show the news of ports, all yards", "/api/yards", False),
        ("show the news of Spar and Tides", "/api/yards", False),
        ("show the news of ports, all but Spar", "/api/yards", False),
    ],
)
def test_an_entry_that_is_named_comes_before_its_list_and_two_come_after_it(
    goal: str, path: str, *, is_sure: bool
) -> None:
    for posts in ([WHOLE, ENTRY], [ENTRY, WHOLE]):
        found = first(IntentRouter(posts, HashingEmbedder()), goal)
        assert (found.request.path, found.confidence == "high") == (path, is_sure)


def test_a_signed_form_that_does_not_exist_is_not_sure() -> None:
    intent = IntentRouter([WHOLE], HashingEmbedder())
    assert first(intent, "show the news of ports").confidence == "high"
    assert first(intent, "show the signed news of ports").confidence == "medium"


@pytest.mark.parametrize(
    ("goal", "operation"),
    [
        ("Ask her for a frame", "other"),
        ("run the operation Ask", "Ask"),
        ("the Ask operation", "Ask"),
    ],
)
def test_a_verb_is_no_name_of_an_operation(intent: IntentRouter, goal: str, operation: str) -> None:
    found = first(intent, goal)
    assert (found.why == "names the operation") == (operation == "Ask")


def test_a_year_or_a_form_that_a_read_cannot_keep_makes_it_unsure() -> None:
    text = replace(READ, media=("application/atom+xml",))
    goals = ("show the news of ports", "show the news of ports in 2021")
    sure = [first(IntentRouter([READ], HashingEmbedder()), goal).confidence for goal in goals]
    assert sure == ["high", "medium"]
    form = first(IntentRouter([text], HashingEmbedder()), "show the news of ports as JSON")
    assert form.confidence == "medium"


def test_a_message_is_sure_to_be_sent_only_if_the_wording_asks_for_it(
    intent: IntentRouter,
) -> None:
    said = "'Could you look at our frames?' from Sue Hart, sue@hart.example"
    for goal, is_sure, is_dry in [
        (f"write to the founder: {said}", True, False),
        (f"draft a message to the founder: {said}", False, False),
        (f"dry run a message to the founder: {said}", True, True),
        (f"check the message {said} to the founder before we send it", False, False),
        (f"write to the founder without sending it: {said}", False, False),
    ]:
        found = next(each for each in intent.route(goal) if each.operation == "SendContact")
        assert (found.confidence == "high", found.requires) == (is_sure, ()), goal
        assert found.request.body is not None
        assert ("dryRun" in found.request.body) == is_dry
    refused = "do not push fixes to https://hooks.example/in"
    assert all(each.confidence != "high" for each in intent.route(refused) if each.method == "POST")


def test_a_section_that_the_goal_does_not_name_is_not_sure() -> None:
    path = "/api/snapshot.sig?section=studio.portNews"
    intent = IntentRouter([replace(READ, path=path)], HashingEmbedder())
    assert first(intent, "show the port news").confidence == "high"
    assert first(intent, "show the news of ports").confidence == "medium"


def test_a_question_is_asked_first_only_if_no_read_is_near(intent: IntentRouter) -> None:
    far = intent.route("Is gilding done in Lisbon?", 2)
    near = intent.route("which formal qualifications and certificates are held?", 2)
    assert (far[0].operation, far[0].confidence) == ("Ask", "high")
    assert [each.operation for each in near] == ["ListCertifications", "Ask"]
