"""Which operations are recommended for a goal, in which order and with which confidence."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from sample_operations import ASK, POSTS, PROJECT, SEARCH

from resolvers.embeddings.embedder import Vectors
from resolvers.embeddings.hashing import HashingEmbedder
from resolvers.intent.operation import Parameter, RoutableOperation
from resolvers.intent.router import (
    FALLBACK_OPERATIONS,
    MUTATION,
    IntentRouter,
    Recommendation,
)


@pytest.fixture(scope="module")
def intent() -> IntentRouter:
    """The small service, found by its words alone: the same with and without a model."""
    return IntentRouter(POSTS, HashingEmbedder())


def first(intent: IntentRouter, goal: str) -> Recommendation:
    """The best recommendation."""
    return intent.route(goal, 1)[0]


def scored(intent: IntentRouter, goal: str) -> list[tuple[str, float]]:
    """What is recommended, and how sure that is."""
    return [(each.operation, each.score) for each in intent.route(goal)]


@pytest.mark.parametrize("post", POSTS, ids=lambda post: post.operation)
def test_an_example_goal_finds_its_operation_and_says_why(
    intent: IntentRouter, post: RoutableOperation
) -> None:
    for goal in post.goals:
        found = first(intent, goal)
        assert (found.operation, found.rank) == (post.operation, 1)
        assert found.why in {goal, "names the document"}


@pytest.mark.parametrize(
    ("goal", "operation"),
    [
        ("the list of all products", "ListProjects"),
        ("version of Ledgerline", "GetProject"),
        ("qualifications of the founder", "ListCertifications"),
        ("write to the founder about a contract", "SendContact"),
        ("search for drawdown", "SearchContent"),
        ("embedding of a string", "EmbedTexts"),
        ("subscribe https://hooks.example/in", "Subscribe"),
    ],
)
def test_a_goal_in_other_words_finds_its_operation(
    intent: IntentRouter, goal: str, operation: str
) -> None:
    assert first(intent, goal).operation == operation


@pytest.mark.parametrize(
    ("goal", "operation", "path"),
    [
        ("GET /api/projects/ledgerline", "GetProject", "/api/projects/ledgerline"),
        ("get `/api/projects/no-such-thing`.", "GetProject", "/api/projects/no-such-thing"),
        ("what does /api/projects/{slug} take?", "GetProject", "/api/projects/{slug}"),
        ("read /api/projects.md", "ListProjects", "/api/projects"),
        ("read /api/projects/new-one.md", "GetProject", "/api/projects/new-one"),
        ("read /api/changelog?kind=fixed", "ListChangelog", "/api/changelog?kind=fixed"),
        ("check /api/changelog.sig", "ListChangelog", "/api/changelog.sig"),
        (
            "verify /api/snapshot.sig?section=projects",
            "ListProjects",
            "/api/snapshot.sig?section=projects",
        ),
        ("start at /", "GetIndex", "/"),
        ("post to /api/chat", "Ask", "/api/chat"),
        ("DELETE /api/subscribe/sub_1", "Unsubscribe", "/api/subscribe/sub_1"),
        ("get_project at /api/projects/new-one", "GetProject", "/api/projects/new-one"),
    ],
)
def test_a_path_in_the_goal_wins(
    intent: IntentRouter, goal: str, operation: str, path: str
) -> None:
    found = first(intent, goal)
    assert (found.operation, found.request.path) == (operation, path)
    assert (found.why, found.confidence, found.score) == ("names the path", "high", 1.0)


@pytest.mark.parametrize(
    ("goal", "operation", "why"),
    [
        ("call list_projects", "ListProjects", "names the tool"),
        ("use the search tool on tides", "SearchContent", "names the tool"),
        ("use tool ask", "Ask", "names the tool"),
        ("run GetProject", "GetProject", "names the operation"),
    ],
)
def test_a_tool_or_an_operation_in_the_goal_wins(
    intent: IntentRouter, goal: str, operation: str, why: str
) -> None:
    found = first(intent, goal)
    assert (found.operation, found.why, found.confidence) == (operation, why, "high")


@pytest.mark.parametrize(
    "goal",
    [
        *("read https://elsewhere.example/api/projects", "and/or something", "a/api/projects"),
        f"DELETE /api/subscribe/{'a' * 129}",
    ],
)
def test_a_path_within_something_else_is_none(intent: IntentRouter, goal: str) -> None:
    assert all(each.why != "names the path" for each in intent.route(goal))


def test_several_that_are_named_come_first_in_the_order_of_their_paths(
    intent: IntentRouter,
) -> None:
    found = intent.route("compare /api/changelog with /api/projects", 3)
    assert [each.operation for each in found[:2]] == ["ListChangelog", "ListProjects"]
    assert found[2].score < 1


READ = RoutableOperation("Show", "Show", "The news.", ("show the news of ports",), "GET", "/news")
PUSH = RoutableOperation(
    "Deliver", "Push", "News of ports.", ("push the news of ports",), "POST", "/push"
)


def test_what_acts_and_is_hardly_nearer_comes_after_the_read() -> None:
    goal = "push show news of ports"
    harmless = IntentRouter((READ, PUSH), HashingEmbedder()).route(goal)
    acting = IntentRouter((READ, replace(PUSH, acts=True)), HashingEmbedder()).route(goal)
    assert [each.operation for each in harmless] == ["Deliver", "Show"]
    assert harmless[0].score < harmless[1].score + MUTATION
    assert [each.operation for each in acting] == ["Show", "Deliver"]


def test_what_acts_comes_first_where_nothing_else_is_as_near() -> None:
    far = replace(READ, description="Certificates.", goals=("courses and exams",), title="Exams")
    intent = IntentRouter((far, replace(PUSH, acts=True)), HashingEmbedder())
    assert first(intent, "news of the harbours").operation == "Deliver"


@pytest.mark.parametrize(
    ("goal", "question"),
    [
        ("Do you gild frames in Lisbon?", "Do you gild frames in Lisbon?"),
        ("whether varnish yellows", "whether varnish yellows"),
        ("ask why varnish yellows", "ask why varnish yellows"),
    ],
)
def test_a_question_is_asked_in_chat_as_it_stands(
    intent: IntentRouter, goal: str, question: str
) -> None:
    found = first(intent, goal)
    assert (found.operation, found.confidence, found.requires) == ("Ask", "high", ())
    assert found.request.body == {"query": question}


def test_a_question_that_a_read_clearly_answers_leads_to_it_and_then_to_chat(
    intent: IntentRouter,
) -> None:
    found = intent.route("which formal qualifications and certificates are held?", 2)
    assert [each.operation for each in found] == ["ListCertifications", "Ask"]


def test_the_meaning_of_an_entry_is_read_from_the_entry_and_of_others_from_the_list() -> None:
    words = {"drawdown": "", "tide-table": "Tide table"}
    slug = Parameter("slug", "path", is_required=True, words=words)
    entries = replace(READ, operation="ListGlossary", path="/glossary")
    entry = replace(READ, operation="GetTerm", path="/glossary/{slug}", parameters=(slug,))
    intent = IntentRouter([entries, entry], HashingEmbedder())
    assert first(intent, "What does 'tide table' mean here?").request.path == "/glossary/tide-table"
    assert first(intent, "define drawdown").request.path == "/glossary/drawdown"
    assert first(intent, "define spring tide").operation == "ListGlossary"


def test_a_document_is_named_by_its_file(intent: IntentRouter) -> None:
    found = first(intent, "fetch llms.txt")
    assert (found.operation, found.why) == ("GetLlmsTxt", "names the document")
    assert first(intent, "fetch my-llms.txt.bak").why != "names the document"


def test_what_returns_more_than_was_asked_is_not_sure(intent: IntentRouter) -> None:
    assert first(intent, "read the changelog").confidence == "high"
    assert first(intent, "read the changelog until 3 May 2026").confidence == "medium"


@pytest.mark.parametrize("goal", ["xyzzy plugh", "1234 5678", "\u4f60\u597d\u4e16\u754c"])
def test_a_goal_that_is_near_nothing_is_asked_and_searched(intent: IntentRouter, goal: str) -> None:
    found = intent.route(goal)
    assert [each.operation for each in found] == list(FALLBACK_OPERATIONS)
    assert [each.request.body for each in found] == [{"query": goal}] * 2
    assert {each.confidence for each in found} == {"low"}


@pytest.mark.parametrize("limit", [1, 3, 10])
def test_scores_fall_ranks_rise_and_none_is_beyond_the_limit(
    intent: IntentRouter, limit: int
) -> None:
    for goal in ("/api/chat or the changelog", "list all projects", "send a message", "nonsense"):
        found = intent.route(goal, limit)
        scores = [each.score for each in found]
        assert len(found) <= limit
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores)
        assert [each.rank for each in found] == list(range(1, len(found) + 1))
        assert len({each.operation for each in found}) == len(found)


def test_a_thing_that_is_named_lifts_the_operation_that_asks_for_it(intent: IntentRouter) -> None:
    assert first(intent, "the state of Ledgerline").operation == PROJECT.operation
    assert first(intent, "the state of Portline").operation != PROJECT.operation


@pytest.mark.parametrize(
    ("goal", "address", "operation"),
    [
        ("a message from {}", "ines@harbour.example", "SendContact"),
        ("a callback at {}", "https://hooks.example/in", "Subscribe"),
    ],
)
def test_an_address_lifts_the_operation_that_requires_one(
    intent: IntentRouter, goal: str, address: str, operation: str
) -> None:
    def score(text: str) -> float:
        found = intent.route(text, len(POSTS))
        return next((each.score for each in found if each.operation == operation), 0)

    plain = address.replace("@", " ").replace("https://", "").replace("/", " ")
    assert score(goal.format(address)) > score(goal.format(plain)) + MUTATION


def test_a_memory_embeds_the_texts_and_the_embedder_the_goals() -> None:
    asked: list[int] = []
    embedder = HashingEmbedder()

    def remembered(texts: Sequence[str]) -> Vectors:
        asked.append(len(texts))
        return embedder.embed_documents(texts)

    intent = IntentRouter((ASK, SEARCH), embedder, remembered)
    assert asked == [2 + len(ASK.goals) + len(SEARCH.goals)]
    assert first(intent, "chat about the studio").operation == "Ask"
    assert len(asked) == 1


def test_a_name_is_read_as_what_it_stands_for() -> None:
    named = IntentRouter(
        POSTS, HashingEmbedder(), roles={"Ada Voss": "the founder", "Ada": "the founder"}
    )
    plain = IntentRouter(POSTS, HashingEmbedder())
    for goal in ("write to {} about a contract", "{}'s qualifications"):
        wanted = scored(plain, goal.format("the founder"))
        for name in ("Ada", "Ada Voss"):
            assert scored(named, goal.format(name)) == wanted
    assert first(named, "Adaptive learning").score == first(plain, "Adaptive learning").score


def test_an_operation_without_examples_is_found_by_its_description() -> None:
    bare = RoutableOperation("GetThesis", "Thesis", "What is held to be true.", (), "GET", "/t")
    found = first(IntentRouter((bare, PROJECT), HashingEmbedder()), "what is held to be true")
    assert (found.operation, found.why) == ("GetThesis", "Thesis")


def test_no_operations_have_no_recommendations() -> None:
    assert IntentRouter((), HashingEmbedder()).route("anything") == []
