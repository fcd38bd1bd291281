"""Which lists have lost most of their entries."""

from pathlib import Path

import pytest

from content.reading.reader import load
from content.reading.revision import losses
from schema.site import Site


def entries(count: int) -> dict[str, list[str]]:
    return {"faq": ["entry"] * count}


@pytest.mark.parametrize(
    ("before", "after"),
    [(0, 0), (0, 3), (1, 1), (2, 1), (3, 2), (4, 2), (38, 19), (38, 40)],
)
def test_half_of_a_list_or_more_is_enough(before: int, after: int) -> None:
    assert [*losses(entries(before), entries(after))] == []


@pytest.mark.parametrize(("before", "after"), [(1, 0), (2, 0), (3, 1), (5, 2), (38, 18), (38, 0)])
def test_less_than_half_of_a_list_is_a_loss(before: int, after: int) -> None:
    assert [*losses(entries(before), entries(after))] == [f"faq ({after} of {before})"]


def test_a_list_or_an_object_that_is_missing_is_a_loss_wherever_it_stands() -> None:
    before = {"faq": ["a"], "studio": {"practice": ["a", "b", "c"], "onChain": {"wallets": ["a"]}}}
    assert [*losses(before, {"studio": {"practice": ["a"]}})] == [
        "faq (0 of 1)",
        "studio.practice (1 of 3)",
        "studio.onChain (0 of 1)",
    ]
    assert [*losses({}, before)] == []


@pytest.mark.parametrize("name", ["faq", "headlineNumbers", "studio.journey"])
def test_a_file_that_is_empty_cut_or_gone_is_a_loss(folder: Path, sample: Site, name: str) -> None:
    file = folder / f"{name}.toml"
    mark = f"[[{name.rpartition('.')[2]}]]"
    first, second, *_ = file.read_text().split(mark)[1:]
    file.write_text(f"{mark}{first}{mark}{second}")
    before = sample.to_json()
    [cut] = losses(before, load(folder).to_json())
    file.write_text("")
    [empty] = losses(before, load(folder).to_json())
    file.unlink()
    [gone] = losses(before, load(folder).to_json())
    assert (cut, empty) == (gone.replace("(0", "(2"), gone)
    assert gone.startswith(f"{name} (0 of ")
