"""`studiograph serve` as a real process: how it starts, why it does not, and how it stops."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from ai_service import LIGHT

DEADLINE_SECONDS = 60
CHILDREN = Path("/proc/thread-self/children")
WORKERS = 2


def moments(otherwise: str) -> Iterator[None]:
    """Moments to look again, until it has taken too long."""
    pace, deadline = threading.Event(), time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < deadline:
        yield
        pace.wait(0.01)
    raise AssertionError(otherwise)


@dataclass(frozen=True)
class Server:
    """A server process that writes to files, so that no full pipe can stop it."""

    process: "subprocess.Popen[bytes]"
    output: Path
    errors: Path

    def first_line(self) -> str:
        """The line that says where it listens."""
        for _ in moments("it does not say that it listens"):
            line, end, _rest = self.output.read_text().partition("\n")
            if end:
                return line
            assert self.process.poll() is None, self.errors.read_text()
        return ""

    def address(self) -> str:
        """Where it listens."""
        return self.first_line().split("listens on ")[1].split(";")[0]

    def ended(self, stop: int | None = None) -> tuple[int, str, str]:
        """Exit code and all that was printed, after a signal or by itself."""
        if stop == signal.SIGINT:
            os.killpg(self.process.pid, stop)  # a terminal's interrupt goes to all
        elif stop is not None:
            self.process.send_signal(stop)
        code = self.process.wait(timeout=DEADLINE_SECONDS)
        return code, self.output.read_text(), self.errors.read_text()

    def children(self) -> list[str]:
        """The processes that it has started, as soon as all are there; they have hardly begun."""
        listed = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        for _ in moments("no workers"):
            if len(found := listed.read_text().split()) == WORKERS:
                return found
        return []


Start = Callable[..., Server]


@pytest.fixture
def start(folder: Path) -> Iterator[Start]:
    """`start("--quiet", PORT="0")`: a server on a copy of the sample, gone after the test."""
    with ExitStack() as servers:
        yield lambda *words, **values: servers.enter_context(_running(folder, words, values))


@contextmanager
def _running(folder: Path, words: tuple[str, ...], values: dict[str, str]) -> Iterator[Server]:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("STUDIOGRAPH_")}
    settings = {"PORT": "0", **LIGHT, **values}
    given = {f"STUDIOGRAPH_{name}": value for name, value in settings.items()}
    output, errors = folder.parent / "output", folder.parent / "errors"
    with output.open("wb") as out, errors.open("wb") as err:
        process = subprocess.Popen(
            [sys.executable, "-m", "studiograph", "serve", *words],
            env={**inherited, **given},
            cwd=folder.parent,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
    try:
        yield Server(process, output, errors)
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait(timeout=DEADLINE_SECONDS)


def anew() -> httpx.Client:
    """A client that connects anew for each request, so that any worker may answer."""
    return httpx.Client(limits=httpx.Limits(max_keepalive_connections=0), timeout=DEADLINE_SECONDS)


def has_ipv6() -> bool:
    """Whether this machine has a loopback of version 6."""
    try:
        with socket.socket(socket.AF_INET6) as tried:
            tried.bind(("::1", 0))
    except OSError:
        return False
    return True


def test_one_line_says_where_it_listens_and_what_to_try(start: Start) -> None:
    host = "::1" if has_ipv6() else "0.0.0.0"  # noqa: S104 - whoever asks for every address shall be answered on it
    server = start(HOST=host, BASE_URL="http://studio.example")
    pattern = r"studiograph listens on (http://\S+:\d+); try: curl (\S+)"
    found = re.fullmatch(pattern, server.first_line())
    assert found is not None
    assert found[2] == f"{found[1]}/llms.txt"
    assert httpx.get(found[2], timeout=60).text.startswith("# ")
    code, out, err = server.ended(signal.SIGTERM)
    assert (code, err) == (0, "")
    (logged,) = (json.loads(entry) for entry in out.splitlines()[1:])
    assert (logged["route"], logged["status"]) == ("/llms.txt", 200)


def test_a_quiet_server_prints_nothing_at_its_start_and_at_an_interrupt(start: Start) -> None:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    server = start("--quiet", PORT=str(port))
    for _ in moments("nobody listens"):
        try:
            assert httpx.get(f"http://127.0.0.1:{port}/api/thesis", timeout=60).status_code == 200
        except httpx.ConnectError:
            continue
        break
    code, out, err = server.ended(signal.SIGINT)
    assert (code, err) == (0, "")
    assert [json.loads(entry)["route"] for entry in out.splitlines()] == ["/api/thesis"]


def rests(folder: Path) -> None:
    """Change what `/api/status` says."""
    (folder / "status.toml").write_text('state = "resting"\nopenToWork = false\n')


def until_all_rest(address: str) -> None:
    """Wait until no process says what was said before."""
    with anew() as client:
        for _ in moments("a worker keeps the old content"):
            answers = [client.get(f"{address}/api/status") for _ in range(20)]
            if {answer.json()["studio"]["state"] for answer in answers} == {"resting"}:
                return


def test_two_workers_answer_alike_reload_and_stop_cleanly(start: Start, folder: Path) -> None:
    server = start(WORKERS="2")
    address = server.address()
    with anew() as client:
        answers = [client.get(f"{address}/api/manifest") for _ in range(10)]
    assert {answer.status_code for answer in answers} == {200}
    assert len({(answer.headers["etag"], answer.content) for answer in answers}) == 1
    if CHILDREN.exists():  # they share what was built once
        assert [pid for pid in server.children() if private_share(pid) > 0.6] == []
    rests(folder)
    server.process.send_signal(signal.SIGHUP)
    until_all_rest(address)
    with anew() as client:  # the end comes before their lines would be written
        answers += [client.get(f"{address}/api/manifest") for _ in range(10)]
    code, out, err = server.ended(signal.SIGTERM)
    assert code == 0
    assert "Traceback" not in err
    assert all(answer.headers["x-request-id"] in out for answer in answers)
    assert {json.loads(line)["status"] for line in out.splitlines()[1:]} == {200}
    with pytest.raises(httpx.ConnectError):
        httpx.get(address, timeout=60)


@pytest.mark.skipif(not CHILDREN.exists(), reason="no list of child processes here")
def test_workers_end_with_their_parent_and_leave_the_port(start: Start) -> None:
    server = start("--workers", "2")
    address = server.address()
    workers = server.children()
    server.process.kill()
    for _ in moments("the workers go on"):
        if not any(Path(f"/proc/{pid}").exists() for pid in workers):
            break
    port = address.rpartition(":")[2]
    assert start(PORT=port).first_line()


def private_share(pid: str) -> float:
    """The part of its memory that a process shares with no other. Source: proc(5)."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    sizes = {
        name: int(size.split()[0]) for name, _, size in (line.partition(":") for line in lines)
    }
    return (sizes["Private_Clean"] + sizes["Private_Dirty"]) / sizes["Rss"]


@pytest.mark.skipif(not CHILDREN.exists(), reason="no list of child processes here")
def test_a_worker_that_replaces_a_dead_one_reads_the_content_anew_or_keeps_what_was_good(
    start: Start, folder: Path
) -> None:
    server = start("--workers", "2")
    address = server.address()
    first = server.children()
    rests(folder)
    for pid in first:
        os.kill(int(pid), signal.SIGKILL)
    until_all_rest(address)
    second = server.children()
    assert not {*first} & {*second}
    (folder / "faq.toml").write_text("[[")
    for pid in second:
        os.kill(int(pid), signal.SIGKILL)
    with anew() as client:
        for _ in moments("no worker came instead"):
            if not {*second} & {*server.children()}:
                break
        answers = [client.get(f"{address}/readyz").json() for _ in range(10)]
    assert {answer["content"] for answer in answers} == {"stale"}
    assert server.ended(signal.SIGTERM)[0] == 0


def test_no_reload_is_lost_whenever_it_is_asked_for(start: Start, folder: Path) -> None:
    server = start("--workers", "2")
    address = server.address()
    before = server.children() if CHILDREN.exists() else []
    rests(folder)
    for _ in moments("it never answers"):  # all through its start, whatever it is doing
        server.process.send_signal(signal.SIGHUP)
        try:
            httpx.get(f"{address}/api/status", timeout=DEADLINE_SECONDS)
        except httpx.ConnectError:
            continue
        break
    until_all_rest(address)
    assert not before or server.children() == before  # they outlive it while they start


@contextmanager
def taken() -> Iterator[str]:
    """A port of the loopback at which somebody else listens."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        yield str(one.getsockname()[1])


def test_a_port_in_use_is_told_first_in_one_line_with_the_fix(start: Start, folder: Path) -> None:
    (folder / "faq.toml").write_text("which nobody has read by then")
    with taken() as port:
        assert start(PORT=port).ended() == (
            *(1, ""),
            f"cannot listen on 127.0.0.1:{port}: Address already in use. Fix: stop what uses it,"
            " perhaps another studiograph, or choose another port with STUDIOGRAPH_PORT.\n",
        )
        assert start(METRICS_PORT=port).ended() == (
            *(1, ""),
            f"cannot show metrics on 127.0.0.1:{port}: Address already in use."
            " Fix: choose another port with STUDIOGRAPH_METRICS_PORT.\n",
        )


def test_broken_content_is_told_whole_and_nothing_is_served(start: Start, folder: Path) -> None:
    faq, domains = folder / "faq.toml", folder / "domains.toml"
    faq.write_text(faq.read_text().replace("[[faq]]", "[[faq]]\nprice = 1", 1))
    domains.write_text(domains.read_text().replace('tagline = "', 'tagline = "<b>', 1))
    code, out, err = start().ended()
    assert (code, out) == (1, "")
    assert [line.split(":")[0] for line in err.splitlines()] == [
        "content/domains.toml",
        "content/faq.toml",
    ]
    assert all(" Fix: " in line for line in err.splitlines())


def test_faults_of_settings_are_told_together_and_nothing_is_served(start: Start) -> None:
    code, out, err = start(PORT="x", PROT="1").ended()
    assert (code, out) == (1, "")
    assert err.splitlines() == [
        "STUDIOGRAPH_PROT: there is no such setting; did you mean STUDIOGRAPH_PORT?",
        "STUDIOGRAPH_PORT: must be a whole number from 0 to 65535",
    ]
