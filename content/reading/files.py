"""The files of a content folder as texts, and the problems of a whole file."""

import re
from collections.abc import Sequence
from pathlib import Path

from content.checking.corrections import shown_line
from content.checking.errors import NO_KEY, ContentError, ContentProblem
from content.reading.section_names import field_of, section_of
from content.reading.sizes import MAX_MEBIBYTES, MEBIBYTE

LINE_END = re.compile(r"\r\n|\r|\n")
"""What ends a line of an owner's file; nothing else does. A text that was read has `\\n` alone."""


def files_of(folder: Path) -> list[Path]:
    """Return the files of a content folder that are read: those that a section names."""
    return sorted(path for path in folder.glob("*.toml") if field_of(section_of(path.name)))


def check_size_of_all(folder: Path, paths: Sequence[Path]) -> None:
    """Raise ContentError, which names the largest file, if all files together are too large."""
    sizes = [(path.stat().st_size, path.name) for path in paths if path.is_file()]
    total = sum(size for size, _ in sizes)
    if total > MAX_MEBIBYTES * MEBIBYTE:
        rule = f"has {total:,} bytes in all, more than {MAX_MEBIBYTES} MiB"
        size, name = max(sizes)
        fix = f"shorten the largest file, {name}, which has {size:,}"
        raise ContentError([file_problem(folder.name, rule, fix)])


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
