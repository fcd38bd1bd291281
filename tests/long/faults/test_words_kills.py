"""However often a process is killed while it publishes: the log of words is whole."""

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from random import Random
from subprocess import PIPE, Popen
from time import sleep

from child_process import read_line
from coverage_environment import unmeasured
from repository import SUPPORT
from sqlalchemy import text
from webhook_server import SCALE

from resolvers.db.database import Database
from resolvers.transparency.merkle import Tree, as_digest, leaf_hash
from resolvers.transparency.store import ProofStore
from resolvers.transparency.words import PublishedWords

KILLS = 5 * SCALE
"""In each kind of database, so that `make faults` kills a hundred times."""


def check(url: str) -> PublishedWords:
    """The log, once no leaf is there twice and each says what its statements hash to."""
    words = ProofStore(Database(url)).published_words()
    with Database(url).snapshot() as rows:
        leaves = rows.execute(text("SELECT place, leaf FROM words ORDER BY place")).all()
        places = set(rows.scalars(text("SELECT place FROM statement")))
    assert [place for place, _ in leaves] == [*range(len(words.hashes))]
    assert len({leaf for _, leaf in leaves}) == len(leaves)
    assert tuple(leaf_hash(leaf.encode()) for _, leaf in leaves) == words.hashes
    for size, (_, leaf) in enumerate(leaves, 1):
        members, said = json.loads(leaf), words.statements(size)
        assert members["statements"] == len(said)
        assert members["contentRoot"] == as_digest(Tree([said[n] for n in sorted(said)]).head)
        assert words.publications[size - 1] == (members["publishedAt"], members["revision"])
    assert places == {*range(len(leaves))}
    return words


@contextmanager
def publisher(url: str, name: str) -> Iterator["Popen[str]"]:
    """A process that publishes until it is killed."""
    words = (sys.executable, str(SUPPORT / "words_program.py"), url, name)
    with Popen(words, stdout=PIPE, text=True, env=unmeasured()) as process:
        try:
            yield process
        finally:
            process.kill()


def told(process: "Popen[str]") -> Iterator[tuple[int, str]]:
    """What a process that is killed had said before, by whole lines."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.endswith("\n"):
            place, value = json.loads(line)
            yield place, value


def test_a_log_whose_writers_are_killed_is_whole_and_has_all_that_was_said(url: str) -> None:
    chance = Random(20)  # noqa: S311 - it chooses when to kill
    said = dict[int, str]()
    Database(url).ensure_schema()
    for number in range(KILLS):
        with ExitStack() as stack:
            two = [stack.enter_context(publisher(url, f"{number}{name}")) for name in "ab"]
            for process in two:  # both are publishing
                place, value = json.loads(read_line(process))
                said[place] = value
            sleep(chance.uniform(0, 0.2))
            for process in two:
                process.kill()
                said.update(told(process))
        log = check(url)
        assert {place: log.hashes[place].hex() for place in said} == said
    assert len(said) > 2 * KILLS
