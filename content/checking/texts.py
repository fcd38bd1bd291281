"""What no text of the content may have: images, links that run something, what was left to do.

Texts are markdown of paragraphs, lists, emphasis, links, code and tables. What else a reader's tool
would act on is refused; what nobody sees is a warning.
"""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

from content.checking.corrections import shown
from content.checking.errors import Finding
from content.checking.findings import field_at, meaning
from content.reading.toml_positions import KeyPath
from schema.site import Site
from sdl.tools.code_in_text import without_code
from sdl.types.declare import Output, marks_of, model_in
from sdl.types.marks import Foreign
from sdl.types.scalar_types import has_no_such_port

_IMAGE = re.compile(r"!\[[^\]\n]*\](?:\([^)\n]*\)|\[[^\]\n]*\])")
_DEFINITION = re.compile(r"^ {0,3}\[[^\]\n]+\]:[ \t]*\S[^\n]*", re.MULTILINE)
_TARGET = re.compile(
    r"\]\([ \t]*<?(?P<address>(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):[^)>\s]*)[^)\n]*\)"
)
_NO_SCHEME = re.compile(r"\]\([ \t]*<?//")
_SCHEMES = ("https", "http", "mailto")
_NO_PAGES = {
    "file": "a file of one machine, which no reader can open",
    "data": "which holds data and no address",
    "javascript": "which runs a program in the browser",
    "tel": "which not every reader can call",
}
"""Why a link of another kind helps no reader."""
_HIDDEN = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
"""Characters that nobody sees and tools obey. The joiners of emoji and of some scripts stay."""
_MARK = re.compile(r"\[\^[^\]\s]+\](?!:)")
_LEFT_OVER = (
    (re.compile(r"!\[\[[^\[\]\n]+\]\](?!\()"), "is a picture or a file, and a text holds none"),
    (re.compile(r"(?<!!)\[\[[^\[\]\n]+\]\](?!\()"), "is a wiki link"),
    (re.compile(r"\{\{[^\n]*?\}\}|\{%[^\n]*?%\}"), "is for a site's generator, which is not here"),
)
"""What other programs replace before a text is read, and nothing replaces here."""
_ENTITY = re.compile(r"&(?:[a-z]{2,8}|#\d{1,6});")
_PLACEHOLDER = re.compile(
    r"[.\u2026]{3,}|\u2026|[?_]{2,}|[xX]{3,}|(?:TODO|TBD|TBA|FIXME|XXX)\b.*|tbd|tba|fixme"
    r"|(?i:lorem ipsum\b.*|\[(?:your|insert|add|write)\b[^\]]*\])",
    re.DOTALL,
)
"""A whole text that somebody meant to replace."""
_Text = tuple[KeyPath, str]
MAX_WORDS = 40
_INLINE = "write the address where it is used: [text](address)"


def check_texts(tree: dict[str, Any]) -> Iterator[Finding]:
    """Yield a finding for each text that has an image, a definition or a link of another kind."""
    for path, text in texts_once(tree):
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
            what, fix = "defines a link", _INLINE
            if "[^" in definition[0]:
                mark = _MARK.search(plain)
                what, fix = (
                    "is a footnote",
                    _fix_of_note(mark[0]) if mark else "write it in the text",
                )
            yield Finding(path, f"{_place(text, definition)}, {_words(definition)} {what}", fix)
        if path[0] != "changelog":  # what is published there never changes
            yield from left_over(path, text, plain)
        if link := _NO_SCHEME.search(plain):
            rule = f"{_place(text, link)}, a link begins with //"
            yield Finding(path, rule, "write https: before it")
        for link in _TARGET.finditer(plain):
            if link["scheme"].lower() not in _SCHEMES:
                yield Finding(path, *_fault_of_scheme(text, plain, link))
            elif has_no_such_port(link["address"]):
                port = re.sub(r"^https?://[^/?#]*(:\d+).*", r"\1", link["address"])
                rule = f"{_place(text, link)}, the port {port} is none: the highest is 65535"
                fix = f"write {link['address'].replace(port, '', 1)}, without {port}"
                yield Finding(path, rule, fix)


def _fault_of_scheme(text: str, plain: str, link: re.Match[str]) -> tuple[str, str]:
    """Return the rule that a link with a scheme such as `tel:` breaks, and the fix."""
    scheme, words = link["scheme"], plain[: link.start()].rpartition("[")[2]
    why = _NO_PAGES.get(scheme.lower(), "which does not lead to a page of the web")
    rule = f"{_place(text, link)}, a link begins with {scheme}:, {why}"
    if scheme.lower() in {"tel", "sms"}:
        return rule, f"write {words}, {link['address'].partition(':')[2]} without the link"
    address = link["address"]
    if len(address) > MAX_WORDS or "(" in address:
        address = f"the {scheme}: address"
    fix = f"write the https:// address of a page in place of {address}"
    return rule, f"{fix}, or write {words} without the link"


def left_over(path: KeyPath, text: str, plain: str) -> Iterator[Finding]:
    """Yield a finding for what was to be replaced, by the owner or by another program.

    `plain` is the text without code.
    """
    if _PLACEHOLDER.fullmatch(text.strip()):
        fix = f"write your own words in its place; {meaning(field_at(path))}"
        yield Finding(path, f"{shown(text)} is a placeholder", fix)
    if not any(sign in plain for sign in ("[[", "[^", "{{", "{%")):
        return
    for pattern, what in _LEFT_OVER:
        if found := pattern.search(plain):
            rule = f"{_place(text, found)}, {_words(found)} {what}"
            yield Finding(path, rule, _plain_words(found[0]))
    mark = _MARK.search(plain)
    if mark and not _DEFINITION.search(plain):
        rule = f"{_place(text, mark)}, {mark[0]} is the mark of a footnote that is not there"
        yield Finding(path, rule, f"{_fix_of_note(mark[0])}, or remove it")


def _fix_of_note(mark: str) -> str:
    return f"write the note in parentheses where {mark} stands"


def _plain_words(found: str) -> str:
    """Return what to write in place of what another program would have replaced."""
    if found.startswith("{"):
        return "write what it shows there, or remove it; write code in `backticks`"
    name = found.strip("![]").rpartition("|")[2]
    if found.startswith("!"):
        return f"write a link, [{name}](address), to where it is on the web, or remove it"
    return f"write a link, [{name}](address), or {name} alone"


def unfinished_entries(site: Site, count: int) -> Iterator[Finding]:
    """Yield a finding for what is left over in the newest entries of the changelog.

    There are `count` of them, which are not published yet.
    """
    tree = {"changelog": [entry.to_json() for entry in site.changelog[:count]]}
    for path, text in texts_in(tree):
        yield from left_over(path, text, without_code(text))


def hidden_characters(site: Site) -> Iterator[Finding]:
    """Yield a finding for each text with a character that nobody sees, or with one such as `&amp;`.

    A text about HTML may have the second.
    """
    for path, text in texts_in(site.to_json()):
        if (sign := _ENTITY.search(without_code(text))) and (plain := unescape(sign[0])) != sign[0]:
            rule = f"{_place(text, sign)}, {sign[0]} is written for HTML"
            yield Finding(path, rule, f"write {plain.strip() or 'a blank'}")
        if found := _HIDDEN.search(text):
            before = text[: found.start()].split()[-1:] or ["the beginning"]
            rule = f"{_place(text, found)}, U+{ord(found[0]):04X} is hidden after {before[0]}"
            yield Finding(path, rule, "delete it; it may have come from a web page or a document")


def is_derived(place: KeyPath) -> bool:
    """Whether a place of the status repeats what another section says."""
    return place[0] == "status" and place[1] != "studio"


def texts_once(tree: Any) -> Iterator[_Text]:
    """Yield each text in the content with its path, but for those that repeat another section."""
    return ((path, text) for path, text in texts_in(tree) if not is_derived(path))


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
