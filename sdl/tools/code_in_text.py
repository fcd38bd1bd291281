"""Code in a markdown text: fenced blocks, and spans on one line. Source: CommonMark 0.31.

Only what every reader of markdown takes for code counts as code. A fence ends as it began, with the
same indentation; one that does not is none.
"""

import re
from collections.abc import Iterator

_BLOCK = re.compile(
    r"^(?P<indent> {0,3})(?P<marks>(?P<mark>[`~])(?P=mark){2,})(?:(?<=~)[^\n]*|(?<=`)[^`\n]*)\n"
    r"(?:(?![ \t]*(?P=marks)(?P=mark)*[ \t]*$)(?:(?P=indent)[^\n]*|[ \t]*)\n)*"
    r"(?P=indent)(?P=marks)(?P=mark)*[ \t]*$",
    re.MULTILINE,
)
_SPAN = re.compile(r"(?<![\\`])(?P<marks>`+)(?!`)[^\n]*?(?<!`)(?P=marks)(?!`)")


def code_places(text: str) -> list[tuple[int, int]]:
    """Return where the code in a text begins and ends: the blocks, then the spans."""
    if "`" not in text and "~" not in text:
        return []
    blocks = [block.span() for block in _BLOCK.finditer(text)]
    spans = [span.span() for span in _SPAN.finditer(_blanked(text, blocks))]
    return blocks + spans


def without_code(text: str) -> str:
    """Return the text with blanks in place of code; all else stays where it is."""
    return _blanked(text, code_places(text))


def prose_of(text: str) -> str:
    """Return the text without its blocks of code; each leaves an empty line."""
    blocks = code_blocks(text)
    return "\n\n".join(prose_parts(text)) if blocks else text


def prose_parts(text: str) -> list[str]:
    """Return the parts of a text between its blocks of code, as they stand."""
    parts = (text[begin:end].strip() for begin, end in _between_blocks(text))
    return [part for part in parts if part]


def code_blocks(text: str) -> list[str]:
    """Return the blocks of code in a text, with their fences."""
    if "```" not in text and "~~~" not in text:
        return []
    return [block.group() for block in _BLOCK.finditer(text)]


def _between_blocks(text: str) -> Iterator[tuple[int, int]]:
    begin = 0
    for block in _BLOCK.finditer(text):
        yield begin, block.start()
        begin = block.end()
    yield begin, len(text)


def _blanked(text: str, places: list[tuple[int, int]]) -> str:
    for begin, end in places:
        text = text[:begin] + re.sub(r"[^\n]", " ", text[begin:end]) + text[end:]
    return text


_TICKS = 9
"""The longest row of backticks that stays: cmark reads no fence of more than 80."""
_UNSEEN = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef"
)
"""Characters that `str.isprintable` accepts and nobody sees.

Source: Unicode, Default_Ignorable_Code_Point.
"""
_ESCAPED = re.compile(f"[{_UNSEEN}]|`{{{_TICKS + 1},}}")


def inline_code(text: str) -> str:
    r"""Return the text on one line, between more backticks than it has in a row.

    Spaces stand for line breaks. What cannot be seen is written as in JSON, such as `\u202e`.
    """
    line = "".join(" " if c.isspace() else c if c.isprintable() else _codes(c) for c in text)
    line = _ESCAPED.sub(lambda found: _codes(found[0]), line)
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    # One space is taken off each end by readers, and a backtick there would join the fence.
    room = " " if not line or line[0] in "` " or line[-1] in "` " else ""
    return f"{fence}{room}{line}{room}{fence}"


def _codes(text: str) -> str:
    return re.sub("....", r"\\u\g<0>", text.encode("utf-16-be", "surrogatepass").hex())
