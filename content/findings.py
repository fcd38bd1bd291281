"""Validation errors of pydantic as findings: what is wrong, and what to write instead."""

import difflib
import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from typing import Any, get_args, get_origin

from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from content.corrections import advice, corrected, moment_like, shown
from content.errors import Finding
from content.toml_positions import KeyPath
from schema.site import Site
from schema.studio import Studio
from sdl.declare import Named, Output, model_in
from sdl.scalar_types import (
    DATE_RULE,
    INSTANT_RULE,
    ConstrainedStr,
    Line,
    Text,
    YearMonth,
    forbidden_in,
)

MISSING = "a required key is missing"
_TYPES = {
    "string_type": "text in quotes",
    "list_type": "a list in [brackets]",
    "model_type": "a table of keys",
    "bool_type": "true or false",
    "int_type": "a whole number",
}
_TOML_TYPES = (
    (bool, "true or false"),
    (str, "text"),
    ((int, float), "a number"),
    (list, "a list"),
    (dict, "a table of keys"),
    ((date, datetime), "a date"),
)
_OTHER_NAMES = {
    "website": ("url",),
    "site": ("url",),
    "homepage": ("url",),
    "link": ("url",),
    "question": ("q",),
    "answer": ("a",),
    "keywords": ("tags",),
    "title": ("headline", "name", "term", "area"),
    "topic": ("name", "area"),
    "text": ("body", "summary", "a"),
    "meaning": ("definition",),
    "description": ("summary", "body", "definition"),
    "city": ("based",),
    "location": ("based",),
    "pitch": ("oneLiner",),
    "date": ("publishedAt", "lastUpdated", "asOf"),
}
"""What owners call a key that has another name here, the likeliest first."""
_BASED = 'write based = "…" below [founder]'
_PRICE = "answer a question about it in faq.toml"
_ELSEWHERE = {
    **dict.fromkeys(("location", "city", "country", "address", "place"), _BASED),
    **dict.fromkeys(("price", "prices", "pricing", "rate", "rates", "phone", "telephone"), _PRICE),
}
"""Where an owner says what has no key of this name."""
_ELSEWHERE["draft"] = "write it in an entry of a list, as below [[faq]]"
_TEXTS = {kind: set(get_args(kind)[1:]) for kind in (Line, Text)}


def finding_of(error: ErrorDetails) -> Finding:
    """Return the finding for a validation error of pydantic."""
    path, kind, context, value = error["loc"], error["type"], error.get("ctx", {}), error["input"]
    if kind == "extra_forbidden":
        return Finding(path, "there is no such key", _other_key(path))
    info = _field_at(path)
    if kind == "missing":
        return Finding(path, MISSING, _addition(path, info))
    if kind == "word":
        return Finding(path, *_broken_rule(path, value, context["rule"], context["example"], info))
    if kind == "enum":
        words = re.findall(r"'([^']*)'", context["expected"])
        rule = f"{shown(value)} is not one of the allowed values"
        return Finding(path, rule, suggestion(str(value), words))
    if kind in _TYPES:
        return Finding(
            path,
            f"is {_type_of(value)}, and must be {_TYPES[kind]}",
            _retyped(path, kind, value, info),
        )
    return Finding(path, error["msg"], "correct the value")


def meant_path(path: KeyPath) -> KeyPath | None:
    """Return the path of the key that an unknown one stands for; None if that is unclear."""
    keys = [info.alias or name for name, info in model_at(path[:-1]).model_fields.items()]
    key = str(path[-1])
    usual = [name for name in _OTHER_NAMES.get(key.casefold(), ()) if name in keys]
    meant = usual[0] if usual else _similar(key, keys)
    return (*path[:-1], meant) if meant is not None else None


def _other_key(path: KeyPath) -> str:
    """Return the fix for a key that is not there."""
    meant = meant_path(path)
    if meant is not None:
        return f"write {meant[-1]} instead of {path[-1]}"
    if field_in(Site, str(path[-1])) is not None:
        return f"move it to a file of its own, {path[-1]}.toml"
    if (place := _ELSEWHERE.get(str(path[-1]).casefold())) is not None:
        return f"remove it, and {place}"
    keys = [info.alias or name for name, info in model_at(path[:-1]).model_fields.items()]
    return (
        f"remove it, or answer a question about it in faq.toml; the keys here are {', '.join(keys)}"
    )


def _addition(path: KeyPath, info: FieldInfo | None) -> str:
    """Return what to add for a missing key, and where."""
    key, inner = str(path[-1]), model_in(info.annotation) if info is not None else None
    if info is not None and inner is not None and not is_list(info):
        return f"write {_table_of(key, inner)}"
    meaning = (info.description if info is not None else None) or "the value"
    none = f" ({key} = [] for none)" if info is not None and is_list(info) else ""
    is_entry = isinstance(path[-2:][0], int)
    where = f" below this [[{path[-3]}]]" if is_entry else " above all [tables] of the file"
    if not is_entry and model_at(path[:-1]) is not Studio:
        where = ""
    said = " ".join(meaning.split()).rstrip(".")
    return f"add {key} = {_example(info)}{where}; it is {said[:1].lower()}{said[1:]}{none}"


def _example(info: FieldInfo | None) -> str:
    """Return how a value of this field is written."""
    kind = constraint_of(info)
    if info is None or is_list(info):
        return '["…"]'
    if said := re.search(r"for example ([a-z-]+)", info.description or ""):
        return f'"{said[1]}"'
    if kind is not None and kind.example:
        return f'"{kind.example}"'
    for part in (info.annotation, *get_args(info.annotation)):
        if members := getattr(part, "__members__", None):
            return f'"{next(iter(members.values())).value}"'
        if part in _PLAIN:
            return _PLAIN[part]
    return '"…"'


_PLAIN: dict[Any, str] = {
    datetime: INSTANT_RULE[1],
    date: "2026-03-01",
    bool: "true",
    int: "1",
}
"""How a value is written that is no text."""


def _table_of(name: str, model: type[Output]) -> str:
    """Return a table with its required keys, as an example to copy."""
    required = [info.alias or key for key, info in model.model_fields.items() if info.is_required()]
    return f"[{name}] and below it " + " and ".join(f'{key} = "…"' for key in required)


def _type_of(value: object) -> str:
    """Return what a value is, in the words of TOML."""
    return next((name for kind, name in _TOML_TYPES if isinstance(value, kind)), "another value")


def _retyped(path: KeyPath, kind: str, value: Any, info: FieldInfo | None) -> str:
    """Return the line to write for a value of another type."""
    start = f"{path[-1]} = " if isinstance(path[-1], str) else ""
    inner = model_in(info.annotation) if info is not None else None
    if inner is not None:
        return f"write {_tables(path, kind, value, inner)}"
    if kind == "list_type":
        return f"write {start}[{shown(value)}]"
    if kind == "bool_type":
        return f"write {start}true or {start}false, without quotes"
    if kind == "int_type":
        return f"write {start}12, without quotes"
    return f"write {start}{_as_text(value, constraint_of(info))}"


def _tables(path: KeyPath, kind: str, value: Any, model: type[Output]) -> str:
    """Return a table, or a list of tables, as an example to copy."""
    keys = [info.alias or key for key, info in model.model_fields.items() if info.is_required()]
    keys = [key for key in keys if key != "slug" or not issubclass(model, Named)]
    entry = "{ " + ", ".join(f'{key} = "…"' for key in keys) + " }"
    if isinstance(path[-1], int):
        return entry
    if kind == "list_type" and isinstance(value, dict):
        return f"[[{path[-1]}]] with two brackets above each entry"
    return f"{path[-1]} = [{entry}]" if kind == "list_type" else _table_of(str(path[-1]), model)


def _as_text(value: Any, kind: type[ConstrainedStr] | None) -> str:
    """Return a value as text in quotes, as its field has it."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    text = value.isoformat() if isinstance(value, date | datetime) else str(value)
    if isinstance(value, list | dict | bool):
        return '"…", one text in quotes'
    if kind is None or not kind.example:
        return f'"{text}"'
    if kind is YearMonth and re.fullmatch(r"\d{4}", text):
        return f'"{text}-04", with the month in place of 04'
    return f'"{corrected(kind, text) or kind.example}"'


def _broken_rule(
    path: KeyPath, value: object, rule: str, example: str, info: FieldInfo | None
) -> tuple[str, str]:
    """Return the rule that a constrained value breaks, and the fix."""
    text = value if isinstance(value, str) else ""
    start = f"{path[-1]} = " if isinstance(path[-1], str) else ""
    kind = constraint_of(info)
    if isinstance(value, str) and not text.strip():
        return "is empty", _filled(path, info)
    if not example:
        return next(_faults_of_text(text, kind))
    said = f"{shown(value)} is not {rule}"
    if kind is None:
        return said, f"write {start}{moment_like(value, is_date=rule == DATE_RULE[0]) or example}"
    reading = corrected(kind, text)
    if reading is not None:
        return said, f'write {start}"{reading}"'
    return said, advice(kind) or f'write for example {start}"{example}"'


def _filled(path: KeyPath, info: FieldInfo | None) -> str:
    if info is None or not isinstance(path[-1], str) or not info.is_required():
        start = f"{path[-1]} = " if isinstance(path[-1], str) else ""
        return f'write {start}"…", or remove it'
    said = " ".join((info.description or "the value").split()).rstrip(".")
    return f"write {path[-1]} = {_example(info)}; it is {said[:1].lower()}{said[1:]}"


def _faults_of_text(text: str, kind: type[ConstrainedStr] | None) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a text that is not as its rule says, and the fix."""
    if found := forbidden_in(text):
        yield _fault_of_markup(text, found)
    if kind in _TEXTS[Line] and ("\n" in text or "\t" in text):
        what = "a line break" if "\n" in text else "a tab"
        yield f"has {what}, and must be one line", f"write {shown(' '.join(text.split()))}"
    most = kind.max_length if kind is not None else 0
    if len(text) > most:
        over = len(text) - most
        yield f"has {len(text)} characters, and may have {most}", f"shorten it by {over}"
    yield "begins or ends with a blank", f"write {shown(text.strip())}"


def _fault_of_markup(text: str, found: re.Match[str]) -> tuple[str, str]:
    number = text.count("\n", 0, found.start() + len(found[0]) - len(found[0].lstrip())) + 1
    words = found[0].strip()
    line = text.split("\n")[number - 1].strip()
    if not words or not words.isprintable():
        before = text[: found.start()].split()[-1:] or ["the beginning"]
        code = f"U+{ord(found[0]):04X}"
        return f"line {number} has the control character {code} behind {before[0]}", "delete it"
    if words.startswith("<"):
        return f"in line {number}, {words[:40]} looks like HTML", _fix_of_tag(line, words)
    if words[0] in "`~":
        fix = f"write {words} alone on the line below the code, with the blanks that it began with"
        return f"line {number}, {shown(line)}, begins code that does not end", fix
    if words[0] == "#":
        name = line.lstrip("# ")
        fix = f"write **{name}**" if name else "remove it"
        return f"line {number}, {shown(line)}, is a heading, which texts do not have", fix
    rule = f"line {number}, {shown(line)}, is a rule or makes a heading of the line above"
    return rule, "remove the line; an empty line separates paragraphs"


def _fix_of_tag(line: str, tag: str) -> str:
    """Return what to write instead of what looks like HTML."""
    if tag.startswith("<!"):
        return "remove it; a comment is a line of the file that begins with #"
    if re.match(r"</?(?:br|p|div)\b", tag, re.IGNORECASE):
        return "remove it; an empty line begins a new paragraph"
    if re.match(r"<a\b", tag, re.IGNORECASE):
        return "write a link as [text](address)"
    if re.match(r"</?(?:b|strong|i|em)\b", tag, re.IGNORECASE):
        return "write **bold** or *emphasis*"
    word = next((word for word in line.split() if tag.partition(" ")[0] in word), tag)
    return f"put code in backticks, `{word.strip('.,;:!?()')}`"


def suggestion(word: str, allowed: Iterable[str]) -> str:
    """Return a fix that names the allowed word most similar to `word`, or all of them."""
    names = list(allowed)
    similar = _similar(word, names)
    if similar is not None:
        return f"did you mean {similar!r}?"
    if not names:
        return "remove it, or add it to the content first: there is none yet"
    return f"write one of: {', '.join(names)}"


def _similar(word: str, names: Iterable[str]) -> str | None:
    """Return the name that the word is likely to be, mistyped."""
    folded = {name.casefold(): name for name in names}
    similar = difflib.get_close_matches(word.casefold(), folded, n=1)
    return folded[similar[0]] if similar and _is_near(word.casefold(), similar[0]) else None


def _is_near(word: str, name: str) -> bool:
    """Return whether one may be the other mistyped: they begin alike, or one holds the other."""
    alike = word[:1] == name[:1] and abs(len(word) - len(name)) <= 2  # noqa: PLR2004 - two letters
    return alike or word in name or name in word or word.replace("-", "") == name


def _field_at(path: KeyPath) -> FieldInfo | None:
    """Return the field of a path, or the list that it is an item of."""
    while path and isinstance(path[-1], int):
        path = path[:-1]
    return field_in(model_at(path[:-1]), str(path[-1])) if path else None


def field_in(model: type[Output], alias: str) -> FieldInfo | None:
    """Return the field of a type that this key of a content file sets."""
    return next((f for n, f in model.model_fields.items() if (f.alias or n) == alias), None)


def constraint_of(info: FieldInfo | None) -> type[ConstrainedStr] | None:
    """Return the rule of a field's texts, or of its items."""
    parts = [*info.metadata, info.annotation] if info is not None else []
    while parts:
        part = parts.pop(0)
        if isinstance(part, type) and issubclass(part, ConstrainedStr):
            return part
        parts += get_args(part)
    return None


def is_list(info: FieldInfo) -> bool:
    """Return whether a field is a list, or one that may be missing."""
    return any(get_origin(part) is list for part in (info.annotation, *get_args(info.annotation)))


def model_at(path: KeyPath) -> type[Output]:
    """Return the type of the table at a path of the content."""
    model: type[Output] = Site
    for part in path:
        if isinstance(part, str) and (info := field_in(model, part)) is not None:
            model = model_in(info.annotation) or model
    return model
