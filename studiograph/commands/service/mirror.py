"""`studiograph mirror`: who came, what was asked for and not found, and what had no answer."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

import click

from content.importing.toml_writer import toml_value
from resolvers.usage.counts import Asked, MissingPath, Question, RequestKind
from resolvers.usage.report import SHOWN_FROM, AskedTogether, totals, unanswered
from resolvers.usage.store import REQUESTS, UsageStore
from studiograph.cli import failed, json_option, note, pass_settings, quiet_option
from studiograph.commands.table import print_table, print_text
from studiograph.settings import Settings, database_of
from studiograph.wiring.metrics import surface_of
from studiograph.wiring.proofs import system_clock

DAYS = 30
LONGEST = 10
"""How many lines a list has for a person; a program gets all."""
KINDS: dict[str, Callable[[RequestKind], str]] = {
    "agent": lambda kind: kind.agent,
    "surface": lambda kind: surface_of(kind.operation),
    "status": lambda kind: str(kind.status),
    "operation": lambda kind: kind.operation,
    "day": lambda kind: kind.day,
}
"""What requests are counted by, and how it is read off them."""
OFF = (
    "Questions are not kept. Set STUDIOGRAPH_MIRROR=questions to keep them without what could name"
    " their sender; agent.json and /agents.md then say so."
)


@dataclass(frozen=True)
class Mirror:
    """What the mirror shows."""

    requests: dict[str, Counter[str]]
    paths: Counter[str]
    questions: list[AskedTogether]
    goals: list[AskedTogether]
    asked: int
    hidden: int


@click.group(
    invoke_without_command=True,
    epilog="Example: studiograph mirror --days 7\nExample: studiograph mirror draft 1",
)
@click.option("--days", type=click.IntRange(1, REQUESTS.days), default=DAYS, help="How far back.")
@json_option
@quiet_option
@pass_settings
def command(settings: Settings, *, days: int, as_json: bool, quiet: bool) -> int:
    """Show who came, what was not found, and what the content did not answer.

    A running service writes it once a minute, so what came in the last minute is missing.
    """
    if click.get_current_context().invoked_subcommand is not None:
        return 0
    mirror = _read(settings, days)
    if as_json:
        print(json.dumps(_to_json(mirror)))
        return 0
    number = mirror.requests["agent"].total()
    print(f"{number} requests in {days} days, until a minute ago")
    for name, counter in mirror.requests.items():
        _print_list(f"by {name}", counter)
    _print_list("asked for, and not there", mirror.paths)
    _print_questions("Asked, and not answered", mirror.questions)
    _print_questions("Goals that no operation served", mirror.goals)
    for remark in () if quiet else _remarks(settings, mirror):
        note(remark)
    return 0


@command.command(epilog="Example: studiograph mirror draft 1 >> content/faq.toml")
@click.argument("number", type=click.IntRange(1))
@pass_settings
def draft(settings: Settings, *, number: int) -> int:
    """Print an entry of faq.toml for question NUMBER of the mirror with these days, as a draft."""
    parent = click.get_current_context().parent
    questions = _read(settings, parent.params["days"] if parent else DAYS).questions
    if number > len(questions):
        return failed(f"There are {len(questions)} questions; `studiograph mirror` numbers them.")
    text = toml_value(questions[number - 1].text)
    print(f"\n[[faq]]\ndraft = true  # kept out until this line is gone\nq = {text}")
    print('a = "Write the answer here."\ntags = []')
    return 0


def _read(settings: Settings, days: int) -> Mirror:
    """Return what was counted in the last days. Raises: DatabaseError."""
    database, today = database_of(settings), system_clock().date()
    store, first = UsageStore(database), today - timedelta(days - 1)
    requests, paths = Counter[RequestKind](), Counter[MissingPath]()
    asked, missing = Counter[Question](), Counter[str]()
    if database.is_initialised():  # looking makes no tables
        requests, paths, asked = store.requests(first), store.paths(first), store.questions(first)
    for path, number in paths.items():
        missing[path.path] += number
    questions, hidden = unanswered(asked, Asked.QUESTION, Asked.SEARCH)
    goals, hidden_goals = unanswered(asked, Asked.GOAL)
    return Mirror(
        {name: totals(requests, key) for name, key in KINDS.items()},
        Counter({path: n for path, n in missing.items() if n >= SHOWN_FROM}),
        questions,
        goals,
        asked.total(),
        hidden + hidden_goals,
    )


def _to_json(mirror: Mirror) -> dict[str, Any]:
    """Shape: `{requests: {agent, surface, ...}, missingPaths, questions, goals, asked, hidden}`."""
    return {
        "requests": {name: dict(c.most_common()) for name, c in mirror.requests.items()},
        "missingPaths": dict(mirror.paths.most_common()),
        "questions": [asdict(question) for question in mirror.questions],
        "goals": [asdict(goal) for goal in mirror.goals],
        "asked": mirror.asked,
        "hidden": mirror.hidden,
    }


def _print_list(title: str, counter: Counter[str]) -> None:
    if counter:
        print(f"\n{title}")
        for name, number in counter.most_common(LONGEST):
            print_text(f"{number:>8}  {name}")


def _print_questions(title: str, questions: list[AskedTogether]) -> None:
    if questions:
        print(f"\n{title}")
        rows = [
            (f"{i:>3}", q.text, f"{q.callers} callers", f"{q.times} times", ", ".join(q.channels))
            for i, q in enumerate(questions, 1)
        ]
        print_table(("", "QUESTION", "CALLERS", "TIMES", "BY"), rows)


def _remarks(settings: Settings, mirror: Mirror) -> Iterator[str]:
    if settings.mirror == "off":
        yield "Nothing is counted: STUDIOGRAPH_MIRROR is off."
    if mirror.questions:
        yield "`studiograph mirror draft N` prints an entry of faq.toml for question N."
    if mirror.hidden:
        yield (
            f"{mirror.hidden} more that the content did not answer are shown once {SHOWN_FROM}"
            " callers have asked in the same words."
        )
    if settings.mirror == "counts" and not mirror.asked:
        yield OFF
