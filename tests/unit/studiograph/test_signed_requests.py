"""Agents that sign what they send to contact and chat: asked for there, and seen by the owner."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from contact_inbox import LETTER
from local_service import Ask, asking
from loopback import Loopback
from repository import SAMPLE
from signing_agents import DirectoryServer, SigningAgent, directory_server

from resolvers.contact.inbox import Inbox
from rest_bridge.http.access_log import access_log, request_observers
from sdl.running.runner import Operations
from studiograph.asgi import build
from studiograph.settings import Settings

ASKED = 'sig1=("@authority" "signature-agent";key="sig1");created;expires;tag="web-bot-auth"'
Make = Callable[..., Ask]


@pytest.fixture
def make(operations: Operations, tmp_path: Path) -> Make:
    """Make a service with settings, which may ask for keys on the loopback."""

    def made(**settings: Any) -> Ask:
        values = {"content": SAMPLE, "data": tmp_path, "ai_embedder": "hash", **settings}
        service = build(Settings(**values), operations=operations, destinations=Loopback())
        return asking(service)

    return made


@pytest.fixture
def directory() -> Iterator[DirectoryServer]:
    with directory_server() as server:
        yield server


@pytest.fixture
def agent(directory: DirectoryServer) -> SigningAgent:
    """An agent whose key is in the directory."""
    agent = SigningAgent()
    directory.keys = [agent.jwk]
    return agent


def signers(folder: Path) -> list[str]:
    """Who signed the messages in the inbox."""
    return [message.signed_by for message in Inbox(folder / "inbox").messages()]


def test_by_default_nobody_is_asked_and_no_signature_is_read(
    make: Make, directory: DirectoryServer, tmp_path: Path
) -> None:
    ask = make()
    signed = SigningAgent().sign(f'sig1="{directory.url}"')
    answer = ask("/api/contact", "POST", json=LETTER, headers=signed)
    assert answer.status_code == 200
    assert "accept-signature" not in answer.headers
    assert directory.asked == []
    assert signers(tmp_path) == [""]


def test_contact_and_chat_ask_for_a_signature_and_nothing_else_does(make: Make) -> None:
    ask = make(agent_signatures="verify")
    question = {"json": {"query": "tides?"}}
    for path, method, options in (
        *(("/api/contact", "GET", {}), ("/api/contact.md", "GET", {})),
        ("/api/contact", "POST", {"json": {**LETTER, "dryRun": True}}),
        ("/api/contact", "POST", {"json": {}}),
        *(("/api/chat", "GET", {}), ("/api/chat", "POST", question)),
        ("/api/chat?query=tides", "GET", {}),
        ("/api/chat", "POST", {**question, "headers": {"accept": "text/event-stream"}}),
        ("/api/search", "GET", {}),
        ("/api/search", "POST", question),
        *(("/", "GET", {}), ("/api/faq", "GET", {}), ("/mcp", "GET", {})),
    ):
        asked = ask(path, method, **options).headers.get("accept-signature")
        is_one = path.startswith(("/api/contact", "/api/chat")) and ".md" not in path
        assert asked == (ASKED if is_one else None), (path, method)


def test_a_good_signature_is_seen_in_the_inbox(
    make: Make, directory: DirectoryServer, agent: SigningAgent, tmp_path: Path
) -> None:
    ask = make(agent_signatures="verify")
    signed = agent.sign(f'sig1="{directory.url}"')
    assert ask("/api/contact", "POST", json=LETTER, headers=signed).status_code == 200
    assert signers(tmp_path) == ["127.0.0.1"]
    (file,) = (tmp_path / "inbox").glob("new/*")
    assert "\nSigned by: 127.0.0.1\n" in file.read_text()


def test_a_good_signature_is_seen_in_the_log_and_counted(
    make: Make,
    directory: DirectoryServer,
    agent: SigningAgent,
    caplog: pytest.LogCaptureFixture,
) -> None:
    told: list[tuple[str, bool]] = []

    def observe(*, route: str, is_verified: bool, **_: Any) -> None:
        told.append((route, is_verified))

    ask = make(agent_signatures="verify")
    access_log.flush()
    request_observers.append(observe)
    try:
        with caplog.at_level("INFO", "studiograph.access"):
            ask("/api/contact", "POST", json=LETTER, headers=agent.sign(f'sig1="{directory.url}"'))
            ask("/api/contact", "POST", json=LETTER)
            access_log.flush()
    finally:
        request_observers.remove(observe)
    text = "\n".join(record.message for record in caplog.records)
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line.get("verified") for line in lines] == ["127.0.0.1", None]
    assert told == [("/api/contact", True), ("/api/contact", False)]


def test_who_signs_has_a_budget_of_its_own(
    make: Make, directory: DirectoryServer, agent: SigningAgent
) -> None:
    ask = make(agent_signatures="verify", contact_limit="1/hour")

    def send(headers: dict[str, str]) -> int:
        return ask("/api/contact", "POST", json=LETTER, headers=headers).status_code

    with directory_server() as other:
        second = SigningAgent()
        other.keys = [second.jwk]
        assert [send({}), send({})] == [200, 429]
        for signer, place in ((agent, directory), (second, other)):
            signed = signer.sign(f'sig1="{place.url}"')
            assert [send(signed), send(signed)] == [200, 429]


def test_a_bad_signature_is_refused_there_and_spends_nothing(
    make: Make, directory: DirectoryServer, tmp_path: Path
) -> None:
    ask = make(agent_signatures="verify", contact_limit="1/hour")
    forged = SigningAgent().sign(f'sig1="{directory.url}"')
    refused = ask("/api/contact", "POST", json=LETTER, headers=forged)
    assert refused.status_code == 400
    assert refused.json()["error"] == "validation_failed"
    assert refused.json()["fields"][0]["path"] == "Signature-Agent"
    assert refused.headers["accept-signature"] == ASKED
    chat = ask("/api/chat", "POST", json={"query": "tides?"}, headers=forged)
    assert (chat.status_code, chat.json()) == (400, {"ok": False, "error": "validation_failed"})
    assert chat.headers["detail"].startswith("Signature-Agent: must name a host whose directory")
    assert ask("/api/faq", headers=forged).status_code == 200
    assert ask("/api/contact", headers=forged).status_code == 200
    assert signers(tmp_path) == []
    assert ask("/api/contact", "POST", json=LETTER).status_code == 200


def test_a_message_whose_agent_cannot_be_looked_up_is_delivered_unlabelled(
    make: Make, directory: DirectoryServer, agent: SigningAgent, tmp_path: Path
) -> None:
    ask = make(agent_signatures="verify")
    directory.status = 503
    signed = agent.sign(f'sig1="{directory.url}"')
    assert ask("/api/contact", "POST", json=LETTER, headers=signed).status_code == 200
    assert signers(tmp_path) == [""]
