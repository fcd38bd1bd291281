"""What a caller sent is one line of inline code in every markdown that repeats it, or is not there.

So a link to a search, which anybody can make, writes nothing into the studio's markdown.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from graphql import OperationType
from local_service import Ask, stored_operations
from markdown_payloads import EVIL, PAYLOADS, live_words, structure
from mcp_messages import call, error, post
from offenders import offenders
from tiers import step

from rest_bridge.http.middleware import RequestGuard
from rest_bridge.representations.markdown import markdown_document
from rest_bridge.representations.rendering import MARKDOWN
from sdl.arguments.values import read_arguments
from sdl.caller import Caller, Channel
from sdl.errors import ApiError
from sdl.operations.operation import INPUT
from sdl.types.marks import CallersWords
from sdl.types.shape import ListShape, ObjectShape, Shape

BY_NAME = {operation.name: operation for operation in stored_operations()}
FORMS = {"accept": MARKDOWN}
CODE = "(from the caller)"
ONE_WORD = "Nothing is published about `"
"""The phrase of chat that repeats one word, of letters alone."""
HARMLESS = "harmless words"
IN_JSON = [words for words in PAYLOADS if "\0" not in words]
"""What a message of MCP can have."""


def harmless(shape: Shape, value: Any) -> Any:
    """The body with words of ours in place of the caller's."""
    if isinstance(shape, ListShape):
        return [harmless(shape.item, item) for item in value]
    if not isinstance(shape, ObjectShape):
        return value
    return {
        m.key: HARMLESS if m.is_marked(CallersWords) else harmless(m.shape, value[m.key])
        for m in shape.fields
        if m.key in value
    }


def check(markdown: str, plain: str) -> None:
    """The document has the structure of the plain one, and says the words in inline code alone."""
    assert structure(markdown) == structure(plain)
    assert EVIL not in live_words(markdown)
    said = [line for line in markdown.split("\n") if EVIL in line.lower()]
    assert all(line.isprintable() and "\ufe0f" not in line for line in said)
    for line in said:
        assert any(word in line for word in (CODE, "unknown", "not permitted", ONE_WORD)), line


def check_body(name: str, markdown: str, body: Any) -> None:
    operation = BY_NAME[name]
    plain = markdown_document(operation.title, operation.shape, harmless(operation.shape, body))
    check(markdown[markdown.index("# ") :], plain)


def by_http(ask: Ask, name: str, member: str, words: str, method: str) -> None:
    rest = BY_NAME[name].rest
    assert rest is not None
    sent = {"json": {member: words}} if method == "POST" else {"params": {member: words}}
    as_json, as_markdown = (
        ask(rest.path, method, **sent, headers=headers) for headers in ({}, FORMS)
    )
    if as_json.status_code == 400:
        assert as_markdown.status_code == 400
        assert EVIL not in as_markdown.text
        return
    assert as_markdown.headers["content-type"].startswith(MARKDOWN)
    check_body(name, as_markdown.text, as_json.json())


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    ("name", "member"), [("SearchContent", "query"), ("RouteIntent", "goal"), ("Ask", "query")]
)
def test_an_answer_over_http_repeats_a_caller_in_inline_code_alone(
    ask: Ask, name: str, member: str, method: str
) -> None:
    asked = PAYLOADS[:: step(2 if method == "GET" and name != "Ask" else 12)]
    assert not offenders(lambda words: by_http(ask, name, member, words, method), asked)


def test_a_goal_stands_in_the_requests_that_are_made_of_it_in_inline_code_alone(ask: Ask) -> None:
    goals = [
        "search for {}",
        'write to the human: name "x", message "{}"',
        "changelog since {}",
        "proof of the statement _{}_",
        "history of name=*{}*",
    ]
    asked = [goal.replace("{}", words) for goal in goals for words in PAYLOADS[:: step(12)]]
    assert not offenders(lambda goal: by_http(ask, "RouteIntent", "goal", goal, "GET"), asked)


def test_the_text_of_a_tool_repeats_a_goal_in_inline_code_alone(ask: Ask) -> None:
    def routed(words: str) -> None:
        found = call(ask, "route_intent", arguments={"goal": words})
        [content] = found["content"]
        if found["isError"]:
            assert EVIL not in content["text"]
        else:
            check_body("RouteIntent", content["text"], found["structuredContent"])

    assert not offenders(routed, IN_JSON[:: step(4)])


PROMPTS = {"draft_outreach": ("purpose", "from"), "introduce_studio": ("audience",)}


@pytest.mark.parametrize("name", PROMPTS)
def test_a_prompt_repeats_its_arguments_in_inline_code_alone(ask: Ask, name: str) -> None:
    def prompted(words: str) -> Any:
        return post(ask, "prompts/get", name=name, arguments=dict.fromkeys(PROMPTS[name], words))

    def text(answer: Any) -> str:
        [message] = answer.json()["result"]["messages"]
        return str(message["content"]["text"])

    plain = text(prompted(HARMLESS))
    assert plain.count(CODE) == len(PROMPTS[name])

    def said(words: str) -> None:
        answer = prompted(words)
        if "error" in answer.json():
            assert EVIL not in error(answer)["message"]
        else:
            check(text(answer), plain)

    assert not offenders(said, IN_JSON[:: step(2)])


def tool_error(ask: Ask, tool: str, arguments: Mapping[str, Any]) -> str:
    found = call(ask, tool, arguments=arguments)
    assert found["isError"]
    return str(found["content"][0]["text"])


ERRORS: Mapping[str, Callable[[Ask, str], str]] = {
    "member": lambda ask, w: tool_error(ask, "search", {"query": "tides", w: 1}),
    "inner member": lambda ask, w: tool_error(
        ask, "ask", {"messages": [{"role": "user", "content": "tides", w: 1}]}
    ),
    "member of a read": lambda ask, w: tool_error(ask, "read", {"section": "faq", w: 1}),
    "value of a read": lambda ask, w: tool_error(ask, "read", {"section": w, "fields": w}),
    "slug": lambda ask, w: tool_error(ask, "get_project", {"slug": w}),
    "id": lambda ask, w: tool_error(ask, "fetch", {"id": w}),
    "argument of a prompt": lambda ask, w: error(
        post(ask, "prompts/get", name="draft_outreach", arguments={"purpose": "x", w: "y"})
    )["message"],
    "tool": lambda ask, w: error(post(ask, "tools/call", name=w))["message"],
    "resource": lambda ask, w: error(post(ask, "resources/read", uri=w))["message"],
}


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_text_repeats_a_name_in_inline_code_alone(ask: Ask, name: str) -> None:
    plain = ERRORS[name](ask, HARMLESS)
    asked = IN_JSON[:: step(4)]
    assert not offenders(lambda words: check(ERRORS[name](ask, words[:256]), plain), asked)


def test_a_subscription_repeats_its_address_in_inline_code() -> None:
    operation = BY_NAME["Subscribe"]
    url = f"https://hooks.example.com/_{EVIL}_?*{EVIL}*~~x~~(!'$@)"
    body = {"ok": True, "id": "sub_1", "url": url, "kinds": []}
    check_body("Subscribe", markdown_document(operation.title, operation.shape, body), body)


def echoes(shape: Shape, value: Any, words: str) -> set[str]:
    """The members of a body that have the words and are not marked as a caller's."""
    if isinstance(shape, ListShape):
        return set().union(*(echoes(shape.item, item, words) for item in value))
    if not isinstance(shape, ObjectShape):
        return {shape.type_name} if words in str(value) else set()
    members = [m for m in shape.fields if m.key in value and not m.is_marked(CallersWords)]
    return {f"{shape.type_name}.{m.key}" for m in members if echoes(m.shape, value[m.key], words)}


def with_a_word(arguments: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The arguments with a word at the end of one text, for each of them."""
    for name, value in arguments.items():
        if isinstance(value, str):
            yield {**arguments, name: f"{value} {EVIL}"}
        elif isinstance(value, list) and all(isinstance(item, dict) for item in value):
            for place, item in enumerate(value):
                for inner in with_a_word(item):
                    yield {**arguments, name: [*value[:place], inner, *value[place + 1 :]]}


def test_every_member_that_repeats_a_caller_is_declared_to(service: RequestGuard) -> None:
    assert service.ready is not None
    snapshot, run, unmarked = service.ready.current(), set[str](), set[str]()
    for operation in snapshot.operations:
        is_stream = operation.node.operation is OperationType.SUBSCRIPTION
        for example in operation.examples if not is_stream else ():
            given = {**example.variables, **example.variables.get(INPUT, {})}
            given.pop(INPUT, None)
            for arguments in with_a_word(given):
                try:
                    variables = read_arguments(operation, arguments)
                    body = asyncio.run(
                        snapshot.run_async(operation, variables, Caller("", Channel.HTTP))
                    )
                except ApiError:
                    continue
                run.add(operation.name)
                unmarked |= echoes(operation.shape, body, EVIL)
    assert {"SearchContent", "RouteIntent", "Ask", "SendContact", "DraftOutreach"} <= run
    assert unmarked <= {"ChatAnswer.answer"}  # one word of letters alone, in inline code
