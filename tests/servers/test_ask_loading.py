"""While models are loaded, exchanged or taken down: reads go on, questions wait or are refused."""

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from ai_service import (
    CHAT,
    LIGHT,
    LOADING_SECONDS,
    QUESTION,
    answers_state,
    asked,
    await_models,
    begin_loading,
)
from child_process import read_line
from contact_inbox import desk
from model_behaviours import Call, Habit, Step, Wait, embeds
from model_server import ModelServer, model_server
from repository import SAMPLE, SUPPORT
from running_server import Running, eventually

END_SECONDS = 30
WAITS_SECONDS = 5
"""How long a question waits for models before it is refused."""
ENTRY = """
[[faq]]
q = "What is the brass astrolabe on the desk for?"
a = "The brass astrolabe on the desk holds down the tide tables."
tags = ["desk"]
"""
ASTROLABE = {"query": "What is the brass astrolabe for?"}


def held(gate: threading.Event) -> Habit:
    """The habit of vectors that are not made before the gate is open."""

    def habit(call: Call) -> Iterable[Step]:
        while not gate.is_set():
            yield Wait(0.05)
        yield from embeds()(call)

    return habit


@contextmanager
def loading(folder: Path, gate: threading.Event) -> Iterator[tuple[Running, ModelServer]]:
    """A service whose models are being loaded until the gate is open."""
    with model_server(embeddings=held(gate)) as model:
        url = {"AI_EMBEDDER": "openai-like", "AI_EMBED_BASE_URL": model.url, "AI_EMBED_MODEL": "m"}
        with desk(folder, **url) as server:
            yield server, model


def test_reads_are_answered_and_questions_refused_until_all_is_loaded(
    tmp_path: Path,
) -> None:
    gate = threading.Event()
    with (
        loading(tmp_path, gate) as (server, model),
        httpx.Client(base_url=server.address, timeout=60) as client,
        ThreadPoolExecutor(4) as pool,
    ):
        assert answers_state(client) == "loading"
        begin_loading(server)
        model.until(lambda: model.open_calls, LOADING_SECONDS)  # so all libraries are loaded
        questions = [
            pool.submit(client.post, path, json=body)
            for path, body in (
                ("/api/search", {"query": "tides"}),
                ("/api/intent", {"goal": "read the faq"}),
                ("/api/embed", {"input": "tides"}),
                (CHAT, QUESTION),
            )
        ]
        while not all(question.done() for question in questions):
            assert client.get("/api/projects").status_code == 200
        for question in questions:
            answer = question.result()
            assert (answer.status_code, answer.json()["error"]) == (503, "ai_unavailable")
            assert answer.headers["retry-after"] == "5"
            waited = answer.elapsed.total_seconds()
            assert waited > WAITS_SECONDS - 1
        assert answers_state(client) == "loading"
        waiting = pool.submit(client.post, "/api/search", json={"query": "tides"})
        gate.set()
        assert waiting.result().status_code == 200
        eventually(lambda: answers_state(client) == "ready", LOADING_SECONDS)  # chat comes last
        assert client.post(CHAT, json=QUESTION).status_code == 200


@pytest.mark.parametrize("at", ["libraries", "vectors"])
def test_a_stop_amid_the_loading_is_quiet_and_soon_over(at: str, tmp_path: Path) -> None:
    with loading(tmp_path, threading.Event()) as (server, model):
        with httpx.Client(base_url=server.address, timeout=60) as client:
            question = threading.Thread(target=ask_and_be_let_down, args=(server,))
            question.start()  # begins the loading
            if at == "vectors":
                model.until(lambda: model.open_calls, LOADING_SECONDS)
            assert answers_state(client) == "loading"
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(END_SECONDS) == 0
        question.join(END_SECONDS)
    assert [line for line in server.errors if "Traceback" in line] == []


def ask_and_be_let_down(server: Running) -> None:
    """A question to a service that stops."""
    with pytest.raises((httpx.HTTPError, AssertionError)):  # refused or cut off, either is right
        assert httpx.post(f"{server.address}{CHAT}", json=QUESTION, timeout=60).status_code == 200


def test_what_is_written_is_soon_found_and_nobody_is_refused_meanwhile(tmp_path: Path) -> None:
    with (
        asked(tmp_path, **LIGHT) as server,
        httpx.Client(base_url=server.address, timeout=60) as client,
        ThreadPoolExecutor(3) as pool,
    ):
        ended = threading.Event()
        readers = [pool.submit(asking_on, server, ended) for _ in range(3)]
        try:
            faq = tmp_path / "content" / "faq.toml"
            old = faq.read_text()
            faq.write_text(old + ENTRY)
            server.process.send_signal(signal.SIGHUP)
            eventually(lambda: finds_astrolabe(client), LOADING_SECONDS)
            faq.write_text(old)
            server.process.send_signal(signal.SIGHUP)
            eventually(lambda: not finds_astrolabe(client), LOADING_SECONDS)
        finally:
            ended.set()
        counts = [reader.result() for reader in readers]
        assert all(set(codes) == {200} for codes in counts)
        assert sum(map(len, counts)) > 10


def finds_astrolabe(client: httpx.Client) -> bool:
    """Whether the entry is found, and chat cites it."""
    hits = client.post("/api/search", json=ASTROLABE).json()["results"]
    return any("astrolabe" in hit["slug"] for hit in hits)


def asking_on(server: Running, ended: threading.Event) -> list[int]:
    """The statuses of searches and routes until it is ended."""
    codes: list[int] = []
    with httpx.Client(base_url=server.address, timeout=60) as client:
        while not ended.is_set():
            codes.append(client.post("/api/search", json={"query": "tides"}).status_code)
            codes.append(client.post("/api/intent", json={"goal": "read the faq"}).status_code)
    return codes


def test_with_its_first_settings_the_service_connects_to_nobody(tmp_path: Path) -> None:
    """As Python hears of it; what native code would connect to is not seen."""
    noted = tmp_path / "noted.txt"
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    shutil.copy(SUPPORT / "connection_log.py", hooks / "sitecustomize.py")
    shutil.copytree(SAMPLE, tmp_path / "content", ignore=shutil.ignore_patterns("*.py"))
    serve = [sys.executable, "-m", "studiograph", "serve"]
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(hooks),
        "NOTED_CONNECTS": str(noted),
        "STUDIOGRAPH_PORT": "0",
    }
    process = subprocess.Popen(
        serve,
        env=environment,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    with process.stdout as log:
        address = read_line(process).partition(" listens on ")[2].partition(";")[0]
        server = Running(address, process)
        drain = threading.Thread(target=log.read)
        drain.start()  # or the server waits for somebody to read its log
        try:
            await_models(server)
            with httpx.Client(base_url=address, timeout=60) as client:
                assert client.post(CHAT, json=QUESTION).status_code == 200
                assert client.post("/api/embed", json={"input": "tides"}).status_code == 200
                assert client.post("/api/intent", json={"goal": "read the faq"}).status_code == 200
                assert client.get("/api/github").status_code == 200
            process.send_signal(signal.SIGTERM)
            process.wait(END_SECONDS * 2)
        finally:
            process.kill()
            drain.join(END_SECONDS)
    hooked = noted.read_text().splitlines()
    assert hooked[0] == "begun"
    assert [
        line
        for line in hooked[1:]
        if line != "begun" and not re.search(r"127\.0\.0\.1|::1|localhost", line)
    ] == []
