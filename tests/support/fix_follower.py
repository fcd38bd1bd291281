"""Somebody who does what a fix says, word for word, and knows nothing else of the content.

Where a fix leaves the words to the owner, as in `"…"`, these are put in. What only the owner can
decide, as which lines of two versions stay, is in `LEFT_TO_THE_OWNER`.
"""

import html
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from content.checking.errors import ContentProblem

OWN_WORDS = '"Words of the owner"'
LEFT_TO_THE_OWNER = re.compile(
    r"keep the lines of one"  # of two versions
    r"|write the kind before it"
    r"|correct it, or this machine's clock"
    r"|name it after its section"
    r"|remove \w+ from \S+\.toml, or this file"
    r"|write (?:\[\[\w+\]\] above each entry, and below it )?key = "  # no TOML at all
    r"|save the file in your editor"
)
_STRING = r'"""[\s\S]*?"{3,5}|\'\'\'[\s\S]*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\''
_VALUE = re.compile(rf"{_STRING}|[^\s,\]}}#][^,\]}}#\n]*")
_HEADER = re.compile(r"\s*\[")


class CannotFollowError(Exception):
    """The fix does not say what to do, or not where."""


def follow(folder: Path, problem: ContentProblem) -> None:
    """Do what the fix of a problem says. Raises: CannotFollowError."""
    path = folder.parent / problem.file
    fix = _with_examples(problem.fix)
    problem = replace(problem, fix=fix)
    for pattern, do in _DEEDS:
        if found := re.match(pattern, fix):
            do(_Place(folder, path, problem), found)
            return
    raise CannotFollowError(fix)


def _with_examples(fix: str) -> str:
    """Return a fix with its examples where it leaves a word to the owner."""
    named = re.findall(r'for example (\w+) = ("[^"]*")|, (\w+) one of: ([\w-]+)', fix)
    for key, example, one, word in named:
        fix = fix.replace(f'{key or one} = "…"', f"{key or one} = " + (example or f'"{word}"'))
    alone = re.search(r', (?:for example "?|one of: )([^\s",]+)(?! =)', fix)
    return fix.replace('"…"', f'"{alone[1]}"', 1) if alone else fix


class _Place:
    """Where a fault stands, and what can be done there."""

    def __init__(self, folder: Path, path: Path, problem: ContentProblem) -> None:
        self.folder, self.path, self.problem = folder, path, problem
        self.text = path.read_text(encoding="utf-8-sig") if path.is_file() else ""
        self.lines = self.text.split("\n")
        self.number = problem.line - 1
        names = re.sub(r"\[\d+\]", "", problem.key).split(".")
        self.key = names[-1]
        index = re.search(r"\[(\d+)\]$", problem.key)
        self.index = int(index[1]) if index else None

    @property
    def line(self) -> str:
        return self.lines[self.number]

    def save(self, text: str) -> None:
        self.path.write_text(text, encoding="utf-8")

    def put_line(self, line: str | None) -> None:
        """Write a line in place of the one that is named, or remove it."""
        self.lines[self.number : self.number + 1] = [] if line is None else [line]
        self.save("\n".join(self.lines))

    def insert(self, number: int, line: str) -> None:
        self.lines.insert(number, line)
        self.save("\n".join(self.lines))

    def span(self) -> tuple[int, int, int]:
        """Return where the key begins, where its value begins, and where it ends."""
        start = sum(len(line) + 1 for line in self.lines[: self.number])
        key = re.compile(rf"(?<![\w.-])(?:\"{re.escape(self.key)}\"|{re.escape(self.key)})\s*=\s*")
        found = key.search(self.text, start)
        if found is None or self.text.count("\n", start, found.start()) > 0:
            found = next((f for f in reversed([*key.finditer(self.text, 0, start)])), None)
        if found is None:
            raise CannotFollowError(f"there is no {self.key} at line {self.number + 1}")
        return found.start(), found.end(), _end_of_value(self.text, found.end())

    def item(self) -> tuple[int, int]:
        """Return where the item of a list begins and ends."""
        _, begin, end = self.span()
        spans = [*_items(self.text, begin, end)]
        if self.index is None or self.index >= len(spans):
            raise CannotFollowError(f"there is no such item at line {self.number + 1}")
        return spans[self.index]

    def replace_value(self, value: str) -> None:
        begin, end = self.item() if self.index is not None else self.span()[1:]
        self.save(self.text[:begin] + _with_words(value) + self.text[end:])

    def remove(self) -> str:
        """Remove the key with its value, the item, or the table; return what it was."""
        if _HEADER.match(self.line):
            end = self.number + 1
            while end < len(self.lines) and not _HEADER.match(self.lines[end]):
                end += 1
            block = self.lines[self.number : end]
            self.lines[self.number : end] = []
            self.save("\n".join(self.lines))
            return "\n".join(block)
        begin, end = self.item() if self.index is not None else (self.span()[0], self.span()[2])
        taken = self.text[begin:end]
        rest = self.text[end:]
        rest = re.sub(r"^\s*,\s*", "", rest) if self.index is not None else rest.removeprefix("\n")
        self.save(self.text[:begin] + rest)
        return taken


def _end_of_value(text: str, at: int) -> int:
    """Return where the value that begins here ends."""
    if text[at : at + 1] in {"[", "{"}:
        close = {"[": "]", "{": "}"}[text[at]]
        at += 1
        while text[at] != close:
            if text[at] in "[{":
                at = _end_of_value(text, at)
            elif found := re.compile(_STRING).match(text, at):
                at = found.end()
            else:
                at += 1
        return at + 1
    found = _VALUE.match(text, at)
    return at + len(found[0].rstrip()) if found else at


def _items(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    at = begin + 1
    while at < end - 1:
        if text[at] in " \n\t,":
            at += 1
            continue
        last = _end_of_value(text, at)
        yield at, last
        at = max(last, at + 1)


def _with_words(value: str) -> str:
    return value.replace('"…"', OWN_WORDS)


def _toml_at_start(text: str, before: str = "") -> str:
    """Return the longest beginning of a text that is TOML, which prose follows."""
    for length in range(len(text), 0, -1):
        try:
            tomllib.loads(before + text[:length])
        except tomllib.TOMLDecodeError:
            continue
        if text[:length].strip():
            return text[:length].rstrip()
    raise CannotFollowError(text)


def _write(place: _Place, found: re.Match[str]) -> None:
    words = found[1].removeprefix("for example ")
    sets_key = re.match(rf"{re.escape(place.key)} = ", words) is not None
    if re.match(r"\[+[\w.-]+\]+ (?:in place of|on a line)", words):
        _write_header(place, words)
    elif place.problem.key == "-":
        place.put_line(_with_words(_toml_at_start(words)))
    elif re.match(r"\[+[\w.-]+\]+", words):
        _write_header(place, words)
    elif sets_key and _HEADER.match(place.line):  # a slug that was taken from a name
        place.insert(place.number + 1, _toml_at_start(words))
    elif sets_key and place.index is None:
        begin, _, end = place.span()
        place.save(place.text[:begin] + _with_words(_toml_at_start(words)) + place.text[end:])
    else:
        place.replace_value(_toml_at_start(words, "x = ").removeprefix("x = "))


def _write_header(place: _Place, words: str) -> None:
    header = re.match(r"\[+[\w.-]+\]+", words)
    assert header is not None
    if below := re.match(r".*? and below it (.*)", words):
        keys = _with_words(below[1]).split(" and ")
        lines = [header[0], *map(_toml_at_start, keys)]
        place.save("\n".join([*place.lines, *lines, ""]))
    elif instead := re.match(r".*? in place of (\[+[\w.-]+\]+)", words):
        changed = (header[0] if line.strip() == instead[1] else line for line in place.lines)
        place.save("\n".join(changed))
    elif here := re.match(r".*? on a line above, (?:and here (.*)|where)", words):
        place.insert(place.number, header[0])
        if here[1]:
            place.lines[place.number + 1] = here[1]
            place.save("\n".join(place.lines))
    elif _HEADER.match(place.line):
        place.save(place.text.replace(place.line, header[0]))
    else:
        place.insert(place.number, header[0])


def _instead(place: _Place, found: re.Match[str]) -> None:
    place.put_line(
        re.sub(rf"(?<![\w-]){re.escape(found[2])}(?![\w-])", found[1], place.line, count=1)
    )


def _choose(place: _Place, found: re.Match[str]) -> None:
    place.replace_value(f'"{found[1]}"')


def _add(place: _Place, found: re.Match[str]) -> None:
    words, (fix, _, _) = found[1], place.problem.fix.partition("; it is")
    setting = _with_words(_toml_at_start(words))
    if fix.endswith("at the top of the file"):
        place.insert(0, setting)
    elif fix.endswith("below this line"):
        place.insert(place.number + 1, setting)
    elif fix.endswith("in these braces"):
        end = place.line.rindex("}")
        comma = "" if place.line[:end].rstrip().endswith("{") else ", "
        place.put_line(f"{place.line[:end].rstrip()}{comma}{setting} {place.line[end:]}")
    elif header := re.search(r"below (?:this )?(\[+[\w.]+\]+)$", fix):
        if place.line.strip() != header[1]:
            raise CannotFollowError(f"{header[1]} is not at line {place.number + 1}")
        place.insert(place.number + 1, setting)
    else:
        raise CannotFollowError(fix)


def _remove(place: _Place, _: re.Match[str]) -> None:
    if place.problem.rule.startswith(("in line", "line ")):
        _in_text(place, lambda _: "")
    elif place.problem.key == "-":
        place.put_line(None)
    else:
        place.remove()


def _move(place: _Place, found: re.Match[str]) -> None:
    where, _, name = found[1].partition(", as ")
    taken = place.remove()
    taken = re.sub(r"^[\w-]+", name, taken) if name else taken
    lines = place.path.read_text(encoding="utf-8").split("\n")
    if header := re.search(r"below (?:its )?(\[+[\w.]+\]+)$", where):
        places = [n for n, line in enumerate(lines) if line.strip() == header[1]]
        if "its" in where:
            places = [n for n in places if n < place.number][-1:]
        if not places:
            raise CannotFollowError(f"there is no {header[1]}")
        lines.insert(places[0] + 1, taken)
    elif where == "to the top of the file":
        lines.insert(0, taken)
    else:
        raise CannotFollowError(where)
    place.save("\n".join(lines))


def _move_out(place: _Place, found: re.Match[str]) -> None:
    target = place.folder / found[1]
    taken = place.remove()
    if _HEADER.match(taken):  # words that are no entry yet are the owner's to write there
        before = target.read_text(encoding="utf-8") if target.exists() else ""
        target.write_text(f"{before}\n{taken}\n", encoding="utf-8")


def _rename(place: _Place, found: re.Match[str]) -> None:
    target = place.folder.parent / found[1]
    target = target if found[1].startswith(f"{place.folder.name}/") else place.folder / found[1]
    if target.exists():
        raise CannotFollowError(f"{target} is there already")
    place.path.rename(target)


def _take_over(place: _Place, _: re.Match[str]) -> None:
    place.path.unlink()  # its words are there already, or the owner writes them


def _in_text(place: _Place, change: Callable[[str], str]) -> None:
    """Change what the rule quotes of a text: `in line 2, WORDS is an image`."""
    quoted = re.match(
        r'(?:in )?line \d+, "?(.+?)"?,? (?:is|looks|defines|begins|has)\b', place.problem.rule
    )
    if quoted is None or place.text.count(quoted[1].removesuffix("…")) == 0:
        raise CannotFollowError(place.problem.rule)
    begin = place.text.index(quoted[1].removesuffix("…"), _start(place))
    end = begin + len(quoted[1].removesuffix("…"))
    if quoted[1].endswith("…"):
        end = place.text.index("\n", end)
    place.save(place.text[:begin] + change(place.text[begin:end]) + place.text[end:])


def _start(place: _Place) -> int:
    return sum(len(line) + 1 for line in place.lines[: place.number])


def _link(place: _Place, found: re.Match[str]) -> None:
    link = found[1].replace("(address)", "(https://saltmarsh.example/list)")
    _in_text(place, lambda _: link)


def _note(place: _Place, found: re.Match[str]) -> None:
    mark = found[1]
    text = re.sub(rf"\n+{re.escape(mark)}: .*", "", place.text)
    place.save(text.replace(mark, " (without tax)"))


def _block(place: _Place, found: re.Match[str]) -> None:
    rest = [n for n in range(place.number + 1, len(place.lines)) if place.lines[n][:1] == " "]
    place.lines.insert((rest[-1] if rest else place.number) + 1, '"""')
    place.put_line(f'{found[1]} = """')


def _straight(place: _Place, _: re.Match[str]) -> None:
    place.save(re.sub("[“”„‟]{3}", '"""', place.text))


def _delete(place: _Place, _: re.Match[str]) -> None:
    code = re.search(r"U\+([0-9A-F]{4})", place.problem.rule)
    assert code is not None
    place.save(
        re.sub(rf"\\u{code[1]}|{chr(int(code[1], 16))}", "", place.text, flags=re.IGNORECASE)
    )


def _bold(place: _Place, _: re.Match[str]) -> None:
    place.save(re.sub(r"</?(?:b|strong|i|em)>", "**", place.text))


def _anchor(place: _Place, _: re.Match[str]) -> None:
    place.save(re.sub(r"<a href=[\\]?[\"'](.*?)[\\]?[\"']>(.*?)</a>", r"[\2](\1)", place.text))


def _remove_heading(place: _Place, found: re.Match[str]) -> None:
    place.save(place.text.replace(f"{found[1]}\n", "", 1))


def _remove_line(place: _Place, found: re.Match[str]) -> None:
    del place.lines[int(found[1]) - 1]
    if found[2]:
        place.lines.insert(place.lines.index(found[3]) + 1, found[2])
    place.save("\n".join(place.lines))


def _move_keys(place: _Place, found: re.Match[str]) -> None:
    keys = place.remove().split("\n")[1:]
    place.lines[int(found[1]) : int(found[1])] = [key for key in keys if key]
    place.save("\n".join(place.lines))


def _without_tags(place: _Place, found: re.Match[str]) -> None:
    for tag in found[1].split(" and "):
        place.save(place.path.read_text(encoding="utf-8").replace(tag, ""))


def _brackets(place: _Place, _: re.Match[str]) -> None:
    begin, end = place.span()[1:]
    value = place.text[begin:end]
    changed = f"[{value}]" if value.startswith("{") else value[1:-1].strip()
    place.save(place.text[:begin] + changed + place.text[end:])


def _unlink(place: _Place, _: re.Match[str]) -> None:
    place.save(re.sub(r"\[([^\]]*)\]\(<?(?!https?:|mailto:)\w+:[^)]*\)", r"\1", place.text))


def _where_used(place: _Place, _: re.Match[str]) -> None:
    definition = re.search(r"(\[[^\]]+\]): (\S+?)(?=\"|\n|$)", place.text)
    assert definition is not None
    text = place.text.replace(definition[0], "")
    place.save(text.replace(f"]{definition[1]}", f"]({definition[2]})"))


def _fence(place: _Place, found: re.Match[str]) -> None:
    _, begin, end = place.span()
    quotes = 3 if place.text.startswith('"""', begin) else 1
    mark = f"\n{found[1]}\n" if quotes > 1 else f"\\n{found[1]}"
    place.save(place.text[: end - quotes].rstrip("\n") + mark + place.text[end - quotes :])


def _close_text(place: _Place, _: re.Match[str]) -> None:
    after = range(place.number + 1, len(place.lines))
    keys = (n for n in after if re.match(r"[\w-]+ = |\[", place.lines[n]))
    place.insert(next(keys, len(place.lines) - 1), '"""')


def _one_line(place: _Place, found: re.Match[str]) -> None:
    place.lines[place.number : int(found[2])] = [found[1]]
    place.save("\n".join(place.lines))


def _code(place: _Place, found: re.Match[str]) -> None:
    place.save(place.text.replace(found[1].strip("`"), found[1]))


def _port(place: _Place, found: re.Match[str]) -> None:
    place.save(re.sub(rf"(https?://[\w.]+){found[1]}", r"\1", place.text))


def _shorten(place: _Place, found: re.Match[str]) -> None:
    _, _, end = place.span()
    place.save(place.text[: end - 1 - int(found[1])].rstrip() + place.text[end - 1 :])


_DEEDS: tuple[tuple[str, Callable[[_Place, re.Match[str]], None]], ...] = (
    (r"rename it to (\S+)(?: if .*)?$", _rename),
    (r"move it to (\S+/\S+\.toml)(?: if .*)?$", _rename),
    (r"remove it if it is a copy", _take_over),
    (r"move its keys below line (\d+), and remove this line", _move_keys),
    (r"remove the line (\[.*\]): the keys below it", _remove_heading),
    (r"remove line (\d+)(?:, and write (.*) below (\[.*\]))?$", _remove_line),
    (r"remove (<.*>); an empty line", _without_tags),
    (r"(?:put the braces in|take the) square brackets", _brackets),
    (r"(?:move|write) what it says ", _take_over),
    (r"move it to a file of its own, (\S+\.toml)", _move_out),
    (r"move it (.*)", _move),
    (r"add (.*)", _add),
    (r"did you mean '(.*)'\?", _choose),
    (r'write one of: "([^"]+)"', _choose),
    (r"write one of: ([\w/-]+)", _choose),
    (r"write ([\w-]+) instead of ([\w-]+)$", _instead),
    (r"write the note in parentheses where (\S+) stands", _note),
    (r"write a link, (\[.*?\]\(.*?\))", _link),
    (r'write """ in straight quotes', _straight),
    (r'write ([\w-]+) = """ and, below', _block),
    (r"write (\*\*.*\*\*)$", lambda p, f: _in_text(p, lambda _: f[1])),
    (r"write what it shows there", lambda p, _: _in_text(p, lambda _: "the van")),
    (r"write (&|<|>|a blank|\W)$", lambda p, _: _in_text(p, html.unescape)),
    (r"write your own words", lambda p, _: p.replace_value(OWN_WORDS)),
    (r"remove one of the two, or write here (.*)", _write),
    (r"delete it", _delete),
    (r"remove ", _remove),
    (r"write \*\*bold\*\*", _bold),
    (r"write a link as ", _anchor),
    (r"write .* without the link$", _unlink),
    (r"write a comma at the end of this line", lambda p, _: p.put_line(f"{p.line},")),
    (r"write a comma in front of (.*)", lambda p, f: p.put_line(p.line.replace(f[1], f",{f[1]}"))),
    (r"write it with its unit, as (.*)", _write),
    (r"write the address where it is used", _where_used),
    (r"write ([`~]{3,}) alone on the line below the code", _fence),
    (r'write """ behind its last line', _close_text),
    (r"write (.*) on one line, in place of lines \d+ to (\d+)", _one_line),
    (r"put code in backticks, (`.*`)", _code),
    (r"write https?://\S+, without (:\d+)", _port),
    (r"shorten it by (\d+)", _shorten),
    (r"close it with", lambda p, _: p.put_line(p.line + '"')),
    (r"write \] behind", lambda p, _: p.put_line(p.line + "]")),
    (r"write (?:the|its) .*?(\"[^\"]*\")", lambda p, f: p.replace_value(f[1])),
    (r"write (.*), without quotes around it", _write),
    (r"write (.*)", _write),
)
