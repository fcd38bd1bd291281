"""`studiograph check`: everything wrong with content and operations, in one run.

A warning is told and changes nothing: with warnings alone, all is in order.
"""

import json
from dataclasses import asdict
from typing import Any

import click

from content.errors import ContentError, ContentProblem
from content.revision import read_revision
from resolvers.intent.operations import missing_goals
from resolvers.transparency.log import leaves_of
from resolvers.transparency.store import REPAIR_HINT, history_violation
from schema.site import Site
from sdl.problems import OperationError, OperationProblem
from studiograph.app import load_operations
from studiograph.cli import json_option, pass_settings, quiet_option
from studiograph.settings import Settings
from studiograph.wiring.proofs import proof_store


@click.command()
@json_option
@quiet_option
@pass_settings
def command(settings: Settings, *, as_json: bool, quiet: bool) -> int:
    """Check the content and the stored operations, and tell every fault at once."""
    faults: list[Any] = []
    warnings: list[OperationProblem] = []
    summary = ""
    try:
        revision = read_revision(settings.content)
        summary = f"content is sound: {revision.digest}"
        faults += _rewritten(settings, revision.site)
    except ContentError as error:
        faults += error.problems
    try:
        warnings += missing_goals(load_operations())
    except OperationError as error:
        faults += error.problems
    if as_json:
        told = {"faults": faults, "warnings": warnings}
        listed = {name: [asdict(each) for each in found] for name, found in told.items()}
        print(json.dumps({"ok": not faults, **listed}))
    else:
        for fault in faults:
            print(fault)
        for warning in () if quiet else warnings:
            print(f"{warning} (a warning)")
        if not faults and not quiet:
            print(summary)
    return 1 if faults else 0


def _rewritten(settings: Settings, site: Site) -> list[ContentProblem]:
    """What the changelog says otherwise than it was published. Raises: ProofFault."""
    journal = proof_store(settings)
    known = journal.current_log() if journal.is_initialised() else None
    wrong = history_violation(known[1], leaves_of(site.changelog)) if known else None
    file = f"{settings.content.name}/changelog.toml"
    return [ContentProblem(file, 1, "changelog", wrong, REPAIR_HINT)] if wrong else []
