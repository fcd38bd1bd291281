"""`studiograph check`: all problems of content and stored operations, in one run.

Warnings are printed and do not change the exit code.
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
from sdl.operation_problems import OperationError, OperationProblem
from studiograph.application import load_operations
from studiograph.cli import json_option, pass_settings, quiet_option
from studiograph.settings import Settings
from studiograph.wiring.proofs import proof_store


@click.command()
@json_option
@quiet_option
@pass_settings
def command(settings: Settings, *, as_json: bool, quiet: bool) -> int:
    """Check the content and the stored operations; print every problem and how to fix it."""
    problems: list[Any] = []
    warnings: list[OperationProblem] = []
    summary = ""
    try:
        revision = read_revision(settings.content)
        summary = f"content is valid: {revision.digest}"
        problems += _changed_history(settings, revision.site)
    except ContentError as error:
        problems += error.problems
    try:
        warnings += missing_goals(load_operations())
    except OperationError as error:
        problems += error.problems
    if as_json:
        report = {
            "ok": not problems,
            "faults": [asdict(problem) for problem in problems],
            "warnings": [asdict(warning) for warning in warnings],
        }
        print(json.dumps(report))
    else:
        for problem in problems:
            print(problem)
        for warning in () if quiet else warnings:
            print(f"{warning} (a warning)")
        if not problems and not quiet:
            print(summary)
    return 1 if problems else 0


def _changed_history(settings: Settings, site: Site) -> list[ContentProblem]:
    """Return the problem of a changelog that changes published entries; raise ProofError."""
    journal = proof_store(settings)
    published = journal.current_log() if journal.is_initialised() else None
    rule = history_violation(published[1], leaves_of(site.changelog)) if published else None
    file = f"{settings.content.name}/changelog.toml"
    return [ContentProblem(file, 1, "changelog", rule, REPAIR_HINT)] if rule else []
