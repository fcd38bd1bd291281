"""`studiograph serve` as a real process: how it starts, why it does not, and how it stops."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

Process = subprocess.Popen[str]
Start = Callable[..., Process]
DEADLINE_SECONDS = 15
CHILDREN = Path("/proc/thread-self/children")
WORKERS_AND_TRACKER = 3


@pytest.fixture
def start(folder: Path) -> Iterator[Start]:
    """`start("--quiet", PORT="0")`: a server on a copy of the sample, gone after the test."""
    with ExitStack() as processes:
        yield lambda *words, **settings: processes.enter_context(_running(folder, words, settings))


@contextmanager
def _running(folder: Path, words: tuple[str, ...], values: dict[str, str]) -> Iterator[Process]:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("STUDIOGRAPH_")}
    given = {f"STUDIOGRAPH_{name}": value for name, value in {"PORT": "0", **values}.items()}
    process = subprocess.Popen(
        [sys.executable, "-m", "studiograph", "serve", *words],
        env={**inherited, **given},
        cwd=folder.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=DEADLINE_SECONDS)


def first_line(process: Process) -> str:
    """The line that the process prints when it listens."""
    assert process.stdout is not None
    return process.stdout.readline()


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def eventually(url: str) -> httpx.Response:
    """The answer, as soon as there is one."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while True:
        try:
            return httpx.get(url)
        except httpx.ConnectError:
            assert time.monotonic() < deadline, "nobody listens"


def anew() -> httpx.Client:
    """A client that connects anew for each request, so that any worker may answer."""
    return httpx.Client(limits=httpx.Limits(max_keepalive_connections=0), timeout=DEADLINE_SECONDS)


def stopped(process: Process, signal_number: int) -> tuple[int, str, str]:
    """Exit code and the rest of what was printed; an interrupt goes to all, as a terminal's."""
    if signal_number == signal.SIGINT:
        os.killpg(process.pid, signal_number)
    else:
        process.send_signal(signal_number)
    out, err = process.communicate(timeout=DEADLINE_SECONDS)
    return process.returncode, out, err


def has_ipv6() -> bool:
    """Whether this machine has a loopback of version 6."""
    try:
        with socket.socket(socket.AF_INET6) as tried:
            tried.bind(("::1", 0))
    except OSError:
        return False
    return True


@pytest.mark.parametrize(
    "host",
    [
        "0.0.0.0",  # noqa: S104 - whoever asks for every address shall be answered on it
        pytest.param("::1", marks=pytest.mark.skipif(not has_ipv6(), reason="no IPv6 here")),
    ],
)
def test_one_line_says_where_it_listens_and_what_to_try(start: Start, host: str) -> None:
    process = start(HOST=host)
    line = first_line(process)
    found = re.fullmatch(r"studiograph listens on (http://\S+:\d+); try: curl (\S+)\n", line)
    assert found is not None
    assert found[2] == f"{found[1]}/llms.txt"
    assert httpx.get(found[2]).text.startswith("# ")
    code, out, err = stopped(process, signal.SIGTERM)
    assert (code, err) == (0, "")
    (logged,) = (json.loads(entry) for entry in out.splitlines())
    assert (logged["route"], logged["status"]) == ("/llms.txt", 200)


def test_a_quiet_server_prints_nothing_at_its_start(start: Start) -> None:
    port = free_port()
    process = start("--quiet", PORT=str(port))
    assert eventually(f"http://127.0.0.1:{port}/api/thesis").status_code == 200
    code, out, err = stopped(process, signal.SIGTERM)
    assert (code, err) == (0, "")
    assert [json.loads(entry)["route"] for entry in out.splitlines()] == ["/api/thesis"]


def test_a_keyboard_s_interrupt_ends_it_without_a_traceback(start: Start) -> None:
    process = start()
    address = first_line(process).split("listens on ")[1].split(";")[0]
    assert eventually(f"{address}/api/thesis").status_code == 200
    code, _, err = stopped(process, signal.SIGINT)
    assert (code, err) == (0, "")


def workers_of(process: Process) -> list[str]:
    """The children of the first process, as soon as all are there; they have hardly begun."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    deadline = time.monotonic() + DEADLINE_SECONDS
    while len(found := children.read_text().split()) < WORKERS_AND_TRACKER:
        assert time.monotonic() < deadline, "no workers"
    return found


def at_its_imports(pid: str) -> bool:
    """Whether a child is itself by now, and in the middle of what it loads."""
    own = "spawn_main" in Path(f"/proc/{pid}/cmdline").read_text()  # before that, it is its parent
    return own and "_pydantic_core" in Path(f"/proc/{pid}/maps").read_text()


def rests(folder: Path) -> None:
    """Change what `/api/status` says."""
    (folder / "status.toml").write_text('state = "resting"\nopenToWork = false\n')


def until_all_rest(address: str) -> None:
    """Wait until no process says what was said before."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    states = {"active"}
    with anew() as client:
        while states != {"resting"}:
            assert time.monotonic() < deadline, "a worker keeps the old content"
            answers = [client.get(f"{address}/api/status") for _ in range(20)]
            states = {answer.json()["studio"]["state"] for answer in answers}


def test_two_workers_answer_alike_reload_and_stop_cleanly(start: Start, folder: Path) -> None:
    process = start(WORKERS="2")
    address = first_line(process).split("listens on ")[1].split(";")[0]
    with anew() as client:
        answers = [client.get(f"{address}/api/manifest") for _ in range(10)]
    assert {answer.status_code for answer in answers} == {200}
    assert len({(answer.headers["etag"], answer.content) for answer in answers}) == 1
    rests(folder)
    process.send_signal(signal.SIGHUP)
    until_all_rest(address)
    code, out, err = stopped(process, signal.SIGTERM)
    assert code == 0
    assert "Traceback" not in err
    assert {json.loads(line)["status"] for line in out.splitlines()} == {200}
    with pytest.raises(httpx.ConnectError):
        httpx.get(address)


@pytest.mark.skipif(not CHILDREN.exists(), reason="no list of child processes here")
def test_workers_that_are_still_starting_are_interrupted_without_a_traceback(start: Start) -> None:
    process = start("--workers", "2")
    assert first_line(process)
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not any(map(at_its_imports, workers_of(process))):
        assert time.monotonic() < deadline, "no worker starts"
    assert stopped(process, signal.SIGINT) == (0, "", "")


@pytest.mark.skipif(not CHILDREN.exists(), reason="no list of child processes here")
def test_workers_that_are_still_starting_outlive_a_reload(start: Start, folder: Path) -> None:
    process = start("--workers", "2")
    address = first_line(process).split("listens on ")[1].split(";")[0]
    before = workers_of(process)
    rests(folder)
    process.send_signal(signal.SIGHUP)
    until_all_rest(address)
    assert workers_of(process) == before


def test_a_port_in_use_is_told_in_one_line_with_the_fix(start: Start) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        out, err = (process := start(PORT=str(port))).communicate(timeout=DEADLINE_SECONDS)
    assert (process.returncode, out) == (1, "")
    assert err == (
        f"cannot listen on 127.0.0.1:{port}: Address already in use."
        " Fix: choose another port with STUDIOGRAPH_PORT.\n"
    )


def test_an_address_of_another_machine_is_told_in_one_line_with_the_fix(start: Start) -> None:
    out, err = (process := start(HOST="192.0.2.1")).communicate(timeout=DEADLINE_SECONDS)
    assert (process.returncode, out, err.count("\n")) == (1, "", 1)
    assert err.startswith("cannot listen on 192.0.2.1:0: ")
    assert err.endswith(" Fix: choose another host with STUDIOGRAPH_HOST.\n")


def test_broken_content_is_told_whole_and_nothing_is_served(start: Start, folder: Path) -> None:
    faq, domains = folder / "faq.toml", folder / "domains.toml"
    faq.write_text(faq.read_text().replace("[[faq]]", "[[faq]]\nprice = 1", 1))
    domains.write_text(domains.read_text().replace('tagline = "', 'tagline = "<b>', 1))
    out, err = (process := start()).communicate(timeout=DEADLINE_SECONDS)
    assert (process.returncode, out) == (1, "")
    assert [line.split(":")[0] for line in err.splitlines()] == [
        "content/domains.toml",
        "content/faq.toml",
    ]
    assert all(" Fix: " in line for line in err.splitlines())


def test_faults_of_settings_are_told_together_and_nothing_is_served(start: Start) -> None:
    out, err = (process := start(PORT="x", PROT="1")).communicate(timeout=DEADLINE_SECONDS)
    assert (process.returncode, out) == (1, "")
    assert err.splitlines() == [
        "STUDIOGRAPH_PROT: there is no such setting; did you mean STUDIOGRAPH_PORT?",
        "STUDIOGRAPH_PORT: must be a whole number from 0 to 65535",
    ]


IMPORTED = """
import sys
from pathlib import Path
{statement}
print(*sorted(sys.modules))
"""
BUILT = """
from studiograph.app import build
from studiograph.settings import Settings
build(Settings(content=Path({content!r})))
"""
LAZY = {"chromadb", "llama_index", "dotenv", "httpx", "hypothesis"}


@pytest.mark.parametrize(
    ("statement", "absent"),
    [(BUILT, {*LAZY, "watchfiles", "uvicorn"}), ("import studiograph.__main__", LAZY)],
    ids=["application", "command line"],
)
def test_what_is_not_needed_is_not_imported(statement: str, absent: set[str], folder: Path) -> None:
    program = IMPORTED.format(statement=statement.format(content=str(folder)))
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=20
    )
    imported = {module.split(".")[0] for module in done.stdout.split()}
    assert {"strawberry", "studiograph"} <= imported
    assert imported & absent == set()
