"""The owner hears that somebody has written, by HTTP or by mail, and not a word of what."""

import smtplib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import httpx
from contact_inbox import LETTER, delivered, desk
from http_service import http_service
from mailboxes import MAILBOX, mail
from reverse_proxies import free_port
from running_server import eventually

ALICE = "alice@sender.example"
TOPIC = "/secret-topic"


@contextmanager
def receiver(status: int = 200) -> Iterator[tuple[str, list[str]]]:
    """The address of a service that takes notices, and what it was sent."""
    notices: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"])).decode()
            notices.append(f"{self.path} {self.headers} {body}")
            self.send_response(status)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *_: object) -> None:  # noqa: A002 - the base's name
            pass

    with http_service(Handler) as address:
        yield f"{address}{TOPIC}", notices


def test_each_message_is_noticed_and_none_is_read(tmp_path: Path) -> None:
    port = free_port()
    settings = {"MAIL_LISTEN": f"smtp://127.0.0.1:{port}", "MAIL_FROM": MAILBOX}
    with receiver() as (url, notices), desk(tmp_path, NOTIFY_URL=url, **settings) as server:
        sent = httpx.post(f"{server.address}/api/contact", json=LETTER, timeout=60)
        assert sent.status_code == 200
        eventually(lambda: len(notices) == 1)
        dry = httpx.post(f"{server.address}/api/contact", json={**LETTER, "dryRun": True})
        assert dry.status_code == 200
        with smtplib.SMTP("127.0.0.1", port, timeout=60) as client:
            client.sendmail(ALICE, [MAILBOX], mail(ALICE))
        eventually(lambda: len(notices) == 2, 60)
        assert len(delivered(tmp_path)) == 2
    for notice in notices:
        assert notice.startswith(f"{TOPIC} ")
        assert "Somebody has written to Quillmere." in notice
        assert not any(word in notice for word in (*LETTER.values(), ALICE, "domain"))


def test_a_message_arrives_whatever_becomes_of_its_notice(tmp_path: Path) -> None:
    with receiver(500) as (url, notices), desk(tmp_path, NOTIFY_URL=url) as server:
        sent = httpx.post(f"{server.address}/api/contact", json=LETTER, timeout=60)
        assert sent.status_code == 200
        said = "the notice was answered 500"
        eventually(lambda: any(said in line for line in server.errors))
    assert len(delivered(tmp_path)) == len(notices) == 1
    assert not any(TOPIC in line for line in (*server.errors, *server.output))
