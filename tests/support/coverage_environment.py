"""The environment of processes whose coverage is not measured."""

import os


def unmeasured() -> dict[str, str]:
    """Return this process's environment without what has coverage measure a new process.

    For a process that ends by SIGKILL, which takes half as long again to measure and writes no
    result.
    """
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
