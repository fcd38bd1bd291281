"""Markdown of any tool as the texts of the content have it: paragraphs, lists, links, code.

`as_markdown` takes away what no reader of a page sees, and turns HTML and the marks of Hugo,
Jekyll, Obsidian and MDX into markdown; `as_text` turns that into what a text may have.
"""

import html
import re
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import count
from urllib.parse import quote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

from sdl.tools.code_in_text import code_places, without_code

PARSER = MarkdownIt("commonmark")
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ue000\ue001\ufeff\ufffe\uffff\ud800-\udfff]"
)
_UNSEEN = re.compile(
    r"<!--.*?(?:-->|\Z)|%%.*?(?:%%|\Z)|\{/\*.*?(?:\*/\}|\Z)|\{\{/\*.*?(?:\*/\}\}|\Z)"
    r"|\{%-?\s*comment\b.*?(?:\{%-?\s*endcomment\s*-?%\}|\Z)"
    r"|\{\{[<%]\s*comment\b.*?(?:\{\{[<%]\s*/\s*comment\s*[>%]\}\}|\Z)",
    re.DOTALL,
)
"""Comments of HTML, Obsidian, MDX, Hugo and Liquid; one without an end goes on to the last line."""
_CODE_OF_TOOLS = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{:[^}\n]*\}|\{#[\w-]+\}", re.DOTALL)
"""Shortcodes, Liquid, and attributes of headings and blocks; what they hold stays."""
_MODULE = re.compile(r"^(?:import|export)\s[^\n]*(?:\n(?!\s*\n)[^\n]+)*", re.MULTILINE)
_EXPRESSION = re.compile(r"\{[^{}\n]*\}")
_EMBED = re.compile(r"!\[\[[^\]\n]*\]\]")
_WIKI_LINK = re.compile(r"\[\[(?:[^\]|\n]*\|)?([^\]\n]+)\]\]")
_CALLOUT = re.compile(r"^((?:>\s*)+)\[![\w-]+\][+-]?[ \t]*", re.MULTILINE)
_BLOCK_ID = re.compile(r"[ \t]+\^[\w-]+$", re.MULTILINE)
_TAG = re.compile(r"(?<![^\s])#([A-Za-z][\w/-]*)(?![\w#])")
_LAST_TAGS = re.compile(rf"(?:^|(?<=\S)[ \t]+)(?:{_TAG.pattern}[ \t]*)+$", re.MULTILINE)
_HIGHLIGHT = re.compile(r"(?<![=\w])==(?=[^\s=])([^=\n]+)==(?![=\w])")
_AUTOLINK = re.compile(r"<(https?://[^>\s]+)>|<(?:mailto:)?([^\s<>@]+@[^\s<>@]+)>")
_MARKUP = re.compile(r"</?[A-Za-z][^<>]*>|<!")
_ENTITY = re.compile(r"&(?:#\w+|[A-Za-z]\w*);")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$|^#{1,6}[ \t]*$", re.MULTILINE)
_UNDERLINED = re.compile(
    r"^(?![ \t]*(?:[-*+>|]|\d+[.)]))(\S[^\n]*)\n {0,3}(?:=+|-{2,})[ \t]*$", re.MULTILINE
)
_RULE = re.compile(r"^ {0,3}(?:=+|-{2,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})[ \t]*$", re.MULTILINE)
_DEFINITION = re.compile(
    r"^ {0,3}\[(\^?)([^\]\n]+)\]:[ \t]*<?(\S[^\n]*?)>?(?:[ \t]+[\"'(][^\n]*)?[ \t]*$", re.MULTILINE
)
_REFERENCE = re.compile(r"\[([^\[\]\n]+)\](?:\[([^\[\]\n]*)\])?(?!\(|:)")
_LINK = re.compile(
    r"(!?)\[([^\[\]\n]*)\]\([ \t]*<?((?:[^()\s>]|\([^()\s]*\))*)>?(?:[ \t]+[\"'(][^\n]*?)?\)"
    r"(?:\{[^}\n]*\})?"
)
_BADGE = re.compile(r"\[!\[([^\]\n]*)\]\([^)\n]*\)\]\(")
"""An image that is a link."""
_TRACKING = re.compile(
    r"(?:utm_\w+|gclid|fbclid|msclkid|dclid|igshid|mc_[ce]id|trk\w*)(?:=|$)", re.IGNORECASE
)
_QUERY = re.compile(r"https?://[^\s)\]>\"?]*\?[^\s)\]>\"]*(?<![.,;:!?])")
_PLACED = re.compile("\ue000(\\d+)\ue001")

_PARAGRAPHS = re.compile(
    "address|article|aside|blockquote|center|dd|details|div|dl|dt|fig(?:caption|ure)|footer|form"
    "|header|hr|main|nav|[ou]l|p|pre|section|table|tbody|tfoot|thead|tr"
)
_HEADINGS = re.compile("h[1-6]|summary")
_EMPTY = re.compile("area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr")
_UNSEEN_TAGS = re.compile("head|iframe|object|script|style|svg|template|title")
_WORDS = re.compile(
    "a|abbr|b|bd[io]|big|body|button|caption|cite|code|data|del|dfn|em|font|html|i|ins|kbd|label|li"
    "|mark|noscript|picture|q|s|samp|small|span|strike|strong|su[bp]|td|th|time|tt|u|var|video"
    "|audio"
)
_KNOWN = (_PARAGRAPHS, _HEADINGS, _EMPTY, _UNSEEN_TAGS, _WORDS)
_MARKS = {"br": "\n", "b": "**", "strong": "**", "em": "*", "i": "*", "code": "`"}
"""How markdown writes the beginning and the end of a tag."""


def as_markdown(text: str, *, is_mdx: bool = False) -> str:
    """Return a page without comments and the code of tools, and with its HTML as markdown."""
    return _outside_code(_printable(text), lambda prose: _without_tools(prose, is_mdx=is_mdx))


def plain(text: str) -> str:
    """Return a text of another program as the content's markdown, also its HTML."""
    text = html.unescape(text) if "&lt;" in text else text
    return as_text(_outside_code(_printable(text), _without_html))


def has_tool_code(text: str) -> bool:
    """Whether a page has code of a tool that `as_markdown` takes away, but for its comments."""
    seen = _UNSEEN.sub("", without_code(_printable(text)))
    return bool(_CODE_OF_TOOLS.search(seen) or _EMBED.search(seen))


def tags_in(text: str) -> list[str]:
    """Return the tags that stand in a page, as `#tides` does, each once."""
    seen = _UNSEEN.sub("", without_code(_printable(text)))
    return list(dict.fromkeys(_TAG.findall(seen)))


def as_text(markdown: str) -> str:
    """Return markdown as a text of the content has it: headings are bold, images are links."""
    return _outside_code(markdown, _as_text)


def words_of(markdown: str) -> str:
    """Return the words of the first paragraph with words as one line, without marks and links."""
    seen = _LINK.sub(lambda found: "" if found[1] else found[0], _BADGE.sub("[](", markdown))
    lines = (words_in(token) for token in PARSER.parse(as_text(seen)) if token.type == "inline")
    return next(filter(None, lines), "")


def words_in(inline: Token) -> str:
    """Return the words of a parsed paragraph or heading as one line."""
    children = inline.children or ()
    words = (" " if own.type.endswith("break") else own.content for own in children)
    return " ".join("".join(words).split())


def line_of(markdown: str, most: int = 400) -> str:
    """Return these words, cut at the end of a sentence or a word if they are too many."""
    line = words_of(markdown)
    if len(line) <= most:
        return line
    sentence = re.match(rf".{{1,{most - 1}}}[.!?](?=\s)", line)
    return sentence[0] if sentence else f"{line[: most - 1].rpartition(' ')[0]}…"


def address_of(text: str) -> str:
    """Return an address in ASCII and without the parameters that only count who follows it."""
    start, mark, query = text.strip().partition("?")
    query, hash_mark, fragment = query.partition("#")
    kept = [part for part in query.split("&") if part and not _TRACKING.match(part)]
    address = start + (f"?{'&'.join(kept)}" if kept else "")
    if mark and hash_mark:
        address += f"#{fragment}"
    host = re.match(r"[a-z]+://[^/?#]*", address, re.IGNORECASE)
    end = host.end() if host else 0
    return address[:end] + quote(address[end:], safe="%/:?#[]@!$&'()*+,;=~ ", errors="replace")


def _printable(text: str) -> str:
    """Return a text with Unix line ends; only these end a line, and no other control character."""
    return _CONTROL.sub(" ", re.sub(r"\r\n?", "\n", text))


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    """Return a text in which what is no code is changed."""
    places = sorted(code_places(text))
    parts, end = [], 0
    for number, (begin, after) in enumerate(places):
        parts += [text[end:begin], f"\ue000{number}\ue001"]
        end = after
    changed = change("".join([*parts, text[end:]]))
    code = [text[begin:after] for begin, after in places]
    return _PLACED.sub(lambda found: code[int(found[1])], changed).strip()


def _without_tools(text: str, *, is_mdx: bool) -> str:
    text = _UNSEEN.sub("", text)
    if is_mdx:
        text = _MODULE.sub("", text)
    text = _CODE_OF_TOOLS.sub("", text)
    text = _WIKI_LINK.sub(lambda found: _name_of(found[1]), _EMBED.sub("", text))
    text = _HIGHLIGHT.sub(r"**\1**", _LAST_TAGS.sub("", text))
    text = _BLOCK_ID.sub("", _CALLOUT.sub(r"\1", text))
    text = _without_html(text, keeps_unknown=not is_mdx)
    return _EXPRESSION.sub("", text) if is_mdx else text


def _without_html(text: str, *, keeps_unknown: bool = True) -> str:
    text = _AUTOLINK.sub(lambda found: found[1] or found[2], text)
    if "<" in text or _ENTITY.search(text):
        reader = _Html(keeps_unknown=keeps_unknown)
        reader.feed(text)
        reader.close()
        text = re.sub(r"^[ \t]+$", "", "".join(reader.parts), flags=re.MULTILINE)
    return re.sub(r"\n{3,}", "\n\n", text)


def _name_of(target: str) -> str:
    """Return the words of a wiki link: the page without its folders, or its heading."""
    return re.split(r"[#^]", target.rpartition("/")[2])[0].strip() or target.lstrip("#^").strip()


def _as_text(text: str) -> str:
    notes: dict[str, str] = {}
    targets: dict[str, str] = {}
    for is_note, name, value in _DEFINITION.findall(text):
        (notes if is_note else targets)[name.casefold()] = value
    text = _DEFINITION.sub("", text)

    def resolved(found: re.Match[str]) -> str:
        name = (found[2] or found[1]).casefold()
        if name.startswith("^"):
            return f" ({note})" if (note := notes.get(name[1:])) else ""
        return f"[{found[1]}]({targets[name]})" if name in targets else found[0]

    text = _REFERENCE.sub(resolved, _BADGE.sub(r"[\1](", text))
    text = _LINK.sub(_link, text)
    text = _QUERY.sub(lambda found: address_of(found[0]), _TAG.sub(r"\1", text))
    text = _UNDERLINED.sub(r"# \1", text)
    text = _RULE.sub("", _HEADING.sub(_bold, text))
    return re.sub(r"\n{3,}", "\n\n", text)


def _bold(found: re.Match[str]) -> str:
    name = (found[1] or "").strip().replace("**", "")
    return f"\n**{name}**\n" if name else ""


def _link(found: re.Match[str]) -> str:
    """Return a link that leads somewhere, or its words."""
    is_image, words, target = found[1], found[2].strip(), found[3]
    if target.startswith("//"):
        target = f"https:{target}"
    scheme = urlsplit(target).scheme if re.match(r"[A-Za-z][\w+.-]*:", target) else ""
    if is_image and not scheme.startswith("data"):
        name = words or target.rpartition("/")[2].partition("?")[0]
        return f"[{name}]({address_of(target)})" if target and name else name
    if scheme.lower() in ("http", "https") or target.startswith("/"):
        return f"[{words or target}]({address_of(target)})"
    return f"[{words}]({target})" if scheme.lower() == "mailto" and words else words


class _Html(HTMLParser):
    """Writes HTML as markdown; what looks like a tag and is none becomes code."""

    def __init__(self, *, keeps_unknown: bool) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._keeps_unknown = keeps_unknown
        self._links: list[str] = []
        self._hidden, self._depth = "", 0
        self._numbers: list[count[int] | None] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Write what a tag begins, unless nobody sees it."""
        values = {key: value or "" for key, value in attrs}
        if self._hidden:
            self._depth += tag == self._hidden
        elif not _EMPTY.fullmatch(tag) and (_is_unseen(values) or _UNSEEN_TAGS.fullmatch(tag)):
            self._hidden, self._depth = tag, 1
        elif any(names.fullmatch(tag) for names in _KNOWN):
            self.parts.append(self._begin(tag, values))
        elif self._keeps_unknown:
            self.parts.append(f"`{' '.join((self.get_starttag_text() or '').split())}`")

    def _begin(self, tag: str, values: dict[str, str]) -> str:
        if tag == "a":
            self._links.append(values.get("href", ""))
            return "["
        if tag == "img":
            name = values.get("alt") or values.get("src", "").rpartition("/")[2]
            source = values.get("src", "").replace(" ", "%20")
            return f"![{' '.join(name.split())}]({source})" if source else ""
        if tag == "li":
            number = self._numbers[-1] if self._numbers else None
            return "\n- " if number is None else f"\n{next(number)}. "
        if _HEADINGS.fullmatch(tag):
            return f"\n\n{'#' * int(tag[1:] if tag != 'summary' else 3)} "
        if tag in ("ol", "ul"):
            self._numbers.append(count(1) if tag == "ol" else None)
        if tag == "p" and re.search(r"\n(?:-|\d+\.) $", "".join(self.parts[-1:])):
            return ""  # the first paragraph of an item
        return " " if tag in ("td", "th") else _mark_of(tag)

    def handle_endtag(self, tag: str) -> None:
        """Write what a tag ends."""
        if self._hidden:
            self._depth -= tag == self._hidden
            self._hidden = self._hidden if self._depth else ""
        elif tag == "a" and self._links:
            target = self._links.pop()
            begin = max(place for place, part in enumerate(self.parts) if part == "[")
            words = " ".join("".join(self.parts[begin + 1 :]).split())
            self.parts[begin:] = [f"[{words}]({target})" if target else words]
        elif mark := "" if _EMPTY.fullmatch(tag) else _mark_of(tag):
            if tag in ("ol", "ul") and self._numbers:
                self._numbers.pop()
            last = self.parts.pop() if self.parts else ""  # a mark is close to the words before it
            self.parts += [last.rstrip(" "), mark, last[len(last.rstrip(" ")) :]]

    def handle_data(self, data: str) -> None:
        """Write words; what looks like a tag in them was written to be read."""
        if not self._hidden:
            self.parts.append(_MARKUP.sub(lambda found: f"`{found[0]}`", data.replace("\xa0", " ")))


def _is_unseen(values: dict[str, str]) -> bool:
    style = re.sub(r"\s", "", values.get("style", "").lower())
    return "hidden" in values or "display:none" in style or "visibility:hidden" in style


def _mark_of(tag: str) -> str:
    is_block = _PARAGRAPHS.fullmatch(tag) or _HEADINGS.fullmatch(tag)
    return "\n\n" if is_block else _MARKS.get(tag, "")
