"""The command line. Exit codes: 0 done, 1 something is wrong and was said, 2 the call was wrong."""

import argparse
import os
import resource
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

from content.faults import ContentError
from resolvers.letters.destinations import Destinations
from resolvers.proofs.faults import ProofFault
from resolvers.state.database import StateFault
from schema.errors import Unavailable
from sdl.faults import OperationError
from studiograph.commands import (
    check,
    get,
    github,
    identity,
    inbox,
    index,
    jobs,
    keys,
    log,
    mailbox,
    mcp,
    models,
    schema,
    serve,
    subscribers,
    verify,
    webhook,
)
from studiograph.settings import Settings, SettingsError, read_settings

LIBRARIES = {
    "OPENBLAS_NUM_THREADS": "1",  # or its threads wait for each other under load
    "OMP_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "ANONYMIZED_TELEMETRY": "False",
    "ORT_DISABLE_TELEMETRY": "1",  # or onnxruntime tells its makers that it runs
}
"""What the libraries of the models read when they are loaded."""


def main(
    words: Sequence[str] | None = None,
    *,
    destinations: Callable[[Settings], Destinations] | None = None,
) -> int:
    """Run one command and return its exit code; webhooks go to public hosts, if nothing else."""
    parser = argparse.ArgumentParser(prog="studiograph", description="One surface for AI agents.")
    parser.add_argument(
        "--version", action="version", version=f"studiograph {version('studiograph')}"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    every = (
        *(serve, check, get, verify, keys, log, identity, inbox, mailbox, subscribers, jobs),
        *(webhook, github, models, index, mcp, schema),
    )
    for command in every:
        command.add(commands)
    arguments = parser.parse_args(words)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core would hold the signing keys
    for name, value in LIBRARIES.items():
        os.environ.setdefault(name, value)
    try:
        settings = read_settings(os.environ, Path(".env"))
        arguments.destinations = destinations(settings) if destinations else None
        code: int = arguments.run(arguments, settings)
        print(end="", flush=True)  # which does nothing where there is no standard output
    except (
        SettingsError,
        ContentError,
        OperationError,
        ProofFault,
        StateFault,
        Unavailable,
    ) as error:
        print(error, file=sys.stderr)
        failed: int = getattr(arguments, "failed", 1)
        return failed
    except BrokenPipeError:  # the reader has had enough: `studiograph get ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code


if __name__ == "__main__":
    sys.exit(main())
