"""A value made later is made once, and again only where making it failed."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from resolvers.ai.engine import Lazy


def test_it_is_made_once_however_many_ask() -> None:
    made: list[int] = []

    def make() -> int:
        made.append(len(made))
        return made[-1]

    later = Lazy(make)
    assert made == []
    with ThreadPoolExecutor(8) as pool:
        assert {pool.submit(later).result() for _ in range(50)} == {0}
    assert made == [0]


def test_what_failed_is_made_again() -> None:
    answers: list[int | Exception] = [ValueError("no"), 7]

    def make() -> int:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    later = Lazy(make)
    with pytest.raises(ValueError, match="no"):
        later()
    assert later() == later() == 7
