"""Splits an author's file into a half to tune on and a half to report.

    python -m evals.split hand1-second.toml --content evals/second

Nobody needs to read the questions for it: problems are named by the number of the question and the
rule, never by its text. Which half a question comes to is decided by the SHA-256 of its text,
within its style, so that both halves have each style.
"""

import argparse
import json
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from graphql import OperationDefinitionNode, parse
from pydantic import ValidationError

from content.reading.reader import load
from evals.material import FOLDER, HALVES, KINDS, ROOT, Chat, Goal, Search
from resolvers.search.documents import documents_of

OPERATIONS = ROOT / "sdl/operations"

Tables = dict[str, list[dict[str, Any]]]
Problem = tuple[str, int, str]
"""The kind of the question, its number among that kind from 1, and the rule that it breaks."""


def main(command_line: Sequence[str]) -> int:
    """Write the halves; return 0, or 1 if there are problems, which are printed."""
    parser = argparse.ArgumentParser(
        prog="python -m evals.split",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", type=Path, help="the author's file")
    parser.add_argument("--content", type=Path, required=True, help="the studio's content folder")
    parser.add_argument("--name", help="<author>-<studio> (default: the name of the file)")
    parser.add_argument("--to", type=Path, default=FOLDER)
    parser.add_argument("--check", action="store_true", help="check the file, write nothing")
    parser.add_argument(
        "--leave-out", action="store_true", help="split what has no problem, leave out the rest"
    )
    arguments = parser.parse_args(command_line)
    name = arguments.name or arguments.file.stem
    written = [arguments.to / half / f"{name}.toml" for half in HALVES]
    try:
        document = tomllib.loads(arguments.file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        return _failed(f"not TOML: {error}")
    problems = list(problems_of(document, entries_of(arguments.content), operation_names()))
    for kind, number, rule in problems:
        _say(f"{kind} {number}: {rule}")
    if problems and not arguments.leave_out:
        return _failed(f"{len(problems)} problems; nothing was written")
    sound = _without(document, {(kind, number) for kind, number, _ in problems})
    halves = split(sound)
    for half, tables in zip(HALVES, halves, strict=True):
        _say(f"{half}: {_counts(tables)}")
    if arguments.check:
        return 0
    if existing := [str(file) for file in written if file.exists()]:
        # a second split could move a question that was tuned on into the half that is reported
        return _failed(f"already there, and a split is made once: {', '.join(existing)}")
    for file, tables in zip(written, halves, strict=True):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(toml_of(tables), encoding="utf-8")
    return 0


def problems_of(
    document: Mapping[str, Any], entries: Collection[str], operations: Collection[str]
) -> Iterator[Problem]:
    """Yield what is wrong in a file, never with the text of a question.

    `entries` are those of the studio as `<kind>/<slug>`.
    """
    if unknown := document.keys() - KINDS:
        yield "file", 0, f"unknown tables: {', '.join(sorted(unknown))}"
    for kind, model in KINDS.items():
        first: dict[str, int] = {}
        for number, table in enumerate(document.get(kind, []), 1):
            try:
                item = model.model_validate(table)
            except ValidationError as error:
                for found in error.errors(include_input=False, include_context=False):
                    yield kind, number, f"{_place(found['loc'])}{found['msg']}"
                continue
            for rule in _unknown_names(item, entries, operations):
                yield kind, number, rule
            if first.setdefault(_plain(item.text), number) != number:
                yield kind, number, f"the same text as {kind} {first[_plain(item.text)]}"


def _place(location: tuple[str | int, ...]) -> str:
    """Return the key and the numbers of items from 1; inner keys may be answers."""
    parts = [*location[:1], *(part + 1 for part in location[1:] if isinstance(part, int))]
    return f"{'.'.join(map(str, parts))}: " if parts else ""


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _unknown_names(
    item: Chat | Search | Goal, entries: Collection[str], operations: Collection[str]
) -> Iterator[str]:
    if isinstance(item, Search):
        for number, name in enumerate(item.relevant, 1):
            if name not in entries:
                yield f"relevant: number {number} is no entry of the studio"
    if isinstance(item, Goal):
        for number, name in enumerate(item.operations, 1):
            if name not in operations:
                yield f"operations: number {number} is no stored operation"


def split(document: Mapping[str, Any]) -> tuple[Tables, Tables]:
    """Return both halves. Each style is halved; an odd one out comes to the half to report."""
    halves: tuple[Tables, Tables] = ({}, {})
    for kind in KINDS:
        styles = defaultdict(list)
        for table in document.get(kind, []):
            styles[table.get("style")].append(table)
        for tables in styles.values():
            ordered = sorted(tables, key=lambda table: _digest(table["text"]))
            middle = len(ordered) // 2
            for half, part in zip(halves, (ordered[:middle], ordered[middle:]), strict=True):
                half.setdefault(kind, []).extend(part)
    return halves


def _digest(text: str) -> bytes:
    return sha256(text.encode()).digest()


def _without(document: Mapping[str, Any], left_out: Collection[tuple[str, int]]) -> Tables:
    return {
        kind: [
            table
            for number, table in enumerate(document.get(kind, []), 1)
            if (kind, number) not in left_out
        ]
        for kind in KINDS
    }


def _counts(tables: Tables) -> str:
    return "; ".join(
        f"{len(tables[kind])} {kind}"
        + "".join(
            f", {count} {style}"
            for style, count in sorted(Counter(t.get("style", "") for t in tables[kind]).items())
            if style
        )
        for kind in tables
    )


def entries_of(content: Path) -> set[str]:
    """Return the entries of a studio that can be found. Raises: ContentError."""
    documents = documents_of(load(content), lambda kind, slug: f"/{kind}/{slug}")
    return {f"{document.kind}/{document.slug}" for document in documents}


def operation_names() -> set[str]:
    """Return the names of the stored operations."""
    return {
        definition.name.value
        for file in OPERATIONS.glob("*.graphql")
        for definition in parse(file.read_text(encoding="utf-8")).definitions
        if isinstance(definition, OperationDefinitionNode) and definition.name is not None
    }


def toml_of(tables: Tables) -> str:
    """Return the file of a half."""
    return "\n".join(
        f"[[{kind}]]\n" + "".join(f"{_key(key)} = {_value(value)}\n" for key, value in item.items())
        for kind, items in tables.items()
        for item in items
    )


def _value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_key(key)} = {_value(inner)}' for key, inner in value.items())}}}"
    # JSON's strings, numbers and booleans are valid TOML
    return json.dumps(value, ensure_ascii=False)


def _key(key: str) -> str:
    return key if key.isidentifier() and key.isascii() else json.dumps(key, ensure_ascii=False)


def _failed(reason: str) -> int:
    _say(reason)
    return 1


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
