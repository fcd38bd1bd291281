"""No text of a caller leads to this machine, or to a network that is not public.

The service is the product itself, without the policy by which tests have receivers.
"""

import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from dnslib import AAAA, QTYPE, RR, A  # type: ignore[import-untyped]
from hostile_destinations import ADDRESSES, URLS
from name_servers import dns_server
from webhook_server import Served, studio

REBINDING = "hooks.rebinding.example.com"
NOBODY = "2000::1"
"""A public address at which nobody is."""
NEAR = (ADDRESSES[0], 8443)
"""Of this machine."""
DEADLINE_SECONDS = 5.5
SLACK_SECONDS = 10
"""What a busy machine may add."""


@dataclass
class Names:
    """Hostile names: some stand for addresses that are not public, one changes its address."""

    asked: list[str] = field(default_factory=list)

    def __call__(self, question: Any, _: str) -> Any:
        """The answer to a question."""
        name, kind = str(question.q.qname).rstrip("."), question.q.qtype
        reply = question.reply()
        for address in self._addresses(name, kind):
            made, record = (AAAA, QTYPE.AAAA) if ":" in address else (A, QTYPE.A)
            if record == kind:
                reply.add_answer(RR(question.q.qname, kind, rdata=made(address), ttl=0))
        return reply

    def _addresses(self, name: str, kind: int) -> list[str]:
        if name == REBINDING:
            asked = f"{name} {kind}"
            self.asked.append(asked)
            return [NOBODY] if self.asked.count(asked) == 1 else [NEAR[0]]
        first = name.partition(".")[0].removeprefix("n")
        return [ADDRESSES[int(first)]] if first.isdigit() else []


@pytest.fixture(scope="module")
def names() -> Names:
    """The names that the service asks for."""
    return Names()


@pytest.fixture(scope="module")
def served(names: Names, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The product, which asks our names; at the end it has stored nothing."""
    folder = tmp_path_factory.mktemp("hostile")
    with (
        dns_server(names) as dns,
        studio("sqlite", folder, DNS_RESOLVER=dns.address) as made,
    ):
        yield made.start(plain=True)
        assert made.rows("SELECT count(*) FROM subscription") == [(0,)]


@contextmanager
def nobody_comes(*places: tuple[str, int]) -> Iterator[list[int]]:
    """Ports on which nobody has connected by the end."""
    doors = []
    for host, port in places:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        doors.append(socket.create_server((host, port), family=family))
    try:
        yield [door.getsockname()[1] for door in doors]
        for door in doors:
            door.setblocking(False)  # whoever came waits to be accepted
            with pytest.raises(BlockingIOError):
                door.accept()
    finally:
        for door in doors:
            door.close()


def test_no_hostile_url_is_connected_to(served: Served) -> None:
    with nobody_comes(("127.0.0.1", 0)) as (port,):
        for url in URLS:
            answer = served.subscribe(url.replace("{port}", str(port)))
            assert (url, answer.status_code) == (url, 400)
            said = answer.json()
            if said["error"] == "verification_failed":  # a name in other letters leads nowhere
                assert (url.isascii(), said["reason"]) == (False, "unreachable")
            else:
                assert (url, said["error"]) == (url, "validation_failed")
                assert [fault["path"] for fault in said["fields"]] == ["url"]


def test_no_name_leads_to_an_address_that_is_not_public(served: Served) -> None:
    def asked(number: int) -> tuple[int, Any, float]:
        began = time.monotonic()
        answer = served.subscribe(f"https://n{number}.owner-{number}.org:8443/in")
        return answer.status_code, answer.json(), time.monotonic() - began

    with nobody_comes(NEAR), ThreadPoolExecutor(8) as pool:
        for status, body, seconds in pool.map(asked, range(len(ADDRESSES))):
            assert (status, body["error"]) == (400, "verification_failed")
            assert body["reason"] == "unreachable"
            assert 0.3 <= seconds < DEADLINE_SECONDS + SLACK_SECONDS


def test_a_name_that_changes_its_address_is_not_followed(served: Served, names: Names) -> None:
    with nobody_comes(NEAR):
        for _ in range(2):
            answer = served.subscribe(f"https://{REBINDING}:{NEAR[1]}/in")
            assert (answer.status_code, answer.json()["reason"]) == (400, "unreachable")
    assert len(names.asked) >= 4
