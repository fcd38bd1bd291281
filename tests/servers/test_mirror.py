"""The owner sees who came and what had no answer, by every way in, and nobody's own words."""

import json
import smtplib
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any
from zlib import crc32

import httpx
import pytest
from ai_service import CHAT, EVENTS, LIGHT, asked, asks
from contact_inbox import desk
from mailboxes import HUMAN, MAILBOX, taker
from mcp_messages import post
from outside_reader import command
from reverse_proxies import free_port
from running_server import Running, eventually

from resolvers.usage.report import SHOWN_FROM

ANSWERED = (
    "What is Tidebook?",
    "Where is the studio based?",
    "What is Fathom?",
)
UNANSWERED = (
    "Do you repair antique clocks?",
    "Can you cater a wedding with vegan dishes?",
    "Do you train guide dogs?",
    "Will you paint our kindergarten?",
    "Do you sell beekeeping equipment?",
    "Will you plant an orchard?",
    "Can you bind leather notebooks?",
    "Will you babysit triplets?",
)
CANARIES = (
    *(f"canary-{number}@leak.example" for number in range(4)),
    *(f"+49 170 55{number:05}" for number in range(4)),
    *(f"https://leak.example/canary{number}" for number in range(4)),
    *(f"sk_canary_{number}" for number in range(4)),
    *("Zebulon Quartermain", "Ottoline Brackenbury", "Peregrine Thistlewood"),
    *("abracadabrion", "hocuspocustrum", "simsalabimbus", "xylocanarium"),
    *("canariensis", "quuxicanary", "plughcanary"),
)


@dataclass(frozen=True)
class Callers:
    """Callers of a service by every way in."""

    server: Running
    mail_port: int
    senders: list[str] = field(default_factory=list)
    """Who has sent a mail."""

    def ask(self, way: int, text: str, caller: int) -> None:
        """Ask by REST, as events, by MCP or by mail."""
        headers = {"x-forwarded-for": f"192.0.2.{caller}"}
        body = {"query": text}
        with httpx.Client(base_url=self.server.address, headers=headers, timeout=60) as client:
            if way == 0:
                assert client.post(CHAT, json=body).status_code == 200
            elif way == 1:
                assert "event: complete" in client.post(CHAT, json=body, headers=EVENTS).text
            elif way == 2:
                answer = post(asks(client), "tools/call", name="ask", arguments=body)
                assert "structuredContent" in answer.text
            else:
                self._mail(text, caller)

    def _mail(self, text: str, caller: int) -> None:
        sender = f"person-{caller}@sender-{crc32(text.encode())}.example"
        self.senders.append(sender)
        with smtplib.SMTP("127.0.0.1", self.mail_port, timeout=60) as client:
            head = f"From: {sender}\r\nTo: {MAILBOX}\r\nSubject: Hello\r\n\r\n"
            client.sendmail(sender, [MAILBOX], f"{head}{text}\r\n")


def mirror(folder: Path, *words: str) -> str:
    """What the command prints."""
    return printed(folder, "mirror", *words)


def printed(folder: Path, *words: str) -> str:
    """What a command prints."""
    with redirect_stdout(StringIO()) as output:
        assert command(folder, *words) == 0
    return output.getvalue()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a studio that was asked all of it, and has stopped."""
    folder, mail_port = tmp_path_factory.mktemp("mirror"), free_port()
    with (
        taker() as relay,
        asked(
            folder,
            MIRROR="questions",
            TRUSTED_PROXIES="127.0.0.1",
            CHAT_LIMIT="0",
            MAIL_LISTEN=f"smtp://127.0.0.1:{mail_port}",
            MAIL_FROM=MAILBOX,
            MAIL_TO=HUMAN,
            MAIL_AUTO_REPLY="trusted",
            SMTP_URL=f"smtp://127.0.0.1:{relay.port}",
            **LIGHT,
        ) as server,
    ):
        callers = Callers(server, mail_port)
        for number, text in enumerate((*ANSWERED, *UNANSWERED)):
            for caller in range(SHOWN_FROM):
                callers.ask(number % 4, text, caller)
        for number, canary in enumerate(CANARIES):
            callers.ask(number % 4, f"Do you know {canary} and what they wanted?", 100 + number)
            httpx.get(f"{server.address}/{canary}", headers={"user-agent": canary})
        for _ in range(SHOWN_FROM):
            httpx.get(f"{server.address}/pricing")
        eventually(lambda: all(map(relay.sent_to, callers.senders)), 120)
        (notice,) = server.get("/.well-known/agent.json").json()["notices"]
        assert "30 days" in notice
        assert notice in server.get("/agents.md").body.decode()
    return folder


@pytest.fixture(scope="module")
def shown(folder: Path) -> dict[str, Any]:
    """What the mirror shows."""
    answer: dict[str, Any] = json.loads(mirror(folder, "--json"))
    return answer


def test_each_question_without_an_answer_is_named(shown: dict[str, Any]) -> None:
    texts = [question["text"] for question in shown["questions"]]
    assert [text for text in UNANSWERED if text not in texts] == []
    assert [text for text in ANSWERED if text in texts] == []
    by_channel = {channel for question in shown["questions"] for channel in question["channels"]}
    assert by_channel == {"http", "mcp", "mail"}


def test_no_canary_is_shown_and_no_address_number_or_full_name_is_kept(
    folder: Path, shown: dict[str, Any]
) -> None:
    screen = json.dumps(shown) + mirror(folder)
    assert len(CANARIES) == 26
    assert [canary for canary in CANARIES if canary in screen] == []
    assert "canary" not in screen
    database = folder.joinpath("var/studio.db").read_bytes()
    assert [canary for canary in CANARIES[:19] if canary.encode() in database] == []


def test_requests_are_counted_by_what_an_owner_asks(shown: dict[str, Any]) -> None:
    counts = shown["requests"]
    by_mcp = len(range(2, len(ANSWERED) + len(UNANSWERED), 4)) * SHOWN_FROM
    assert counts["operation"]["/mcp#ask"] >= by_mcp
    assert counts["surface"]["mcp"] >= by_mcp
    assert counts["agent"]["script"] >= 3 * by_mcp
    assert shown["missingPaths"] == {"/pricing": SHOWN_FROM}


def test_one_screen_says_how_the_studio_is(folder: Path) -> None:
    status = json.loads(printed(folder, "status", "--json"))
    assert status["content"] == {"revision": status["published"]["revision"], "faults": 0}
    assert status["messages"]["waiting"] == 0
    assert status["deliveries"] == {"subscribers": 0, "givenUp": 0}
    assert status["today"]["script"] >= 3 * SHOWN_FROM
    assert status["key"]["kid"].startswith("quillmere-")
    screen = printed(folder, "status")
    assert "content     as published" in screen
    assert f"signs since {status['key']['activeFrom']}" in screen


def test_a_draft_of_an_answer_passes_the_check(folder: Path, shown: dict[str, Any]) -> None:
    faq = folder / "content" / "faq.toml"
    draft = mirror(folder, "--days", "7", "draft", "1")
    assert shown["questions"][0]["text"] in draft
    with faq.open("a", encoding="utf-8") as file:
        file.write(draft)
    printed(folder, "check")


def test_without_the_owners_will_no_question_is_kept(tmp_path: Path) -> None:
    with desk(tmp_path, MIRROR="counts", **LIGHT) as server:
        assert "notices" not in server.get("/.well-known/agent.json").json()
        for caller in range(SHOWN_FROM):
            headers = {"x-forwarded-for": f"192.0.2.{caller}"}
            body = {"query": UNANSWERED[0]}
            httpx.post(f"{server.address}{CHAT}", json=body, headers=headers, timeout=60)
    shown = json.loads(mirror(tmp_path, "--json"))
    assert (shown["questions"], shown["asked"], shown["hidden"]) == ([], 0, 0)
    assert shown["requests"]["operation"]
