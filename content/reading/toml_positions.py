"""The line of each key in a TOML text that tomllib accepts."""

import re
import tomllib
from bisect import bisect_right

KeyPath = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY = re.compile(r"""[ \t]*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))[ \t]*""")
_TEXT = re.compile(
    r'"""(?:[^\\]|\\[\s\S])*?"{3,5}'
    r"|'''[\s\S]*?'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
)
_BARE = re.compile(r"[^,\]}\n#]+")


class _TomlScanner:
    """One pass over the text, which records the line of every key and array element."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.starts = [0, *(newline.end() for newline in re.finditer("\n", text))]
        self.lines: dict[KeyPath, int] = {}
        self.tables: dict[KeyPath, int] = {}

    def scan(self) -> dict[KeyPath, int]:
        table: KeyPath = ()
        self.skip_blank()
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                table = self.header()
            else:
                self.assignment(table)
            self.skip_blank()
        return self.lines

    def header(self) -> KeyPath:
        is_list = self.text.startswith("[[", self.at)
        start = self.at
        self.at += 2 if is_list else 1
        keys = self.keys()
        self.at += 2 if is_list else 1
        path: KeyPath = ()
        for key in keys[:-1]:
            path = self.inside((*path, key))
            self.note(path, start)
        path = (*path, keys[-1])
        if is_list:
            self.tables[path] = self.tables.get(path, -1) + 1
        self.note(path, start)
        path = self.inside(path)
        self.note(path, start)
        return path

    def inside(self, path: KeyPath) -> KeyPath:
        return (*path, self.tables[path]) if path in self.tables else path

    def assignment(self, table: KeyPath) -> None:
        start = self.at
        path = table
        for key in self.keys():
            path = (*path, key)
            self.note(path, start)
        self.at += 1  # the equals sign
        self.value(path)

    def value(self, path: KeyPath) -> None:
        self.skip_blank()
        if text := _TEXT.match(self.text, self.at):
            self.at = text.end()
        elif self.text[self.at] == "[":
            self.array(path)
        elif self.text[self.at] == "{":
            self.inline_table(path)
        elif bare := _BARE.match(self.text, self.at):
            self.at = bare.end()

    def array(self, path: KeyPath) -> None:
        index = 0
        self.at += 1
        while not self.closes("]"):
            self.note((*path, index), self.at)
            self.value((*path, index))
            index += 1

    def inline_table(self, path: KeyPath) -> None:
        self.at += 1
        while not self.closes("}"):
            self.assignment(path)

    def closes(self, bracket: str) -> bool:
        self.skip_blank()
        if self.text[self.at] == ",":
            self.at += 1
            self.skip_blank()
        if self.text[self.at] != bracket:
            return False
        self.at += 1
        return True

    def keys(self) -> list[str]:
        names: list[str] = []
        while key := _KEY.match(self.text, self.at):
            quoted, literal, bare = key.groups()
            names.append(_unescaped(quoted) if quoted is not None else literal or bare or "")
            self.at = key.end()
            if self.text[self.at] != ".":
                break
            self.at += 1
        return names

    def skip_blank(self) -> None:
        blank = _BLANK.match(self.text, self.at)
        self.at = blank.end() if blank else self.at

    def note(self, path: KeyPath, at: int) -> None:
        self.lines.setdefault(path, bisect_right(self.starts, at))


def _unescaped(key: str) -> str:
    return next(iter(tomllib.loads(f'"{key}" = 0'))) if "\\" in key else key


def line_numbers(text: str) -> dict[KeyPath, int]:
    """Return the line, from 1, of every key path in the text."""
    return _TomlScanner(text).scan()


def nearest_line(lines: dict[KeyPath, int], path: KeyPath) -> int:
    """Return the line of the path, or of the innermost table or list around it."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)
