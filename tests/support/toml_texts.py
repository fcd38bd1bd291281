"""Generated TOML texts of every form, with the line of each key path."""

import json
from typing import Any

from hypothesis import strategies as st

from content.reading.toml_positions import KeyPath

BARE = st.from_regex(r"[A-Za-z0-9_-]{1,5}", fullmatch=True)
ODD = st.sampled_from(
    ["", " ", "a.b", "x = [1]", "# no", "[[t]]", "]", "{", "it's", 'a "quote"', "é", "tab\t", '"""']
)
BLANKS = st.sampled_from(["", "\n", "  \n\t\n", '# a comment ] } " \'\'\' """ [x] = 1\n', "\n#\n"])
GAPS = st.sampled_from(["", " ", "\t", "\n", "\n  # ] , [ \" '''\n ", "\n\n"])
SCALARS = st.sampled_from(
    [
        "0",
        "+1_000",
        "0xdead",
        "3.14e-2",
        "nan",
        "true",
        "2026-03-01",
        "2026-03-01 09:30:00.5Z",
        "07:00:00",
    ]
)
WORDS = st.text(st.sampled_from("ab \"'[]{}#=,.\\\té"), max_size=8)
PIECES = st.lists(
    st.sampled_from(
        ["a", '"', '""', "'", "''", "[x]", "[[y]]", "#", "\n", "k = 1\n", "\\\n  ", "\\\\", '\\"']
    ),
    max_size=8,
)


class Writer:
    """A text that grows, and the line of every path noted so far."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.text = ""
        self.lines: dict[KeyPath, int] = {}

    def note(self, path: KeyPath) -> None:
        """The path stands here, unless it stood somewhere before."""
        self.lines.setdefault(path, 1 + self.text.count("\n"))

    def names(self, most: int) -> list[str]:
        """Different names of keys."""
        return self.draw(st.lists(BARE | ODD, max_size=most, unique=True))

    def key(self, name: str) -> str:
        """The name as a key: bare where it can be, or quoted in one way or the other."""
        forms = [json.dumps(name), json.dumps(name, ensure_ascii=False)]
        if name and all(c.isascii() and (c.isalnum() or c in "-_") for c in name):
            forms.append(name)
        if "'" not in name:
            forms.append(f"'{name}'")
        return self.draw(st.sampled_from(forms))

    def assignment(self, table: KeyPath, name: str) -> None:
        """A key, which may be dotted, and its value."""
        names = [name, *(self.names(2) if self.draw(st.booleans()) else ())]
        path = table
        for part in names:
            path = (*path, part)
            self.note(path)
        dot = self.draw(st.sampled_from([".", " . "]))
        self.text += dot.join(self.key(part) for part in names)
        self.text += self.draw(st.sampled_from(["=", " = ", "\t=\t"]))
        self.value(path, depth=0)

    def value(self, path: KeyPath, depth: int) -> None:
        """A value of any form."""
        forms = [self.scalar, self.basic, self.literal, self.basic_text, self.literal_text]
        nested = [self.array, self.inline_table] if depth < 3 else []
        form = self.draw(st.sampled_from([*forms, *nested]))
        form(path, depth)

    def scalar(self, _: KeyPath, __: int) -> None:
        self.text += self.draw(SCALARS)

    def basic(self, _: KeyPath, __: int) -> None:
        self.text += json.dumps(self.draw(WORDS))

    def literal(self, _: KeyPath, __: int) -> None:
        self.text += f"'{self.draw(WORDS).replace(chr(39), '')}'"

    def basic_text(self, _: KeyPath, __: int) -> None:
        body = "".join(self.draw(PIECES)).replace('"""', '""\\"')
        self.text += f'"""{body}"""'

    def literal_text(self, _: KeyPath, __: int) -> None:
        body = "".join(self.draw(PIECES))
        while "'''" in body:
            body = body.replace("'''", "''")
        self.text += f"'''{body}'''"

    def array(self, path: KeyPath, depth: int) -> None:
        self.text += f"[{self.draw(GAPS)}"
        size = self.draw(st.integers(0, 3))
        for index in range(size):
            self.note((*path, index))
            self.value((*path, index), depth + 1)
            last = index == size - 1
            comma = "," if not last or self.draw(st.booleans()) else ""
            self.text += f"{self.draw(GAPS)}{comma}{self.draw(GAPS)}"
        self.text += "]"

    def inline_table(self, path: KeyPath, depth: int) -> None:
        self.text += "{ "
        for index, name in enumerate(self.names(3)):
            self.text += ", " if index else ""
            self.note((*path, name))
            self.text += f"{self.key(name)} = "
            self.value((*path, name), depth + 1)
        self.text += " }"

    def table(self, path: KeyPath, header: list[str], depth: int) -> None:
        """A table's own keys, then the tables inside it."""
        names = self.names(5)
        inner = self.draw(st.integers(0, len(names))) if depth < 3 else 0
        for name in names[inner:]:
            self.text += self.draw(BLANKS)
            self.assignment(path, name)
            self.text += self.draw(st.sampled_from(["\n", "  # a comment\n"]))
        for name in names[:inner]:
            if self.draw(st.booleans()):
                self.one_table(path, header, name, depth)
            else:
                self.many_tables(path, header, name, depth)

    def one_table(self, path: KeyPath, header: list[str], name: str, depth: int) -> None:
        self.text += self.draw(BLANKS)
        keys = [*header, self.key(name)]
        self.note((*path, name))
        path = (*path, name)
        if self.draw(st.booleans()):  # the table between is only named by the one inside
            self.note((*path, "inside"))
            path, keys = (*path, "inside"), [*keys, "inside"]
        self.text += f"[{self.draw(st.sampled_from(['.', ' . '])).join(keys)}]\n"
        self.table(path, keys, depth + 1)

    def many_tables(self, path: KeyPath, header: list[str], name: str, depth: int) -> None:
        keys = [*header, self.key(name)]
        for index in range(self.draw(st.integers(1, 3))):
            self.text += self.draw(BLANKS)
            self.note((*path, name))
            self.note((*path, name, index))
            self.text += f"[[ {'.'.join(keys)} ]]\n"
            self.table((*path, name, index), keys, depth + 1)


@st.composite
def toml_texts(draw: st.DrawFn) -> tuple[str, dict[KeyPath, int]]:
    """A text and where its key paths stand."""
    writer = Writer(draw)
    writer.table((), [], 0)
    writer.text += draw(BLANKS)
    if draw(st.booleans()):
        writer.text = writer.text.rstrip("\n")
    return writer.text.replace("\n", draw(st.sampled_from(["\n", "\r\n"]))), writer.lines


def key_paths(value: Any, path: KeyPath = ()) -> list[KeyPath]:
    """Every path that leads to something inside a parsed value."""
    parts = value.items() if isinstance(value, dict) else ()
    inner = enumerate(value) if isinstance(value, list) else parts
    found: list[KeyPath] = []
    for key, part in inner:
        found += [(*path, key), *key_paths(part, (*path, key))]
    return found
