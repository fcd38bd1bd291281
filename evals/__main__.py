"""Start the service with the sample studio, ask it the questions and score the answers."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from evals.lints import lints
from evals.questions import HALVES, Half, goals, questions
from evals.report import as_json, markdown, table
from evals.scores import Score, scores
from evals.server import started
from evals.system import MeasuredSystemError
from evals.trial import trial

EVERY = "all"


def main(command_line: Sequence[str]) -> int:
    """Print the report; return 0, or 1 if the service cannot be measured."""
    parser = argparse.ArgumentParser(prog="python -m evals", description=__doc__)
    parser.add_argument(
        "--half", choices=(*HALVES, EVERY), default="test", help="which half of the questions"
    )
    parser.add_argument(
        "--data",
        type=Path,
        help="the data folder, for example one with a downloaded model (default: an empty one)",
    )
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print JSON")
    output.add_argument(
        "--markdown", action="store_true", help="print the table of docs/answers.md"
    )
    arguments = parser.parse_args(command_line)
    halves: tuple[Half, ...] = HALVES if arguments.half == EVERY else (arguments.half,)
    try:
        with TemporaryDirectory() as empty:
            about, results = measure(halves, arguments.data or Path(empty))
    except MeasuredSystemError as error:
        sys.stderr.write(f"Not measured: {error}.\n")
        return 1
    except httpx.TransportError:
        sys.stderr.write("Not measured: the service stopped answering.\n")
        return 1
    render = as_json if arguments.json else markdown if arguments.markdown else table
    sys.stdout.write(f"{render({'half': arguments.half, **about}, results)}\n")
    return 0


def measure(halves: Sequence[Half], data: Path) -> tuple[dict[str, Any], list[Score]]:
    """Return the measured system's description and its scores. Raises: MeasuredSystemError."""
    with started(data.resolve(), os.environ) as running:
        service = running.service
        about = service.about()
        results = trial(service, questions(*halves), goals(*halves), _progress)
        checks = lints(halves, service.embed)
        return about, scores(results, checks, running.seconds, running.megabytes())


def _progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        end = "\n" if done == total - 1 else ""
        sys.stderr.write(f"\r{done + 1} of {total}{end}")
        sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
