"""Superlatives over the figures that several projects have, in the order asked for."""

from pathlib import Path

import pytest
from boatyard import BY_WORDS
from fact_answers import answers_by_words, table_of
from minimal_studio import write_minimal_studio

from resolvers.facts.figures import MAX_RANKED, Figures
from resolvers.facts.router import FactRouter

PROJECT = """
[[projects]]
slug = "{slug}"
name = "{name}"
tagline = "A table of the tides"
summary = "It was drawn for the harbour."
status = "in-production"
domain = ["tides"]
stack = ["paper"]
ownership = "studio"
startedAt = "2024-0{days}"
keywords = ["tides"]
actions = []
relatedProjects = []
lastUpdated = 2026-01-01

[[projects.highlights]]
label = "Time on site"
value = "{days} working days"
detail = "Counted in the diary."

[[projects.highlights]]
label = "Gauges of {name}"
value = "{days} gauges"
detail = "Counted in the diary."
"""
NAMES = ("Tern", "Plover", "Curlew", "Dunlin")
DAYS = (5, 2, 9, 7)


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A studio with four projects, each with the days that it took."""
    folder = write_minimal_studio(tmp_path_factory.mktemp("figures") / "content")
    (folder / "domains.toml").write_text(
        '[[domains]]\nslug = "tides"\nname = "Tides"\ntagline = "Water"\nsummary = "Water rises."\n'
    )
    (folder / "projects.toml").write_text(
        "".join(
            PROJECT.format(slug=name.lower(), name=name, days=days)
            for name, days in zip(NAMES, DAYS, strict=True)
        )
    )
    return folder


def ranked(studio: Path, question: str) -> list[str]:
    """What is said of the figures of a studio."""
    table = table_of(studio)
    parsed = FactRouter(table, BY_WORDS, {}).parse(question)
    return [statement.text for statement in Figures(table).ranked(parsed)]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("which project took the least time on site?", ["Plover", "Tern", "Dunlin"]),
        ("which took the most days on site", ["Curlew", "Dunlin", "Tern"]),
        ("quickest job?", ["Plover", "Tern", "Dunlin"]),
        ("where was the time on site longer, Tern or Dunlin?", ["Dunlin", "Tern"]),
    ],
)
def test_the_entry_that_has_most_or_least_of_a_figure_comes_first(
    studio: Path, question: str, names: list[str]
) -> None:
    days: dict[str, int] = dict(zip(NAMES, DAYS, strict=True))
    assert len(names) <= MAX_RANKED
    assert ranked(studio, question) == [
        f"{name}, Time on site: {days[name]} working days." for name in names
    ]


@pytest.mark.parametrize(
    "question",
    [
        "how long was the time on site",  # no superlative
        "which is the most beautiful",  # no figure is named
        "which has the most gauges",  # no two have this figure
        "what was the longest time on site of Tern",  # one alone is named
        "which is the longest-running project",  # it asks for a day
    ],
)
def test_what_does_not_compare_figures_is_not_ranked(studio: Path, question: str) -> None:
    assert ranked(studio, question) == []


def test_an_answer_cites_the_figure_of_each_entry(studio: Path) -> None:
    answer = answers_by_words(studio).answer("which project took the least time on site?")
    assert answer.answered == "yes"
    assert [(line.url, line.pointer) for line in answer.lines] == [
        (f"/api/projects/{slug}", "/highlights/0") for slug in ("plover", "tern", "dunlin")
    ]


def test_the_project_that_runs_longest_is_the_oldest(studio: Path) -> None:
    (line,) = answers_by_words(studio).answer("which is the longest-running project").lines
    assert line.text == "Oldest: Plover (2024-02)."
