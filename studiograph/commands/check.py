"""`studiograph check`: everything wrong with content and operations, in one run.

A warning is told and changes nothing: with warnings alone, all is in order.
"""

import argparse
import json
from dataclasses import asdict
from typing import Any

from content.faults import ContentError, ContentFault
from content.revision import read_revision
from resolvers.proofs.journal import REPAIR, rewriting
from resolvers.proofs.log import leaves_of
from schema.site import Site
from sdl.faults import OperationError, OperationFault
from studiograph.app import load_operations
from studiograph.goalposts import few_goals
from studiograph.proofs import journal_of
from studiograph.settings import Settings


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser("check", help="check the content and the stored operations")
    parser.add_argument("--json", action="store_true", help="print the faults as JSON")
    parser.add_argument("--quiet", action="store_true", help="print nothing but faults")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """0 when nothing is wrong, else 1."""
    faults: list[Any] = []
    warnings: list[OperationFault] = []
    summary = ""
    try:
        revision = read_revision(settings.content)
        summary = f"content is sound: {revision.digest}"
        faults += _rewritten(settings, revision.site)
    except ContentError as error:
        faults += error.faults
    try:
        warnings += few_goals(load_operations())
    except OperationError as error:
        faults += error.faults
    if arguments.json:
        told = {"faults": faults, "warnings": warnings}
        listed = {name: [asdict(each) for each in found] for name, found in told.items()}
        print(json.dumps({"ok": not faults, **listed}))
    else:
        for fault in faults:
            print(fault)
        for warning in () if arguments.quiet else warnings:
            print(f"{warning} (a warning)")
        if not faults and not arguments.quiet:
            print(summary)
    return 1 if faults else 0


def _rewritten(settings: Settings, site: Site) -> list[ContentFault]:
    """What the changelog says otherwise than it was published. Raises: ProofFault."""
    journal = journal_of(settings)
    known = journal.published() if journal.is_begun() else None
    wrong = rewriting(known[1], leaves_of(site.changelog)) if known else None
    file = f"{settings.content.name}/changelog.toml"
    return [ContentFault(file, 1, "changelog", wrong, REPAIR)] if wrong else []
