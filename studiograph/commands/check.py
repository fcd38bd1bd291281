"""`studiograph check` and `studiograph doctor`: all that is wrong, each with its fix, in one run.

Warnings of `check` change the exit code only if they are asked to: goals that are missing,
questions that agents ask first and the content does not answer, files beside the content that
nothing reads, an address that is not the one the service says, characters that nobody sees, and,
where asked, links that lead nowhere.
"""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import click
import httpx

from content.checking.errors import ContentError, ContentProblem, Finding
from content.checking.first_questions import FIRST_QUESTIONS, unanswered_questions
from content.checking.links import changelog_links, links_of, local_links, relative_links
from content.checking.references import older_than_changes
from content.checking.texts import hidden_characters, unfinished_entries
from content.importing.starter import left_examples
from content.reading.files import files_elsewhere
from content.reading.revision import Revision, read_revision
from resolvers.db.database import DatabaseError
from resolvers.intent.operations import missing_goals
from resolvers.signing.keys import ProofError
from resolvers.transparency.log import Leaf, leaves_of
from resolvers.transparency.store import REPAIR_HINT, history_violation
from schema.site import Site
from sdl.errors import StudiographError
from sdl.operations.rules import OperationError, OperationProblem
from studiograph.application import make_application, own_operations, read_content
from studiograph.cli import json_option, pass_settings, progress, quiet_option
from studiograph.settings import Settings
from studiograph.wiring.proofs import key_store, proof_store

LINK_SECONDS = 10
FEW = 4
"""How many first questions without an answer are named, and not only counted."""


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
        """Yield the warnings, and the questions without an answer: each, or how many they are."""
        each = each or len(self.questions) <= FEW
        for warning in (*self.warnings, *(self.questions if each else ())):
            yield f"{warning} (a warning)"
        if not each:
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
def check_command(  # noqa: PLR0913 - one for each option
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
        if operations is None:  # then nothing is known of the content's own links
            revision = read_revision(settings.content, **settings.reading)
        else:
            revision = read_content(settings, operations)
        found.digest = revision.digest
        dead = _dead_links(revision.site, quiet=quiet) if links else ()
        faults, warned = faults_and_warnings(settings, revision, dead)
        found.faults += faults
        found.warnings[:0] = warned
        found.questions = revision.reading.locate(unanswered_questions(revision.site))
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
    warnings = [*files_elsewhere(settings.content), *revision.reading.locate([*findings, *more])]
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


TIMEOUT_SECONDS = 10
LOCAL = ("localhost", "127.0.0.1", "::1")
READ = ("/", "/llms.txt", "/.well-known/jwks.json", "/.well-known/agent.json")


@dataclass(frozen=True)
class Trouble:
    """One thing that is wrong."""

    part: str
    wrong: str
    """What is wrong and where, and how to mend it."""


@click.command(epilog="Example: studiograph doctor https://studio.example")
@click.argument("url", required=False)
@json_option
@pass_settings
def doctor_command(settings: Settings, *, url: str | None, as_json: bool) -> int:
    """Look at settings, content, keys, stores and the service at URL, and name what to mend.

    URL is STUDIOGRAPH_BASE_URL if it is left out; without both, no service is asked. Nothing is
    changed. The warnings of `studiograph check` are printed too, and change no exit code.
    """
    address = (url or settings.base_url).rstrip("/")
    content, found = Findings(), [*_settings(settings)]
    try:
        content = look(settings)
    except ProofError as error:
        found.append(Trouble("keys", str(error)))
    found += (Trouble("content", str(fault)) for fault in content.faults)
    found += (trouble for trouble in _keys(settings) if trouble not in found)
    if not found:
        found += _assembly(settings)
    if address:
        found += _service(settings, address)
    if as_json:
        rows = [asdict(trouble) for trouble in found]
        warnings = [*map(str, (*content.warnings, *content.questions))]
        print(json.dumps({"ok": not found, "found": rows, "warnings": warnings}))
    else:
        for trouble in found:
            print(f"{trouble.part}: {trouble.wrong}")
        for line in content.warning_lines():
            print(line)
        if not found:
            print(f"Nothing to mend{'' if address else '; no service was asked'}.")
    return 1 if found else 0


def _settings(settings: Settings) -> Iterator[Trouble]:
    address = urlsplit(settings.base_url)
    if address.scheme == "http" and address.hostname not in LOCAL:
        fix = "Fix: set it to https:// and put TLS in front."
        yield Trouble("settings", f"STUDIOGRAPH_BASE_URL is {settings.base_url}. {fix}")
    place = settings.data
    while not place.exists() and place != place.parent:
        place = place.parent
    if not os.access(place, os.W_OK):
        fix = "Fix: make it writable for this user, or set STUDIOGRAPH_DATA."
        yield Trouble("settings", f"{place} is not writable. {fix}")


def _keys(settings: Settings) -> Iterator[Trouble]:
    folder = settings.data / "keys"
    try:
        store = key_store(settings)
        has_tables = store.registry.database.is_initialised()
        known = store.registry.known_keys() if has_tables else {}
        kept = {key.kid for key in store.read()}
    except (ProofError, DatabaseError) as error:
        yield Trouble("keys", str(error))
        return
    if known and not kept:
        fix = "Fix: bring the backup of its keys back, with `studiograph restore`."
        yield Trouble("keys", f"{folder} has no key, and the log knows {len(known)}. {fix}")


def _assembly(settings: Settings) -> Iterator[Trouble]:
    """Yield what would stop a start: stores, a changed log, a loop of mails.

    A studio that has never been started is looked at in a folder that is removed, since a start
    makes its first key.
    """
    with TemporaryDirectory(prefix="studiograph-doctor-") as folder:
        data = settings.data if settings.data.exists() else Path(folder)
        try:
            make_application(settings.model_copy(update={"data": data}), preview=True)
        except StudiographError as error:
            yield Trouble("start", str(error))


def _service(settings: Settings, address: str) -> Iterator[Trouble]:
    """Yield what an outsider would find at an address."""
    with httpx.Client(timeout=TIMEOUT_SECONDS, base_url=address) as client:
        answers = {}
        for path in READ:
            try:
                answers[path] = client.get(path)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                fix = "Fix: start the service, and look at the name, the port and TLS."
                if not address.startswith(("http://", "https://")):
                    fix = f"Fix: write https://{address}."
                yield Trouble("service", f"{address} does not answer ({error}). {fix}")
                return
    for path, answer in answers.items():
        if not answer.is_success:
            fix = "Fix: let the proxy pass every path on, or export the content again."
            yield Trouble("service", f"{address}{path} answers {answer.status_code}. {fix}")
    keys = answers["/.well-known/jwks.json"]
    own = {key.kid for key in key_store(settings).read()}
    if keys.is_success and own and not any(f'"{kid}"' in keys.text for kid in own):
        fix = "Fix: set STUDIOGRAPH_DATA to the folder of the running service."
        yield Trouble("service", f"{address} publishes none of the keys here. {fix}")
