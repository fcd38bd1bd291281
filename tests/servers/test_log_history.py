"""The log of changes only grows: what real servers accept, refuse and prove of their history."""

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from shutil import copytree, ignore_patterns
from sqlite3 import connect
from typing import Any

import pytest
from changelog_edits import Changelog, backdate, change, drop
from merkle_reference import Tree, grows
from outside_reader import (
    KEY_SET,
    Head,
    canonical,
    command,
    digest,
    of_each,
    plain,
    read_checkpoint,
    studio_in,
    verifies,
)
from running_server import Running, eventually, running

RELOADED, KEPT = "content reloaded: ", "the content was not reloaded"
DATABASE = "var/studio.db"
STARTED = (drop, change, backdate)
FIXES = ("Fix: restore ", "`studiograph log restart`")


@dataclass
class Published:
    """A studio whose changelog has been published, and the server that has done it."""

    content: Path
    server: Running

    def copy(self, target: Path) -> Path:
        """The content of a copy that nobody serves."""
        own, copy = self.content.parent, target / "studio"
        # The database is written while it is copied, so its own backup copies it.
        copytree(own, copy, symlinks=True, ignore=ignore_patterns("studio.db*"))
        with (
            closing(connect(own / DATABASE)) as served,
            closing(connect(copy / DATABASE)) as copied,
        ):
            served.backup(copied)
        return copy / "content"


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Published]:
    content = studio_in(tmp_path_factory.mktemp("published"))
    with running(content) as server:
        yield Published(content, server)


@pytest.fixture
def studio(published: Published, tmp_path: Path) -> Path:
    """The content of a copy of it."""
    return published.copy(tmp_path)


@pytest.mark.parametrize("rewriting", STARTED, ids=lambda each: each.__name__)
def test_no_command_answers_from_a_rewritten_history(
    rewriting: Callable[[Changelog], str], studio: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = rewriting(Changelog(studio / "changelog.toml"))
    assert command(studio.parent, "get", "/api/thesis") == 1
    _check_refusal(expected, capsys.readouterr().err)


def _check_refusal(expected: str, err: str) -> None:
    assert err.startswith(f"changelog: {expected} ")
    assert err.count("\n") == 1
    assert all(fix in err for fix in FIXES)


@pytest.mark.parametrize("words", [("--workers", "2")], ids=["workers"])
def test_a_reload_that_would_rewrite_history_changes_nothing_and_one_that_adds_is_served(
    words: tuple[str, ...], studio: Path
) -> None:
    log, paths = Changelog(studio / "changelog.toml"), ("/api/manifest.sig", "/api/log")
    with running(studio, *words) as server:
        count = len(of_each(server, "/api/thesis", len(words)))

        def reloaded(outcome: str) -> None:
            before = said(server, outcome)
            server.process.send_signal(signal.SIGHUP)
            eventually(lambda: said(server, outcome) >= before + count)

        old, kept = head_of(server), log.entries
        bodies = {path: server.get(path).body for path in paths}
        for rewriting in (drop, backdate):
            reloaded(f"changelog: {rewriting(log)}")
            log.write(kept)
        assert said(server, KEPT) >= 2 * count
        for path, body in bodies.items():
            assert {again.body for again in of_each(server, path, count)} == {body}
        log.add("2026-11-20-more", "2026-11-20T09:00:00Z")
        reloaded(RELOADED)
        assert proves_growth(server, old, head_of(server))


def test_a_log_restarted_begins_under_a_new_name_and_the_old_head_stays_published(
    published: Published, studio: Path
) -> None:
    old = head_of(published.server)
    saved = plain(published.server.get("/api/changelog.sig").body)
    log = Changelog(studio / "changelog.toml")
    drop(log)
    assert command(studio.parent, "log", "restart", "--reason", "Gone.", "--yes") == 0
    with running(studio) as after:
        new, told = head_of(after), after.get("/api/log").json()
        assert (new[0], new[1]) == (f"{old[0]}/2", len(log.ids))
        (former,) = told["former"]
        assert (former["origin"], former["treeSize"], digest(former["rollupHash"])) == old
        assert datetime.fromisoformat(former["endedAt"]).utcoffset() is not None
        jwks = after.get(KEY_SET).json()
        assert read_checkpoint(former["checkpoint"], jwks) == old
        assert tree_of(saved["payload"]["entries"]).head(0, old[1]) == old[2]
        assert verifies(saved, jwks)


def test_every_entry_is_proven_to_be_in_the_log_and_every_size_to_be_its_beginning(
    published: Published,
) -> None:
    server = published.server
    entries, head = server.get("/api/changelog").json(), head_of(server)
    tree = tree_of(entries)
    ids = [entry["id"] for entry in sorted(entries, key=lambda entry: str(entry["publishedAt"]))]
    assert (head[1], head[2]) == (len(ids), tree.head(0, len(ids)))
    for index, name in enumerate(ids):
        proof = server.get(f"/api/log/proof?index={index}").json()
        assert (proof["origin"], proof["treeSize"], digest(proof["rollupHash"])) == head
        assert (proof["index"], proof["entry"]) == (index, name)
        assert digest(proof["leafHash"]) == tree.leaves[index]
        assert [digest(step) for step in proof["path"]] == tree.path(index, 0, len(ids))
    for size in range(len(ids) + 1):
        proof = server.get(f"/api/log/consistency?from={size}").json()
        old = (head[0], size, tree.head(0, size))
        assert (proof["origin"], proof["fromSize"], digest(proof["fromHash"])) == old
        assert size in (0, len(ids)) or begins(old, head, proof["path"])
        assert bool(proof["path"]) is (0 < size < len(ids))


def tree_of(entries: Sequence[Any]) -> Tree:
    """The tree of changelog entries, oldest first."""
    ordered = sorted(entries, key=lambda entry: str(entry["publishedAt"]))
    return Tree([canonical(entry) for entry in ordered])


def begins(old: Head, new: Head, path: Sequence[str]) -> bool:
    """Whether a proof leads from an older head to a newer one."""
    return grows(old[1], old[2], new[1], new[2], [digest(step) for step in path])


def head_of(server: Running) -> Head:
    """The head of the log, as its checkpoint proves it."""
    text = server.get("/api/log/checkpoint").body.decode()
    return read_checkpoint(text, server.get(KEY_SET).json())


def proves_growth(server: Running, old: Head, new: Head) -> bool:
    """Whether the server proves that the log still begins as it did."""
    proof = server.get(f"/api/log/consistency?from={old[1]}").json()
    return begins(old, new, proof["path"])


def said(server: Running, words: str) -> int:
    """How many lines of the log hold these words."""
    return sum(words in line for line in list(server.errors))
