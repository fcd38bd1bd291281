"""The files of a content folder: those that are read, as texts, and those that nothing reads."""

import os
import re
import tomllib
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

from content.checking.corrections import shown_line
from content.checking.errors import NO_KEY, ContentError, ContentProblem
from content.checking.findings import similar
from content.reading.section_names import Section, field_of, holds_list, section_names, section_of
from content.reading.sizes import MAX_FILE_BYTES, MEBIBYTE

LINE_END = re.compile(r"\r\n|\r|\n")
"""What ends a line of an owner's file; nothing else does. A text that was read has `\\n` alone."""


def files_of(folder: Path) -> list[Path]:
    """Return the files of a content folder that are read: those that a section names."""
    return sorted(path for path in folder.glob("*.toml") if field_of(section_of(path.name)))


def read_text(path: Path, folder: Path, name: str, max_bytes: int) -> str:
    """Return the text of a file; raise ContentError if it cannot or must not be read."""
    line = 1
    try:
        if path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()):
            rule, fix = "a link that leads out of the content folder", "copy the file into it"
        elif not path.is_file():
            rule, fix = "not a readable file", "repair or remove it"
        elif (size := path.stat().st_size) > max_bytes:
            rule = f"has {size:,} bytes, more than {max_bytes // MEBIBYTE} MiB"
            fix = "shorten the section, or set STUDIOGRAPH_CONTENT_FILE_MIB to a larger number"
        else:
            return LINE_END.sub("\n", path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        before = LINE_END.sub("\n", error.object[: error.start].decode())
        line += before.count("\n")
        utf16 = error.object[:2] in (b"\xff\xfe", b"\xfe\xff")
        wrong = LINE_END.split(error.object.decode("latin-1"))[line - 1]
        rule = "is in UTF-16" if utf16 else f"is not in UTF-8: `{shown_line(wrong.strip())}`"
        fix = "save the file in your editor again, with UTF-8 as its encoding"
    except (OSError, RuntimeError):  # a broken or circular link, or a folder
        rule, fix = "not a readable file", "repair or remove it"
    raise ContentError([ContentProblem(name, line, NO_KEY, rule, fix)])


def file_problem(name: str, rule: str, fix: str) -> ContentProblem:
    """Return a problem of a whole file or folder."""
    return ContentProblem(name, 1, NO_KEY, rule, fix)


_BACKUP = re.compile(r"[.#~].*|.*(?:~|#|\.(?:bak|old|orig|save|sw[a-p]|tmp|rej))", re.IGNORECASE)
"""What editors and tools leave beside a file."""
_ENDING = re.compile(
    r"(?:\.(?:toml|txt|md|markdown|mdx|ya?ml|json|csv|html?|rtf|docx?|odt|pages))+$", re.IGNORECASE
)
"""How the files end in which an owner may have written a section."""
_HOW = "as docs/content.md of studiograph shows"
_TOML = re.compile(r"\.toml\b", re.IGNORECASE)


def misnamed_files(folder: Path) -> Iterator[ContentProblem]:
    """Yield a fault for each file in the folder that is one of content, but for its name."""
    read = {path.name for path in files_of(folder)}
    for path in sorted(folder.iterdir()):
        name = path.name
        if name in read or _BACKUP.fullmatch(name) or path.is_dir():
            continue
        if _TOML.search(name) or exact_section(name) is not None:
            rule = "nothing reads a file of this name"
            yield file_problem(f"{folder.name}/{name}", rule, _fix(path, read))


def files_elsewhere(folder: Path) -> Iterator[ContentProblem]:
    """Yield a warning for each file of content below the folder, or beside it."""
    read = {path.name for path in files_of(folder)}
    for path in sorted(folder.rglob("*")):
        place = path.relative_to(folder)
        if len(place.parts) == 1 or any(map(_BACKUP.fullmatch, place.parts)) or path.is_dir():
            continue
        section = exact_section(place.parts[0])
        if _TOML.search(place.name) or (section is not None and _ENDING.search(place.name)):
            known = section or exact_section(place.name)
            file = (
                f"{folder.name}/{known}.toml"
                if known
                else f"the file of its section in {folder.name}/"
            )
            rule = f"nothing reads a file in a folder below {folder.name}/"
            fix = f"move what it says to {file}, and remove it"
            if known and not _TOML.search(place.name):
                header = f"as an entry below [[{known.rpartition('.')[2]}]], "
                entry = header if holds_list(section_of(known)) else ""
                fix = f"write what it says in {file}, {entry}{_HOW}, and remove it"
            yield file_problem(f"{folder.name}/{place}", rule, fix)
    beside = folder.absolute().parent
    for path in sorted(beside.iterdir()) if os.access(beside, os.R_OK) else ():
        is_toml = _TOML.search(path.name) and not _BACKUP.fullmatch(path.name)
        if is_toml and exact_section(path.name) is not None and path.is_file():
            rule = f"nothing reads a file beside {folder.name}/"
            yield file_problem(path.name, rule, _fix(path, read, f"{folder.name}/"))


def exact_section(name: str) -> str | None:
    """Return the section that a file is called by, whatever its ending, capitals and separators."""
    return _sections().get(_words(name))


def likely_section(name: str) -> str | None:
    """Return the section that a file is about: one that is a copy (`faq (1).toml`), or misspelt."""
    words = f".{_words(name)}."
    for begins in (words.endswith, words.startswith):
        if found := [own for key, own in _sections().items() if begins(f".{key}.")]:
            return max(found, key=len)
    return similar(_words(name), _sections().values())


def section_meant(place: str) -> Section:
    """Return the section that the file at a place is about, of whatever name; empty if none."""
    return tuple((likely_section(place.rpartition("/")[2]) or "").split("."))


def _fix(path: Path, read: Collection[str], where: str = "") -> str:
    name = path.name
    section = likely_section(name)
    if section is None:
        return f"name it after its section, which is one of: {', '.join(section_names())}"
    file = f"{section}.toml"
    more = f".{_words(name)}.".replace(f".{section.casefold()}.", ".").strip(".")
    is_copy = more not in {"", _words(name), *_sections()}
    if file in read:
        fix = f"move what it says to {where}{file}, which is there already, and remove it"
        return f"remove it if it is a copy or an old version, or {fix}" if is_copy else fix
    if _TOML.search(name) or _is_toml(path):
        fix = f"{'move' if where else 'rename'} it to {where}{file}"
        return (
            f"{fix} if it is the one to publish, or remove it if it is a copy" if is_copy else fix
        )
    return f"write what it says in {where}{file}, {_HOW}, and remove it"


def _is_toml(path: Path) -> bool:
    """Return whether a file that has another ending sets keys as TOML does."""
    try:
        return path.stat().st_size <= MAX_FILE_BYTES and bool(
            tomllib.loads(path.read_text("utf-8"))
        )
    except (OSError, ValueError):
        return False


def _words(name: str) -> str:
    return re.sub(r"[\W_]+", ".", _ENDING.sub("", name).casefold()).strip(".")


@cache
def _sections() -> dict[str, str]:
    """Return the names of all sections, by how they are in lower case."""
    return {name.casefold(): name for name in section_names()}
