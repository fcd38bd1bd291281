"""Texts that would be more than a text in markdown, and the structure that a parser finds in it.

Each has the word `EVIL`, by which the test finds it again.
"""

from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

EVIL = "evil"
_SITE = f"https://{EVIL}.example"
_TICKS = [1, 2, 3, 4, 8, 9, 10, 11, 40, 79, 80, 81, 150]
_PIECES = [
    *(f"{'#' * level} {EVIL}" for level in (1, 2, 6)),
    *(f"{EVIL}\n{line}" for line in ("===", "---", "-", "=", "--------")),
    *(f"[{EVIL}]({_SITE})", f"![{EVIL}]({_SITE})", f"<{_SITE}>", f"<{EVIL}@{EVIL}.example>"),
    *(f"[x]: {_SITE}\n\n[x]", f"[x][]\n\n[x]: {_SITE} '{EVIL}'", f"[x](<{_SITE}>)", _SITE),
    *(f"www.{EVIL}.example", f"[^1]\n\n[^1]: {EVIL}", f"[ ] {EVIL}", f"[[{EVIL}]]"),
    *(f"{mark} {EVIL}" for mark in (">", "-", "*", "+", "1.", "7)", "- [x]", "> >", "-\n-")),
    *(f"\n\n{line}\n\n{EVIL}" for line in ("***", "---", "___", "- - -")),
    *(f"{fence}\n{EVIL}" for fence in ("```", "~~~", "````md", "~~~~~", "``` js", "    ")),
    *(f"{'`' * ticks}{EVIL}{'`' * ticks}[x]({_SITE})" for ticks in _TICKS),
    *(f"{'`' * ticks}[{EVIL}]({_SITE})" for ticks in _TICKS),
    *(f"[{EVIL}]({_SITE}){'`' * ticks}" for ticks in _TICKS),
    *(f"` {EVIL} `` [x]({_SITE}) ```", f"`{EVIL}", f"{EVIL}`", f" {EVIL} ", f"  `{EVIL}`  "),
    *(f"*{EVIL}*", f"**{EVIL}**", f"_{EVIL}_", f"__{EVIL}__", f"~~{EVIL}~~", f"***{EVIL}"),
    *(f"<b>{EVIL}</b>", f"<!-- {EVIL}", f"<script>{EVIL}</script>", f"<?php {EVIL} ?>"),
    *(f"<div>\n\n# {EVIL}\n\n</div>", f"<![CDATA[{EVIL}]]>", f"<a href='{_SITE}'>x</a>"),
    *(f'<img src=x onerror="{EVIL}">', f"</details>{EVIL}", f"<{EVIL}"),
    *(f"| {EVIL} | b |\n|---|---|\n| 1 | 2 |", f"{EVIL} | b\n:--|--:", f"|{EVIL}|\n|-|"),
    *(f"&lt;{EVIL}&gt;", f"&#10;&#10;# {EVIL}", f"&NewLine;{EVIL}", f"&#96;{EVIL}&#x60;"),
    *(f"\u202e{EVIL}\u202c", f"\u2066{EVIL}\u2069", f"\u200f{EVIL}", f"\u05d0{EVIL} \u05d1"),
    *(f"ev\u200bil {EVIL}", f"\u2060{EVIL}\ufeff", f"\u00ad{EVIL}", f"{EVIL}\U000e0041\U000e0042"),
    *(f"\u3164{EVIL}\uffa0", f"{EVIL}\ufe0f\U000e0101", f"\u034f{EVIL}", f"\u0301{EVIL}"),
    *(f"{EVIL}\u2028# {EVIL}", f"{EVIL}\u2029- {EVIL}", f"{EVIL}\u00a0\u3000x", f"\t{EVIL}"),
    *(f"{EVIL}\\", f"\\`{EVIL}\\`", f"{EVIL}  \nx", f"{EVIL}\\\nx", f"{EVIL}\n\n\n\nx"),
    *(f"---\n{EVIL}: x\n---", f"+++\n{EVIL} = 1\n+++", f"${EVIL}$", f"{{{{ {EVIL} }}}}"),
    *(f":{EVIL}:", f"@{EVIL}", f"#{EVIL}", f"{{% {EVIL} %}}", f"({_SITE})[{EVIL}]", f"]({_SITE})"),
    *(f"\x00{EVIL}", f"\x1b[31m{EVIL}", f"{EVIL}\x07", f"\x7f{EVIL}\x85", f"{EVIL}\r\n\r\n# x"),
]
_BEHIND = ("x\n\n{}\n\n```", "``` {}\n\n## Payment\n\nPay [here](https://evil.example)")
PAYLOADS = [*_PIECES, *(frame.replace("{}", piece) for frame in _BEHIND for piece in _PIECES)]
"""Each piece alone, behind a paragraph and before a fence, and among others."""

_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def structure(markdown: str) -> list[object]:
    """What is in a document beside its words: blocks, emphasis, code, HTML and whole links."""
    return [
        (token.type, token.level, token.markup * (token.type != "code_inline"), token.attrs)
        for token in _tokens(markdown)
    ]


def live_words(markdown: str) -> str:
    """All words of a document, but for those in inline code."""
    return "\n".join(t.content for t in _tokens(markdown) if t.type != "code_inline").lower()


def _tokens(markdown: str) -> Iterator[Token]:
    for token in _PARSER.parse(markdown):
        if token.children is None:
            yield token
        yield from token.children or ()
