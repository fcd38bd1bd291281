"""Commands that write files of the content: `init`, `new` and `github sync`."""

import json
import re
import shlex
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from errno import ENOENT
from functools import partial
from os import strerror
from pathlib import Path
from shutil import rmtree, which
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import click
from pydantic import TypeAdapter, ValidationError

from content.checking.corrections import corrected
from content.checking.findings import suggestion
from content.importing.imported import Imported, decoded, read_account
from content.importing.markdown_folder import MarkdownError, read_folder
from content.importing.resume import ResumeError, read_resume
from content.importing.starter import (
    FOLDER,
    STARTER_FILES,
    entry_text,
    file_schemas,
    kinds,
    schema_line,
    studio_text,
)
from content.importing.toml_writer import toml_text
from content.reading.reader import load, value_at
from content.reading.section_names import Section, holds_list, section_names, section_of
from content.reading.sizes import MEBIBYTE
from resolvers.files import atomic_write
from resolvers.github.client import fetch_snapshot
from resolvers.github.convert import GithubError
from sdl.types.scalar_types import Email, Line, Url, format_instant
from studiograph.cli import (
    CommandError,
    Invocation,
    file_errors,
    json_option,
    pass_settings,
    quiet_option,
)
from studiograph.commands.publish import adding, append_entry
from studiograph.settings import GITHUB_LOGIN, Settings
from studiograph.wiring.proofs import system_clock
from studiograph.wiring.services import account_of

_Command = TypeVar("_Command", bound=Callable[..., Any])
_ASKED: dict[str, tuple[str, Any]] = {
    "name": ("The studio's name", Line),
    "url": ("Its website, for example https://studio.example", Url),
    "one_line": ("What it does, in one sentence", Line),
    "founder": ("Your name", Line),
    "email": ("The e-mail address that you answer", Email),
}
"""What is asked, and the rule of the answer, by the name of the option."""


def _reading(name: str, text: str) -> str | None:
    """Return the one form that an answer may be meant in, if it has not the right one."""
    kind = _ASKED[name][1]
    return corrected(kind, text) if isinstance(kind, type) else None


def _checked(name: str, text: str) -> str:
    """Return the answer if the content could have it; click asks again, or ends with the rule."""
    try:
        value: str = TypeAdapter(_ASKED[name][1]).validate_python(text.strip())
    except ValidationError as error:
        fix = f"; write {reading}" if (reading := _reading(name, text)) else ""
        raise click.BadParameter(f"{error.errors()[0]['msg'].rstrip('.')}{fix}") from None
    return value


def _answer(context: click.Context, parameter: click.Parameter, text: str | None) -> str:
    """Return what the option says, else what was imported, else what is asked for."""
    name = str(parameter.name)
    if text:
        return _checked(name, text)
    imported: Imported | None = context.params.get("imported")
    if imported and name in imported.answers:
        with suppress(click.BadParameter):  # the owner is asked for what has not the right form
            said = imported.answers[name]
            return _checked(name, _reading(name, said) or said)
    try:
        answered: str = click.prompt(_ASKED[name][0], value_proc=partial(_checked, name))
    except click.Abort:
        if sys.stdin.isatty():
            raise
        raise click.MissingParameter(ctx=context, param=parameter) from None
    return answered


def _called() -> str:
    """Return how this program is called from another folder."""
    return "studiograph" if which("studiograph") else shlex.quote(str(Path(sys.argv[0]).resolve()))


def _resume(file: str) -> Imported:
    """Return what a JSON Resume says. Raises: click.BadParameter."""
    try:
        text = decoded(Path(file).read_bytes())
    except OSError as error:
        fix = "name a file in the form of https://jsonresume.org"
        raise click.BadParameter(f"{file}: {error.strerror}; {fix}") from None
    try:
        return read_resume(json.loads(text, strict=False))
    except RecursionError:
        raise click.BadParameter(f"{file} is no JSON Resume: it is nested too deep") from None
    except (ValueError, ResumeError) as error:
        raise click.BadParameter(f"{file} is no JSON Resume: {error}") from None


def _markdown(folder: str) -> Imported:
    """Return what a folder of markdown says. Raises: click.BadParameter."""
    try:
        return read_folder(Path(folder))
    except (OSError, MarkdownError) as error:
        raise click.BadParameter(str(error)) from None


def _github(user: str) -> Imported:
    """Return what a GitHub account says. Raises: click.BadParameter."""
    settings = click.get_current_context().ensure_object(Invocation).settings
    if not re.fullmatch(GITHUB_LOGIN, user):
        raise click.BadParameter(f"{user!r} is no GitHub login, such as octocat")
    try:
        return read_account(fetch_snapshot(replace(account_of(settings), user=user), system_clock))
    except GithubError as error:
        raise click.BadParameter(str(error)) from None


_SOURCES = {"from_resume": _resume, "from_markdown": _markdown, "from_github": _github}


def _imported(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    """Read the source that the option names; what it says answers what no option does."""
    if value is not None:
        if "imported" in context.params:
            raise click.UsageError("A studio begins with one source, and this is a second one.")
        context.params["imported"] = _SOURCES[str(parameter.name)](value)


def _source(option: str, name: str, metavar: str, text: str) -> Callable[[_Command], _Command]:
    return click.option(
        option,
        name,
        metavar=metavar,
        is_eager=True,
        expose_value=False,
        callback=_imported,
        help=text,
    )


@click.command(
    epilog="Example: studiograph init studio --name Saltmarsh --url https://saltmarsh.example"
    ' --one-line "Tide tables for small harbours" --founder "Ana Silva"'
    " --email ana@saltmarsh.example"
)
@click.argument("folder", metavar="[DIR]", type=Path, default=Path())
@click.option("--name", callback=_answer, help="The studio's name.")
@click.option("--url", callback=_answer, help="Its website.")
@click.option("--one-line", callback=_answer, help="What it does, in short.")
@click.option("--founder", callback=_answer, help="Your name.")
@click.option("--email", callback=_answer, help="The address that you answer.")
@_source("--from", "from_resume", "FILE", "Take what a JSON Resume says.")
@_source("--from-markdown", "from_markdown", "DIR", "Take what a folder of markdown says.")
@_source("--from-github", "from_github", "USER", "Take what a GitHub account says.")
@quiet_option
def init_command(
    folder: Path, *, quiet: bool, imported: Imported | None = None, **answers: str
) -> int:
    """Write the folder of a new studio to DIR, here by default. What no option says is asked."""
    content = folder / "content"
    imported = imported or Imported()
    imported.settle(
        {
            "name": answers["name"],
            "url": answers["url"],
            "oneLiner": answers["one_line"],
            "contact": {"email": answers["email"]},
            "founder": {"name": answers["founder"]},
        }
    )
    with file_errors("name a folder that is writable"):
        if content.exists():
            raise CommandError(f"{content} is there already. Fix: name another folder.")
        _write(folder, _files(imported, answers))
    if not quiet:
        print(f"{content / 'studio.toml'} says who you are; {content / 'faq.toml'} has questions.")
        for line in imported.report() if imported.entries or imported.left else ():
            print(line)
        print(f"Next: cd {folder}; {_called()} check; {_called()} preview")
    return 0


def _files(imported: Imported, answers: dict[str, str]) -> dict[str, str]:
    """Return the files of a new studio by their path in its folder."""
    texts = imported.texts()
    more = {"more": texts.pop("studio", ""), "of_founder": texts.pop("studio.founder", "")}
    files = STARTER_FILES | {"content/studio.toml": studio_text(**answers, **more)}
    files |= {f"content/{name}": text for name, text in imported.files.items()}
    for section, text in texts.items():
        name = f"content/{section}.toml"
        questions = files.get(name)  # those of the FAQ that wait for answers
        files[name] = f"{text}\n{questions}" if questions else text
    return files


def _write(folder: Path, files: dict[str, str]) -> None:
    """Write a new studio, its content at once or not at all. Raises: OSError, ContentError."""
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with TemporaryDirectory(dir=folder, prefix=".studiograph-") as scratch:
            for name, text in files.items():
                file = Path(scratch, name)
                first = schema_line(file.stem) if file.suffix == ".toml" else ""
                atomic_write(file, f"{first}{text}".encode(), 0o644)
            load(Path(scratch, "content"))
            write_schemas(Path(scratch, "content"))
            for name in STARTER_FILES:
                if not name.startswith("content/") and not (folder / name).exists():
                    Path(scratch, name).rename(folder / name)  # a `.gitignore` may be somebody's
            Path(scratch, "content").rename(folder / "content")
    except BaseException:
        if is_new:
            rmtree(folder, ignore_errors=True)
        raise


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
def new_command(settings: Settings, *, section: Section, name: str, quiet: bool) -> int:
    """Add an example of an entry of this KIND with this NAME to its file, as a draft.

    KIND is project, faq, price, work, glossary, practice or another list of the content.
    """
    with file_errors("make it writable"), adding():
        entries = value_at(load(settings.content, drafts=True, **settings.reading), section)
        file = _file(settings.content, section, has_entries=bool(entries))
        taken = {slug for entry in entries if (slug := getattr(entry, "slug", None))}
        write_schemas(settings.content)
        if not file.exists():
            atomic_write(file, schema_line(".".join(section)).encode(), 0o644)
        append_entry(file, entry_text(section, name, taken, system_clock().date()), settings)
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


@click.group()
def github_command() -> None:
    """Read the GitHub account."""


@github_command.command()
@json_option
@quiet_option
@pass_settings
def sync(settings: Settings, *, as_json: bool, quiet: bool) -> int:
    """Save a snapshot of the GitHub account as github.toml in the content folder."""
    file = settings.content / "github.toml"
    snapshot = fetch_snapshot(account_of(settings), system_clock)
    with file_errors("set STUDIOGRAPH_CONTENT to a writable folder", file):
        _write_snapshot(file, toml_text(snapshot), settings.content_file_mib)
    as_of = format_instant(snapshot.as_of)
    if as_json:
        print(json.dumps({"ok": True, "file": str(file), "asOf": as_of}))
    elif not quiet:
        print(
            f"{file}: {snapshot.profile.login} as of {as_of}, {len(snapshot.activity)} events,"
            f" {len(snapshot.stars)} stars, {len(snapshot.repos)} repositories"
        )
    return 0


def _write_snapshot(file: Path, text: str, max_mib: int) -> None:
    """Write the file whole or not at all. Raises: GithubError, OSError."""
    if len(text.encode()) > max_mib * MEBIBYTE:
        raise GithubError(
            f"{file} would be larger than {max_mib} MiB. Fix: set STUDIOGRAPH_GITHUB_USER"
            " for the server instead, which then shows the whole account."
        )
    if not file.parent.is_dir():
        raise FileNotFoundError(ENOENT, strerror(ENOENT))
    atomic_write(file, text.encode(), 0o644)
