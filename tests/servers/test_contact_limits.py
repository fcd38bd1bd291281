"""The rate limit of messages, on a running server."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
from contact_inbox import LETTER, delivered, desk
from rate_limit_callers import Place
from running_server import eventually
from stoppable_stores import locked_file, stopped_redis

LIMIT = 5


def settings(place: Place, **more: str) -> dict[str, str]:
    """The settings of a service that counts there."""
    stores = {"DATABASE_URL": place.database, "RATELIMIT_URL": place.url}
    return {"CONTACT_LIMIT": f"{LIMIT}/hour", **stores, **more}


def send(address: str, number: int, **headers: str) -> httpx.Response:
    """The answer to a message of its own, on a connection of its own."""
    letter = {
        **LETTER,
        "message": f"Message number {number} of somebody who writes a lot.",
        "agent": f"agent-{number}",
    }
    return httpx.post(f"{address}/api/contact", json=letter, headers=headers, timeout=30)


def test_exactly_so_many_pass_of_two_processes_and_a_restart_resets_nothing(
    tmp_path: Path,
) -> None:
    with stopped_redis(tmp_path) as redis:
        with desk(tmp_path, "--workers", "2", **settings(redis.place)) as server:
            with ThreadPoolExecutor(8) as pool:
                answers = list(pool.map(lambda n: send(server.address, n), range(16)))
            passed = [answer for answer in answers if answer.status_code == 200]
            assert len(passed) == LIMIT
            left = sorted(re.findall(r";r=(\d+)", a.headers["ratelimit"])[0] for a in passed)
            assert left == [str(n) for n in range(LIMIT)]
            refused = [answer for answer in answers if answer.status_code == 429]
            assert len(refused) == 16 - LIMIT
            for answer in refused:
                assert answer.json()["error"] == "rate_limited"
                assert 0 < int(answer.headers["retry-after"]) <= 3600
                assert answer.headers["ratelimit-policy"] == f'"contact";q={LIMIT};w=3600'
        assert len(delivered(tmp_path)) == LIMIT
        with desk(tmp_path, **settings(redis.place)) as server:
            assert send(server.address, 50).status_code == 429


def test_what_is_refused_or_a_dry_run_or_repeated_spends_nothing_and_no_header_helps(
    tmp_path: Path,
) -> None:
    with desk(tmp_path, CONTACT_LIMIT="1/hour") as server:
        url = f"{server.address}/api/contact"
        assert httpx.post(url, json={**LETTER, "name": "I"}, timeout=60).status_code == 400
        assert httpx.post(url, json={**LETTER, "dryRun": True}, timeout=60).status_code == 200
        key = {"Idempotency-Key": "once"}
        assert [
            httpx.post(url, json=LETTER, headers=key, timeout=60).status_code for _ in range(3)
        ] == [200] * 3
        assert httpx.post(url, json=LETTER, timeout=60).status_code == 429
        for name in ("X-Forwarded-For", "X-Real-IP", "CF-Connecting-IP", "User-Agent"):
            assert send(server.address, 1, **{name: "203.0.113.1"}).status_code == 429
        assert send(server.address, 2, Forwarded="for=203.0.113.1").status_code == 429


def test_behind_a_trusted_proxy_the_callers_are_told_apart_and_a_network_is_one(
    tmp_path: Path,
) -> None:
    with desk(tmp_path, CONTACT_LIMIT="1/hour", TRUSTED_PROXIES="127.0.0.1") as server:
        asked = [
            *("203.0.113.1", "203.0.113.2", "198.51.100.9, 203.0.113.1", "::ffff:203.0.113.2"),
            *("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:3::1", "not an address"),
        ]
        codes = [
            send(server.address, n, **{"X-Forwarded-For": value}).status_code
            for n, value in enumerate(asked)
        ]
    assert codes == [200, 200, 429, 429, 200, 429, 200, 200]


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


def test_named_calls_that_wait_for_the_database_hold_up_nobody(tmp_path: Path) -> None:
    with (
        locked_file(tmp_path) as trouble,
        desk(tmp_path, DATABASE_URL=trouble.place.database, CONTACT_LIMIT="0") as server,
        ThreadPoolExecutor(16) as pool,
    ):
        assert send(server.address, 0).status_code == 200
        trouble.stop()
        named = [
            pool.submit(send, server.address, n, **{"Idempotency-Key": f"k{n}"})
            for n in range(1, 13)
        ]
        assert send(server.address, 20).status_code == 200
        for waiting in named:
            assert waiting.result().status_code == 503
        trouble.start()
        eventually(
            lambda: send(server.address, 30, **{"Idempotency-Key": "after"}).status_code == 200
        )
