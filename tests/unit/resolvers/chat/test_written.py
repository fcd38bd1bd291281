"""What of a language model's text goes out, in whatever pieces it comes."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest
from test_check import INVENTIONS, SOURCES

from resolvers.chat.conversation import Finish, TextDelta
from resolvers.chat.written import checked

GOOD = "The workshop repairs clocks and barometers. [1]"


def gone_out(text: str, size: int = 7) -> tuple[str, Finish]:
    """What goes out of a text that comes in pieces of this size, and the end."""

    async def pieces() -> AsyncGenerator[TextDelta | Finish]:
        for start in range(0, len(text), size):
            yield TextDelta(text[start : start + size])
        yield Finish("stop")

    async def hear() -> Sequence[TextDelta | Finish]:
        return [piece async for piece in checked(pieces(), SOURCES, ())]

    *said, end = asyncio.run(hear())
    assert isinstance(end, Finish)
    return "".join(piece.text for piece in said if isinstance(piece, TextDelta)), end


@pytest.mark.parametrize("size", [1, 3, 50, 10_000])
def test_the_size_of_the_pieces_changes_nothing(size: int) -> None:
    text = f"{GOOD} She repairs wristwatches. [1] The price is 140 euros for a mantel clock [1].\n"
    said, end = gone_out(text, size)
    assert said == f"{GOOD} The price is 140 euros for a mantel clock. [1]"
    assert end.removed == ("polarity",)


def test_of_fifty_inventions_none_goes_out() -> None:
    said, end = gone_out("\n".join([*INVENTIONS, GOOD]))
    assert said == GOOD
    assert len(end.removed) >= 50


@pytest.mark.parametrize(
    "text",
    [
        f"<think>The workshop repairs clocks and barometers. [1]</think>{GOOD}",
        f"<think>so</think>\n{GOOD}<think>and more",
        f"<think>{'long ' * 2000}</think> {GOOD}",
    ],
)
@pytest.mark.parametrize("size", [1, 5, 64])
def test_thoughts_are_no_part_of_an_answer(text: str, size: int) -> None:
    assert gone_out(text, size)[0] == GOOD


@pytest.mark.parametrize(
    "marker", ["[1]", "[^1]", "\u30101\u3011", "[1, 1]", "[source 1]", "[Passage 1]", "[1\u2020x]"]
)
def test_markers_may_be_written_in_other_ways(marker: str) -> None:
    assert gone_out(f"The workshop repairs clocks {marker}.")[0].endswith("clocks. [1]")


def test_a_source_that_was_not_given_is_not_cited() -> None:
    assert gone_out("The workshop repairs clocks. [1][9]")[0].endswith("clocks. [1]")


@pytest.mark.parametrize("text", ["NOT_FOUND", "NOT_FOUND. But clocks tick. [1]", "", " \n"])
def test_a_model_that_found_nothing_says_nothing(text: str) -> None:
    assert gone_out(text)[0] == ""


def test_a_sentence_without_an_end_is_dropped_at_a_limit() -> None:
    said, end = gone_out("clocks " * 5_000)
    assert said == ""
    assert "coverage" in end.removed
