"""Identity claims of real servers, looked up at a real DNS server and a real JSON-RPC endpoint."""

import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from name_servers import (
    NEVER,
    Answer,
    Chain,
    Served,
    dns_server,
    http_server,
    never,
    string,
    txt,
    word,
)
from outside_reader import KEY_SET, command, studio_in, told
from running_server import Running, eventually, running

PATH = "/api/identity"
DOMAIN = "_studiograph.quillmere.example"
NAMES = ("quillmere-sample.eth", "maren-sample.eth", "tidebook-sample.eth")
TEXT = f"{NAMES[0]} studiograph"
SEEN = "The record matches the claim."
OURS = ("signing-key", "webhook-key")
LOOKUP_SECONDS = 3
"""How long the server waits for a resolver that keeps silent."""
WAITING = "Not yet looked up."


@dataclass
class Studio:
    """A studio with keys, whom its server asks, and the server."""

    content: Path
    server: Running = field(default=None)  # type: ignore[assignment]
    asked: list[Served] = field(default_factory=list)
    records: list[dict[str, str]] = field(default_factory=list)
    """What the studio was last told to publish elsewhere."""

    def read_records(self) -> None:
        """Ask what is to be published elsewhere now."""
        self.records = told(self.content.parent, "identity")["records"]

    def published(self, question: Any, by: str) -> Any:
        """What a DNS server says where all is published as told."""
        values = [record["value"] for record in self.records if record["where"] == "DNS"]
        return txt(*values)(question, by)

    @property
    def chain(self) -> dict[tuple[str, ...], str]:
        """What a chain holds where all is published as told."""
        return {
            (record["name"], *record["type"].split()[1:]): (
                word(record["value"]) if record["type"] == "addr" else string(record["value"])
            )
            for record in self.records
            if record["where"] == "ENS"
        }

    def claims(self) -> dict[tuple[str, str], Any]:
        """What the server says, by type and subject."""
        body = self.server.get(PATH).json()
        return {(claim["type"], claim["subject"]): claim for claim in body["claims"]}


Scene = Callable[[Studio], tuple[Answer, Any]]
"""How a DNS server and an endpoint answer that a studio asks."""


SCENES: dict[str, Scene] = {
    "published": lambda studio: (studio.published, Chain(studio.chain)),
    "silent": lambda _: (never, lambda _: [NEVER]),
}


@pytest.fixture(scope="module")
def studios(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Studio]]:
    """A running studio for each scene."""
    with ExitStack() as stack, ThreadPoolExecutor(len(SCENES)) as pool:
        found = {name: Studio(studio_in(tmp_path_factory.mktemp(name))) for name in SCENES}
        for name, scene in SCENES.items():
            studio = found[name]
            studio.read_records()
            answer, pieces = scene(studio)
            studio.asked = [stack.enter_context(dns_server(answer))]
            studio.asked.append(stack.enter_context(http_server(pieces)))
            configure(studio.content, *(served.address for served in studio.asked))
        servers = [stack.push(running(studio.content)) for studio in found.values()]
        for studio, server in zip(found.values(), pool.map(_started, servers), strict=True):
            studio.server = server
        yield found


def configure(content: Path, resolver: str, endpoint: str) -> None:
    """Let the studio's server ask these two."""
    lines = (f"STUDIOGRAPH_DNS_RESOLVER={resolver}", f"STUDIOGRAPH_ETH_RPC_URL={endpoint}")
    (content.parent / ".env").write_text("\n".join(lines))


def _started(server: Any) -> Running:
    made: Running = server.__enter__()
    return made


def looked_up(studio: Studio) -> dict[tuple[str, str], Any]:
    """What the server says once it has looked everything up."""
    eventually(lambda: all(c["detail"] != WAITING for c in studio.claims().values()))
    return studio.claims()


def test_what_is_published_as_told_is_verified(studios: dict[str, Studio]) -> None:
    studio = studios["published"]
    claims = looked_up(studio)
    (key,) = studio.server.get(KEY_SET).json()["keys"]
    assert list(claims) == [
        ("dns-txt", DOMAIN),
        *(("ens", name) for name in (*NAMES, TEXT)),
        ("signing-key", key["kid"]),
        ("webhook-key", "deliveries"),
    ]
    for claim in claims.values():
        assert claim["status"] == "verified"
        assert claim["observed"] == claim["expected"]
    elsewhere = [claim for claim in claims.values() if claim["type"] not in OURS]
    assert {claim["detail"] for claim in elsewhere} == {SEEN}
    assert all("checkedAt" in claim for claim in elsewhere)
    text = f"v=studiograph1; k=ed25519; kid={key['kid']}; p={key['x']}"
    assert claims["dns-txt", DOMAIN]["expected"] == claims["ens", TEXT]["expected"] == text


def test_no_read_waits_while_a_resolver_keeps_silent(studios: dict[str, Studio]) -> None:
    studio = studios["silent"]
    before = looked_up(studio)
    counts = [len(served.heard) for served in studio.asked]
    asked_at = time.monotonic()
    assert command(studio.content.parent, "keys", "rotate") == 0
    studio.server.process.send_signal(signal.SIGHUP)
    eventually(lambda: all(len(s.heard) > n for s, n in zip(studio.asked, counts, strict=True)))
    for path in (PATH, f"{PATH}.md", "/api/thesis", "/api/manifest.sig", KEY_SET):
        assert studio.server.get(path).status == 200
    eventually(lambda: len(studio.claims()) == len(before) + 1)
    now = studio.claims()
    is_over = time.monotonic() - asked_at >= LOOKUP_SECONDS  # on a machine that stood still
    assert is_over or all(
        now[name]["checkedAt"] == before[name]["checkedAt"] for name in before if "ens" in name
    )
