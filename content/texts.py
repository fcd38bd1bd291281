"""What no text of the content may have: images, link definitions, links that run something.

Texts are markdown of paragraphs, lists, emphasis, links, code and tables. What else a reader's tool
would act on is refused; what nobody sees is a warning.
"""

import re
from collections.abc import Iterator
from typing import Any

from content.errors import Finding
from content.toml_positions import KeyPath
from schema.site import Site
from sdl.code_in_text import without_code
from sdl.declare import Output, marks_of, model_in
from sdl.marks import Foreign
from sdl.scalar_types import has_no_such_port

_IMAGE = re.compile(r"!\[[^\]\n]*\](?:\([^)\n]*\)|\[[^\]\n]*\])")
_DEFINITION = re.compile(r"^ {0,3}\[[^\]\n]+\]:[ \t]*\S[^\n]*", re.MULTILINE)
_TARGET = re.compile(
    r"\]\([ \t]*<?(?P<address>(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):[^)>\s]*)[^)\n]*\)"
)
_NO_SCHEME = re.compile(r"\]\([ \t]*<?//")
_SCHEMES = ("https", "http", "mailto")
_HIDDEN = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
"""Characters that nobody sees and tools obey. The joiners of emoji and of some scripts stay."""
_Text = tuple[KeyPath, str]
MAX_WORDS = 40
_INLINE = "write the address where it is used: [text](address)"


def check_texts(tree: dict[str, Any], model: type[Output] = Site) -> Iterator[Finding]:
    """Yield a finding for each text that has an image, a definition or a link of another kind."""
    for path, text in texts_in(tree, model):
        plain = without_code(text)
        if image := _IMAGE.search(plain):
            rule = f"{_place(text, image)}, {_words(image)} is an image"
            link = re.fullmatch(r"!(\[.*\]\(.*\))", image[0])
            fix = (
                f"write a link, {link[1]}"
                if link
                else f"write a link, {image[0].partition(']')[0][1:]}](address)"
            )
            yield Finding(path, rule, fix)
        if definition := _DEFINITION.search(plain):
            is_note = "[^" in definition[0]
            what = "is a footnote" if is_note else "defines a link"
            fix = "write it in the text" if is_note else _INLINE
            yield Finding(path, f"{_place(text, definition)}, {_words(definition)} {what}", fix)
        if link := _NO_SCHEME.search(plain):
            rule = f"{_place(text, link)}, a link begins with //"
            yield Finding(path, rule, "write https: before it")
        for link in _TARGET.finditer(plain):
            if link["scheme"].lower() not in _SCHEMES:
                rule = f"{_place(text, link)}, a link begins with {link['scheme']}:"
                yield Finding(path, rule, f"use one of: {', '.join(_SCHEMES)}; or write it as text")
            elif has_no_such_port(link["address"]):
                rule = f"{_place(text, link)}, the port of {link['address']} is not from 1 to 65535"
                yield Finding(path, rule, "write the port of the page, or none")


def hidden_characters(site: Site) -> Iterator[Finding]:
    """Yield a finding for each text with a character that nobody sees."""
    for path, text in texts_in(site.to_json()):
        if found := _HIDDEN.search(text):
            before = text[: found.start()].split()[-1:] or ["the beginning"]
            rule = f"{_place(text, found)}, U+{ord(found[0]):04X} is hidden after {before[0]}"
            yield Finding(path, rule, "delete it; it may have come from a web page or a document")


def texts_in(tree: Any, model: type[Output] = Site, path: KeyPath = ()) -> Iterator[_Text]:
    """Yield each text in a table of this type with its path, but for those of other people."""
    if not isinstance(tree, dict):
        return
    for name, info in model.model_fields.items():
        key = info.alias or name
        if any(isinstance(mark, Foreign) for mark in marks_of(info)):
            continue
        inner = model_in(info.annotation)
        value = tree.get(key)
        entries = enumerate(value) if isinstance(value, list) else ()
        for place, entry in [((*path, key), value), *(((*path, key, i), e) for i, e in entries)]:
            if isinstance(entry, str):
                yield place, entry
            elif inner is not None:
                yield from texts_in(entry, inner, place)


def _place(text: str, found: re.Match[str]) -> str:
    return f"in line {text.count(chr(10), 0, found.start()) + 1}"


def _words(found: re.Match[str]) -> str:
    words = found[0].strip()
    return words if len(words) <= MAX_WORDS else f"{words[:MAX_WORDS]}…"
