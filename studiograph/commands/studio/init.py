"""`studiograph init DIR`: the folder of a new studio, with what its owner says in five answers."""

import json
import re
import shlex
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from shutil import rmtree, which
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import click
from pydantic import TypeAdapter, ValidationError

from content.checking.corrections import corrected, shown_line
from content.importing.file_schemas import schema_line
from content.importing.imported import Imported, decoded
from content.importing.markdown_folder import MarkdownError, read_folder
from content.importing.resume import ResumeError, read_resume
from content.importing.starter import STARTER_FILES, studio_text
from content.reading.github_account import read_account
from content.reading.reader import load
from resolvers.files import atomic_write
from resolvers.github.client import fetch_snapshot
from resolvers.github.convert import GithubError
from sdl.types.scalar_types import Email, Line, Url
from studiograph.cli import Invocation, failed, quiet_option
from studiograph.commands.studio.new import write_schemas
from studiograph.settings import GITHUB_LOGIN
from studiograph.wiring.github import account_of
from studiograph.wiring.proofs import system_clock

_Command = TypeVar("_Command", bound=Callable[..., Any])
_ASKED: dict[str, tuple[str, Any]] = {
    "name": ("The studio's name", Line),
    "url": ("Its website, for example https://studio.example", Url),
    "one_line": ("What it does, in one sentence", Line),
    "founder": ("Your name", Line),
    "email": ("The e-mail address that you answer", Email),
}
"""What is asked, and the rule of the answer, by the name of the option."""


def _checked(name: str, text: str) -> str:
    """Return the answer if the content could have it; click asks again, or ends with the rule."""
    try:
        value: str = TypeAdapter(_ASKED[name][1]).validate_python(text.strip())
    except ValidationError as error:
        kind = _ASKED[name][1]
        reading = corrected(kind, text) if isinstance(kind, type) else None
        fix = f"; write {reading}" if reading else ""
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
            said, kind = imported.answers[name], _ASKED[name][1]
            reading = corrected(kind, said) if isinstance(kind, type) else None
            return _checked(name, reading or said)
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
    except json.JSONDecodeError as error:
        near = shown_line(text[max(error.pos - 20, 0) : error.pos + 20])
        where = f"line {error.lineno}, column {error.colno}, near {near}"
        raise click.BadParameter(f"{file} is no JSON: {error.msg} in {where}") from None
    except RecursionError:
        raise click.BadParameter(
            f"{file} is nested too deep: name a file as https://jsonresume.org describes"
        ) from None
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
def command(folder: Path, *, quiet: bool, imported: Imported | None = None, **answers: str) -> int:
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
    try:
        if content.exists():
            return failed(f"{content} is there already. Fix: name another folder.")
        _write(folder, _files(imported, answers))
    except OSError as error:
        return failed(f"{error.filename}: {error.strerror}. Fix: name a folder that is writable.")
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
