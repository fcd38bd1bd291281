"""Plain JSON as readable markdown, laid out by its shape and the marks on its fields."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from textwrap import indent
from typing import Any
from urllib.parse import quote

from sdl.operations.operation import ACRONYMS, title_of
from sdl.tools.code_in_text import inline_code
from sdl.tools.json_text import to_json
from sdl.types.marks import CallersWords, Heading, Inline, Measured, Prose, Summary
from sdl.types.shape import Field, ListShape, ObjectShape, ScalarShape, Shape

PARAGRAPH = "\n\n"
_BLOCK = re.compile(r"\s*(?:[-*+>|][ \t|]|\d{1,9}[.)][ \t]|\||```|~~~)")
"""How a text begins that is more than a paragraph."""
_STRUCTURE = re.compile(rf"(?m)^(?:\s*#|\s*(?:=+|-+)\s*$|{_BLOCK.pattern})")
"""A line that begins more than a paragraph, or ends a heading."""
_UNSEEN = r"[\0-\x08\v\f\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]"
_SIGNS = re.compile(rf"\*\*|__|`|\[|\{{#|<[A-Za-z/!?]|{_UNSEEN}")
"""What in a text could be more than words, wherever on a line it stands."""
_FIRST = r"^(?:\s*(?:(?:[-+*#]+|\d{1,9}[.)])(?:\s|$)|[>|\t]|~~~)|\s{4})"
_FIRST_SIGNS = re.compile(rf"{_SIGNS.pattern}|{_FIRST}")
"""The same where the text begins a line."""
_ROW_SIGNS = re.compile(rf"{_FIRST_SIGNS.pattern}|;\s|\*")
"""The same in a row, where semicolons separate its parts and its name is bold."""
_LINE_END = re.compile(r"\s*[\r\n]\s*")
_SHORT_LIST = 300
_MAX_LEVEL = 6
_SENTENCE_ENDS = (".", "!", "?")
_ROW_ENDS = re.compile(r"[;\r\n]")
_WORDS = {**ACRONYMS, "refs": "about"}


def markdown_document(
    title: str,
    shape: Shape,
    value: Any,
    addresses: Sequence[str] = (),
    *,
    is_foreign: bool = False,
) -> str:
    """Return the value as markdown under one heading: its own name, or else the title.

    Each item of a list has the last part of its address as an anchor behind its name, in the
    notation of Pandoc: `{#slug}`. Where the data `is_foreign`, a text on one line that could look
    like more than words is code.
    """
    layout = _Layout(is_foreign)
    if isinstance(shape, ListShape) and value is not None:
        anchors = [address.rpartition("/")[2] for address in addresses]
        blocks = [_heading(title, 1), *layout.items(shape, value, 1, anchors)]
    else:
        blocks = list(layout.value(title, shape, value, 1))
    if len(blocks) == 1:
        blocks.append("There is nothing else." if is_foreign else "Nothing is published here.")
    return "\n\n".join(blocks) + "\n"


@dataclass(frozen=True)
class _Layout:
    """Lays out the data of one service."""

    is_foreign: bool
    """Whether anybody may write the data, so that its texts must not look like the layout."""

    def value(
        self, title: str, shape: Shape, value: Any, level: int, anchor: str = ""
    ) -> Iterator[str]:
        """Yield the blocks of what is no list."""
        if isinstance(shape, ObjectShape) and value is not None:
            yield _heading(f"{self._name(shape, value) or title} {_mark(anchor)}".rstrip(), level)
            yield from self._body(shape, value, level)
        else:
            yield _heading(title, level)
            yield self._apart(value)

    def _body(self, shape: ObjectShape, value: dict[str, Any], level: int) -> Iterator[str]:
        said, name = _said(shape, value), _name_field(shape, value)
        members = [
            member
            for member in said
            if member is not name
            and (_says_something(value[member.key]) or self._is_empty(value[member.key]))
            and not member.is_marked(Measured)
        ]
        prose = [m for m in members if _is_prose(m)]
        yield from (_quoted(self._own(value[m.key])) for m in members if m.is_marked(Summary))
        if len(prose) == 1:
            yield _prose(prose[0], value[prose[0].key])
        facts = [m for m in members if _is_fact(m) and not m.is_marked(Summary)]
        if facts:
            yield "\n".join(self._fact(member, value[member.key]) for member in facts)
        for member in prose if len(prose) > 1 else ():
            yield _labelled(label(member.key), value[member.key])
        for member in members:
            if not _is_fact(member) and member not in prose and not member.is_marked(Summary):
                yield from self._nested(member, value[member.key], level + 1)

    def _is_empty(self, value: Any) -> bool:
        """Whether a value is an empty list that is told; a studio leaves out what it has not."""
        return self.is_foreign and value == []

    def _nested(self, member: Field, value: Any, level: int) -> Iterator[str]:
        if isinstance(member.shape, ObjectShape):
            name = self._name(member.shape, value)
            yield _heading(f"{label(member.key)}: {name}" if name else label(member.key), level)
            yield from self._body(member.shape, value, level)
        elif isinstance(member.shape, ListShape):
            inline = member.is_marked(Inline)
            if not inline:
                yield _heading(label(member.key), level)
            is_prose = member.is_marked(Prose)
            yield from value if is_prose else self.items(member.shape, value, level - inline)

    def items(
        self, shape: ListShape, values: Sequence[Any], level: int, anchors: Sequence[str] = ()
    ) -> Iterator[str]:
        """Yield the blocks of a list."""
        named = [*zip_longest(values, anchors[: len(values)], fillvalue="")]
        item = shape.item
        if not named:
            yield "There are none."
        elif isinstance(item, ObjectShape) and not _are_rows(item, values):
            for number, (value, anchor) in enumerate(named, 1):
                title = self._nameless(item, value) if self.is_foreign else str(number)
                yield from self.value(title, item, value, level + 1, anchor)
        else:
            yield "\n".join(f"- {self._row(item, value, anchor)}" for value, anchor in named)

    def _row(self, shape: Shape, value: Any, anchor: str) -> str:
        if not isinstance(shape, ObjectShape) or value is None:
            return self._text(value, _FIRST_SIGNS)
        members, heading_field = _said(shape, value), _name_field(shape, value)
        linked = next(
            (m for m in members if m.key == "url" and isinstance(value["url"], str)), None
        )
        parts = [
            self._text(value[m.key], _ROW_SIGNS)
            if m.is_marked(Summary)
            else f"{label(m.key).lower()}: {self._text(value[m.key], _ROW_SIGNS)}"
            for m in members
            if m not in (heading_field, linked)
        ]
        name = self._name(shape, value, _ROW_SIGNS)
        if not name and (shape.field_marked(Heading) or not (parts or linked)):
            name = self._nameless(shape, value)
        if name and linked:
            name = f"[{_link_text(name)}]({_link_target(value[linked.key])}):"
        elif name:
            name = f"**{name}**" if name.endswith(_SENTENCE_ENDS) else f"**{name}.**"
        elif linked:
            parts.append(self._text(value[linked.key], _ROW_SIGNS))
        return " ".join(part for part in (name, _mark(anchor), "; ".join(parts)) if part)

    def _fact(self, member: Field, value: Any) -> str:
        name = label(member.key)
        if member.is_marked(CallersWords):
            return _callers_fact(f"{name} (from the caller)", value)
        if isinstance(value, list) and (
            len(self._text(value)) > _SHORT_LIST or not _fits_a_line(value)
        ):
            return "\n".join(
                [f"- {name}:", *(f"  - {self._text(item, _FIRST_SIGNS)}" for item in value)]
            )
        if isinstance(value, str) and _LINE_END.search(value):
            return f"- {name}:\n\n{indent(_quoted(value), '  ')}"
        return f"- {name}: {self._text(value)}"

    def _text(self, value: Any, signs: re.Pattern[str] = _SIGNS) -> str:
        """Return a value on one line; as code if it has foreign signs, or lists in a list."""
        if value is None:
            return "null"
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, dict) or (
            isinstance(value, list) and any(isinstance(item, list) for item in value)
        ):
            return inline_code(to_json(value).decode())
        if isinstance(value, list):
            said = ", ".join(self._text(item, signs) for item in value)
            return said or ('""' if value and self.is_foreign else "none")
        line = _LINE_END.sub(" ", str(value))
        return inline_code(line) if self.is_foreign and signs.search(line) else line

    def _name(
        self, shape: ObjectShape, value: dict[str, Any], signs: re.Pattern[str] = _SIGNS
    ) -> str:
        """Return an object's name on one line; empty if it has none."""
        own = _name_field(shape, value)
        return self._text(value[own.key], signs).strip() if own is not None else ""

    def _nameless(self, shape: ObjectShape, value: Any) -> str:
        """Return what stands for the name of an object: its type in words, and its id."""
        own = (value or {}).get("id")
        return f"{title_of(shape.type_name)} {'' if own is None else self._text(own)}".rstrip()

    def _apart(self, value: Any) -> str:
        """Return a text as it is; one with headings or lists, or foreign lines, is quoted.

        Any other value is on one line.
        """
        text = self._own(value)
        if self.is_foreign:
            return _quoted(text) if _LINE_END.search(text) else text
        return _quoted(text) if _STRUCTURE.search(text) else text

    def _own(self, value: Any) -> str:
        """Return a text of several lines as it is, and what is on one line as such."""
        is_long = isinstance(value, str) and _LINE_END.search(value)
        return str(value) if is_long else self._text(value, _FIRST_SIGNS)


def _said(shape: ObjectShape, value: dict[str, Any]) -> list[Field]:
    """Return the members of an object that are there; a name of blanks is none."""
    there = (member for member in shape.fields if value.get(member.key) is not None)
    return [m for m in there if not m.is_marked(Heading) or str(value[m.key]).strip()]


def _name_field(shape: ObjectShape, value: dict[str, Any]) -> Field | None:
    """Return the first member that names the object; None if there is none."""
    return next((m for m in _said(shape, value) if m.is_marked(Heading)), None)


def _says_something(value: Any) -> bool:
    """Whether a member is there and is no empty list, nor an object of nothing else."""
    if isinstance(value, dict):
        return not value or any(_says_something(inner) for inner in value.values())
    return value is not None and value != []


def _is_prose(member: Field) -> bool:
    """Whether it is a text of paragraphs; a summary is one already, and is quoted above it."""
    is_text = member.is_marked(Prose) and not isinstance(member.shape, ListShape)
    return is_text and not member.is_marked(Summary)


def _prose(member: Field, text: str) -> str:
    """Return the text; a markdown text is quoted, so that its headings stay apart from ours."""
    if member.shape != ScalarShape("Markdown"):
        return text
    return _quoted(text)


def _quoted(text: str) -> str:
    lines = re.split(r"\r\n?|\n", text.strip("\r\n"))
    return "\n".join(f"> {line}" if line else ">" for line in lines)


def _labelled(name: str, text: str) -> str:
    """Return a text behind its label; one that begins with a list, a table or code is below it."""
    return f"**{name}.**{PARAGRAPH if _BLOCK.match(text) else ' '}{text}"


def _mark(anchor: str) -> str:
    return f"{{#{anchor}}}" if anchor else ""


def _callers_fact(name: str, value: Any) -> str:
    if isinstance(value, list):
        return "\n".join([f"- {name}:", *(f"  - {_callers_code(item)}" for item in value)])
    return f"- {name}: {_callers_code(value)}"


def _callers_code(value: Any) -> str:
    return inline_code(value if isinstance(value, str) else to_json(value).decode())


def _is_fact(member: Field) -> bool:
    if member.is_marked(CallersWords):
        return True
    shape = member.shape.item if isinstance(member.shape, ListShape) else member.shape
    return isinstance(shape, ScalarShape) and not member.is_marked(Prose)


def _are_rows(shape: ObjectShape, values: Sequence[Any]) -> bool:
    """Whether each value can be one line of a list, as null can."""
    # Beside a text with a backtick, on one line, the inline code of a caller's words could end.
    facts = all(_is_fact(m) and not m.is_marked(CallersWords) for m in shape.fields)
    return facts and all(value is None or _fits_a_row(shape, value) for value in values)


def _fits_a_row(shape: ObjectShape, value: dict[str, Any]) -> bool:
    """Whether the values stay distinct when semicolons separate them on one line."""
    facts = [value[m.key] for m in shape.fields if m.key in value and not _is_name_or_url(m)]
    return len(facts) < 2 or all(  # noqa: PLR2004 - one value needs no separator
        _fits_a_line(fact) if isinstance(fact, list) else not _ROW_ENDS.search(str(fact))
        for fact in facts
    )


def _is_name_or_url(member: Field) -> bool:
    return member.is_marked(Heading) or member.key == "url"


def _fits_a_line(items: list[Any]) -> bool:
    """Whether the items stay distinct when commas separate them."""
    return not any(mark in str(item) for item in items for mark in ",;") and not any(
        str(item).endswith(_SENTENCE_ENDS) for item in items
    )


def _heading(text: str, level: int) -> str:
    text = _LINE_END.sub(" ", text)
    return f"{'#' * level} {text}" if level <= _MAX_LEVEL else f"**{text}**"


def _link_text(text: str) -> str:
    return text.replace("\\", "\\\\").replace("[", "(").replace("]", ")")


def _link_target(url: str) -> str:
    """Return an address without what would end the link or be more than an address."""
    return re.sub(r"[\s()<>*`\\]", lambda found: quote(found[0]), url)


def label(key: str) -> str:
    """Return a key in words: `lookingFor` is `Looking for`, `llmReady` is `LLM ready`."""
    parts = re.sub(r"(?<=[a-z0-9])([A-Z])", r" \1", key).replace("_", " ").lower().split()
    words = " ".join(_WORDS.get(part, part) for part in parts)
    return words[:1].upper() + words[1:]
