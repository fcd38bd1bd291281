"""nginx and Caddy as `deploy/` has them: nothing changes on the way, and errors stay JSON."""

import json
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from ai_service import CHAT, EVENTS, LIGHT, QUESTION, asked
from certificates import Authority
from model_behaviours import Halt, then
from model_server import model_server
from reverse_proxies import PROGRAMS, Proxy, free_port, missing
from running_server import Running, eventually

READS = ("/", "/llms.txt", "/api/faq", "/api/projects", "/openapi.json", "/feed.xml", "/api/log")
SIGNED = "/api/snapshot.sig?section=faq"
OF_THE_CONNECTION = {"date", "connection", "keep-alive", "server", "alt-svc", "transfer-encoding"}
OF_THE_REQUEST = {"x-request-id"}
HEADERS_BYTES = (20_000, 70_000)
"""Headers above the limit of the service, and above that of nginx."""


@dataclass(frozen=True)
class Front:
    """A service, a proxy in front of it, and clients of both that trust the proxy."""

    server: Running
    address: str
    trusting: ssl.SSLContext

    def client(self, own_address: str = "127.0.0.1") -> httpx.Client:
        """A client of the proxy that calls from this address."""
        transport = httpx.HTTPTransport(verify=self.trusting, local_address=own_address)
        return httpx.Client(base_url=self.address, transport=transport, timeout=30)

    def callers(self) -> list[str]:
        """The pseudonyms of callers in the log so far, in order."""
        return [
            json.loads(line)["address"] for line in self.server.output if '"/api/thesis' in line
        ]


@pytest.fixture(scope="module", params=PROGRAMS)
def program(request: pytest.FixtureRequest) -> str:
    """The name of an installed proxy."""
    if reason := missing(str(request.param)):
        pytest.skip(reason)
    return str(request.param)


@pytest.fixture(scope="module")
def front(program: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """A service behind a proxy; its answers in chat are written by a model that falls silent."""
    folder, port = tmp_path_factory.mktemp(program), free_port()
    authority = Authority(folder)
    with (
        model_server(chat=then("Tidebook is a ledger. [1] ", step=Halt.SILENCE)) as model,
        asked(
            folder,
            BASE_URL=f"https://localhost:{port}",
            TRUSTED_PROXIES="127.0.0.1",
            AI_LLM="openai-like",
            AI_LLM_BASE_URL=model.url,
            AI_LLM_MODEL="m",
            **LIGHT,
        ) as server,
    ):
        proxy = Proxy(program, folder / "proxy", authority, server.place[1], port)
        with proxy.started():
            yield Front(server, proxy.address, authority.trusting())


@pytest.mark.parametrize("coding", ["identity", "gzip", "br"])
def test_bodies_and_headers_are_those_of_the_service(front: Front, coding: str) -> None:
    headers = {"accept-encoding": coding}
    with front.client() as client, httpx.Client(base_url=front.server.address) as direct:
        for path in (*READS, SIGNED):
            ours, theirs = (each.get(path, headers=headers) for each in (direct, client))
            assert ours.status_code == theirs.status_code == 200, path
            assert ours.content == theirs.content, path
            ignored = OF_THE_CONNECTION | OF_THE_REQUEST
            kept, sent = (
                {name: value for name, value in each.headers.items() if name not in ignored}
                for each in (theirs, ours)
            )
            assert kept == sent, path
            again = client.get(path, headers={**headers, "if-none-match": sent["etag"]})
            assert (again.status_code, again.content) == (304, b""), path
            assert client.head(path, headers=headers).headers["etag"] == sent["etag"], path


def test_events_arrive_while_the_answer_is_still_written(front: Front) -> None:
    with (
        front.client() as client,
        client.stream("POST", CHAT, json=QUESTION, headers=EVENTS) as answer,
    ):
        assert answer.status_code == 200
        text = ""
        for part in answer.iter_text():
            text += part
            if "ledger" in text:
                break
    assert "event: complete" not in text


def test_the_caller_is_the_peer_of_the_proxy_whatever_it_says(front: Front) -> None:
    before = len(front.callers())
    for own_address, forged in (("127.0.0.2", ""), ("127.0.0.2", "9.9.9.9"), ("127.0.0.3", "")):
        headers = {"x-forwarded-for": forged} if forged else {}
        with front.client(own_address) as client:
            assert client.get("/api/thesis", headers=headers).status_code == 200
    eventually(lambda: len(front.callers()) == before + 3)
    plain, forged, other = front.callers()[before:]
    assert plain == forged != other


@pytest.mark.parametrize("size", [9_000, 70_000])
def test_an_address_that_is_too_long_is_refused_in_json(front: Front, size: int) -> None:
    with front.client() as client:
        answer = client.request(
            "GET", "/api/faq", extensions={"target": b"/api/faq?" + b"x" * size}
        )
    assert is_error(answer, 414, "uri_too_long")


@pytest.mark.parametrize("size", HEADERS_BYTES)
def test_headers_that_are_too_large_are_refused_in_json(front: Front, size: int) -> None:
    with front.client() as client:
        answer = client.get("/api/faq", headers={"x-long": "x" * size})
    assert is_error(answer, 431, "headers_too_large")


def test_a_service_that_is_away_is_said_in_json(program: str, tmp_path: Path) -> None:
    proxy = Proxy(program, tmp_path / "proxy", Authority(tmp_path), free_port())
    with proxy.started():
        answer = httpx.get(f"{proxy.address}/api/faq", verify=proxy.authority.trusting())
    assert is_error(answer, 502, "unavailable")


def test_a_service_that_hangs_is_said_in_json(program: str, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as hanging:
        upstream = hanging.getsockname()[1]
        proxy = Proxy(program, tmp_path / "proxy", Authority(tmp_path), upstream, wait="1s")
        with proxy.started():
            context = proxy.authority.trusting()
            answer = httpx.get(f"{proxy.address}/api/faq", verify=context, timeout=30)
    assert is_error(answer, 504, "timeout")


def is_error(answer: httpx.Response, status: int, code: str) -> bool:
    """Whether an answer is the error of this code in the service's form."""
    body = answer.json()
    assert {"ok", "error", "title", "status", "detail"} <= body.keys()
    kind = answer.headers["content-type"].partition(";")[0]
    return (answer.status_code, kind, body["status"], body["error"], body["ok"]) == (
        status,
        "application/problem+json",
        status,
        code,
        False,
    )
