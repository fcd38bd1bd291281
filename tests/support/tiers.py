"""How many of many like cases a tier tries."""

import hypothesis

THOROUGH_EXAMPLES = 100
"""Of each property in `make long`, by its hypothesis profile."""


def step(quick: int) -> int:
    """Return `quick`, to try every so many-th case, or 1 in `make long`, to try them all."""
    is_thorough = hypothesis.settings().max_examples >= THOROUGH_EXAMPLES
    return 1 if is_thorough else quick
