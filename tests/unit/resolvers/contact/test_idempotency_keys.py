"""Idempotency-Keys are chosen by callers, who know nothing of each other's choice."""

import asyncio
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from contact_inbox import LETTER

from resolvers.contact.idempotency import IdempotencyStore, IdempotentCall
from resolvers.contact.service import LIMIT_NAME, ContactService
from resolvers.contact.transport import Maildir
from resolvers.db.database import Database
from resolvers.rate_limits.limiter import Limit, RateLimiter
from schema.services.contact import ContactInput, Receipt
from sdl.caller import Caller, Channel
from sdl.errors import InvalidInputError
from sdl.types.scalar_types import IdempotencyKey

KEY = IdempotencyKey("first-message")


def test_a_key_is_used_once_in_a_network_and_again_in_another(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'studio.db'}")
    database.ensure_schema()
    store = IdempotencyStore(database, time.time)
    sent: list[str] = []

    async def send(network: str, message: str) -> str:
        async def deliver() -> Receipt:
            sent.append(message)
            return Receipt(ok=True, id=f"number {len(sent)}", response_within="24h")

        receipt = await store.run_once(IdempotentCall.of(KEY, network, message), deliver)
        return str(receipt.id)

    async def calls() -> list[str]:
        first = [await send("192.0.2.1/32", "Hello"), await send("192.0.2.1/32", "Hello")]
        with pytest.raises(InvalidInputError, match="used for another call"):
            await send("192.0.2.1/32", "Goodbye")
        return [*first, await send("192.0.2.2/32", "Hello"), await send("192.0.2.3/32", "Goodbye")]

    assert asyncio.run(calls()) == ["number 1", "number 1", "number 2", "number 3"]
    assert sent == ["Hello", "Hello", "Goodbye"]


def test_a_receipt_is_kept_for_a_day(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'studio.db'}")
    database.ensure_schema()
    hour, now, sent = 3600.0, 0.0, 0
    store = IdempotencyStore(database, lambda: now)

    async def send(name: str) -> str:
        async def deliver() -> Receipt:
            nonlocal sent
            sent += 1
            return Receipt(ok=True, id=f"number {sent}", response_within="24h")

        call = IdempotentCall.of(IdempotencyKey(name), "192.0.2.1/32", "Hello")
        return str((await store.run_once(call, deliver)).id)

    async def calls() -> None:
        nonlocal now
        assert await send("first-message") == "number 1"
        now = 23 * hour
        assert await send("other-message") == "number 2"
        assert await send("first-message") == "number 1"
        now = 25 * hour
        assert await send("first-message") == "number 3"

    asyncio.run(calls())


def test_a_crowd_with_keys_keeps_every_receipt(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'studio.db'}")
    database.ensure_schema()
    store = IdempotencyStore(database, time.time)
    crowd = [IdempotencyKey(f"message-{number}") for number in range(80)]

    async def send(key: IdempotencyKey, time: str) -> str | None:
        async def deliver() -> Receipt:
            return Receipt(ok=True, id=f"{key} {time}", response_within="24h")

        receipt = await store.run_once(IdempotentCall.of(key, "192.0.2.1/32", key), deliver)
        return receipt.id

    async def calls() -> tuple[list[str | None], list[str | None]]:
        first = await asyncio.gather(*(send(key, "first") for key in crowd))
        return first, await asyncio.gather(*(send(key, "again") for key in crowd))

    first, again = asyncio.run(calls())
    assert first == again == [f"{key} first" for key in crowd]


def test_a_key_is_one_callers_at_each_of_his_addresses(tmp_path: Path) -> None:
    """A caller of IPv6 has a network of 64 bits and may change his address between two calls."""
    database = Database(f"sqlite:///{tmp_path / 'studio.db'}")
    database.ensure_schema()
    service = ContactService(
        Maildir(tmp_path / "inbox", "founder@studio.example"),
        "agents@studio.example",
        RateLimiter(database, {LIMIT_NAME: Limit(LIMIT_NAME, 20, 3600)}),
        IdempotencyStore(database, time.time),
        lambda: datetime.now(UTC),
    )
    first, other = (
        ContactInput.model_validate({**LETTER, "message": LETTER["message"] + end})
        for end in ("", " In April?")
    )

    async def calls() -> None:
        receipt = await service.send(first, KEY, Caller("2001:db8::1", Channel.HTTP))
        caller = Caller("2001:db8::2:1", Channel.HTTP)
        assert await service.send(first, KEY, caller) == receipt
        assert caller.rate_limits == []
        with pytest.raises(InvalidInputError, match="used for another call"):
            await service.send(other, KEY, caller)
        await service.send(other, KEY, Caller("2001:db8:0:1::1", Channel.HTTP))

    asyncio.run(calls())
