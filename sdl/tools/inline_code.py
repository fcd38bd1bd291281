"""A text as inline code of markdown, whatever it has. Source: CommonMark 0.31, code spans."""

import re

_TICKS = 9
"""The longest row of backticks that stays: cmark reads no fence of more than 80."""
_UNSEEN = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef"
)
"""What is not seen though `str.isprintable`. Source: Unicode, Default_Ignorable_Code_Point."""
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
