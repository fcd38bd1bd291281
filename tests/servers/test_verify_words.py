"""`studiograph verify` follows the log of words: what has changed since, and what may not."""

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from outside_reader import command, plain, studio_in
from running_server import Running, running
from second_studio import Twin
from tampering import Proxy, Source, edited, source_of, tampering

from sdl.runner import Operations

WORDS, CHECKPOINT = "/api/words", "/api/words/checkpoint"

Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return studio_in(tmp_path_factory.mktemp("words"))


@pytest.fixture(scope="module")
def web(content: Path) -> Iterator[Running]:
    with running(content) as started:
        yield started


@pytest.fixture(scope="module")
def source(web: Running) -> Source:
    """What the real server says, asked for once."""
    return cache(source_of(web))


@pytest.fixture
def proxy(source: Source, tmp_path: Path, capsys: Captured) -> Iterator[Proxy]:
    """A proxy of the server, which somebody has checked once."""
    with tampering(source) as proxy:
        assert command(tmp_path, "verify", proxy.address) == 0
        capsys.readouterr()
        yield proxy


@pytest.fixture
def twin(web: Running, content: Path, operations: Operations, tmp_path: Path) -> Twin:
    """The same studio, as it may be later."""
    assert web.address
    return Twin.of(content, tmp_path / "twin", operations)


def change_a_comma(content: Path) -> None:
    """Drop the comma in an answer of faq.toml."""
    file, sentence = content / "faq.toml", "a trade ledger used by 38 desks, came"
    before = file.read_text()
    assert sentence in before
    file.write_text(before.replace(sentence, sentence.replace(",", "")))


def test_one_comma_is_named_with_its_entry_and_both_revisions(
    proxy: Proxy, twin: Twin, source: Source, tmp_path: Path, capsys: Captured
) -> None:
    change_a_comma(twin.content)
    later = twin.source()
    proxy.reset(later)
    assert command(tmp_path, "verify", proxy.address) == 0
    revisions = [plain(each("/api/manifest")[1])["revision"] for each in (source, later)]
    lines = capsys.readouterr().out.splitlines()
    assert f"ok     {WORDS}: the log still begins with what was seen before, at size 1" in lines
    between = f"was changed between {revisions[0]} and {revisions[1]}"
    changed = [line.split()[2] for line in lines if line.endswith(between)]
    leaf = json.loads(plain(later(WORDS)[1])["revisionLeaf"])
    assert changed == leaf["changed"]
    assert changed == ["faq", "faq/what-is-quillmere", "manifest"]
    assert command(tmp_path, "verify", proxy.address) == 0
    assert " was changed " not in capsys.readouterr().out


def test_a_log_with_fewer_revisions_is_told(
    proxy: Proxy, twin: Twin, source: Source, tmp_path: Path, capsys: Captured
) -> None:
    change_a_comma(twin.content)
    proxy.reset(twin.source())
    assert command(tmp_path, "verify", proxy.address) == 0
    proxy.reset(source)
    capsys.readouterr()
    assert command(tmp_path, "verify", proxy.address, "--quiet") == 1
    said = f"WRONG  {CHECKPOINT}: the log had size 2 and has size 1 now\n"
    assert capsys.readouterr().out == said


def rewrite(memory: dict[str, Any]) -> None:
    memory["head"] = f"sha256:{'0' * 64}"


def forget(memory: dict[str, Any]) -> None:
    memory["origin"] = "quillmere.example/words/20200101T000000Z"


REWRITTEN: dict[Callable[[dict[str, Any]], None], str] = {
    rewrite: f"{CHECKPOINT}: the log of size 1 has another head than the last check saw",
    forget: f"{WORDS}: the log quillmere.example/words/20200101T000000Z was seen by the last check",
}


@pytest.mark.parametrize("case", REWRITTEN, ids=lambda case: case.__name__)
def test_another_history_than_the_one_remembered_is_told(
    case: Callable[[dict[str, Any]], None], proxy: Proxy, tmp_path: Path, capsys: Captured
) -> None:
    file = tmp_path / "state" / "studiograph" / "seen.json"
    seen = json.loads(file.read_text())
    case(seen[proxy.address]["words"])
    file.write_text(json.dumps(seen))
    assert command(tmp_path, "verify", proxy.address, "--quiet") == 1
    assert capsys.readouterr().out.startswith(f"WRONG  {REWRITTEN[case]}")
    assert json.loads(file.read_text()) == seen


def test_a_forged_growth_is_told(
    proxy: Proxy, twin: Twin, tmp_path: Path, capsys: Captured
) -> None:
    change_a_comma(twin.content)
    proxy.reset(twin.source())
    where = f"{WORDS}/consistency?from=1"
    for edit in (lambda p: p.update(path=[]), lambda p: p.pop("path")):
        proxy.changes[where] = edited(edit)
        assert command(tmp_path, "verify", proxy.address, "--quiet") == 1
        assert capsys.readouterr().out.startswith(f"WRONG  {where}: ")


FORGED: dict[str, Callable[[Any], object]] = {
    "another hash": lambda log: log["statements"][3].update(leafHash=f"sha256:{'0' * 64}"),
    "one statement fewer": lambda log: log["statements"].pop(),
    "another order": lambda log: log["statements"].reverse(),
    "twice": lambda log: log["statements"].append(log["statements"][-1]),
    "another leaf": lambda log: log.update(revisionLeaf=log["revisionLeaf"].replace("20", "21")),
    "no leaf": lambda log: log.update(revisionLeaf="{}"),
    "another root": lambda log: log.update(contentRoot=f"sha256:{'0' * 64}"),
    "no statements": lambda log: log.pop("statements"),
}


@pytest.mark.parametrize("name", FORGED)
def test_statements_that_are_not_those_of_the_revision_are_told(
    name: str, proxy: Proxy, tmp_path: Path, capsys: Captured
) -> None:
    proxy.changes[WORDS] = edited(FORGED[name])
    assert command(tmp_path, "verify", proxy.address, "--quiet") == 1
    out = capsys.readouterr().out
    assert out.startswith((f"WRONG  {WORDS}: ", "WRONG  /api/proof?name="))
