"""Nothing is stored before a host has proven itself, and nothing is ended without the secret."""

import asyncio
import time

import pytest
from receiver_behaviours import Habit, Heard, Say, answer, answers, hook
from webhook_services import Hall, with_hall

from resolvers.webhooks.verification import NO_ECHO, UNREACHABLE
from sdl.errors import VerificationFailedError


async def _late(heard: Heard, say: Say) -> None:
    await asyncio.sleep(5.5)
    await say(answer(heard.token.encode()))


async def _drip(heard: Heard, say: Say) -> None:
    await say(b"HTTP/1.1 200 x\r\ncontent-length: 64\r\n\r\n")
    for letter in heard.token:
        await say(letter.encode())
        await asyncio.sleep(0.3)


async def _huge(heard: Heard, say: Say) -> None:
    await say(answer(heard.token.encode() + b" " * 5000))


async def _silent(_: Heard, __: Say) -> None:
    await asyncio.sleep(6)


async def _moved(heard: Heard, say: Say) -> None:
    await say(answer(heard.token.encode(), 302, location="http://127.0.0.1:9/elsewhere"))


async def _gone(_: Heard, __: Say) -> None:
    return


async def _coded(heard: Heard, say: Say) -> None:
    await say(answer(heard.token.encode(), content_encoding="gzip"))


OTHERS: dict[str, tuple[Habit, str]] = {
    "nothing": (answers(lambda _: b""), NO_ECHO),
    "ok": (answers(lambda _: b"ok"), NO_ECHO),
    "another": (answers(lambda _: b"0" * 64), NO_ECHO),
    "amid a text": (answers(lambda heard: f"<p>{heard.token}</p>".encode()), NO_ECHO),
    "the same body": (answers(lambda heard: heard.body), NO_ECHO),
    "an error": (answers(lambda heard: heard.token.encode(), 404), NO_ECHO),
    "a redirect": (_moved, NO_ECHO),
    "a huge body": (_huge, NO_ECHO),
    "a coding": (_coded, NO_ECHO),
    "too late": (_late, UNREACHABLE),
    "drop by drop": (_drip, UNREACHABLE),
    "silence": (_silent, UNREACHABLE),
    "no answer": (_gone, NO_ECHO),
}


async def _refused(made: Hall, habit: Habit) -> tuple[str, float]:
    """Why a receiver was not taken, and how long that took."""
    async with hook(habit) as receiver:
        begun = time.monotonic()
        with pytest.raises(VerificationFailedError) as refused:
            await made.subscribe(receiver.url)
        return refused.value.reason, time.monotonic() - begun


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_everything_else_is_refused_in_time_and_nothing_is_stored(url: str) -> None:
    async def work(made: Hall) -> None:
        await made.outbound.prepare()
        cases = [_refused(made, habit) for habit, _ in OTHERS.values()]
        found = dict(zip(OTHERS, await asyncio.gather(*cases), strict=True))
        assert {name: reason for name, (reason, _) in found.items()} == {
            name: reason for name, (_, reason) in OTHERS.items()
        }
        assert max(seconds for _, seconds in found.values()) < 15
        assert await made.subscriptions.all() == []

    with_hall(url, work)
