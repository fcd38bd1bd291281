"""`studiograph webhook test URL`: the owner of a receiver sees what works, what fails, and why."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from dnslib import QTYPE, RR, A  # type: ignore[import-untyped]
from loopback import Loopback
from name_servers import dns_server
from repository import SAMPLE
from standardwebhooks import Webhook
from webhook_sinks import Sink, sink

from resolvers.http_client.targets import PublicHostsOnly
from studiograph.__main__ import main
from studiograph.commands import hooks
from studiograph.settings import Settings

STEPS = ["url", "addresses", "challenge", "delivery"]

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def receivers() -> Iterator[Sink]:
    """Receivers on one port."""
    with sink() as made:
        yield made


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """`run(url)`: the exit code of `studiograph webhook test URL`, its output and its errors."""

    def once(*words: str, policy: Any = None) -> tuple[int, str, str]:
        chosen = Settings(content=SAMPLE, data=tmp_path / "var")
        code = main(
            ["webhook", "test", *words],
            settings=lambda: chosen,
            destinations=lambda _: policy or Loopback(),
        )
        said = capsys.readouterr()
        return code, said.out, said.err

    return once


def test_a_good_receiver_passes_and_can_check_the_signature(receivers: Sink, run: Run) -> None:
    code, out, err = run(receivers.url("good"), "--json")
    told = json.loads(out)
    assert (code, err, told["ok"]) == (0, "", True)
    assert [step["name"] for step in told["steps"]] == STEPS
    assert {step["ok"] for step in told["steps"]} == {True}
    (entry,) = receivers.ledger("good")
    made = told["steps"][-1]["told"]
    assert made["webhook-id"] == entry.id
    assert made["publicKey"].startswith("whpk_")
    headers = {
        "webhook-id": entry.id,
        "webhook-timestamp": entry.timestamp,
        "webhook-signature": entry.signature,
    }
    body = Webhook(made["secret"]).verify(entry.body, headers)
    assert body["type"] == f"changelog.{body['data']['kind']}"


def test_each_step_is_a_line_and_quiet_is_silent(receivers: Sink, run: Run) -> None:
    code, out, err = run(receivers.url("plain"))
    assert (code, err) == (0, "")
    lines = [line.split(":")[0].split() for line in out.splitlines() if line.startswith("ok")]
    assert lines == [["ok", name] for name in STEPS]
    assert run(receivers.url("plain"), "--quiet") == (0, "", "")


@pytest.mark.parametrize(
    ("rule", "step", "fix"),
    [
        ({"echo": "none"}, "challenge", hooks.HINT_ECHO),
        ({"echo": "substring"}, "challenge", hooks.HINT_ECHO),
        ({"answers": [(500, {})]}, "delivery", hooks.HINT_STATUS),
        ({"answers": [(410, {})]}, "delivery", hooks.HINT_STATUS),
        ({"answers": [(302, {"location": "/"})]}, "delivery", hooks.HINT_STATUS),
        ({"answers": [(200, {"content-encoding": "br"})]}, "delivery", hooks.HINT_PLAIN),
    ],
)
def test_what_fails_is_named_with_the_fix(
    rule: dict[str, Any], step: str, fix: str, receivers: Sink, run: Run
) -> None:
    receivers.rule("bad", **rule)
    code, out, err = run(receivers.url("bad"))
    assert code == 1
    assert [line.split()[1] for line in out.splitlines() if "FAILED" in line] == [f"{step}:"]
    assert err == f"       Fix: {fix}.\n"
    assert f"FAILED {step}:" in run(receivers.url("bad"), "--quiet")[1]


def test_a_host_that_is_away_is_named(run: Run) -> None:
    told = json.loads(run("http://127.0.0.1:1/in", "--json")[1])
    assert [step["name"] for step in told["steps"]] == STEPS[:3]
    assert told["steps"][-1]["fix"] == hooks.HINT_REACHABLE


@pytest.mark.parametrize("url", ["http://example.com/", "https://10.0.0.1/", "https://localhost/"])
def test_a_url_that_is_none_says_by_which_rule(url: str, run: Run) -> None:
    code, out, err = run(url)
    assert (code, out.partition(":")[0]) == (1, "FAILED url")
    assert err.startswith("       Fix: the url must ")


@pytest.mark.parametrize(
    ("address", "fix"), [("10.0.0.1", hooks.HINT_PUBLIC), ("", hooks.HINT_DNS)]
)
def test_a_name_without_a_public_address_is_named(address: str, fix: str, run: Run) -> None:
    def answer(question: Any, _: str) -> Any:
        reply = question.reply()
        if address and question.q.qtype == QTYPE.A:
            reply.add_answer(RR(question.q.qname, QTYPE.A, rdata=A(address)))
        return reply

    with dns_server(answer) as dns:
        policy = PublicHostsOnly(frozenset(), dns.address)
        code, out, err = run("https://hooks.example.com/in", policy=policy)
    assert (code, err) == (1, f"       Fix: {fix}.\n")
    assert out.splitlines()[-1].startswith("FAILED addresses: ")
