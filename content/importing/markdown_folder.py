"""What a folder of markdown says of a studio: a site of Hugo, Jekyll or Astro, a vault, or files.

The page of the folder itself is the studio. A page named after a list of the content, or after what
others call it (`services.md`), has an entry below each heading; a page in a folder of that name is
one entry. Entries are drafts. What is private is never taken, and only counted.
"""

import json
import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import yaml  # type: ignore[import-untyped] # it brings no types

from content.checking.findings import field_in, is_list, model_at
from content.importing.imported import FOUNDER, NO, STUDIO, YES, Entry, Imported, Section, decoded
from content.importing.plain_markdown import (
    PARSER,
    as_markdown,
    as_text,
    has_tool_code,
    line_of,
    tags_in,
    words_in,
    words_of,
)
from content.reading.drafts import KEY as DRAFT
from schema.language_names import LANGUAGE_NAMES
from schema.site import Site
from schema.studio import Studio
from sdl.errors import StudiographError
from sdl.types.declare import Output, model_in, slug_of

_CODES = {"€": "EUR", "£": "GBP", "$": "USD", "¥": "JPY", "zł": "PLN", "kr": "SEK", "fr.": "CHF"}
UNSURE = ("$", "¥", "kr")
"""Signs of more than one currency."""
_WORDS = "EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN|CZK|HUF|CAD|AUD|NZD|JPY|INR|BRL|MXN|ZAR|SGD|TRY|CNY"
_CURRENCY = re.compile(rf"€|£|\$|¥|zł|\bkr\b|\bfr\.|\b(?:{_WORDS})\b", re.IGNORECASE)
_NUMBER = r"\d{1,3}(?:[ .,'\u2019\u202f\xa0]\d{3})+(?:[.,]\d{2})?|\d+(?:[.,]\d{1,2})?"
_AMOUNT = re.compile(rf"(?<![\w.,])(?P<amount>{_NUMBER})(?:,?-|,--|\.-)?(?![\d%]|[.,]\d)")
_UNIT = re.compile(r"(?:\b(?:per|pro|an?)\s+|/\s*)(?P<unit>[^\W\d]+)", re.IGNORECASE)
_FROM = re.compile(
    r"\b(?:from|starting at|at least|ab|a partir de|à partir de|desde)\b", re.IGNORECASE
)
_UP_TO = re.compile(r"\b(?:up to|at most|bis zu)\b", re.IGNORECASE)
_SPLIT = re.compile(r"\s*(?:\||:\s|\s[\u2013\u2014-]\s|\.{3,}|\u2026|\t)\s*")
_RANGE = re.compile(
    rf"(?P<low>{_NUMBER})\s*(?:-|\u2013|\u2014|to|bis)\s*(?:€|£|\$)?\s*(?P<high>{_NUMBER})"
)


def price_of(line: str, currency: str = "") -> dict[str, Any] | None:
    """Return the price that a line says, by the keys of a price; None if it says none, or several.

    `currency` is that of lines which name none.
    """
    codes = _codes_in(line) or [code for code in (currency,) if code]
    spread = _RANGE.search(line)
    amounts = [_plain(each["amount"]) for each in _AMOUNT.finditer(line)]
    if len(codes) != 1:
        return None
    unit = _UNIT.search(line)
    price: dict[str, Any] = {"currency": codes[0], "unit": unit["unit"] if unit else ""}
    if spread is not None and len(amounts) == len(("low", "high")):
        return price | {"minAmount": _plain(spread["low"]), "maxAmount": _plain(spread["high"])}
    if len(amounts) != 1:
        return None
    key = "minAmount" if _FROM.search(line) else "maxAmount" if _UP_TO.search(line) else "amount"
    return price | {key: amounts[0]}


def named_price(line: str, currency: str = "") -> dict[str, Any] | None:
    """Return the price of a line such as `Portrait | 2 hours | 250 EUR`, with its name and note."""
    cells = [cell for cell in _SPLIT.split(line.strip().strip("|").strip()) if cell]
    if len(cells) == 1 and (found := _CURRENCY.search(line)):
        start = min([found.start(), *(digit.start() for digit in re.finditer(r"\d", line))])
        cells = [line[:start], line[start:]]
    name, *others = (cell.strip(" *_`") for cell in cells or [""])
    name = _FROM.sub("", name).strip(" ,;:")
    priced = [cell for cell in others if _CURRENCY.search(cell) or re.fullmatch(r"[\d.,' ]+", cell)]
    if not name or len(priced) != 1 or (price := price_of(priced[0], currency)) is None:
        return None
    note = ", ".join(cell for cell in others if cell and cell not in priced)
    return {"name": name, "note": note} | price


def _codes_in(text: str) -> list[str]:
    signs: list[str] = _CURRENCY.findall(text)
    return list(dict.fromkeys(_CODES.get(sign.lower(), sign.upper()) for sign in signs))


def lines_of(text: str) -> Iterator[str]:
    """Yield the lines of a text that may say a price: rows of tables, items of lists, lines."""
    for line in text.split("\n"):
        bare = re.sub(r"^\s*(?:[-*+]|\d+[.)])\s+", "", line).strip()
        if bare and not re.fullmatch(r"[|:\- ]+", bare):
            yield bare


def _plain(amount: str) -> str:
    """Return an amount with a point before its cents, and nothing between its thousands."""
    whole, cents = amount, ""
    if found := re.fullmatch(r"(.*?)[.,](\d{1,2})", amount):
        whole, cents = found[1], found[2].ljust(2, "0")
    digits = re.sub(r"\D", "", whole).lstrip("0") or "0"
    return f"{digits}.{cents}" if cents.strip("0") else digits


SUFFIXES = (".md", ".markdown", ".mdown", ".mdx")
_INDEX = ("index", "_index", "home")
_ROOTS = ("content", "src", "pages", "site", "docs", "collections")
"""Folders that hold the pages of a site."""
_PRIVATE = re.compile(
    "drafts?|private|diary|journal|daily|notes?|ideas?|inbox|personal|secret|confidential|todos?"
    "|unpublished"
)
"""Folders, pages and tags of which nothing is taken, like those that begin with a dot."""
_TOOLS = re.compile(
    "archetypes|_?templates?|themes|layouts|_includes|_layouts|_sass|_site|node_modules|vendor"
)
"""Folders of tools: what is in them is no page."""
_OF_A_REPOSITORY = re.compile(
    "readme|licen[sc]e|contributing|codeofconduct|security|changelog|agents|claude|404|search|tags"
    "|categories|archives?|feed|sitemap"
)
"""Pages of a repository or of a site's own making, which say nothing of a studio."""
_ABOUT = re.compile("about(?:me|us)?|bio|me|\u00fcbermich|uebermich")
_CONTACT = re.compile("contact(?:me|us)?|kontakt|hireme")
_FOR_THE_LAW = re.compile("imprint|impressum|legal|privacy(?:policy)?|terms|cookies|datenschutz")
_ARTICLES = re.compile("posts?|blog|articles?|writings?|news")
_LISTS: dict[str, Section] = {
    "projects?|projekte?|casestudies|cases|work|clientwork": ("projects",),
    "services?|offers?|offering|skills|leistungen|angebot": ("studio", "practice"),
    "prices?|pricing|rates|fees|preise|packages": ("prices",),
    f"portfolio|galler(?:y|ies)|publications|books|exhibitions|{_ARTICLES.pattern}": ("works",),
    "faqs|questions|qa|fragen": ("faq",),
    "history|career|cv|timeline|experience|werdegang": ("studio", "journey"),
    "certificates|awards": ("studio", "certifications"),
    "principles|values|manifesto": ("studio", "convictions"),
}
"""What others call a list of the content, in small letters without hyphens."""
_TITLE_KEYS = ("name", "title", "term", "q", "area", "headline", "label", "platform")
_TEXT_KEYS = ("a", "definition", "body", "summary", "detail")
"""The keys of an entry that its heading and its text are."""
_OTHER_KEYS = {
    "title": ("title", "name", "question", "term", "area"),
    "line": ("tagline", "subtitle", "description", "summary", "excerpt", "abstract", "lead"),
    "started": ("date", "started", "begin", "pubdate", "publishdate", "created", "year"),
    "updated": ("lastmod", "updated", "modified", "lastmodifiedat", "updateddate", "dateupdated"),
    "keywords": ("tags", "categories", "topics", "category"),
    "url": ("url", "link", "website", "homepage", "externalurl", "projecturl", "demo"),
    "picture": ("image", "cover", "thumbnail", "heroimage", "featuredimage"),
}
"""What others call a key, in small letters without hyphens."""
_SAID_OF_THE_STUDIO = {
    "name": ("name", "title", "sitename"),
    "url": ("url", "baseurl", "site", "siteurl", "website"),
    "one_line": ("oneliner", "tagline", "subtitle", "description"),
    "founder": ("founder", "author"),
    "email": ("email", "mail"),
}
"""What `init` would ask for, with the keys that answer it."""
_CONFIGS = ("_config.yml", "_config.yaml", "hugo.toml", "hugo.yaml", "config.toml", "config.yaml")
_HEAD = re.compile(
    r"\A\s*(?P<fence>---|\+\+\+)[ \t]*\n(?P<head>.*?)^(?P=fence)[ \t]*(?:\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
_MAY_BE_PRIVATE = re.compile("private|publish|hidden|secret|confidential", re.IGNORECASE)
_SHOWN = re.compile("(?:dg|is)?publish(?:ed)?|public|visible|render")
_HIDDEN = re.compile("(?:is)?private|hidden|secret|confidential|unlisted|headless|password")
_AUDIENCE = re.compile("visibility|access|status|audience|sharing")
_OPENING = re.compile("date|pubdate|publish(?:ed)?(?:date|at|on)?|scheduled")
_CLOSING = re.compile("expir(?:es|y)(?:date|at)?|unpublish(?:ed)?(?:date|at|on)?")
"""Keys that say who may read a page, and from when until when."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_NOT_NAME = re.compile(r"^\d{4}-\d\d-\d\d-|^\d{1,2}[-_. ]+(?=\D)|^_| [0-9a-f]{32}$")
"""What stands beside a name: the day of a post, a place in an order, the number of Notion."""
_EMAIL = re.compile(r"[\w.+-]+@(?:[\w-]+\.)+[A-Za-z]{2,}")
_YEARS = re.compile(
    r"(?P<period>(?:(?:since|seit|from) )?\d{4}"
    r"(?:\s*(?:-|\u2013|to)\s*(?:\d{4}|today|now|present))?)\s*[:,\u2013-]?\s*(?P<rest>.*)"
)


class MarkdownError(StudiographError):
    """The folder says nothing of a studio; the text says why."""


@dataclass
class _Node:
    """A heading, the text below it, and the headings below it."""

    heading: str
    level: int
    text: str
    inner: list["_Node"] = field(default_factory=list)

    def all(self) -> str:
        """Return the text with all that is below the headings in it."""
        parts = [self.text, *(f"{'#' * n.level} {n.heading}\n\n{n.all()}" for n in self.inner)]
        return "\n\n".join(part for part in parts if part).strip()


@dataclass(frozen=True)
class _Page:
    """A page that may be read."""

    place: str
    names: tuple[str, ...]
    """The folders that it is in and its own name, as the content has them; none for the first."""
    language: str
    is_index: bool
    head: dict[str, Any]
    """The keys of its head, in small letters without hyphens."""
    written: dict[str, str]
    """These keys as they are written."""
    body: str
    has_tool_code: bool
    tags: list[str]
    changed: date

    @property
    def is_private(self) -> bool:
        """Whether its head or tags say that it is private, not yet public or no longer public."""
        return _is_private(self.head, self.tags)

    @property
    def closes_its_folder(self) -> bool:
        """Whether it is the page of a section that is private with all its pages."""
        cascade = self.head.get("cascade")
        inner = _flat(cascade) if isinstance(cascade, Mapping) else {}
        return self.is_index and "/" in self.place and (self.is_private or _is_private(inner, []))

    def key_of(self, what: str) -> str:
        """Return the first key with a value that others call so; an empty text if there is none."""
        keys = (key for key in _OTHER_KEYS[what] if self.head.get(key) not in (None, "", []))
        return next(keys, "")

    def said(self, what: str) -> Any:
        """Return the value of that key."""
        return self.head.get(self.key_of(what))

    @property
    def line(self) -> str:
        """What its head says of it in short."""
        line = self.said("line")
        return line if isinstance(line, str) else ""

    @property
    def outline(self) -> _Node:
        """Its title, the text that is its own, and its headings."""
        root, said = _outline(self.body), self.said("title")
        title = said if isinstance(said, str) else ""
        if not root.text and len(root.inner) == 1 and (root.inner[0].level == 1 or not title):
            root = root.inner[0]
        return replace(root, heading=title or root.heading)


def read_folder(folder: Path) -> Imported:
    """Return what the markdown of a folder says. Raises: MarkdownError, OSError."""
    if not folder.is_dir():
        raise MarkdownError(f"{folder} is no folder; name one that holds .md files")
    found = Imported()
    pages = _in_one_language(_pages(folder, found), found)
    names = [page.names for page in pages]
    studio = next((p for n in ((), ("readme",), ("about",)) for p in pages if p.names == n), None)
    if studio is not None:
        _take_studio(found, studio)
    for name in _CONFIGS:
        _take_config(found, folder / name)
    is_vault = (folder / ".obsidian").is_dir()
    notes = 0
    for page in pages:
        if page is not studio:
            notes += not _take_page(found, page, names, is_vault=is_vault)
    if notes:
        found.leave("the vault", f"notes that no list of the content is named after: {notes}")
    if studio is None and not any(entry.is_in_list for entry in found.entries):
        files = "index.md, README.md, about.md"
        rule = f"{folder} has none of {files}, and no file named after a list"
        raise MarkdownError("; ".join([rule, *(f"{p}: {reason}" for p, reason in found.left)]))
    return found


def _pages(folder: Path, found: Imported) -> list[_Page]:
    """Return the pages that may be published; name those that cannot be read.

    Nothing is told of what is private but how much there is.
    """
    files = [f for f in sorted(folder.rglob("*")) if f.suffix.lower() in SUFFIXES and f.is_file()]
    public = [f for f in files if _is_open(f, folder) and _is_open(f.resolve(), folder)]
    pages: list[_Page] = []
    tools = 0
    for file in public:
        place = file.relative_to(folder).as_posix()
        if any(_TOOLS.fullmatch(part) for part in place.lower().split("/")[:-1]):
            tools += 1
            continue
        try:
            pages.append(_read(file, place))
        except OSError as error:
            found.leave(place, f"cannot be read: {error.strerror}")
        except ValueError as error:
            found.leave(place, f"cannot be read: {error}")
    closed = tuple(f"{p.place.rpartition('/')[0]}/" for p in pages if p.closes_its_folder)
    shown = [p for p in pages if not p.is_private and not p.place.startswith(closed)]
    if private := len(files) - len(public) + len(pages) - len(shown):
        found.leave("private", f"files that are private, of another folder or to come: {private}")
    if tools:
        found.leave("tools", f"files of templates, themes and packages: {tools}")
    for page in shown:
        if page.has_tool_code:
            found.leave(page.place, "code of a tool, such as shortcodes, is taken out of it")
    return shown


def _is_open(file: Path, folder: Path) -> bool:
    """Whether a file is in the folder, and no part of its path there is private by its name."""
    for root in (folder, folder.resolve()):
        if file.is_relative_to(root):
            parts = file.relative_to(root).with_suffix("").parts
            return not any(p.startswith(".") or _is_private_name(p.lower()) for p in parts)
    return False


def _is_private_name(name: str) -> bool:
    """Whether a folder or a page is private by its name; a daily note has a day as its name."""
    words = re.sub(r"^[\W\d_]+|(?<=\S)[\s_-]+notes?$", "", name)
    return bool(_PRIVATE.fullmatch(words) or _DAY.fullmatch(name))


def _read(file: Path, place: str) -> _Page:
    """Return a page. Raises: OSError, ValueError."""
    text = decoded(file.read_bytes()).replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        raise ValueError("it is no text: it has a NUL character")
    try:
        said, body = _head_of(text)
    except ValueError:
        if not _MAY_BE_PRIVATE.search(text):
            raise
        said, body = {"private": True}, ""
    if not isinstance(said, Mapping):
        raise ValueError("its head must be keys with values, such as title: Tidebook")  # noqa: TRY004 - as the parsers raise
    head, written = _flat(said), {_bare(str(key)): str(key) for key in said}
    tags = tags_in(body)
    dated = re.match(r"(\d{4}-\d\d-\d\d)-(?=.)", file.name)
    if dated:
        head.setdefault("date", dated[1])
    names, language, is_index = _names(place)
    changed = datetime.fromtimestamp(file.stat().st_mtime, UTC).date()
    page = as_markdown(body, is_mdx=file.suffix.lower() == ".mdx")
    has_code = has_tool_code(body)
    return _Page(place, names, language, is_index, head, written, page, has_code, tags, changed)


def _names(place: str) -> tuple[tuple[str, ...], str, bool]:
    """Return the names of a page as the content has them, its language, and whether it is first."""
    path = Path(unicodedata.normalize("NFC", place))
    parts, language = list(path.with_suffix("").parts), ""
    while len(parts) > 1 and parts[0].lower() in _ROOTS:
        parts.pop(0)
    if len(parts) > 1 and _is_language(parts[0]):
        language = parts.pop(0)
    stem, dot, last = parts[-1].rpartition(".")
    if dot and _is_language(last):
        parts[-1], language = stem, last
    is_index = parts[-1].lower() in _INDEX
    kept = parts[:-1] if is_index else parts
    names = (_NOT_NAME.sub("", part) for part in kept)
    return (
        tuple(name.lower() if n == 0 else name for n, name in enumerate(names)),
        language,
        is_index,
    )


def _is_language(name: str) -> bool:
    form = re.fullmatch(r"([a-z]{2})(?:-[A-Za-z]{2,4})?", name)
    return form is not None and form[1] in LANGUAGE_NAMES


def _in_one_language(pages: list[_Page], found: Imported) -> list[_Page]:
    """Return the pages without those that another one translates."""
    best: dict[tuple[str, ...], str] = {}
    for page in pages:
        rank = (page.language != "", page.language != "en", page.language)
        before = best.setdefault(page.names, page.language)
        if rank < (before != "", before != "en", before):
            best[page.names] = page.language
    for page in pages:
        if page.language != best[page.names]:
            found.leave(page.place, "is a translation, and a studio speaks one language")
    return [page for page in pages if page.language == best[page.names]]


class _AsWritten(yaml.SafeLoader):  # type: ignore[misc] # yaml brings no types
    """Reads true, false, null and dates; `12:30`, `1.10` and `On` are texts, not 750, 1.1, true."""

    yaml_implicit_resolvers: ClassVar = {
        first: [(tag, form) for tag, form in own if not tag.endswith((":int", ":float", ":bool"))]
        for first, own in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


_AsWritten.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF")
)


def _head_of(text: str) -> tuple[Any, str]:
    """Return the values of a page's head, and the text after it. Raises: ValueError."""
    text = text.lstrip("\ufeff")
    if re.match(r"\{\s*\"", text):
        try:
            head, end = json.JSONDecoder(strict=False).raw_decode(text)
        except json.JSONDecodeError as error:
            raise ValueError(f"its head is no JSON, at line {error.lineno}") from None
        return head, text[end:]
    match = _HEAD.match(text)
    if match is None:
        return {}, text
    suffix = ".toml" if match["fence"] == "+++" else ".yaml"
    return _values(match["head"], suffix), text[match.end() :]


def _values(text: str, suffix: str) -> Any:
    """Return the values of YAML or TOML; line by line if it is neither. Raises: ValueError."""
    try:
        if suffix == ".toml":
            return tomllib.loads(text)
        return yaml.load(text, _AsWritten) or {}  # noqa: S506 - it makes plain values alone
    except (yaml.YAMLError, ValueError, RecursionError):
        if "{{" in text or "<%" in text:
            raise ValueError("its head is one of a template") from None
    values: dict[str, Any] = {}
    for line in filter(str.strip, text.split("\n")):
        found = re.match(r"([A-Za-z_][\w -]*?)[ \t]*[:=][ \t]*(.*)$", line)
        if line.lstrip().startswith("#"):
            continue  # a comment
        if found is None:
            values.setdefault("lines that are not read", []).append(line)
            continue
        said = found[2].strip(" '\"")
        try:
            value = yaml.load(found[2], _AsWritten)  # noqa: S506 - as above
        except (yaml.YAMLError, ValueError):
            value = said
        values[found[1]] = said if isinstance(value, dict) else value  # `Tides: a guide` is a text
    return values


def _flat(head: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a head in small letters without hyphens, with those of its tables."""
    tables = ("params", "extra", "taxonomies", "build")
    found: dict[str, Any] = {}
    for name, value in head.items():
        key = _bare(str(name))
        if key in tables and isinstance(value, Mapping):
            found = _flat(value) | found
        else:
            found[key] = value.strip("\u201c\u201d") if isinstance(value, str) else value
    return found


def _bare(name: str) -> str:
    return re.sub(r"[-_ ]", "", name).lower()


def _is_private(head: dict[str, Any], tags: list[str]) -> bool:
    """Whether a head or tags say that a page is private, not yet public or no longer public."""
    named = head.get("tags")
    tags = [*tags, *(map(str, named) if isinstance(named, list) else [str(named or "")])]
    today = str(_today())
    for key, value in head.items():
        word, day = str(value).lower(), _day(value)
        if (
            (_SHOWN.fullmatch(key) and word not in (*YES, "always", "link") and not day)
            or (_HIDDEN.fullmatch(key) and word not in NO)
            or (_AUDIENCE.fullmatch(key) and re.fullmatch(f"{_PRIVATE.pattern}|hidden", word))
            or (_OPENING.fullmatch(key) and day > today)
            or (_CLOSING.fullmatch(key) and "" < day <= today)
        ):
            return True
    return any(_PRIVATE.fullmatch(part) for t in tags for part in re.split(r"[,;/#\s]+", t.lower()))


def _today() -> date:
    return datetime.now(UTC).astimezone().date()


def _day(value: Any) -> str:
    """Return the day in a date, 2026-03-01, or its year; an empty text if there is none."""
    text = str(value or "")
    if found := re.search(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})", text):
        return f"{found[1]}-{int(found[2]):02}-{int(found[3]):02}"
    years = re.findall(r"(?<!\d)[12]\d{3}(?!\d)", text)
    return max(years, default="")


def _outline(text: str) -> _Node:
    """Return the headings of a text as a tree."""
    lines = text.split("\n")
    tokens = PARSER.parse(text)
    found = [
        (words_in(inline), int(token.tag[1:]), token.map[0], token.map[1])
        for token, inline in pairwise(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map
    ]
    root = _Node("", 0, "\n".join(lines[: found[0][2] if found else None]).strip())
    above = [root]
    for number, (heading, level, _, start) in enumerate(found):
        end = found[number + 1][2] if number + 1 < len(found) else None
        node = _Node(heading, level, "\n".join(lines[start:end]).strip())
        while above[-1].level >= level:
            above.pop()
        above[-1].inner.append(node)
        above.append(node)
    return root


def _list_of(name: str) -> Section | None:
    """Return the list of the content with this name, or the one that others call so."""
    bare = _bare(name)
    for model, before in ((Site, ()), (Studio, STUDIO)):
        table = bare.removeprefix("studio.") if before else bare
        for key, info in model.model_fields.items():
            alias = info.alias or key
            if alias.lower() == table and is_list(info) and model_in(info.annotation):
                return (*before, alias)
    return next((own for names, own in _LISTS.items() if re.fullmatch(names, bare)), None)


def _take_config(found: Imported, config: Path) -> None:
    """Take what the configuration of a site says of the studio."""
    if config.is_file() and config.resolve().parent == config.parent.resolve():
        try:
            said = _values(decoded(config.read_bytes()), config.suffix)
        except ValueError as error:
            found.leave(config.name, f"cannot be read: {error}")
        else:
            _answer(found, _flat(said) if isinstance(said, Mapping) else {})


def _answer(found: Imported, head: dict[str, Any]) -> None:
    """Take from the keys of a head what `init` would ask for."""
    author = head.get("author")
    if isinstance(author, Mapping):
        head = {**head, "founder": author.get("name"), "email": author.get("email")} | head
    for option, keys in _SAID_OF_THE_STUDIO.items():
        said = (head.get(key) for key in keys)
        text = next((value for value in said if isinstance(value, str) and value.strip()), "")
        is_home = option == "name" and text.lower() in ("home", "welcome", "index")
        if text and not is_home and (option != "url" or "." in text):
            found.answers.setdefault(option, text)


def _take_studio(found: Imported, page: _Page) -> None:
    """Take the studio's name, its sentence, its description and the keys that it has."""
    node = page.outline
    _answer(found, {**page.head, "title": node.heading})
    if sentence := words_of(node.text):
        found.answers.setdefault("one_line", sentence)
    own = {key: v for key, v in _own_values(Studio, page.head).items() if _is_of_studio(key)}
    entry = found.set(page.place, STUDIO, {"description": node.all()} | own)
    asked = {key for keys in _SAID_OF_THE_STUDIO.values() for key in keys}
    _note_rest(entry, page, asked | {_bare(key) for key in own})


def _is_of_studio(key: str) -> bool:
    """Whether a key is one of the studio's own that `init` does not ask for."""
    info = field_in(Studio, key)
    is_asked = any(_bare(key) in keys for keys in _SAID_OF_THE_STUDIO.values())
    return info is not None and model_in(info.annotation) is None and not is_asked


def _own_values(model: type[Output], head: dict[str, Any]) -> dict[str, Any]:
    """Return what a head says by the keys of a type."""
    aliases = (info.alias or name for name, info in model.model_fields.items())
    return {alias: head[_bare(alias)] for alias in aliases if _bare(alias) in head}


def _take_page(
    found: Imported, page: _Page, names: list[tuple[str, ...]], *, is_vault: bool
) -> bool:
    """Take a page that is not the studio's; return whether something is said of it."""
    first, *rest = page.names or ("",)
    section = _list_of(first)
    if section is None:
        return _take_other(found, page, is_vault=is_vault)
    if rest:
        if len(rest) > 1 and page.names[:-1] in names:
            found.leave(page.place, "belongs to the page of its folder")
        else:
            _take_entry(found, page, section, page.outline, is_page=True)
    elif page.is_index and any(other[:1] == page.names and len(other) > 1 for other in names):
        if page.body.strip():
            found.remark(page.place, section, "is the page of a list", page.body)
    elif section == ("prices",):
        _take_prices(found, page)
    else:
        _take_entries(found, page, section)
    return True


def _take_other(found: Imported, page: _Page, *, is_vault: bool) -> bool:
    """Take a page that is named after no list: about, contact, or a draft of a question."""
    first, *rest = page.names or ("",)
    bare = _bare(first)
    said = page.outline.all()
    if not rest and _ABOUT.fullmatch(bare):
        is_described = any("description" in entry.values for entry in found.entries)
        section, key = (FOUNDER, "identity") if is_described else (STUDIO, "description")
        found.set(page.place, section, {key: said}, is_guess=True)
    elif not rest and _CONTACT.fullmatch(bare):
        if address := _EMAIL.search(page.body):
            found.answers.setdefault("email", address[0])
        found.leave(page.place, "only a mail address is taken; phone and street are yours to give")
    elif not rest and _FOR_THE_LAW.fullmatch(bare):
        found.leave(page.place, "is a page for the law, and no entry")
    elif is_vault:
        return False
    elif rest or not said or not first or _OF_A_REPOSITORY.fullmatch(bare):
        found.leave(page.place, "no list of the content has this name")
    else:
        _take_entry(found, page, ("faq",), page.outline, is_page=True)
    return True


def _take_entries(found: Imported, page: _Page, section: Section) -> None:
    """Take the entry that each heading of a page is, or each item of a list without headings."""
    _leave_head(found, page)
    root = _outline(page.body)
    nodes, before = root.inner, root.text
    if not nodes:
        nodes, before = list(_items(root.text)), ""
    if len(nodes) == 1 and nodes[0].inner:
        before, nodes = nodes[0].text or before, nodes[0].inner
    while nodes:
        node, *nodes = nodes
        if node.inner and not node.text:
            nodes = [*node.inner, *nodes]  # a heading of groups
        else:
            _take_entry(found, page, section, node, is_page=False)
    if before:
        found.remark(page.place, section, "stands before its first entry", before)


def _items(text: str) -> Iterator[_Node]:
    """Yield what a page without headings lists: bold lines, Q and A, or the items of a list."""
    marked = re.compile(
        r"^(?:\*\*(?P<bold>[^*\n]+)\*\*:?|Q[:.] *(?P<question>[^\n]+))$", re.MULTILINE
    )
    found = list(marked.finditer(text))
    for number, each in enumerate(found):
        end = found[number + 1].start() if number + 1 < len(found) else None
        said = re.sub(r"^A[:.] *", "", text[each.end() : end].strip())
        yield _Node((each["bold"] or each["question"]).strip(), 2, said)
    if not found:
        for item in re.findall(r"^[-*+] +([^\n]+(?:\n {2,}[^\n]+)*)", text, re.MULTILINE):
            name, _, said = re.sub(
                r"(?<=\w)(?:\*\*)?(?::\*\*|:(?=\s)|\*\*:| [\u2013\u2014-] )", "\0", item, count=1
            ).partition("\0")
            yield _Node(words_of(name.strip("*_ ")), 2, said.strip())


def _take_prices(found: Imported, page: _Page) -> None:
    """Take the prices of a page where a line or a heading says one, and name the other lines."""
    _leave_head(found, page)
    codes = _codes_in(page.body)
    currency = codes[0] if len(codes) == 1 else ""
    is_unsure = any(sign in page.body for sign in UNSURE)
    nodes = [_outline(page.body)]
    while nodes:
        node, *nodes = nodes
        nodes = [*node.inner, *nodes]
        lines = list(lines_of(as_text(node.text)))
        prices = [named_price(line, currency) for line in lines]
        if not any(prices) and node.heading and (price := price_of(node.text, currency)):
            prices = [{"name": node.heading, "note": line_of(node.text)} | price]
        elif left := [line for line, price in zip(lines, prices, strict=True) if price is None]:
            text = "\n".join([node.heading, *left] if node.heading else left)
            found.remark(page.place, ("prices",), "says no price, or more than one", text)
        for price in filter(None, prices):
            guesses = {"currency": price.pop("currency")} if is_unsure else {}
            found.add(page.place, ("prices",), {DRAFT: True} | price, guesses)


def _take_entry(
    found: Imported, page: _Page, section: Section, node: _Node, *, is_page: bool
) -> None:
    """Take an entry; the keys of a page's head come before what is derived of its text."""
    model = model_at(section)
    keys = [info.alias or name for name, info in model.model_fields.items()]
    title_key = next((key for key in keys if key in _TITLE_KEYS), "")
    text_key = next((key for key in keys if key in _TEXT_KEYS), "")
    said = page if is_page else replace(page, head={}, names=("",))
    stem, text, line = said.names[-1], node.all(), said.line
    title = node.heading or re.sub(r"[-_]+", " ", stem).strip().capitalize()
    words = said.said("keywords") or []
    words = [*(words if isinstance(words, list) else [words]), *page.tags]
    own = _own_values(model, said.head)
    if text:
        own.pop(text_key, None)
    values: dict[str, Any] = {
        title_key: title,
        text_key: text or line,
        "tags": words,
        "keywords": words,
    }
    values |= {"slug": slug_of(stem), "url": said.said("url")}
    guesses: dict[str, Any] = {"category": slug_of(title) or "general", "active": True}
    optional: dict[str, Any] = {}
    begun = _day(own.get("startedAt") or said.said("started"))
    if section == ("projects",):
        guesses |= {"tagline": line_of(line or text) or title, "summary": line or title}
        guesses |= _guesses_of_project(said, begun)
    elif section == ("works",):
        kind = _bare(page.names[0])
        kind = "article" if _ARTICLES.fullmatch(kind) else kind.removesuffix("s")
        month = begun[: len("2026-03")]
        picture = str(said.said("picture"))
        picture = picture if re.match("/|https?:", picture) else ""
        optional = {"kind": kind, "finishedAt": month, "picture": picture}
    elif section == ("studio", "practice"):
        guesses["summary"] = title
    elif section == ("studio", "certifications"):
        guesses["category"] = "general"
    elif section == ("studio", "journey") and (dated := _YEARS.match(title)):
        values |= {title_key: dated["rest"] or title, "period": dated["period"]}
    values = {key: value for key, value in (optional | values | own).items() if key in keys}
    values[DRAFT] = str(said.head.get(DRAFT, True)).lower() not in NO
    place = page.place if is_page else f"{page.place}: {title}"
    entry = found.add(place, section, values, guesses)
    entry.guessed |= optional.keys() & entry.values.keys() - own.keys()
    entry.values[DRAFT] |= bool(entry.guessed)  # a guess is to be decided first
    used = {"title": True, "line": "tagline" in keys or not text}
    used |= {"keywords": "tags" in keys or "keywords" in keys, "url": "url" in keys}
    used |= {"started": section in (("projects",), ("works",)), "updated": "lastUpdated" in keys}
    used["picture"] = "picture" in entry.values
    taken = {said.key_of(what) for what in _OTHER_KEYS if used[what]}
    _note_rest(entry, said, taken | {_bare(key) for key in (*own, DRAFT)})


def _guesses_of_project(page: _Page, begun: str) -> dict[str, Any]:
    """Return what a project is likely to be, of which its page says only when it began."""
    month = f"{begun}-01" if len(begun) == len("2026") else begun or str(page.changed)
    changed, today = _day(page.said("updated")) or str(page.changed), str(_today())
    return {
        "status": "in-production",
        "ownership": "client" if "client" in page.head else "studio",
        "startedAt": month[: len("2026-03")],
        "lastUpdated": min(changed, today) if _DAY.fullmatch(changed) else today,
    }


def _note_rest(entry: Entry, page: _Page, taken: set[str]) -> None:
    """Keep as comments what the head of a page says under other keys."""
    for key, value in page.head.items():
        if key not in taken and value not in (None, "", [], {}):
            entry.keep(page.written.get(key, key), value)


def _leave_head(found: Imported, page: _Page) -> None:
    """Name the keys of a list's page, which are of no entry."""
    keys = [key for key in page.head if key != "title"]
    if keys:
        found.leave(page.place, f"keys of its head: {', '.join(keys)}")
