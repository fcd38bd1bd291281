"""Every entry reaches the queue once for everybody whom it is for, wherever it was cut off."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from databases import store
from webhook_services import entry, hall

from resolvers.webhooks.fanout import RECONCILE_SECONDS
from sdl.errors import UnavailableError

ADDED = entry("one", "added", "2026-03-02T00:00:00Z")


def test_a_round_that_went_wrong_is_tried_again_soon(tmp_path: Path) -> None:
    async def work(url: str) -> None:
        async with hall(url) as made:
            tried = 0
            queued = asyncio.Event()

            async def enqueue(_: Sequence[str]) -> None:
                nonlocal tried
                tried += 1
                if tried == 1:
                    raise UnavailableError("The queue does not answer")
                queued.set()

            await made.store("https://a.example/")
            made.entries = [ADDED]
            following = asyncio.create_task(made.fanout(enqueue).run())
            await asyncio.wait_for(queued.wait(), RECONCILE_SECONDS / 2)
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)

    with store("sqlite", tmp_path) as address:
        asyncio.run(work(address))
