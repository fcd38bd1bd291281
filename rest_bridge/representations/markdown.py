"""Plain JSON as readable markdown, laid out by its shape and the marks on its fields."""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from textwrap import indent
from typing import Any

from sdl.operations.operation import ACRONYMS
from sdl.tools.code_in_text import inline_code
from sdl.tools.json_text import to_json
from sdl.types.marks import CallersWords, Heading, Inline, Measured, Prose, Summary
from sdl.types.shape import Field, ListShape, ObjectShape, ScalarShape, Shape

PARAGRAPH = "\n\n"
_BLOCK = re.compile(r"\s*(?:[-*+>|][ \t|]|\d{1,9}[.)][ \t]|\||```|~~~)")
"""How a text begins that is more than a paragraph."""
_STRUCTURE = re.compile(rf"(?m)^(?:\s*#|\s*(?:=+|-+)\s*$|{_BLOCK.pattern})")
"""A line that begins more than a paragraph, or ends a heading."""
_LINE_END = re.compile(r"\s*[\r\n]\s*")
_SHORT_LIST = 300
_MAX_LEVEL = 6
_SENTENCE_ENDS = (".", "!", "?")
_ROW_ENDS = re.compile(r"[;\r\n]")
_WORDS = {**ACRONYMS, "refs": "about"}


def markdown_document(title: str, shape: Shape, value: Any, addresses: Sequence[str] = ()) -> str:
    """Return the value as markdown under one heading: its own name, or else the title.

    Each item of a list has the last part of its address as an anchor behind its name, in the
    notation of Pandoc: `{#slug}`.
    """
    if isinstance(shape, ListShape):
        anchors = [address.rpartition("/")[2] for address in addresses]
        blocks = [_heading(title, 1), *_items(shape, value or [], 1, anchors)]
    elif value is None:
        blocks = [_heading(title, 1)]
    else:
        blocks = list(_value(title, shape, value, 1))
    if len(blocks) == 1:
        blocks.append("Nothing is published here.")
    return "\n\n".join(blocks) + "\n"


def _value(title: str, shape: Shape, value: Any, level: int, anchor: str = "") -> Iterator[str]:
    """Yield the blocks of what is no list."""
    if isinstance(shape, ObjectShape):
        yield _heading(f"{_name(shape, value) or title} {_mark(anchor)}".rstrip(), level)
        yield from _body(shape, value, level)
    else:
        yield _heading(title, level)
        yield _apart(value) if isinstance(value, str) else _text(value)


def _body(shape: ObjectShape, value: dict[str, Any], level: int) -> Iterator[str]:
    members = [
        member
        for member in shape.fields
        if _says_something(value.get(member.key))
        and not (member.is_marked(Heading) or member.is_marked(Measured))
    ]
    prose = [m for m in members if _is_prose(m)]
    yield from (_quoted(value[m.key]) for m in members if m.is_marked(Summary))
    if len(prose) == 1:
        yield _prose(prose[0], value[prose[0].key])
    facts = [m for m in members if _is_fact(m) and not m.is_marked(Summary)]
    if facts:
        yield "\n".join(_fact(member, value[member.key]) for member in facts)
    for member in prose if len(prose) > 1 else ():
        yield _labelled(label(member.key), value[member.key])
    for member in members:
        if not _is_fact(member) and member not in prose and not member.is_marked(Summary):
            yield from _nested(member, value[member.key], level + 1)


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


def _apart(text: str) -> str:
    """Return a text as it is; one with headings or lists of its own is quoted."""
    return _quoted(text) if _STRUCTURE.search(text) else text


def _quoted(text: str) -> str:
    lines = re.split(r"\r\n?|\n", text.strip("\r\n"))
    return "\n".join(f"> {line}" if line else ">" for line in lines)


def _labelled(name: str, text: str) -> str:
    """Return a text behind its label; one that begins with a list, a table or code is below it."""
    return f"**{name}.**{PARAGRAPH if _BLOCK.match(text) else ' '}{text}"


def _nested(member: Field, value: Any, level: int) -> Iterator[str]:
    if isinstance(member.shape, ObjectShape):
        name = _name(member.shape, value)
        yield _heading(f"{label(member.key)}: {name}" if name else label(member.key), level)
        yield from _body(member.shape, value, level)
    elif isinstance(member.shape, ListShape):
        inline = member.is_marked(Inline)
        if not inline:
            yield _heading(label(member.key), level)
        yield from value if member.is_marked(Prose) else _items(member.shape, value, level - inline)


def _mark(anchor: str) -> str:
    return f"{{#{anchor}}}" if anchor else ""


def _items(
    shape: ListShape, values: Sequence[Any], level: int, anchors: Sequence[str] = ()
) -> Iterator[str]:
    named = [*zip_longest(values, anchors[: len(values)], fillvalue="")]
    if shape.has_null:
        named = [(value, anchor) for value, anchor in named if value is not None]
    item, values = shape.item, [value for value, _ in named]
    if not values:
        yield "There are none."
    elif isinstance(item, ObjectShape) and not _are_rows(item, values):
        for number, (value, anchor) in enumerate(named, 1):
            yield from _value(str(number), item, value, level + 1, anchor)
    else:
        yield "\n".join(f"- {_row(item, value, anchor)}" for value, anchor in named)


def _row(shape: Shape, value: Any, anchor: str) -> str:
    if not isinstance(shape, ObjectShape):
        return _text(value)
    members = [m for m in shape.fields if m.key in value]
    heading_field = next((m for m in members if m.is_marked(Heading)), None)
    linked = next((m for m in members if m.key == "url"), None)
    parts = [
        _text(value[m.key])
        if m.is_marked(Summary)
        else f"{label(m.key).lower()}: {_text(value[m.key])}"
        for m in members
        if m not in (heading_field, linked)
    ]
    name = _text(value[heading_field.key]) if heading_field else ""
    if heading_field and linked:
        name = f"[{_link_text(name)}]({_link_target(value[linked.key])}):"
    elif heading_field:
        name = f"**{name}**" if name.endswith(_SENTENCE_ENDS) else f"**{name}.**"
    elif linked:
        parts.append(value[linked.key])
    return " ".join(part for part in (name, _mark(anchor), "; ".join(parts)) if part)


def _fact(member: Field, value: Any) -> str:
    name = label(member.key)
    if member.is_marked(CallersWords):
        return _callers_fact(f"{name} (from the caller)", value)
    if isinstance(value, list) and (len(_text(value)) > _SHORT_LIST or not _fits_a_line(value)):
        return "\n".join([f"- {name}:", *(f"  - {_text(item)}" for item in value)])
    if isinstance(value, str) and _LINE_END.search(value):
        return f"- {name}:\n\n{indent(_quoted(value), '  ')}"
    return f"- {name}: {_text(value)}"


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
    """Whether each value can be one line of a list."""
    # Beside a text with a backtick, on one line, the inline code of a caller's words could end.
    facts = all(_is_fact(m) and not m.is_marked(CallersWords) for m in shape.fields)
    return facts and all(_fits_a_row(shape, value) for value in values)


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


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(_text(item) for item in value if item is not None) or "none"
    if isinstance(value, dict):
        return inline_code(to_json(value).decode())
    return _LINE_END.sub(" ", str(value))


def _name(shape: ObjectShape, value: dict[str, Any]) -> str | None:
    heading_field = shape.field_marked(Heading)
    return value.get(heading_field.key) if heading_field else None


def _heading(text: str, level: int) -> str:
    text = _LINE_END.sub(" ", text)
    return f"{'#' * level} {text}" if level <= _MAX_LEVEL else f"**{text}**"


def _link_text(text: str) -> str:
    return text.replace("\\", "\\\\").replace("[", "(").replace("]", ")")


def _link_target(url: str) -> str:
    return url.replace("(", "%28").replace(")", "%29")


def label(key: str) -> str:
    """Return a key in words: `lookingFor` is `Looking for`, `llmReady` is `LLM ready`."""
    parts = re.sub(r"(?<=[a-z0-9])([A-Z])", r" \1", key).replace("_", " ").lower().split()
    words = " ".join(_WORDS.get(part, part) for part in parts)
    return words[:1].upper() + words[1:]
