"""The rate limit of messages, on a running server."""

import json
import socket
from pathlib import Path

import httpx
from ai_service import LIGHT
from contact_inbox import LETTER, delivered, desk
from rate_limit_callers import Place
from running_server import eventually
from stoppable_stores import locked_file

URL = "/api/contact"


def settings(place: Place, **more: str) -> dict[str, str]:
    """The settings of a service that counts there."""
    stores = {"DATABASE_URL": place.database, **LIGHT}
    return {**stores, **more}


def send(address: str, number: int, **headers: str) -> httpx.Response:
    """The answer to a message of its own, on a connection of its own."""
    letter = {
        **LETTER,
        "message": f"Message number {number} of somebody who writes a lot.",
        "agent": f"agent-{number}",
    }
    return httpx.post(f"{address}/api/contact", json=letter, headers=headers, timeout=60)


def test_one_passes_and_nothing_else_counts_or_helps(tmp_path: Path) -> None:
    with (
        desk(tmp_path, CONTACT_LIMIT="1/hour", **LIGHT) as server,
        httpx.Client(base_url=server.address, timeout=60) as client,
    ):
        assert client.post(URL, json={**LETTER, "name": "I"}).status_code == 400
        assert client.post(URL, json={**LETTER, "dryRun": True}).status_code == 200
        key = {"Idempotency-Key": "once"}
        repeated = [client.post(URL, json=LETTER, headers=key) for _ in range(3)]
        assert [answer.status_code for answer in repeated] == [200] * 3
        assert ";r=0;" in repeated[0].headers["ratelimit"]

        refused = client.post(URL, json=LETTER)
        assert (refused.status_code, refused.json()["error"]) == (429, "rate_limited")
        assert 0 < int(refused.headers["retry-after"]) <= 3600
        assert refused.headers["ratelimit-policy"] == '"contact";q=1;w=3600'
        for name in ("X-Forwarded-For", "X-Real-IP", "CF-Connecting-IP", "User-Agent"):
            assert send(server.address, 1, **{name: "203.0.113.1"}).status_code == 429
        assert send(server.address, 2, Forwarded="for=203.0.113.1").status_code == 429
        assert len(delivered(tmp_path)) == 1


def test_a_stopped_store_refuses_messages_and_nothing_else_and_heals(tmp_path: Path) -> None:
    with (
        locked_file(tmp_path) as trouble,
        desk(tmp_path, **settings(trouble.place, CONTACT_LIMIT="1000/hour")) as server,
    ):
        assert send(server.address, 0).status_code == 200
        trouble.stop()
        refused = send(server.address, 1)
        assert refused.status_code == 503
        assert refused.json()["error"] == "unavailable"
        assert httpx.get(f"{server.address}/api/projects", timeout=60).status_code == 200
        assert len(delivered(tmp_path)) == 1
        trouble.start()
        eventually(lambda: send(server.address, 2).status_code == 200)


def raw(name: str, **headers: str) -> bytes:
    """The bytes of a request with a message in somebody's name."""
    body = json.dumps({**LETTER, "name": name}).encode()
    more = {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}
    lines = "".join(f"{key}: {value}\r\n" for key, value in more.items())
    return f"POST {URL} HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n".encode() + body


def test_a_message_behind_another_is_not_sent_once_the_caller_has_gone(tmp_path: Path) -> None:
    with (
        locked_file(tmp_path) as trouble,
        desk(tmp_path, **settings(trouble.place, CONTACT_LIMIT="0")) as server,
    ):
        assert send(server.address, 0).status_code == 200
        trouble.stop()
        with socket.create_connection(server.place, timeout=60) as caller:
            caller.sendall(raw("Ada Byron", **{"Idempotency-Key": "waits"}) + raw("Bea Behind"))
        eventually(lambda: sum("/api/contact" in line for line in server.output) == 2)
        trouble.start()
        assert send(server.address, 1).status_code == 200
        letters = delivered(tmp_path)
        assert [b"Bea Behind" in letter for letter in letters] == [False, False]
