"""How fast it delivers: every comparison, by one command.

    python -m benches [--quick] [--only NAME] [--write]

Each server runs on the first core and the clients on the others. Each round asks all servers one
after the other, every other round in the opposite order. A cost is the CPU time of the server's
process, as /proc has it, by the number of answers, at 16 connections; a ratio is the median over
the rounds. Whatever is compared is checked to be the same content first. `--write` puts the tables
into docs/performance.md.
"""

import argparse
import os
import platform
import re
import sys
import time
from pathlib import Path

from benches import answers, growth, queries, reads, start, tools, waiting
from benches.http_load import ROOT, Pace
from benches.table import Table

MEASURES = {
    "reads": reads.measure,
    "queries": queries.measure,
    "tools": tools.measure,
    "waiting": waiting.measure,
    "answers": answers.measure,
    "start": start.measure,
    "growth": growth.measure,
}
PAGE = ROOT / "docs" / "performance.md"
FULL, QUICK = Pace(5, 0.5), Pace(1, 0.2, is_quick=True)


def main() -> int:
    """0 once it is measured."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--quick", action="store_true", help="two minutes, and rougher figures")
    parser.add_argument("--only", choices=MEASURES, action="append", help="only this part")
    parser.add_argument("--write", action="store_true", help="write the tables into the docs")
    words = parser.parse_args()
    began, pace = time.monotonic(), QUICK if words.quick else FULL
    if (cores := sorted(os.sched_getaffinity(0)))[1:]:
        os.sched_setaffinity(0, cores[1:])
    for name in words.only or MEASURES:
        for result in MEASURES[name](pace):
            print(result.text(), flush=True)
            if words.write:
                replace_block(PAGE, result)
    print(f"{describe(cores)}; {time.monotonic() - began:.0f} s", file=sys.stderr)
    return 0


def describe(cores: list[int]) -> str:
    """Return the machine in a few words."""
    return f"{len(cores)} cores, {platform.machine()}, Python {platform.python_version()}"


def replace_block(page: Path, table: Table) -> None:
    """Put a table in place of the one with its title; raise `SystemExit` if there is none."""
    text = page.read_text()
    block = re.compile(
        rf"^### {re.escape(table.title)}\n.*?^\| .*?\n(?!\|)", re.DOTALL | re.MULTILINE
    )
    if not block.search(text):
        raise SystemExit(f"{page.name} has no table {table.title!r}")
    page.write_text(block.sub(lambda _: table.markdown(), text, count=1))


if __name__ == "__main__":
    sys.exit(main())
