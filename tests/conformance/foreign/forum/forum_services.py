"""Below Django's handler: what its middleware, signals, sessions and exceptions mean holds here."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from typing import Any, TypeVar

import django
import httpx
import pytest
import uvicorn

HERE = Path(__file__).parent
sys.path.append(str(HERE))
os.environ["DJANGO_SETTINGS_MODULE"] = "forum_settings"
django.setup()

import forum_schema
from django.contrib.auth.models import Group, User
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.core.signals import request_finished, request_started
from django.db import connection
from forum_app import application

from rest_bridge.http.access_log import access_log
from surfaces import Surfaces, cli
from surfaces.django import get_context

Result = TypeVar("Result")
URL = "http://forum.example/agents"
EVIL = {"host": "evil.example", "origin": "http://evil.example"}
CALL = {"accept": "application/json", "mcp-protocol-version": "2025-06-18"}


def blocking(function: Callable[[], Result]) -> Result:
    def run() -> Result:
        try:
            return function()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result()


def create() -> None:
    call_command("migrate", verbosity=0)
    Group.objects.create(name="readers")
    for name in ("ann", "bob"):
        User.objects.create_user(name, password="pw")


blocking(create)


def sessions() -> int:
    return blocking(Session.objects.count)


@pytest.fixture(autouse=True)
def no_sessions() -> None:
    blocking(Session.objects.all().delete)


def within(
    work: Callable[[httpx.AsyncClient], Awaitable[Result]], app: Any = application
) -> Result:
    async def run() -> Result:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=URL) as client:
            return await work(client)

    return asyncio.run(run())


def ask(path: str, method: str = "GET", app: Any = application, **options: Any) -> httpx.Response:
    return within(lambda client: client.request(method, f"{URL}{path}", **options), app)


def tool(name: str, headers: Any = None, /, **arguments: Any) -> httpx.Response:
    params = {"name": name, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return ask("/mcp", "POST", json=message, headers={**CALL, **(headers or {})})


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a server in a thread."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        server = uvicorn.Server(uvicorn.Config(application, log_level="error"))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/agents"
        server.should_exit = True
        thread.join()


@pytest.fixture
def told() -> Iterator[Queue[str]]:
    """The signals of Django that were sent."""
    sent = Queue[str]()

    def started(**_: object) -> None:
        sent.put("started")

    def finished(**_: object) -> None:
        sent.put("finished")

    request_started.connect(started)
    request_finished.connect(finished)
    yield sent
    request_started.disconnect(started)
    request_finished.disconnect(finished)


@pytest.mark.parametrize("path", ["/me", "/me-later"])
def test_the_user_is_whom_the_last_middleware_says(path: str) -> None:
    cookie = ask("/login", "POST", json={"name": "ann"}).headers["set-cookie"].partition(";")[0]
    assert ask(path, headers={"cookie": cookie}).json() == "ann"
    assert ask(path, headers={"cookie": cookie, "x-as": "bob"}).json() == "bob"
    assert ask(path, headers={"cookie": cookie, "x-as": "nobody"}).json() == ""
    said = tool("me", {"cookie": cookie, "x-as": "bob"}).json()["result"]
    assert said["structuredContent"] == {"result": "bob"}


def test_middleware_asks_the_database_and_reads_the_body_and_the_language_holds() -> None:
    answer = ask("/place", "POST", json={}, headers={"accept-language": "de"})
    assert answer.json() == "readers de b'{}' /agents/place"
    assert answer.headers["content-language"] == "de"
    assert answer.headers["x-seen"] == "/agents/place 200"


def test_a_response_of_a_middleware_is_passed_on() -> None:
    answer = ask("/members", headers={"x-maintenance": "yes"})
    assert (answer.status_code, answer.text) == (503, "Back at noon.")
    assert answer.headers["retry-after"] == "60"
    assert answer.headers["x-request-id"]


def test_the_access_log_names_the_route(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "studiograph.access")
    assert ask("/fails/none").status_code == 404
    tool("members")
    access_log.flush()
    lines = "\n".join(own.message for own in caplog.records if own.name == "studiograph.access")
    routes = [json.loads(line)["route"] for line in lines.splitlines()]
    assert routes[-2:] == ["/fails/{how}", "/mcp#members"]


def test_a_large_body_leaves_nothing_on_its_connection(address: str) -> None:
    with httpx.Client(timeout=30) as client:
        for _ in range(2):
            sent = {"text": "x" * 300_000}
            taken = client.post(f"{address}/note", json=sent, headers={"x-who": "ann"})
            assert taken.json() == 300_000
            for path in ("/me", "/llms.txt"):
                answer = client.get(f"{address}{path}")
                assert (answer.status_code, answer.headers["x-before"]) == (200, "nobody")


@pytest.mark.parametrize("path", ["/llms.txt", "/robots.txt", "/.well-known/agent.json"])
def test_the_root_of_the_host_has_what_the_site_has_not(path: str) -> None:
    found = within(lambda client: client.get(f"http://forum.example{path}"))
    assert found.status_code == 200
    assert within(lambda client: client.get("http://forum.example/none")).status_code == 404


def test_a_foreign_host_writes_nothing() -> None:
    answer = ask("/login", "POST", json={"name": "ann"}, headers=EVIL)
    assert answer.status_code == 400
    assert ask("/members", headers={"host": "evil.example"}).status_code == 400
    assert "set-cookie" not in answer.headers
    assert not sessions()


def test_a_body_that_django_would_not_read_is_refused() -> None:
    answer = ask("/login", "POST", content=b" " * 3_000_000, headers={"x-maintenance": "yes"})
    assert answer.status_code == 413
    assert answer.headers["content-type"] == "application/problem+json"


def test_each_request_is_one_of_djangos_and_its_connection_is_closed(told: Queue[str]) -> None:
    for answer in (ask("/members"), tool("members"), ask("/nowhere"), ask("/fails/other")):
        assert answer.status_code
    assert [told.get(timeout=10) for _ in range(8)] == ["started", "finished"] * 4
    assert told.empty()
    assert len(forum_schema.USED) >= 2
    for used in forum_schema.USED:
        with pytest.raises(Exception, match="closed database"):
            blocking(lambda used=used: used.execute("SELECT 1"))


def test_a_connection_that_broke_is_made_anew() -> None:
    async def work(client: httpx.AsyncClient) -> list[int]:
        return [
            (await client.get(f"{URL}/{path}")).status_code
            for path in ("members", "breaks", "members", "breaks", "members")
        ]

    assert within(work) == [200] * 5


def test_requests_run_at_the_same_time() -> None:
    async def work(client: httpx.AsyncClient) -> list[int]:
        answers = await asyncio.gather(*(client.get(f"{URL}/together") for _ in range(3)))
        return [answer.status_code for answer in answers]

    assert within(work) == [200] * 3


@pytest.mark.parametrize(
    ("how", "status", "text"),
    [
        ("denied", 401, "Moderators alone."),
        ("nothing", 401, "Unauthorized"),
        ("none", 404, "No such thread."),
        ("missing", 404, "No such page."),
        # Django's own texts of it name paths of the server.
        ("odd", 500, "The operation failed; the log has the error."),
        ("invalid", 400, "Too short.; Too loud."),
        ("other", 500, "The operation failed; the log has the error."),
    ],
)
def test_exceptions_of_django_have_their_statuses(how: str, status: int, text: str) -> None:
    answer = ask(f"/fails/{how}")
    assert (answer.status_code, answer.json()["detail"]) == (status, text)
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["x-request-id"]
    assert answer.headers["x-seen"] == f"/agents/fails/{how} {status}"
    if status == 401:
        assert answer.headers["www-authenticate"] == "Bearer"
        assert ask(f"/fails/{how}", headers={"cookie": "a=b"}).status_code == 403
    if status < 500:
        result = tool("fails", how=how).json()["result"]
        assert result["isError"]
        assert text in result["content"][0]["text"]


def test_the_statuses_of_the_service_override_them() -> None:
    own = Surfaces(
        forum_schema.schema,
        HERE / "operations",
        url=URL,
        get_context=get_context,
        errors={forum_schema.ObjectDoesNotExist: 410, forum_schema.PermissionDenied: 403},
    )
    assert ask("/fails/none", app=own).status_code == 410
    assert ask("/fails/denied", app=own).status_code == 403
    assert ask("/fails/missing", app=own).status_code == 404


def test_an_operation_logs_in_and_out() -> None:
    async def work(client: httpx.AsyncClient) -> list[object]:
        came = await client.post(f"{URL}/login", json={"name": "ann"})
        assert "HttpOnly" in came.headers["set-cookie"]
        said = [(await client.get(f"{URL}/me")).json(), sessions()]
        await client.post(f"{URL}/logout")
        return [*said, (await client.get(f"{URL}/me")).json(), sessions()]

    assert within(work) == ["ann", 1, "", 0]


def test_a_tool_logs_in() -> None:
    answer = tool("log_in", name="bob")
    cookie = answer.headers["set-cookie"].partition(";")[0]
    assert sessions() == 1
    assert ask("/me", headers={"cookie": cookie}).json() == "bob"


def test_what_resolvers_write_into_the_session_and_the_response_is_there() -> None:
    async def work(client: httpx.AsyncClient) -> tuple[httpx.Response, str]:
        chosen = await client.post(f"{URL}/color", json={"color": "blue"})
        return chosen, (await client.get(f"{URL}/session")).json()

    chosen, read = within(work)
    assert chosen.status_code == 202
    assert chosen.headers["x-color"] == "blue"
    assert chosen.headers["content-type"] == "application/json"
    assert {*chosen.cookies} == {"color", "sessionid"}
    assert chosen.cookies["color"].startswith("blue:")
    assert read == "True blue"


def test_events_come_one_by_one_until_the_client_leaves(address: str, told: Queue[str]) -> None:
    with httpx.stream("GET", f"{address}/counted", timeout=10) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = (line for line in answer.iter_lines() if line.startswith("data"))
        assert next(lines) == "data: 2"
        assert told.get(timeout=10) == "started"
        forum_schema.NEXT.set()
        assert next(lines) == "data: 102"
        assert not forum_schema.ENDED.is_set()
        assert told.empty()
    assert forum_schema.ENDED.wait(10)
    assert told.get(timeout=10) == "finished"


def test_work_ends_with_its_caller(address: str, told: Queue[str]) -> None:
    forum_schema.ENDED.clear()
    with pytest.raises(httpx.ReadTimeout):
        httpx.get(f"{address}/endless", timeout=0.5)
    assert forum_schema.ENDED.wait(10)
    assert [told.get(timeout=10) for _ in range(2)] == ["started", "finished"]


def run(*words: str, said: str = "") -> str:
    program = [sys.executable, "-m", cli.__name__, *words]
    done = subprocess.run(
        program, cwd=HERE, input=said, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_command_line_sets_django_up(tmp_path: Path) -> None:
    assert "GET /me" in run("check", "forum_schema:schema", "operations")
    assert "wrote" in run("draft", "forum_schema:schema", str(tmp_path / "drafts"))
    assert "/agents/me" in run("export", "forum_app:agents", "llms")


def test_on_standard_input_nobody_is_logged_in() -> None:
    params = {"name": "session", "arguments": {}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    answer = json.loads(run("mcp", "forum_app:agents", said=json.dumps(message) + "\n"))
    assert answer["result"]["structuredContent"] == {"result": "True None"}
