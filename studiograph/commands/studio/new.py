"""`studiograph new KIND NAME`: a filled example of an entry, a draft that its owner completes."""

import json
from pathlib import Path

import click

from content.checking.errors import ContentError
from content.checking.findings import suggestion
from content.importing.file_schemas import FOLDER, file_schemas, schema_line
from content.importing.new_entry import entry_text, kinds
from content.reading.reader import load, value_at
from content.reading.section_names import Section, holds_list, section_names, section_of
from resolvers.files import atomic_write
from studiograph.cli import failed, pass_settings, quiet_option
from studiograph.commands.studio.publish import append_entry
from studiograph.settings import Settings
from studiograph.wiring.proofs import system_clock


def _section(_: click.Context, __: click.Parameter, kind: str) -> Section:
    known = kinds()
    names = {name.casefold(): section for name, section in known.items()}
    names |= {section[-1].casefold(): section for section in known.values()}
    if kind in section_names() and not holds_list(section_of(kind)):
        rule = f"{kind} is no list: write its keys in {kind}.toml; docs/content.md has them"
        raise click.BadParameter(rule)
    if kind.casefold() not in names:
        raise click.BadParameter(f"there is no kind {kind!r}; {suggestion(kind, known)}")
    return names[kind.casefold()]


@click.command(
    epilog='Example: studiograph new price "Portrait session"\n'
    'Example: studiograph new faq "Do you travel?"'
)
@click.argument("section", metavar="KIND", callback=_section)
@click.argument("name")
@quiet_option
@pass_settings
def command(settings: Settings, *, section: Section, name: str, quiet: bool) -> int:
    """Add an example of an entry of this KIND with this NAME to its file, as a draft.

    KIND is project, faq, price, work, glossary, practice or another list of the content.
    """
    try:
        entries = value_at(load(settings.content, drafts=True, **settings.reading), section)
        file = _file(settings.content, section, has_entries=bool(entries))
        taken = {slug for entry in entries if (slug := getattr(entry, "slug", None))}
        write_schemas(settings.content)
        if not file.exists():
            atomic_write(file, schema_line(".".join(section)).encode(), 0o644)
        append_entry(file, entry_text(section, name, taken, system_clock().date()), settings)
    except ContentError as error:
        return failed(f"{error}\nNothing was added.")
    except OSError as error:
        return failed(f"{error.filename}: {error.strerror}. Fix: make it writable.")
    if not quiet:
        print(f"{file} has the draft. Complete it, and take its line `draft = true` away.")
        print("Next: studiograph preview shows it; studiograph check says what is wrong.")
    return 0


def write_schemas(folder: Path) -> None:
    """Write the schema of each file of a content folder, for editors. Raises: OSError."""
    (folder / FOLDER).mkdir(exist_ok=True)
    for section, schema in file_schemas().items():
        atomic_write(folder / FOLDER / f"{section}.json", json.dumps(schema).encode(), 0o644)


def _file(folder: Path, section: Section, *, has_entries: bool) -> Path:
    """Return the file of a list: its own, or that of the table that holds its entries already."""
    own = folder / f"{'.'.join(section)}.toml"
    is_inside = has_entries and not own.exists() and len(section) > 1
    return own if not is_inside else folder / f"{'.'.join(section[:-1])}.toml"
