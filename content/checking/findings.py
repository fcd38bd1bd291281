"""Validation errors of pydantic as findings: what is wrong, and what to write instead."""

import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from itertools import chain, count
from typing import Annotated, Any, get_args, get_origin

from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from content.checking.corrections import (
    EXAMPLES,
    RULES,
    Form,
    advice,
    choices,
    foreign_signs,
    nearest_day,
    one_of,
    shown,
)
from content.checking.errors import Finding
from content.importing.toml_writer import toml_value
from content.reading.toml_positions import KeyPath
from schema.sections import Business, PostalAddress
from schema.site import Site
from sdl.types.declare import MAX_SLUG, Named, Output, model_in, slug_of
from sdl.types.scalar_types import (
    DATE_RULE,
    INSTANT_RULE,
    ChangeId,
    ConstrainedStr,
    Email,
    Line,
    Slug,
    Text,
    Url,
    YearMonth,
    forbidden_in,
    format_instant,
)

MISSING = "a required key is missing"
MIN_LIKENESS = 0.65
"""How alike a word must be to the one that it may be, of 1."""
MAX_WORDS = 3
"""How many words each item has if a text is taken for a list with commas."""
_TYPES = {
    "string_type": "text in quotes",
    "list_type": "a list in [brackets]",
    "model_type": "a group of keys",
    "bool_type": "true or false",
    "int_type": "a whole number",
}
_TOML_TYPES = (
    (bool, "true or false"),
    (str, "text"),
    ((int, float), "a number"),
    (list, "a list"),
    (dict, "a group of keys"),
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
    **dict.fromkeys(("location", "city", "country", "place"), ("based", "location")),
    "jobtitle": ("role",),
    "mail": ("email",),
    "pitch": ("oneLiner",),
    "date": ("publishedAt", "lastUpdated", "asOf"),
    **dict.fromkeys(("start", "started", "begin", "began", "since"), ("startedAt", "founded")),
    **dict.fromkeys(("updated", "modified", "lastmod"), ("lastUpdated",)),
}
"""What owners call a key that has another name here, the likeliest first."""


def _way_to(info: FieldInfo) -> str:
    return "below [address]" if info.annotation == PostalAddress | None else f"as {info.alias}"


_BUSINESS = {
    **{(info.alias or name).casefold(): info for name, info in Business.model_fields.items()},
    **dict.fromkeys(("tel", "telephone", "mobile"), Business.model_fields["phone"]),
    **dict.fromkeys(("vat", "vatnumber", "taxid", "taxnumber"), Business.model_fields["vat_id"]),
    **dict.fromkeys(("company", "legalform"), Business.model_fields["legal_name"]),
}
"""The facts of a business, by what owners call them."""
_ELSEWHERE = {
    **{key: f"write it in business.toml, {_way_to(info)}" for key, info in _BUSINESS.items()},
    **dict.fromkeys(
        ("price", "prices", "pricing", "cost", "fee", "fees", "rate", "rates", "dayrate"),
        "write it in prices.toml, as an entry below [[prices]]",
    ),
    "draft": "write it in an entry of a list, as below [[faq]]",
}
"""Where an owner says what has no key of this name."""
_PARAGRAPH = r"</?(?:br|p|div|span)\b[^>]*>"
_TEXTS = {kind: set(get_args(kind)[1:]) for kind in (Line, Text)}


@dataclass(frozen=True)
class Written:
    """The content as its owner wrote it, with the sections that have files of their own."""

    tree: Mapping[str, Any]
    sections: Collection[KeyPath]

    def at(self, path: KeyPath) -> Any:
        """Return what stands at a path; None if nothing does."""
        return found_at(self.tree, path)

    def home(self, path: KeyPath) -> KeyPath:
        """Return the section in whose file a path stands."""
        lengths = range(len(path), 1, -1)
        return next((path[:n] for n in lengths if path[:n] in self.sections), path[:1])

    def header(self, path: KeyPath) -> str:
        """Return what stands in brackets above the table at a path; nothing above a whole file."""
        if path[0] == "status":
            path = ("status", *path[2:])
        home = self.home(path)
        inner = path[len(home) :]
        names = [*home[-1:], *inner] if inner and isinstance(inner[0], int) else [*inner]
        return ".".join(name for name in names if isinstance(name, str))


def finding_of(error: ErrorDetails, written: Written) -> Finding:
    """Return the finding for a validation error of pydantic."""
    path, kind, context, value = error["loc"], error["type"], error.get("ctx", {}), error["input"]
    if kind == "extra_forbidden":
        return Finding(path, "there is no such key", _other_key(path, value, written))
    info = field_at(path)
    if kind == "missing":
        return Finding(path, MISSING, _addition(path, info, written))
    if kind == "word":
        rule, example = context["rule"], context["example"]
        return Finding(path, *_broken_rule(path, value, rule, example, info, written))
    if kind == "enum":
        words = re.findall(r"'([^']*)'", context["expected"])
        rule = f"{shown(value)} is not one of the allowed values"
        return Finding(path, rule, suggestion(str(value), words))
    if kind in _TYPES:
        form = form_of(info)
        needed = RULES[form] if form is YearMonth and kind == "string_type" else _TYPES[kind]
        rule = f"is {_type_of(value)}, and must be {needed}"
        return Finding(path, rule, f"write {_retyped(path, kind, value, info, written)}")
    return Finding(path, error["msg"], "correct the value")


def meant_path(path: KeyPath, written: Written) -> KeyPath | None:
    """Return the path of the key that an unknown one stands for; None if that is unclear.

    It is a key of the same table under another name, or one of a table around it or beside it.
    """
    key, own = str(path[-1]), path[:-1]
    has_keys = isinstance(written.at(path), dict)

    def fits(table: KeyPath, name: str) -> bool:
        info = field_in(model_at(table), name)
        return has_keys == (info is not None and model_in(info.annotation) is not None)

    for table in (own, *_tables_near(own, written)):
        keys = {_letters(name): name for name in _keys_of(table)}
        for name in (key, *_OTHER_NAMES.get(key.casefold(), ())):
            found = keys.get(_letters(name))
            if (
                found
                and written.at((*table, found)) is None
                and (table == own or fits(table, found))
            ):
                return (*table, found)
    meant = similar(key, [name for name in _keys_of(own) if written.at((*own, name)) is None])
    return (*own, meant) if meant is not None else None


def _tables_near(own: KeyPath, written: Written) -> Iterator[KeyPath]:
    """Yield the tables around one, from the innermost on, and then those inside of each."""
    around = [own[:n] for n in range(len(own), 0, -1) if own[0] != "status"]
    around = [table for table in around if isinstance(written.at(table), dict)]
    yield from around[1:]
    for table in around:
        for name, value in written.at(table).items():
            if isinstance(value, dict) and name in _keys_of(table):
                yield (*table, name)


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


def _keys_of(table: KeyPath) -> list[str]:
    return [info.alias or name for name, info in model_at(table).model_fields.items()]


def keys_below(path: KeyPath, written: Written) -> list[KeyPath]:
    """Return where the keys of an unknown table belong, if all are keys of the table around it."""
    value, own = written.at(path), path[:-1]
    is_heading = (
        isinstance(value, dict)
        and value.keys() <= {*_keys_of(own)}
        and meant_path(path, written) is None
    )
    return [(*own, key) for key in value] if is_heading else []


def _other_key(path: KeyPath, value: object, written: Written) -> str:
    """Return the fix for a key that is not there."""
    key, meant = str(path[-1]), meant_path(path, written)
    if meant is not None:
        if meant[:-1] == path[:-1]:
            return f"write {meant[-1]} instead of {key}"
        return f"move it {_place(meant[:-1], path, written)}" + (
            f", as {meant[-1]}" if meant[-1] != key else ""
        )
    if (already := _set_already(path, written)) is not None:
        return f"remove it; {already} already"
    return _other_place(path, value, written)


def _other_place(path: KeyPath, value: object, written: Written) -> str:
    """Return the fix for a key that stands for no other one."""
    key = str(path[-1])
    if keys_below(path, written):
        return f"remove the line [{key}]: the keys below it belong to the file itself"
    if field_in(Site, key) is not None and (len(path) == len(("studio", key)) or is_table(value)):
        return f"move it to a file of its own, {key}.toml"
    if (place := _ELSEWHERE.get(_letters(key))) is not None:
        return f"remove it, and {place}"
    keys = ", ".join(_keys_of(path[:-1]))
    return f"remove it, or answer a question about it in faq.toml; the keys here are {keys}"


def _set_already(path: KeyPath, written: Written) -> str | None:
    """Return where a key is set that an unknown one repeats, in words."""
    key, own = str(path[-1]), path[:-1]
    usual = [name for name in _OTHER_NAMES.get(key.casefold(), ()) if name in _keys_of(own)]
    if (same := next(iter(usual), None) or similar(key, _keys_of(own))) is not None:
        return f"{same} is set here"
    there = (table for table in _tables_near(own, written) if key in _keys_of(table))
    return next((f"{key} stands {_place(table, path, written)}" for table in there), None)


def _place(table: KeyPath, key: KeyPath, written: Written) -> str:
    """Return where the lines of a table are, for somebody who has this key in another."""
    home, header = written.home(table), written.header(table)
    if home != written.home(key):
        return f"to {'.'.join(map(str, home))}.toml" + (f", below [{header}]" if header else "")
    if not header:
        return "to the top of the file"
    if isinstance(table[-1], int):
        return f"to the line below its [[{header}]]"
    return f"below [{header}]"


def _addition(path: KeyPath, info: FieldInfo | None, written: Written) -> str:
    """Return what to add for a missing key, and where."""
    key, inner = str(path[-1]), model_in(info.annotation) if info is not None else None
    if inner is not None:
        samples = _samples(inner)
        lines = " and ".join(f"{name} = {value}" for name, (value, _) in samples.items())
        return f"write [{written.header(path)}] and below it {lines}{_notes(samples)}"
    value, note = sample(info, _own_name(path, info, written))
    header = written.header(path[:-1])
    where = f" below [{header}]" if header else " at the top of the file"
    if isinstance(path[-2:][0], int):
        where = f" below this [[{header}]]"
    return f"add {key} = {value}{where}; {meaning(info)}{note}"


def _own_name(path: KeyPath, info: FieldInfo | None, written: Written) -> str | None:
    """Return the slug or id that an entry's name gives; None for another key, or without a name."""
    form, entry, entries = form_of(info), written.at(path[:-1]), written.at(path[:-2])
    if path[-1] not in {"slug", "id"} or form not in {Slug, ChangeId} or not is_table(entry):
        return None
    names = (entry.get(key) for key in ("name", "title", "label", "term", "q"))
    name = next((each for each in names if isinstance(each, str) and slug_of(each)), None)
    day = entry.get("publishedAt")
    if name is None or (form is ChangeId and not isinstance(day, datetime)):
        return None
    others = entries if isinstance(entries, list) else []
    slug = distinct_slug(name, {str(each.get(path[-1])) for each in others if is_table(each)})
    return f"{format_instant(day)[:10]}-{slug}" if isinstance(day, datetime) else slug


def meaning(info: FieldInfo | None) -> str:
    """Return what a field says, as the end of a sentence."""
    said = " ".join(((info.description if info else None) or "the value").split()).rstrip(".")
    if re.search(r"\bslug\b", said) and info is not None and not is_list(info):
        return "it is its name in addresses"
    return f"it is {said[:1].lower()}{said[1:]}"


def example_of(info: FieldInfo | None) -> str:
    """Return how a value of this field is written."""
    kind = constraint_of(info)
    if info is None or is_list(info):
        return '["…"]' if info is None or model_in(info.annotation) is None else "[]"
    if said := re.search(r"for example ([a-z-]+)", info.description or ""):
        return f'"{said[1]}"'
    if kind is not None and kind.example:
        return f'"{EXAMPLES.get(kind, kind.example)}"'
    for part in _parts(info):
        if members := getattr(part, "__members__", None):
            return f'"{next(iter(members.values())).value}"'
        if part in _PLAIN:
            return _PLAIN[part]
    return '"…"'


def sample(info: FieldInfo | None, own: str | None = None) -> tuple[str, str]:
    """Return what to write for a field of which nothing is known but `own`, and a note about it.

    What is not the owner's is no value, but an example in the note.
    """
    if own is not None:
        return f'"{own}"', ""
    example = example_of(info)
    words = (
        [m.value for p in _parts(info) for m in getattr(p, "__members__", {}).values()]
        if info
        else []
    )
    if words:
        return '"…"', f", one of: {', '.join(words)}"
    if example in {'"…"', "[]", '["…"]'} or "for example" in meaning(info):
        return ("[]" if example == "[]" else example if example.startswith("[") else '"…"'), ""
    if example.startswith('"'):
        return '"…"', f", for example {example}"
    return example, ", true or false" if example == "true" else f"; {example} is an example"


_PLAIN: dict[Any, str] = {
    datetime: INSTANT_RULE[1],
    date: DATE_RULE[1],
    bool: "true",
    int: "12",
}
"""How a value is written that is no text."""


def form_of(info: FieldInfo | None) -> Form | None:
    """Return what the value of a field must be, or each item of a list; None if it is a table."""
    parts = _parts(info) if info is not None else ()
    return constraint_of(info) or next((part for part in parts if part in _PLAIN), None)


def _parts(info: FieldInfo) -> Iterator[Any]:
    """Yield the type of a field, and those in it if it may be missing."""
    for part in (info.annotation, *get_args(info.annotation)):
        yield get_args(part)[0] if get_origin(part) is Annotated else part


def _samples(model: type[Output]) -> dict[str, tuple[str, str]]:
    """Return the keys that a table must have, each with what to write and a note about it."""
    return {
        info.alias or name: sample(info)
        for name, info in model.model_fields.items()
        if info.is_required() and not (name == "slug" and issubclass(model, Named))
    }


def _notes(samples: Mapping[str, tuple[str, str]]) -> str:
    """Return the notes of several keys as one."""
    notes = (
        (key, note.replace("example ", f"example {key} = ", 1))
        for key, (_, note) in samples.items()
    )
    return "".join(note.replace(", one of", f", {key} one of") for key, note in notes)


def _type_of(value: object) -> str:
    """Return what a value is, in the words of TOML."""
    return next((name for kind, name in _TOML_TYPES if isinstance(value, kind)), "another value")


def _retyped(path: KeyPath, kind: str, value: Any, info: FieldInfo | None, written: Written) -> str:
    """Return the line to write for a value of another type."""
    start = f"{path[-1]} = " if isinstance(path[-1], str) else ""
    inner = model_in(info.annotation) if info is not None else None
    if inner is not None:
        return _tables(path, kind, value, inner, written)
    if kind == "list_type" and isinstance(value, str) and re.fullmatch(r"\[.*\]", value):
        return f"{start}{value}, without quotes around it"
    if kind == "list_type":
        parts = re.split(r"\s*[,;\n]\s*", value.strip()) if isinstance(value, str) else [value]
        are_words = all(1 <= len(str(part).split()) <= MAX_WORDS for part in parts)
        items = [(choices(constraint_of(info), part) or [toml_value(part)])[0] for part in parts]
        return f"{start}[{', '.join(items) if are_words else toml_value(value)}]"
    if kind == "bool_type":
        words = choices(bool, value) or ["true", "false"]
        return f"{' or '.join(start + word for word in words)}, without quotes"
    if kind == "int_type":
        number = value if isinstance(value, str) and value.isdecimal() else _PLAIN[int]
        return f"{start}{number}, without quotes"
    return _as_text(value, constraint_of(info), start, meaning(info))


def _tables(path: KeyPath, kind: str, value: Any, model: type[Output], written: Written) -> str:
    """Return a table, or a list of tables, as an example to copy."""
    samples, header = _samples(model), written.header(path)
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        value = value[0]
    if isinstance(value, dict):
        return f"[[{header}]] in place of [{header}]"
    if isinstance(value, list) and not isinstance(path[-1], int):
        return f"[{header}] in place of [[{header}]], and only once"
    own: dict[str, str] = {}
    if isinstance(value, str):
        key = next((key for key in samples if form_of(field_in(model, key)) is Url), None)
        if key is None or choices(Url, value):
            own = {key or next(iter(samples)): value}
    samples |= {key: (toml_value(said), "") for key, said in own.items()}
    entry = "{ " + ", ".join(f"{key} = {said}" for key, (said, _) in samples.items()) + " }"
    left = [key for key, said in samples.items() if own and said == ('"…"', "")]
    said_of = {key: meaning(field_in(model, key))[2:] for key in left}
    notes = "".join(f"; {k}{said}" for k, said in said_of.items() if said != f" is the {k}")
    notes += _notes(samples)
    if isinstance(path[-1], int):
        return f"{entry}{notes}"
    return f"{path[-1]} = {f'[{entry}]' if kind == 'list_type' else entry}{notes}"


def _as_text(value: Any, kind: type[ConstrainedStr] | None, start: str, about: str = "") -> str:
    """Return the line of a value as text in quotes, as its field has it."""
    if isinstance(value, list) and (len(value) == 1 or (value and kind in {Email, Url})):
        value = value[0]
    if isinstance(value, list | dict | bool):
        example = (
            f'for example {start}"{kind.example}"' if kind is not None and kind.example else ""
        )
        return example or f'{start}"…", one text in quotes'
    if isinstance(value, int | float) and re.search(r"with its unit|\bhow (?:soon|long)\b", about):
        return f'it with its unit, as {start}"{value} hours"'
    readings = choices(kind, value)
    if readings:
        day = ", without the day" if kind is YearMonth and isinstance(value, date) else ""
        return f"{start}{one_of(readings)}{day}"
    text = value.isoformat() if isinstance(value, date | datetime) else str(value)
    if kind is None or not kind.example:
        return f"{start}{toml_value(text)}"
    return advice(kind, value, start) or f'for example {start}"{kind.example}"'


def _broken_rule(  # noqa: PLR0913, PLR0917 - what pydantic says of it, and where it stands
    path: KeyPath,
    value: object,
    rule: str,
    example: str,
    info: FieldInfo | None,
    written: Written,
) -> tuple[str, str]:
    """Return the rule that a constrained value breaks, and the fix."""
    text = value if isinstance(value, str) else ""
    start = f"{path[-1]} = " if isinstance(path[-1], str) else ""
    form = form_of(info)
    if isinstance(value, str) and not text.strip():
        return "is empty", _filled(path, info)
    if not example and form is not Url:
        return next(_faults_of_text(text, constraint_of(info)))
    rule = RULES[form].replace(" in quotes", "") if form in RULES else rule
    said = f"{shown(value)} is not {rule}" if example else f"is not {rule}"  # it has a password
    own = _day_of_id(path, written)
    if readings := choices(form, value):
        readings = [each for each in readings if own and each.startswith(own)] or readings
        signs, note = foreign_signs(text, readings[0]) or ("", "")
        return f"{said}: {signs}" if signs else said, f"write {start}{one_of(readings)}{note}"
    if form in {date, datetime} and (day := nearest_day(text)):
        said = f"{said}: {day[0]}"
        if own:
            return said, f"write {start}{own}{day[1][len(own) :]}, the day of its id"
    quoted = example if form in _PLAIN else f'"{example}"'
    return said, f"write {advice(form, value, start) or f'for example {start}{quoted}'}"


def _day_of_id(path: KeyPath, written: Written) -> str | None:
    """Return the day that the id of an entry begins with."""
    entry = written.at(path[:-1])
    found = re.match(r"\d{4}-\d\d-\d\d(?=-)", str(entry.get("id"))) if is_table(entry) else None
    return found[0] if found is not None and nearest_day(found[0]) is None else None


def _filled(path: KeyPath, info: FieldInfo | None) -> str:
    if info is None or not isinstance(path[-1], str) or not info.is_required():
        start = f"{path[-1]} = " if isinstance(path[-1], str) else ""
        return f'write {start}"…", or remove it'
    value, note = sample(info)
    return f"write {path[-1]} = {value}; {meaning(info)}{note}"


def _faults_of_text(text: str, kind: type[ConstrainedStr] | None) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a text that is not as its rule says, and the fix."""
    if found := forbidden_in(text):
        yield _fault_of_markup(text, found)
    if kind in _TEXTS[Line] and ("\n" in text or "\t" in text):
        what = "a line break" if "\n" in text else "a tab"
        yield f"has {what}, and must be one line", f"write {toml_value(' '.join(text.split()))}"
    if kind is not None and len(text) > (most := kind.max_length):
        over = len(text) - most
        yield f"has {len(text)} characters, and may have {most}", f"shorten it by {over}"
    yield "begins or ends with a blank", f"write {toml_value(text.strip())}"


def _fault_of_markup(text: str, found: re.Match[str]) -> tuple[str, str]:
    number = text.count("\n", 0, found.start() + len(found[0]) - len(found[0].lstrip())) + 1
    words = found[0].strip()
    line = text.split("\n")[number - 1].strip()
    if not words or not words.isprintable():
        before = text[: found.start()].split()[-1:] or ["the beginning"]
        code = f"U+{ord(found[0]):04X}"
        return f"line {number} has the control character {code} behind {before[0]}", "delete it"
    if words.startswith("<"):
        return f"in line {number}, {words[:40]} looks like HTML", _fix_of_tag(text, line, words)
    if words[0] in "`~":
        return _fault_of_code(text, number)
    if words[0] == "#":
        name = line.lstrip("# ")
        fix = f"write **{name}**" if name else "remove it"
        return f"line {number}, {shown(line)}, is a heading, which texts do not have", fix
    rule = f"line {number}, {shown(line)}, is a rule or makes a heading of the line above"
    return rule, "remove the line; an empty line separates paragraphs"


def _fault_of_code(text: str, number: int) -> tuple[str, str]:
    """Return what is wrong with code that begins in this line of a text, and the fix."""
    line = text.split("\n")[number - 1]
    begin = re.match(r"( *)([`~]+)", line)
    blanks, mark = begin.group(1, 2) if begin else ("", "```")
    behind = f", with {len(blanks)} blanks before it" if blanks else ""
    rule = f"line {number}, {shown(line.strip())}, begins code that does not end"
    return rule, f"write {mark} alone on the line below the code{behind}"


def _fix_of_tag(text: str, line: str, tag: str) -> str:
    """Return what to write instead of what looks like HTML."""
    if tag.startswith("<!"):
        return "remove it; a comment is a line of the file that begins with #"
    if re.match(_PARAGRAPH, tag, re.IGNORECASE):
        tags = dict.fromkeys(found[0] for found in re.finditer(_PARAGRAPH, text, re.IGNORECASE))
        return f"remove {' and '.join(tags)}; an empty line begins a new paragraph"
    if re.match(r"<a\b", tag, re.IGNORECASE):
        return "write a link as [text](address)"
    if re.match(r"</?(?:b|strong|i|em)\b", tag, re.IGNORECASE):
        return "write **bold** or *emphasis*"
    word = next((word for word in line.split() if tag.partition(" ")[0] in word), tag)
    return f"put code in backticks, `{word.strip('.,;:!?()')}`"


def suggestion(word: str, allowed: Iterable[str]) -> str:
    """Return a fix that names the allowed word most similar to `word`, or all of them."""
    names = list(allowed)
    meant = similar(word, names)
    if meant is not None:
        return f"did you mean {meant!r}?"
    if not names:
        return "remove it, or add it to the content first: there is none yet"
    quoted = [toml_value(name) if " " in name else name for name in names]
    return f"write one of: {', '.join(quoted)}"


def similar(word: str, names: Iterable[str]) -> str | None:
    """Return the name that the word is likely to be, mistyped."""
    folded = {name.casefold(): name for name in names}
    near = difflib.get_close_matches(word.casefold(), folded, n=1, cutoff=MIN_LIKENESS)
    return folded[near[0]] if near and _is_near(word.casefold(), near[0]) else None


def _is_near(word: str, name: str) -> bool:
    """Return whether one may be the other mistyped: they begin alike, or one holds the other."""
    alike = word[:1] == name[:1] and abs(len(word) - len(name)) <= 2  # noqa: PLR2004 - two letters
    return alike or word in name or name in word or word.replace("-", "") == name


def found_at(value: Any, path: KeyPath) -> Any:
    """Return what stands at a path in a parsed value; None if nothing does."""
    for part in path:
        try:
            value = value[part]
        except (LookupError, TypeError):
            return None
    return value


def field_at(path: KeyPath) -> FieldInfo | None:
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


def is_table(value: Any) -> bool:
    """Return whether a value is a table, or a list of tables."""
    entries = value if isinstance(value, list) else [value]
    return bool(entries) and all(isinstance(entry, dict) for entry in entries)


def distinct_slug(name: str, taken: set[str]) -> str:
    """Return a slug for a name that none of these is, and add it to them."""
    slug = slug_of(name) or "entry"
    ends = (f"-{number}" for number in count(2))
    numbered = (f"{slug[: MAX_SLUG - len(end)].rstrip('-')}{end}" for end in ends)
    slug = next(own for own in chain([slug], numbered) if own not in taken)
    taken.add(slug)
    return slug
