"""A write whose caller leaves before the answer is done all the same: it may have been read."""

import asyncio
import json

from starlette.types import Message, Scope

from rest_bridge.http.middleware import RequestGuard


def test_a_message_of_a_caller_who_leaves_is_delivered(service: RequestGuard) -> None:
    letter = {
        "name": "Ines Ferreira",
        "email": "ines@harbour.example",
        "message": "Would you have time in March to review our tide forecasts?",
    }
    sent: list[Message] = []
    messages: list[Message] = [{"type": "http.request", "body": json.dumps(letter).encode()}]
    scope: Scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/contact",
        "raw_path": b"/api/contact",
        "query_string": b"",
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
        "client": ("127.0.0.1", 50_001),
    }

    async def receive() -> Message:
        return messages.pop() if messages else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(service(scope, receive, send))
    assert [each["status"] for each in sent if each["type"] == "http.response.start"] == [200]
