"""What a user can notice is in `tests/promises.toml`, with tests that hold it and are there."""

import ast
import re
import tomllib
from collections import Counter
from functools import cache
from typing import Any

from repository import ROOT

PROMISES: list[dict[str, Any]] = tomllib.loads(
    (ROOT / "tests" / "promises.toml").read_text(encoding="utf-8")
)["promise"]
HELD_BY: list[str] = [name for promise in PROMISES for name in promise.get("held_by", [])]
SOURCE = re.compile(r"SPEC: \S.*|contract \d+|limits 2\.\d|docs/\w+\.md")


@cache
def names_in(file: str) -> frozenset[str]:
    """The names of the tests in a file, those in classes too."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    names = {node.name for node in ast.walk(tree) if isinstance(node, functions)}
    return frozenset(name for name in names if name.startswith("test_"))


def is_there(held_by: str) -> bool:
    """Whether there is the file, and in it the test if one is named."""
    file, _, test = held_by.partition("::")
    known = file.startswith("tests/") and (ROOT / file).is_file()
    return known and (test in names_in(file) if test else bool(names_in(file)))


def told(found: list[Any]) -> str:
    """All that was found, a line each; pytest itself would show the first."""
    return "\n" + "\n".join(map(str, found))


def test_a_promise_says_what_it_is_where_it_was_made_and_what_holds_it() -> None:
    wrong = [
        promise
        for promise in PROMISES
        if promise.keys() != {"says", "from", "held_by"} or not all(promise.values())
    ]
    assert not wrong, f"give each of these says, from and held_by, and nothing else:{told(wrong)}"


def test_no_promise_is_made_twice() -> None:
    count = Counter(promise["says"] for promise in PROMISES)
    twice = [says for says, times in count.items() if times > 1]
    assert not twice, f"make one of each of these:{told(twice)}"


def test_a_promise_comes_from_a_page_or_a_section_that_is_known() -> None:
    sources = sorted({promise["from"] for promise in PROMISES})
    unknown = [
        source
        for source in sources
        if not SOURCE.fullmatch(source)
        or (source.startswith("docs/") and not (ROOT / source).is_file())
    ]
    assert not unknown, f"write a source that the head of promises.toml lists:{told(unknown)}"


def test_every_test_that_holds_a_promise_is_there() -> None:
    gone = [name for name in HELD_BY if not is_there(name)]
    assert not gone, f"name the tests that hold these promises now, or write them:{told(gone)}"


def test_every_file_of_servers_and_long_holds_a_promise() -> None:
    files = [
        path.relative_to(ROOT).as_posix()
        for folder in ("servers", "long")
        for path in sorted((ROOT / "tests" / folder).rglob("test_*.py"))
    ]
    named = {name.partition("::")[0] for name in HELD_BY}
    idle = [file for file in files if file not in named]
    assert not idle, f"name these at the promises that they hold, or delete them:{told(idle)}"
