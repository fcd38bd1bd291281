"""The command line. Exit codes: 0 done, 1 something is wrong and was said, 2 the call was wrong."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from content.faults import ContentError
from resolvers.proofs.faults import ProofFault
from sdl.faults import OperationError
from studiograph.commands import check, get, github, identity, keys, log, schema, serve, verify
from studiograph.settings import SettingsError, read_settings


def main(words: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = argparse.ArgumentParser(prog="studiograph", description="One surface for AI agents.")
    parser.add_argument(
        "--version", action="version", version=f"studiograph {version('studiograph')}"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in (serve, check, get, verify, keys, log, identity, github, schema):
        command.add(commands)
    arguments = parser.parse_args(words)
    try:
        settings = read_settings(os.environ, Path(".env"))
        code: int = arguments.run(arguments, settings)
        sys.stdout.flush()
    except (SettingsError, ContentError, OperationError, ProofFault) as error:
        print(error, file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader has had enough: `studiograph get ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code


if __name__ == "__main__":
    sys.exit(main())
