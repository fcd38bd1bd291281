"""A check over many cases that reports every case that fails."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def offenders(check: Callable[..., Any], *cases: Iterable[object]) -> list[str]:
    """What each case fails that the check fails; with several lists, every combination of them.

    A case that is a tuple, or a `pytest.param`, is spread over the arguments.
    """
    found: list[str] = []
    for values in _combined(list(cases)):
        try:
            check(*values)
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - told with the others
            found.append(f"{values!r:.200}: {type(error).__name__}: {error!s:.400}")
    return found


def _combined(lists: list[Iterable[object]]) -> Iterable[tuple[object, ...]]:
    if not lists:
        return [()]
    rest = list(_combined(lists[1:]))
    return [(*_spread(first), *others) for first in lists[0] for others in rest]


def _spread(case: object) -> tuple[object, ...]:
    if isinstance(case, type(pytest.param())):
        return tuple(case.values)
    return case if isinstance(case, tuple) else (case,)
