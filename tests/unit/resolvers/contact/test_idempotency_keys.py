"""Idempotency-Keys are chosen by callers, who know nothing of each other's choice."""

import asyncio
import time
from pathlib import Path

import pytest

from resolvers.contact.idempotency import IdempotencyStore, IdempotentCall
from resolvers.db.database import Database
from schema.contact import Receipt
from sdl.errors import InvalidInputError
from sdl.text_constraints import IdempotencyKey

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
