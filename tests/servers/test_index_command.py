"""`studiograph index`: what a server would embed at its start is embedded before."""

import json
import re
from pathlib import Path

import pytest
from command_runs import Run, runs

from studiograph.settings import Settings


@pytest.fixture
def settings(folder: Path, tmp_path: Path) -> Settings:
    """The sample studio, its own data folder, and the embedder that needs no weights."""
    return Settings(content=folder, data=tmp_path / "var", ai_embedder="hash")


@pytest.fixture
def run(settings: Settings, capsys: pytest.CaptureFixture[str]) -> Run:
    """`run("--json")`: the exit code of `studiograph index --json`, its output and its errors."""

    return runs(capsys, "index", settings=settings)


def test_all_passages_are_embedded_and_the_next_time_none(settings: Settings, run: Run) -> None:
    code, out, err = run("--json")
    first, second = json.loads(out), json.loads(run("--json")[1])
    assert (code, err) == (0, "")
    assert first["passages"] > 100
    assert first.items() >= {"ok": True, "embedder": "hash768-1-768", "mode": "lexical"}.items()
    assert 100 < first["embedded"] <= first["passages"]
    assert second["passages"] == first["passages"]
    assert second["embedded"] == 0
    assert (settings.data / "vectors" / "hash768-1-768.vectors").is_file()


def test_what_is_new_alone_is_embedded_then(folder: Path, run: Run) -> None:
    before = json.loads(run("--json")[1])
    faq = folder / "faq.toml"
    faq.write_text(
        f"{faq.read_text()}\n[[faq]]\n"
        'q = "Is this one new?"\na = "It is, and it is one passage."\ntags = ["new"]\n'
    )
    after = json.loads(run("--json")[1])
    assert after["passages"] > before["passages"]
    assert 0 < after["embedded"] < 20  # the entry, its sentences, and the lists that name it


def test_it_says_how_many_by_whom_and_how_long(run: Run) -> None:
    code, out, err = run()
    said = r"\d+ passages, \d+ of them embedded now by hash768-1-768 in \d+\.\d+ s\n"
    assert (code, err) == (0, "")
    assert re.fullmatch(said, out)
    assert run("--quiet") == (0, "", "")


def test_a_model_that_is_not_there_is_a_fault(settings: Settings, run: Run) -> None:
    without = settings.model_copy(
        update={"ai_embedder": "huggingface", "ai_embed_model": "some/model"}
    )
    code, out, err = run(having=without)
    assert (code, out) == (1, "")
    assert "huggingface" in err.lower()
    code, out, _ = run("--json", having=without)
    assert (code, json.loads(out)) == (1, {"ok": False, "wrong": err.rstrip("\n")})
