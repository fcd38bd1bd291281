"""`studiograph check`: all problems of content and stored operations, in one run.

Warnings are printed and change the exit code only if they are asked to: goals that are missing,
questions that agents ask first and the content does not answer, files beside the content that
nothing reads, an address that is not the one the service says, characters that nobody sees, and,
where asked, links that lead nowhere.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import urlsplit

import click
import httpx

from content.checking.errors import ContentError, ContentProblem, Finding
from content.checking.first_questions import FIRST_QUESTIONS, in_short, unanswered_questions
from content.checking.links import links_of
from content.checking.local_links import changelog_links, local_links
from content.checking.own_paths import relative_links
from content.checking.references import older_than_changes
from content.checking.texts import hidden_characters, unfinished_entries
from content.importing.new_entry import left_examples
from content.reading.revision import Revision, read_revision
from content.reading.unread_files import files_elsewhere
from resolvers.intent.operations import missing_goals
from resolvers.transparency.log import Leaf, leaves_of
from resolvers.transparency.store import REPAIR_HINT, history_violation
from schema.site import Site
from sdl.operations.rules import OperationError, OperationProblem
from sdl.running.runner import Operations
from studiograph.application import own_operations, read_content
from studiograph.cli import json_option, pass_settings, progress, quiet_option
from studiograph.settings import Settings
from studiograph.wiring.proofs import proof_store

LINK_SECONDS = 10


@dataclass
class Findings:
    """What is wrong with the content and the operations, each with its fix."""

    faults: list[Any] = field(default_factory=list)
    warnings: list[ContentProblem | OperationProblem] = field(default_factory=list)
    questions: list[ContentProblem] = field(default_factory=list)
    """What agents ask first and nothing answers."""
    digest: str = ""
    """That of the content, if it could be read."""

    def warning_lines(self, *, each: bool = False) -> Iterator[str]:
        """Yield the warnings, and the questions without an answer: each of them, or in short."""
        shown = self.questions if each else in_short(self.questions)
        for warning in (*self.warnings, *shown):
            yield f"{warning} (a warning)"
        if len(shown) < len(self.questions):
            asked = f"the {len(FIRST_QUESTIONS)} questions that agents ask first have no answer"
            fix = "studiograph check --all names each with its fix"
            yield f"{len(self.questions)} of {asked}; {fix}"


@click.command(epilog="Example: studiograph check --strict --links")
@click.option("--strict", is_flag=True, help="Let a warning fail the check too.")
@click.option("--links", is_flag=True, help="Ask for every address in the content.")
@click.option("--all", "each", is_flag=True, help="Name each first question without an answer.")
@json_option
@quiet_option
@pass_settings
def command(  # noqa: PLR0913 - one for each option
    settings: Settings, *, strict: bool, links: bool, each: bool, as_json: bool, quiet: bool
) -> int:
    """Check the content and the stored operations; print every problem and how to fix it."""
    found = look(settings, links=links, quiet=quiet)
    if as_json:
        report = {
            "ok": not found.faults,
            "faults": [asdict(fault) for fault in found.faults],
            "warnings": [asdict(warning) for warning in (*found.warnings, *found.questions)],
        }
        print(json.dumps(report))
    else:
        for fault in found.faults:
            print(fault)
        if strict or not quiet:
            for line in found.warning_lines(each=each):
                print(line)
        if not found.faults and not quiet:
            print(f"content is valid: {found.digest}")
    return 1 if found.faults or (strict and (found.warnings or found.questions)) else 0


def look(settings: Settings, *, links: bool = False, quiet: bool = True) -> Findings:
    """Return what is wrong with the content and the operations; ask for each link if told to.

    Raises: ProofError.
    """
    found = Findings()
    operations = None
    try:
        operations = own_operations()
        found.warnings += missing_goals(operations)
    except OperationError as error:
        found.faults += error.problems
    try:
        revision = _content(settings, operations)
        found.digest = revision.digest
        dead = _dead_links(revision.site, quiet=quiet) if links else ()
        faults, warned = faults_and_warnings(settings, revision, dead)
        found.faults += faults
        found.warnings[:0] = warned
        found.questions = revision.locate(unanswered_questions(revision.site))
    except ContentError as error:
        found.faults += error.problems
    return found


def faults_and_warnings(
    settings: Settings, revision: Revision, more: Iterable[Finding] = ()
) -> tuple[list[ContentProblem], list[ContentProblem]]:
    """Return what is wrong with content that can be read, and its warnings, with `more` of them.

    Raises: ProofError.
    """
    site, published = revision.site, _published_leaves(settings)
    findings = [
        *_other_host(settings, site),
        *hidden_characters(site),
        *relative_links(site),
        *left_examples(site),
        *older_than_changes(site),
        *changelog_links(site, len(site.changelog) - len(published)),
        *unfinished_entries(site, len(site.changelog) - len(published)),
    ]
    if not settings.base_url:  # or they are faults already
        findings += local_links(site.to_json(), settings.public_url)
    warnings = [*files_elsewhere(settings.content), *revision.locate([*findings, *more])]
    return _changed_history(settings, site, published), warnings


def _other_host(settings: Settings, site: Site) -> Iterator[Finding]:
    """Yield a finding if the service is to answer at another host than the studio's website."""
    own, said = urlsplit(settings.base_url).hostname, urlsplit(site.studio.url).hostname
    if own and said and own != said and not own.endswith(f".{said}"):
        rule = f"is at {said}, and STUDIOGRAPH_BASE_URL at {own}"
        yield Finding(("studio", "url"), rule, f"use {said} or a name below it in both")


def _dead_links(site: Site, *, quiet: bool) -> Iterator[Finding]:
    """Ask for each address in the content; yield a finding for each that does not answer."""
    links = links_of(site)
    with (
        httpx.Client(timeout=LINK_SECONDS, follow_redirects=True) as client,
        progress("Links", hidden=quiet) as show,
    ):
        for done, (address, path) in enumerate(links.items(), 1):
            try:
                with client.stream("GET", address) as response:
                    wrong = f"answers {response.status_code}" if response.is_error else ""
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                wrong = f"does not answer ({type(error).__name__})"
            if wrong:
                yield Finding(path, f"{address} {wrong}", "correct or remove the address")
            show(done, len(links))


def _content(settings: Settings, operations: Operations | None) -> Revision:
    """Return the content; without operations nothing is known of its own links."""
    if operations is None:
        return read_revision(settings.content, **settings.reading)
    return read_content(settings, operations)


def _published_leaves(settings: Settings) -> Sequence[Leaf]:
    """Return the entries of the changelog that are published. Raises: ProofError."""
    store = proof_store(settings)
    log = store.current_log() if store.database.is_initialised() else None
    return log[1] if log is not None else ()


def _changed_history(
    settings: Settings, site: Site, published: Sequence[Leaf]
) -> list[ContentProblem]:
    """Return the problem of a changelog that changes published entries."""
    rule = history_violation(published, leaves_of(site.changelog)) if published else None
    file = f"{settings.content.name}/changelog.toml"
    return [ContentProblem(file, 1, "changelog", rule, REPAIR_HINT)] if rule else []
