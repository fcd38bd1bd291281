"""A message to the human through a mail server, and what the caller is told when that fails."""

import asyncio
import shutil
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import httpx
from ai_service import LIGHT
from contact_inbox import LETTER, desk
from mail_servers import sink

URL = "smtp://127.0.0.1:{port}"


def outcome(folder: Path, port: int, **settings: str) -> tuple[int, str]:
    """The status and the error of one message, after which reads still work."""
    with (
        desk(folder, SMTP_URL=URL.format(port=port), **LIGHT, **settings) as server,
        httpx.Client(base_url=server.address, timeout=30) as client,
    ):
        response = client.post("/api/contact", json=LETTER)
        assert client.get("/api/projects").status_code == 200
    return response.status_code, response.json().get("error", "")


def test_an_inbox_that_cannot_be_written_is_503_and_reads_go_on(tmp_path: Path) -> None:
    with (
        desk(tmp_path, **LIGHT) as server,
        httpx.Client(base_url=server.address, timeout=60) as client,
    ):
        assert client.post("/api/contact", json=LETTER).status_code == 200
        shutil.rmtree(tmp_path / "var" / "inbox")
        (tmp_path / "var" / "inbox").write_text("no folder")
        refused = client.post("/api/contact", json={**LETTER, "name": "Ada"})
        assert (refused.status_code, refused.json()["error"]) == (503, "unavailable")
        assert refused.headers["retry-after"] == "5"
        assert client.get("/api/projects").status_code == 200
        (tmp_path / "var" / "inbox").unlink()
        assert client.post("/api/contact", json={**LETTER, "name": "Ada"}).status_code == 200


def test_a_relay_gets_the_letter_from_us_with_the_way_back_to_the_caller(tmp_path: Path) -> None:
    async def sent() -> bytes:
        async with sink() as (port, given):
            found = await asyncio.to_thread(outcome, tmp_path, port, MAIL_TO="ada@home.example")
            assert found[0] == 200
            assert given.taken[0].mail_from == "agents@quillmere.example"
            assert given.taken[0].rcpt_tos == ["ada@home.example"]
            content = given.taken[0].content
            assert isinstance(content, bytes)
            return content

    message = message_from_bytes(asyncio.run(sent()), policy=default)
    assert message["from"] == "agents@quillmere.example"
    assert message["to"] == "ada@home.example"
    assert message["reply-to"] == LETTER["email"]
    assert LETTER["message"] in message.get_content()
