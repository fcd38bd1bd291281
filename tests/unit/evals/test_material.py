"""The questions of all authors are sound; a failure shows numbers and rules, and no question."""

import tomllib
from typing import get_args

import pytest

from evals.__main__ import main
from evals.material import (
    FOLDER,
    HALVES,
    ROOT,
    STUDIOS,
    ChatStyle,
    Half,
    SearchStyle,
    materials,
)
from evals.split import entries_of, operation_names, problems_of


@pytest.mark.parametrize("studio", STUDIOS)
@pytest.mark.parametrize("half", HALVES)
def test_no_file_has_a_problem(half: Half, studio: str) -> None:
    known, operations = entries_of(STUDIOS[studio]), operation_names()
    files = [*(FOLDER / half).glob(f"*-{studio}.toml")]
    assert files
    assert [
        (file.name, *problem)
        for file in files
        for problem in problems_of(tomllib.loads(file.read_text("utf-8")), known, operations)
    ] == []


@pytest.mark.parametrize("studio", ["sample", "second"])
@pytest.mark.parametrize("half", HALVES)
def test_a_half_has_questions_of_each_style(half: Half, studio: str) -> None:
    found = materials(half, studio)
    assert {chat.style for item in found for chat in item.chats} == {*get_args(ChatStyle)}
    assert {search.style for item in found for search in item.searches} == {*get_args(SearchStyle)}
    assert any(item.goals for item in found)


def texts(half: Half, studio: str) -> set[tuple[str, str]]:
    """The questions of a half with their kinds, spelled alike."""
    return {
        (kind, " ".join(text.casefold().split()))
        for item in materials(half, studio)
        for kind, found in (
            ("chat", [chat.text for chat in item.chats]),
            ("search", [search.text for search in item.searches]),
            ("goal", [goal.text for goal in item.goals]),
        )
        for text in found
    }


@pytest.mark.parametrize("studio", STUDIOS)
def test_no_question_stands_in_both_halves(studio: str) -> None:
    # a count, because a failing comparison of sets would show the questions
    in_both = len(texts("tune", studio) & texts("report", studio))
    assert in_both == 0


@pytest.mark.parametrize("studio", STUDIOS)
def test_no_question_of_the_half_to_report_is_an_example_in_the_product(studio: str) -> None:
    files = (
        file
        for folder in ("schema", "resolvers", "sdl")
        for kind in ("py", "graphql")
        for file in (ROOT / folder).rglob(f"*.{kind}")
    )
    product = " ".join(" ".join(file.read_text("utf-8").casefold().split()) for file in files)
    asked = [text for kind, text in texts("report", studio) if kind != "search"]
    repeated = sum(text in product for text in asked)  # a count shows no question
    assert repeated == 0
    assert len(asked) > 0


def test_every_file_is_of_a_studio() -> None:
    stems = [file.stem.rpartition("-")[2] for file in FOLDER.glob("*/*.toml")]
    assert {*stems} == {*STUDIOS}


def test_failures_of_the_half_to_report_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--failures"])
    assert "use --half tune --failures" in capsys.readouterr().err
