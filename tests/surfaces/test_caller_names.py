"""The name that an agent gives itself stands in the log line of its call."""

import json

import pytest
from asgi_call import keeping
from local_service import Ask
from mcp_messages import BOTH, post

NAMED = {
    "/api/chat": {"query": "what does a project cost?"},
    "/api/intent": {"goal": "write to the human"},
    "/api/contact": {"name": "I"},
    "/api/subscribe": {"url": "http://hooks.example.com"},
}


@pytest.mark.parametrize("path", NAMED)
def test_the_agent_of_a_body_is_logged_beside_the_client(ask: Ask, path: str) -> None:
    with keeping("studiograph.access") as lines:
        ask(path, "POST", json={**NAMED[path], "agent": "harbour-assistant 1.2"})
        ask(path, "POST", json=NAMED[path])
    named, unnamed = map(json.loads, "\n".join(lines).splitlines())
    assert named["caller"] == "harbour-assistant 1.2"
    assert named["agent"].startswith("python-httpx/")
    assert "caller" not in unnamed


def test_a_name_is_escaped_cut_and_never_another_value(ask: Ask) -> None:
    with keeping("studiograph.access") as lines:
        ask("/api/chat", "POST", json={"query": "q?", "agent": "a\n" + "b" * 200})
        ask("/api/chat", "POST", json={"query": "q?", "agent": {"a": 1}})
    escaped, none = map(json.loads, "\n".join(lines).splitlines())
    assert escaped["caller"] == "a\\n" + "b" * 117
    assert "caller" not in none


@pytest.mark.parametrize("revision", BOTH)
@pytest.mark.parametrize(("tool", "path"), [("ask", "/api/chat"), ("send_contact", "/api/contact")])
def test_the_agent_of_a_tools_arguments_is_logged_too(
    ask: Ask, tool: str, path: str, revision: str
) -> None:
    with keeping("studiograph.access") as lines:
        for agent in ({"agent": "harbour-assistant 1.2"}, {}):
            post(ask, "tools/call", revision, name=tool, arguments={**NAMED[path], **agent})
    named, unnamed = map(json.loads, "\n".join(lines).splitlines())
    assert (named["route"], named["caller"]) == (f"/mcp#{tool}", "harbour-assistant 1.2")
    assert "caller" not in unnamed
