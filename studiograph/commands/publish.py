"""`studiograph diff` and `studiograph publish`: what a publication changes, and its entry."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from difflib import SequenceMatcher
from itertools import chain
from pathlib import Path
from typing import Any, cast

import click
from pydantic import TypeAdapter, ValidationError

from content.checking.errors import ContentError
from content.checking.links import entry_links
from content.importing.toml_writer import toml_value
from content.reading.reader import load
from content.reading.revision import losses
from resolvers.context import RequestContext
from resolvers.files import atomic_write
from resolvers.transparency.statements import INTERFACE
from schema.changelog import ChangeKind
from sdl.running.runner import Snapshot
from sdl.tools.table import print_text
from sdl.types.declare import slug_of
from sdl.types.scalar_types import Line, Text, format_instant
from studiograph.application import make_application
from studiograph.cli import CommandError, file_errors, json_option, pass_settings, quiet_option
from studiograph.settings import Settings
from studiograph.wiring.proofs import proof_store, system_clock

NEW, CHANGED, REMOVED = "new", "changed", "removed"
ABOUT = "about"
"""The statement that repeats others, and alone says some of the studio's own words."""
MANIFEST = "manifest"
REPEATING = (ABOUT, MANIFEST)
"""The statements that change with others."""
SHOWN = 3
"""How many descriptions of the service are named."""


@dataclass(frozen=True)
class Said:
    """What a revision says."""

    hashes: Mapping[str, bytes]
    """The hash of each statement, by its name."""
    texts: Mapping[str, str | bytes]
    """The statements of content."""


@dataclass(frozen=True)
class Difference:
    """What a publication would change."""

    published: bool
    """Whether anything is published yet."""
    statements: int
    """How many the content says now."""
    changes: dict[str, str]
    """What becomes of each statement that differs, by its name."""
    words: dict[str, list[str]]
    """What each of them says no longer, after `- `, and says now, after `+ `."""
    lost: list[str]
    """The lists of which most entries are gone, such as `faq (3 of 24)`."""


@click.command(epilog="Example: studiograph diff --json")
@json_option
@pass_settings
def diff_command(settings: Settings, *, as_json: bool) -> int:
    """Print what publishing the content would change, in words; publish nothing.

    It is compared with the revision that was published last, by a start of the service, a reload or
    an export; before the first one, all is new. Each statement is named by its path without /api/,
    as in faq/what-it-costs. Lines with - go, lines with + come.
    """
    difference = difference_of(settings)
    if as_json:
        print(json.dumps(asdict(difference)))
    else:
        print_difference(difference)
    return 0


def difference_of(settings: Settings) -> Difference:
    """Compare the content with what is published. Raises: ContentError, ProofError."""
    snapshot = make_application(settings, preview=True).current()
    return difference_between(published_in(settings), said_by(snapshot))


def said_by(snapshot: Snapshot[Any]) -> Said:
    """Return what a revision of the content says."""
    content = cast("RequestContext", snapshot.context).words().content
    return Said(content.hashes, content.texts)


def published_in(settings: Settings) -> Said:
    """Return what was published last, if anything was. Raises: ProofError. Raises: ProofError."""
    store = proof_store(settings)
    if not store.database.is_initialised():  # looking makes no tables
        return Said({}, {})
    return Said(store.published_words().statements(), store.published_texts())


def difference_between(before: Said, after: Said) -> Difference:
    """Return what one revision says otherwise than another before it."""
    changes = changes_of(before.hashes, after.hashes)
    words: dict[str, list[str]] = {}
    told: set[str] = set()
    for name in (*(n for n in changes if n not in REPEATING), ABOUT):
        if name.startswith(INTERFACE) or (name in before.hashes and name not in before.texts):
            continue
        lines = [*_words(before.texts.get(name), after.texts.get(name))]
        if name == ABOUT:
            lines = [line for line in lines if _value(line) not in told]
        if lines:
            words[name] = lines
            told |= {_value(line) for line in lines}
    if ABOUT in words:
        own = {ABOUT: CHANGED if ABOUT in before.hashes else NEW}  # the studio's own words first
        changes = own | {n: c for n, c in changes.items() if n not in REPEATING}
    manifests = (json.loads(said.texts.get(MANIFEST, "{}")) for said in (before, after))
    lost = [*losses(*(manifest.get("data", {}) for manifest in manifests))]
    return Difference(bool(before.hashes), len(after.hashes), changes, words, lost)


def changes_of(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> dict[str, str]:
    """Return what becomes of each statement that differs, without lists of those that are named."""
    changes = {name: NEW for name in after if name not in before}
    changes |= {name: REMOVED for name in before if name not in after}
    changes |= {n: CHANGED for n in after if n in before and before[n] != after[n]}
    named = {name.partition("/")[0] for name in changes if "/" in name}
    single = changes.keys() - named - {*REPEATING}
    return {name: changes[name] for name in sorted(single or changes)}


def print_difference(difference: Difference, nothing: str = "Nothing would change.") -> None:
    """Print each change with its words; what the service says of itself follows from these."""
    if not difference.published:
        count = difference.statements
        print(f"Nothing is published yet. The first publication says {count} statements:")
    for line in lines_of(difference) or [nothing]:
        print_text(line)


def lines_of(difference: Difference) -> list[str]:
    """Return each change with its words."""
    lines: list[str] = []
    own = [name for name in difference.changes if name.startswith(INTERFACE)]
    for name, change in difference.changes.items():
        if name in own:
            continue
        words = difference.words.get(name, [])
        empty = " (empty)" if change == NEW and not words else ""
        lines += [f"{change:8} {name}{empty}", *(f"  {line}" for line in words)]
    if own:
        change = CHANGED if difference.published else NEW
        names = f"{', '.join(own[:SHOWN])}{' …' if len(own) > SHOWN else ''}"
        lines.append(f"{change:8} what the service says of itself ({len(own)}): {names}")
    if difference.lost:
        lines.append(f"Most entries are gone: {', '.join(difference.lost)}. Was that meant?")
    return lines


def _words(before: str | bytes | None, after: str | bytes | None) -> Iterator[str]:
    """Yield the lines in which two versions of a statement differ."""
    old, new = _lines(before), _lines(after)
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for tag, first, last, start, end in blocks:
        if tag != "equal":
            yield from _block(old[first:last], new[start:end])


def _value(line: str) -> str:
    """Return a line without the way to its key, which differs between statements."""
    key, _, text = line[2:].partition(": ")
    return f"{line[:2]}{key.rpartition('.')[2]}: {text}"


def _block(gone: Sequence[str], come: Sequence[str]) -> Iterator[str]:
    """Yield lines that were said and those in their place, pair by pair if there are as many."""
    old, new = ([f"- {line}" for line in gone], [f"+ {line}" for line in come])
    yield from chain(*zip(old, new, strict=True)) if len(old) == len(new) else (*old, *new)


def _lines(statement: str | bytes | None) -> list[str]:
    """Return what a statement says, one line for each value and each paragraph of a text."""
    return [] if statement is None else [*_values(json.loads(statement)["data"], "")]


def _values(value: Any, key: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _values(inner, f"{key}.{name}" if key else name)
    elif isinstance(value, list):
        for inner in value:
            yield from _values(inner, key)
    else:
        text = value if isinstance(value, str) else json.dumps(value)
        yield from (f"{key}: {line}" for line in text.splitlines() if line.strip())


NEXT = (
    "Next: `systemctl reload studiograph`, or `kill -HUP` of its process, publishes all of it, as a"
    " start of the service and an export do.\nThe entry never changes after that; feeds, webhooks"
    " and MCP bring it to those who follow."
)


@click.command(
    epilog='Example: studiograph publish "Tide tables for Porto" --kind added --body "Free to use."'
)
@click.argument("title")
@click.option(
    "--kind",
    type=click.Choice([kind.value for kind in ChangeKind]),
    default=ChangeKind.ANNOUNCED.value,
    help="The kind of change.",
)
@click.option("--body", help="What changed and why; the title if this is left out.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@quiet_option
@pass_settings
def publish_command(  # noqa: PLR0913 - one for each option
    settings: Settings, *, title: str, kind: str, body: str | None, yes: bool, quiet: bool
) -> int:
    """Add the entry TITLE to the changelog, after showing it and asking once.

    What else has changed since the last publication is shown before, as `studiograph diff` does: it
    is published with the entry.
    """
    check_text("TITLE", Line, title)
    check_text("--body", Text, body or title)
    for finding in entry_links(body or ""):
        raise click.BadParameter(f"{finding.rule}; {finding.fix}.", param_hint="--body")
    file = settings.content / "changelog.toml"
    with file_errors("make it writable", file), adding():
        published = file.read_text(encoding="utf-8") if file.exists() else ""
        now = system_clock()
        while format_instant(now) in published:  # no two entries have the same second
            now += timedelta(seconds=1)
        entry = entry_text(title, kind, body or title, now)
        if _id_of(entry) in published:
            raise click.BadParameter("an entry of today has it; choose another", param_hint="TITLE")
        if not quiet:
            print_difference(difference_of(settings), nothing="Nothing else changes.")
            print()
        click.echo(entry)
        if not yes and not click.confirm("Add this to the changelog?"):
            return 1
        append_entry(file, entry, settings)
    if not quiet:
        print(f"{file} has the entry.\n{NEXT}")
    return 0


def entry_text(title: str, kind: str, body: str, now: datetime) -> str:
    """Return an entry as a table of `changelog.toml`."""
    at = format_instant(now)
    return "\n".join(
        [
            "[[changelog]]",
            f'id = "{at[:10]}-{slug_of(title) or "news"}"',
            f"publishedAt = {at}",
            f'kind = "{kind}"',
            f"title = {toml_value(title)}",
            f"body = {toml_value(body)}",
            "",
        ]
    )


def _id_of(entry: str) -> str:
    """Return the line of an entry that has its id."""
    return f"{entry.splitlines()[1]}\n"


def check_text(name: str, kind: Any, text: str) -> None:
    """Raise a usage error that names the rule, unless the content could have the text."""
    try:
        TypeAdapter(kind).validate_python(text)
    except ValidationError as error:
        raise click.BadParameter(error.errors()[0]["msg"], param_hint=name) from None


@contextmanager
def adding() -> Iterator[None]:
    """Say that nothing was added where the content is wrong. Raises: CommandError."""
    try:
        yield
    except ContentError as error:
        raise CommandError(f"{error}\nNothing was added.") from None


def append_entry(file: Path, entry: str, settings: Settings) -> None:
    """Write the entry below the others; leave the file as it was if the content is then wrong.

    Raises: ContentError.
    """
    before = file.read_bytes() if file.exists() else None
    text = (before or b"").decode()
    atomic_write(file, f"{text.rstrip()}\n\n{entry}".lstrip().encode(), 0o644)
    try:
        load(file.parent, **settings.reading)
    except ContentError:
        if before is None:
            file.unlink()
        else:
            atomic_write(file, before, 0o644)
        raise
