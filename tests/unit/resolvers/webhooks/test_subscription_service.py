"""Nothing is stored before a host has proven itself, and nothing is ended without the secret."""

import asyncio
import json
import time
from pathlib import Path

import pytest
from databases import store
from receiver_behaviours import ECHO, Habit, Heard, Say, answer, answers, form, hook, only
from webhook_services import NEWEST, SEED, Hall, hall, with_hall

from resolvers.webhooks.signing import WebhookKey
from resolvers.webhooks.subscription_store import MAX_PER_OWNER
from resolvers.webhooks.verification import UNREACHABLE
from schema.changelog import ChangeKind
from sdl.errors import (
    InvalidInputError,
    RateLimitedError,
    UnauthorizedError,
    VerificationFailedError,
)


def in_json(heard: Heard) -> bytes:
    """The echo as an object."""
    return json.dumps({"challenge": heard.token}).encode()


ECHOES = {
    "text": ECHO,
    "json string": answers(lambda heard: json.dumps(heard.token).encode()),
    "json object": answers(in_json),
    "form": answers(form),
    "websub": only("GET", lambda heard: heard.token.encode()),
    "post alone": only("POST", in_json),
}


@pytest.mark.parametrize("habit", ECHOES.values(), ids=ECHOES)
def test_every_way_to_echo_the_challenge_subscribes(url: str, habit: Habit) -> None:
    async def work(made: Hall) -> None:
        async with hook(habit) as receiver:
            got = await made.subscribe(receiver.url, "added", "fixed", "added")
            (stored,) = await made.subscriptions.all()
        assert got.kinds == [ChangeKind.ADDED, ChangeKind.FIXED]
        assert (stored.id, stored.url, stored.kinds) == (got.id, receiver.url, ("added", "fixed"))
        assert stored.cursor == NEWEST
        assert made.cipher.decrypt(stored.secret) == got.secret
        assert got.public_key == WebhookKey(SEED).public_text
        assert got.unsubscribe.path == f"/api/subscribe/{got.id}"
        assert not [heard for heard in receiver.heard if got.secret in str(heard)]

    with_hall(url, work)


def test_whatever_cannot_be_reached_is_told_alike_and_not_at_once(tmp_path: Path) -> None:
    async def work(made: Hall) -> None:
        async with hook(ECHO) as receiver:
            closed = receiver.url
        told = set()
        for address in (closed, "https://nothing.example.invalid-name.example/"):
            begun = time.monotonic()
            with pytest.raises(VerificationFailedError) as refused:
                await made.subscribe(address)
            assert time.monotonic() - begun >= 0.3
            told.add((refused.value.detail, refused.value.reason))
        assert {reason for _, reason in told} == {UNREACHABLE}
        assert len(told) == 1

    with store("sqlite", tmp_path) as url:
        with_hall(url, work)


@pytest.mark.parametrize(
    "address",
    ["https://127.0.0.1/", "https://localhost/", "https://a.example:8080/", "http://a.example/"],
)
def test_an_address_that_is_none_is_refused_and_spends_nothing(
    tmp_path: Path, address: str
) -> None:
    async def work(made: Hall) -> None:
        for _ in range(3):
            with pytest.raises(InvalidInputError) as refused:
                await made.subscribe(address)
            assert refused.value.code == "validation_failed"
            assert [fault.path for fault in refused.value.problems] == ["url"]

    with store("sqlite", tmp_path) as url:
        with_hall(url, work, caller_limit="1/hour")


def test_a_host_has_ten_active_subscriptions_and_no_more(url: str) -> None:
    async def work(made: Hall) -> None:
        for number in range(MAX_PER_OWNER):
            await made.store(f"https://a.example/{number}", owner="a.example")
        await made.store("https://b.example/", owner="b.example")
        with pytest.raises(RateLimitedError) as refused:
            await made.store("https://a.example/more", owner="a.example")
        assert refused.value.limit_status is not None
        (first, *_) = await made.subscriptions.all()
        assert await made.subscriptions.disable(first.id, "by hand")
        await made.store("https://a.example/more", owner="a.example")
        assert len(await made.subscriptions.all()) == MAX_PER_OWNER + 2

    with_hall(url, work)


def test_ten_at_once_do_not_exceed_what_a_host_may_have(url: str) -> None:
    async def work(made: Hall) -> None:
        for number in range(MAX_PER_OWNER - 2):
            await made.store(f"https://a.example/{number}", owner="a.example")
        more = (
            made.store(f"https://a.example/m{number}", owner="a.example") for number in range(8)
        )
        came = await asyncio.gather(*more, return_exceptions=True)
        assert sum(isinstance(each, RateLimitedError) for each in came) == 6
        assert len(await made.subscriptions.all()) == MAX_PER_OWNER

    with_hall(url, work)


def test_a_caller_and_a_host_have_budgets_of_challenges(tmp_path: Path) -> None:
    async def work(made: Hall) -> None:
        async with hook(answers(lambda _: b"no")) as one, hook(ECHO) as other:
            for number in range(10):
                with pytest.raises(VerificationFailedError):
                    await made.subscribe(one.url, address=f"192.0.2.{number}")
            heard = len(one.heard)
            with pytest.raises(RateLimitedError):
                await made.subscribe(one.url, address="192.0.2.200")
            assert len(one.heard) == heard
            await made.subscribe(other.url, address="192.0.2.200")
            with pytest.raises(RateLimitedError):
                await made.subscribe(other.url, address="192.0.2.200")
            assert len(other.heard) == 1

    with store("sqlite", tmp_path) as url:
        with_hall(url, work, caller_limit="2/hour")


def test_a_host_is_asked_by_one_at_a_time(url: str) -> None:
    async def work(made: Hall) -> None:
        asked, go = asyncio.Event(), asyncio.Event()

        async def patient(heard: Heard, say: Say) -> None:
            asked.set()
            await go.wait()
            await say(answer(heard.token.encode()))

        async with hook(patient) as receiver:
            first = asyncio.create_task(made.subscribe(receiver.url))
            await asked.wait()
            with pytest.raises(RateLimitedError) as refused:
                await made.subscribe(receiver.url)
            assert refused.value.limit_status is not None
            go.set()
            await first
            await made.subscribe(receiver.url)
            assert receiver.most_inside == 1

    with_hall(url, work)


def test_subscribing_again_takes_the_place_of_what_was_disabled(url: str) -> None:
    async def work(made: Hall) -> None:
        async with hook(ECHO) as receiver:
            old = await made.subscribe(receiver.url)
            await made.subscriptions.disable(old.id, "by hand")
            new = await made.subscribe(receiver.url)
            assert [each.id for each in await made.subscriptions.all()] == [new.id]

    with_hall(url, work)


def test_the_secret_alone_ends_a_subscription_and_every_doubt_is_told_alike(url: str) -> None:
    async def work(made: Hall) -> None:
        async with hook(ECHO) as receiver:
            got, other = [await made.subscribe(receiver.url) for _ in range(2)]
        right = f"Bearer {got.secret}"
        doubts: list[tuple[str, str | None]] = [
            *((got.id, each) for each in (None, "", "Bearer", got.secret, f"Basic {got.secret}")),
            *((got.id, f"Bearer {each}") for each in (other.secret, got.secret[:-1], "é", "\x00")),
            *((each, right) for each in (other.id, "", "sub_0", "\x00", "é" * 900, "\ud800")),
            ("sub_" + "0" * 32, right),
        ]
        told = set()
        for subscription, authorization in doubts:
            with pytest.raises(UnauthorizedError) as refused:
                await made.service.unsubscribe(subscription, authorization)
            told.add((refused.value.detail, refused.value.problems))
        assert len(told) == 1
        assert (await made.service.unsubscribe(got.id, f"bearer  {got.secret} ")).ok
        with pytest.raises(UnauthorizedError) as refused:
            await made.service.unsubscribe(got.id, right)
        assert (refused.value.detail, refused.value.problems) in told
        assert [each.id for each in await made.subscriptions.all()] == [other.id]

    with_hall(url, work)


def test_no_secret_can_be_read_in_the_files_of_the_database(tmp_path: Path) -> None:
    secrets: list[str] = []

    async def work(url: str) -> None:
        async with hall(url) as made, hook(ECHO) as receiver:
            secrets.extend([(await made.subscribe(receiver.url)).secret for _ in range(3)])

    with store("sqlite", tmp_path) as address:
        asyncio.run(work(address))
    files = b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
    assert b"sub_" in files
    for secret in secrets:
        assert secret.removeprefix("whsec_").encode() not in files
