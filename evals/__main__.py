"""Start the service on each studio, ask it the questions and score the answers."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx

from evals.failures import failures
from evals.lints import Lints, lints
from evals.material import HALVES, STUDIOS, Half, materials
from evals.report import Report, as_json, markdown, table
from evals.scores import scores, slices
from evals.server import started
from evals.system import MeasuredSystemError
from evals.trial import Trial, trial


def main(command_line: Sequence[str]) -> int:
    """Print the report; return 0, or 1 if the service cannot be measured."""
    parser = argparse.ArgumentParser(prog="python -m evals", description=__doc__)
    parser.add_argument(
        "--half", choices=HALVES, default="report", help="which half of the questions"
    )
    parser.add_argument("--studio", choices=STUDIOS, help="only this studio (default: all)")
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print JSON")
    output.add_argument(
        "--markdown", action="store_true", help="print the tables of docs/answers.md"
    )
    output.add_argument(
        "--failures", action="store_true", help="list what was missed (only with --half tune)"
    )
    arguments = parser.parse_args(command_line)
    half: Half = arguments.half
    if arguments.failures and half == "report":
        parser.error(
            "--failures shows questions, and whoever has seen those of the half to report would "
            "tune on them; use --half tune --failures"
        )
    studios = [arguments.studio] if arguments.studio else [*STUDIOS]
    try:
        measured = [measure(half, studio) for studio in studios]
    except MeasuredSystemError as error:
        sys.stderr.write(f"Not measured: {error}.\n")
        return 1
    except httpx.TransportError:
        sys.stderr.write("Not measured: the service stopped answering.\n")
        return 1
    if arguments.failures:
        for report, done in measured:
            for item in failures(done):
                sys.stdout.write(f"{report.studio}, {item}\n\n")
        return 0
    render = as_json if arguments.json else markdown if arguments.markdown else table
    sys.stdout.write(f"{render([report for report, _ in measured])}\n")
    return 0


def measure(half: Half, studio: str) -> tuple[Report, Trial]:
    """Return what was measured on a studio, and the results. Raises: MeasuredSystemError."""
    content = STUDIOS[studio]
    with TemporaryDirectory() as folder:
        data = Path(folder)
        with started(content, data, os.environ) as running:
            about = {"studio": studio, "half": half, **running.service.about()}
            done = trial(running.service, materials(half, studio))
            checks = lints(half) if studio == "sample" else Lints()
            first, megabytes = running.seconds, running.megabytes()
        with started(content, data, os.environ) as running:
            starts = (first, running.seconds)
    return Report(studio, about, scores(done, checks, starts, megabytes), slices(done)), done


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
