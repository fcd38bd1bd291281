"""Commands that run in this process."""

from collections.abc import Callable

import pytest

from studiograph.__main__ import main
from studiograph.settings import Settings, settings_here

Run = Callable[..., tuple[int, str, str]]
"""Runs a command with these words: its exit code, its output and its errors."""


def runs(
    capsys: pytest.CaptureFixture[str], *command: str, settings: Settings | None = None
) -> Run:
    """Return what runs a command, with these settings or others that are given (`having`)."""

    def once(*words: str, having: Settings | None = settings) -> tuple[int, str, str]:
        code = main([*command, *words], settings=lambda: having or settings_here())
        said = capsys.readouterr()
        return code, said.out, said.err

    return once
