"""The workflow for GitHub Pages: its own steps, run one after the other, continue one log."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped] # it brings no types
from minimal_studio import write_minimal_studio
from repository import ROOT

WORKFLOW = yaml.safe_load((ROOT / "deploy" / "github-pages.yml").read_text(encoding="utf-8"))
JOB = WORKFLOW["jobs"]["publish"]
RUNS = {step["name"]: step for step in JOB["steps"] if "run" in step}
PAPER = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
(FIRST,) = re.findall(r"```sh\n(studiograph export public[^`]*)```", PAPER)
IDENTITY = {
    f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
}


def shell(folder: Path, script: str, **more: str) -> "subprocess.CompletedProcess[str]":
    """How a script ended, as a step of a workflow is run."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    given = {
        **IDENTITY,
        "PATH": path,
        "HOME": str(folder),
        "STUDIOGRAPH_AI_EMBEDDER": "hash",
        **more,
    }
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(words, cwd=folder, env=given, capture_output=True, text=True, check=False)


@pytest.fixture
def studio(tmp_path: Path) -> Path:
    """A studio in a repository, whose first publication was made as the page says."""
    studio = tmp_path / "studio"
    write_minimal_studio(studio / "content")
    (studio / ".env").write_text(f"STUDIOGRAPH_BASE_URL={JOB['env']['STUDIOGRAPH_BASE_URL']}\n")
    made = shell(
        studio,
        "git init --quiet --bare ../origin.git; git init --quiet --initial-branch main\n"
        "git remote add origin $PWD/../origin.git; git add content; git commit -qm one\n"
        f"git push --quiet origin main\n{FIRST}",
    )
    assert made.returncode == 0, made.stderr
    assert (studio / "var" / "studio.db").is_file()
    return studio


def run(studio: Path, name: str, keys: str) -> "subprocess.CompletedProcess[str]":
    """How a run ended in a folder of this name, from its check-outs to the kept log."""
    home = studio.parent / name
    clones = "git clone --quiet --branch"
    checkouts = f"{clones} main origin.git {name} && {clones} state origin.git {name}/state"
    assert shell(studio.parent, checkouts).returncode == 0
    (home / "temporary").mkdir()
    given = {**JOB["env"], "RUNNER_TEMP": str(home / "temporary"), "GITHUB_SHA": name}
    done = shell(home, RUNS["Export"]["run"], SIGNING_KEYS=keys, **given)
    if done.returncode == 0:
        kept = RUNS["Keep the log"]
        done = shell(home / kept["working-directory"], kept["run"], **given)
    return done


def published(folder: Path) -> tuple[str, str, int]:
    """The key, the log and its size in an exported folder."""
    words = json.loads((folder / "api" / "words.json").read_text())
    (key,) = json.loads((folder / ".well-known" / "jwks.json").read_text())["keys"]
    return key["kid"], words["origin"], words["treeSize"]


def test_each_run_continues_the_log_and_keeps_the_key(studio: Path) -> None:
    keys = (studio.parent / "keys.json").read_text()
    *first, size = published(studio / "public")
    for number, name in enumerate(("one", "two"), 1):
        (studio / "content" / "status.toml").write_text(f'state = "{name}"\nopenToWork = true\n')
        said = shell(studio, "git add content; git commit -qm said; git push -q origin main")
        assert said.returncode == 0, said.stderr
        done = run(studio, name, keys)
        assert done.returncode == 0, done.stderr
        assert published(studio.parent / name / "public") == (*first, size + number)
        assert not [*(studio.parent / name / "temporary").iterdir()]
    tracked = shell(studio.parent / "two" / "state", "git ls-files").stdout
    assert tracked == "var/studio.db\n"


def test_without_the_key_or_with_another_a_run_publishes_nothing(studio: Path) -> None:
    other = studio.parent / "other"
    write_minimal_studio(other / "content")
    assert (
        shell(other, "studiograph export public; studiograph keys export keys.json").returncode == 0
    )
    for name, keys in (("none", ""), ("another", (other / "keys.json").read_text())):
        assert run(studio, name, keys).returncode == 1
        assert not (studio.parent / name / "public").exists()
