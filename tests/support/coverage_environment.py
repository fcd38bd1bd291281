"""The environment of processes whose coverage is not measured."""

import os

PREFIX = "COVERAGE_"
_put_aside: dict[str, str] = {}


def measure_started_processes(*, is_wanted: bool) -> None:
    """Have coverage measure the processes that this one starts from now on, if it measures at all.

    Tracing takes the start of a server from 2.4 to 4.4 s of CPU.
    """
    if is_wanted:
        os.environ.update(_put_aside)
        _put_aside.clear()
        return
    for name in [name for name in os.environ if name.startswith(PREFIX)]:
        _put_aside[name] = os.environ.pop(name)


def unmeasured() -> dict[str, str]:
    """Return this process's environment without what has coverage measure a new process.

    For a process that ends by SIGKILL, which takes half as long again to measure and writes no
    result.
    """
    return {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
