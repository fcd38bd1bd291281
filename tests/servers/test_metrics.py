"""What is measured of all processes, who can see it, and what is never in it."""

from collections.abc import Iterator

import httpx
import pytest
from ai_service import LIGHT, await_models
from contact_inbox import desk
from prometheus_client.parser import text_string_to_metric_families
from reverse_proxies import free_port
from running_server import Running, eventually

from resolvers.usage.recorder import FAMILIES, OTHER, UNDECLARED, family_of

CANARY = "c4n4ry-7f3a"
WORKERS = 2
CLAUDE = "Mozilla/5.0 (compatible; ClaudeBot/1.0)"

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory, port: int) -> Iterator[Running]:
    """A server of two processes that shows metrics, and has answered some requests."""
    words = ("--workers", str(WORKERS))
    with desk(tmp_path_factory.mktemp("measured"), *words, METRICS_PORT=str(port), **LIGHT) as one:
        await_models(one)
        for number in range(12):
            headers = {"user-agent": f"{CANARY}-{number}"}
            httpx.get(f"{one.address}/api/faq?{CANARY}={CANARY}{number}", headers=headers)
            httpx.get(f"{one.address}/{CANARY}/{number}", headers={"user-agent": CLAUDE})
            body = {"query": f"{CANARY} {number}", "agent": f"{CANARY}{number}"}
            httpx.post(f"{one.address}/api/chat", json=body, timeout=60)
        httpx.post(f"{one.address}/api/graphql", json={"query": "{ thesis }"})
        yield one


def shown(port: int) -> str:
    """The metrics as they are shown."""
    return httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=30).raise_for_status().text


def samples(port: int) -> Samples:
    """The metrics as another library reads them."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(shown(port))
        for sample in family.samples
    }


def total(read: Samples, name: str, **labels: str) -> float:
    """The sum of the samples with these labels."""
    return sum(
        value for (key, given), value in read.items() if key == name and labels.items() <= given
    )


def test_requests_of_all_processes_are_counted_by_route_status_surface_and_agent(
    measured: Running, port: int
) -> None:
    name = "studiograph_requests_total"
    eventually(lambda: total(samples(port), name, surface="graphql") == 1)
    read = samples(port)
    assert total(read, name, route="/api/faq", status="400", surface="http", agent=OTHER) == 12
    assert total(read, name, route="-", status="404", agent="claude") == 12
    assert total(read, name, route="/api/chat", status="200", agent=OTHER) == 12
    assert total(read, "studiograph_request_seconds_count", route="/api/faq") == 12
    assert measured.process.poll() is None


def test_the_state_of_each_process_is_shown(measured: Running, port: int) -> None:
    def of_each(name: str) -> list[float]:
        return [value for (key, _), value in samples(port).items() if key == name]

    eventually(lambda: len(of_each("studiograph_resident_bytes")) == WORKERS)
    assert all(value > 2**20 for value in of_each("studiograph_resident_bytes"))
    digest = httpx.get(f"{measured.address}/readyz").json()["revision"]
    assert set(of_each("studiograph_content_revision")) == {int(digest[7:19], 16)}
    assert of_each("studiograph_content_stale") == [0]
    assert of_each("studiograph_signing_key_age_seconds")[0] >= 0
    assert of_each("studiograph_deliveries_given_up") == [0]
    assert total(samples(port), "studiograph_queue_length", queue="questions") == 0
    assert total(samples(port), "studiograph_loop_lag_seconds_count") > 0


@pytest.mark.usefixtures("measured")
def test_metrics_hold_no_word_of_a_caller_and_no_address(port: int) -> None:
    text = shown(port)
    assert "studiograph_requests_total" in text
    assert CANARY not in text
    assert "127.0.0.1" not in text


def test_an_agent_is_one_of_few_families_whatever_it_declares() -> None:
    agents = [
        "",
        "x",
        CANARY,
        CLAUDE,
        "GPTBot/1.2",
        "curl/8.5",
        "Mozilla/5.0 (X11)",
        "PerplexityBot",
    ]
    assert [family_of(agent) for agent in agents] == [
        *(UNDECLARED, OTHER, OTHER, "claude", "openai", "script", "browser", "perplexity"),
    ]
    known = {family for family, _ in FAMILIES} | {OTHER, UNDECLARED}
    assert {family_of(f"agent {number}") for number in range(1000)} <= known
