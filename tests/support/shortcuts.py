"""The product without its plans and kept answers, or with a compiled plan for every query.

`TEST_SHORTCUTS=off` or `TEST_SHORTCUTS=on` does it for a whole run of the tests, also in the
servers that they start: what callers get must be the same either way. As a program it is the
command line of the product.
"""

import os
import sys
from pathlib import Path

from rest_bridge.endpoints import graphql_cache, read
from rest_bridge.http import response_cache
from sdl import plan
from studiograph.__main__ import main

CHOICE = os.environ.get("TEST_SHORTCUTS", "")
IS_OFF = CHOICE == "off"
ABOUT_THEM = (
    "surfaces/test_loop_turns.py",
    "surfaces/test_ready_answers.py",
    "surfaces/test_ready_posts.py",
    "surfaces/test_run_posts.py",
    "unit/rest_bridge/test_graphql_cache.py",
    "unit/sdl/test_plain_query.py",
    "unit/sdl/test_plan.py",
    "unit/sdl/test_plan_arguments.py",
)
"""The tests whose subject they are, which say nothing while they are off."""


def program() -> list[str]:
    """Return the words after `python` that start the product with this choice."""
    return [str(Path(__file__))] if CHOICE else ["-m", "studiograph"]


def choose() -> None:
    """Make the choice for this process."""
    if CHOICE not in ("", "off", "on"):
        raise SystemExit("TEST_SHORTCUTS must be `off` or `on`.")
    if CHOICE == "on":
        plan.WALKED_RUNS = 0
    if IS_OFF:
        plan.MAX_CONDITIONS = -1  # no query has so few
        response_cache.MAX_BYTES = graphql_cache.MAX_BYTES = read.NARROWED_BYTES = 0


if __name__ == "__main__":
    choose()
    sys.exit(main())
