"""`studiograph publish TITLE`: a new entry of the changelog, shown before it is written."""

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import click
from pydantic import TypeAdapter, ValidationError

from content.checking.errors import ContentError
from content.checking.local_links import entry_links
from content.reading.reader import load
from resolvers.files import atomic_write
from schema.changelog import ChangeKind
from sdl.types.declare import slug_of
from sdl.types.scalar_types import Line, Text, format_instant
from studiograph.cli import failed, pass_settings, quiet_option
from studiograph.commands.studio.diff import difference_of, print_difference
from studiograph.settings import Settings
from studiograph.wiring.proofs import system_clock

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
def command(  # noqa: PLR0913 - one for each option
    settings: Settings, *, title: str, kind: str, body: str | None, yes: bool, quiet: bool
) -> int:
    """Add the entry TITLE to the changelog, after showing it and asking once.

    What else has changed since the last publication is shown before, as `studiograph diff` does: it
    is published with the entry.
    """
    _check("TITLE", Line, title)
    _check("--body", Text, body or title)
    for finding in entry_links(body or ""):
        raise click.BadParameter(f"{finding.rule}; {finding.fix}.", param_hint="--body")
    file = settings.content / "changelog.toml"
    try:
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
    except ContentError as error:
        return failed(f"{error}\nNothing was added.")
    except OSError as error:
        return failed(f"{file}: {error.strerror}. Fix: make it writable.")
    if not quiet:
        print(f"{file} has the entry.\n{NEXT}")
    return 0


def entry_text(title: str, kind: str, body: str, now: datetime) -> str:
    """Return an entry as a table of `changelog.toml`."""
    at = format_instant(now)
    words = {"id": f"{at[:10]}-{slug_of(title) or 'news'}", "kind": kind, "title": title}
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in words.items()]
    lines.insert(1, f"publishedAt = {at}")
    return "\n".join(
        ["[[changelog]]", *lines, f"body = {json.dumps(body, ensure_ascii=False)}", ""]
    )


def _id_of(entry: str) -> str:
    """Return the line of an entry that has its id."""
    return f"{entry.splitlines()[1]}\n"


def _check(name: str, kind: Any, text: str) -> None:
    """Raise a usage error that names the rule, unless the content could have the text."""
    try:
        TypeAdapter(kind).validate_python(text)
    except ValidationError as error:
        raise click.BadParameter(error.errors()[0]["msg"], param_hint=name) from None


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
