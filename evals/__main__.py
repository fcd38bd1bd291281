"""`python -m evals`: the service is started over the sample studio, asked, and judged."""

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
from evals.system import SystemFault
from evals.trial import trial

EVERY = "all"


def main(words: Sequence[str]) -> int:
    """0 once the report is printed, 1 when the service cannot be measured."""
    parser = argparse.ArgumentParser(prog="python -m evals", description=__doc__)
    parser.add_argument("--half", choices=(*HALVES, EVERY), default="test", help="which questions")
    parser.add_argument(
        "--data",
        type=Path,
        help="a data folder to use, for instance one that"
        " holds a pulled model; without it, an empty one",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON")
    form.add_argument("--markdown", action="store_true", help="print the table of docs/answers.md")
    arguments = parser.parse_args(words)
    halves: tuple[Half, ...] = HALVES if arguments.half == EVERY else (arguments.half,)
    try:
        with TemporaryDirectory() as empty:
            about, found = measure(halves, arguments.data or Path(empty))
    except SystemFault as fault:
        sys.stderr.write(f"Not measured: {fault}.\n")
        return 1
    except httpx.TransportError:
        sys.stderr.write("Not measured: the service stopped answering.\n")
        return 1
    form_of = as_json if arguments.json else markdown if arguments.markdown else table
    sys.stdout.write(f"{form_of({'half': arguments.half, **about}, found)}\n")
    return 0


def measure(halves: Sequence[Half], data: Path) -> tuple[dict[str, Any], list[Score]]:
    """What ran, and its scores. Raises: SystemFault."""
    with started(data.resolve(), os.environ) as running:
        service = running.service
        about = service.about()
        asked = trial(service, questions(*halves), goals(*halves), _progress)
        judged = lints(halves, service.embed)
        return about, scores(asked, judged, running.seconds, running.megabytes())


def _progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        end = "\n" if done == total - 1 else ""
        sys.stderr.write(f"\r{done + 1} of {total}{end}")
        sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
