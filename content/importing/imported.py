"""What was taken of an owner's documents for a new studio, by one rule for every source.

What the content takes is written. What it does not take stands as a comment where it belongs, with
its reason; so does a whole entry that lacks what nobody can guess. `check` refuses nothing of it.
"""

import enum
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any, get_args
from urllib.parse import urlsplit

from pydantic.fields import FieldInfo

from content.checking.corrections import corrected, visible
from content.checking.errors import Finding
from content.checking.findings import (
    MISSING,
    constraint_of,
    distinct_slug,
    field_in,
    found_at,
    is_list,
    model_at,
)
from content.checking.links import with_whole_addresses
from content.importing.plain_markdown import address_of, plain
from content.importing.toml_writer import toml_text, toml_value
from content.reading.drafts import KEY as DRAFT
from content.reading.reader import examine
from content.reading.toml_positions import KeyPath
from schema.github import GithubSnapshot
from sdl.types.declare import Output, model_in
from sdl.types.scalar_types import Line, Text, Url

MARK = "  # imported"
YES, NO = ("true", "yes", "on", "1"), ("false", "no", "off", "0")
NO_PLACE = "has no place in the content"
PRIVATE = "is private; write it into the content yourself if others may read it"
_PRIVATE_KEY = re.compile(
    "phone|mobile|street|address|birth|salary|supervisor|password|token|secret|private|internal|note"
    "|todo",
    re.IGNORECASE,
)
MAX_REASONS = 12
"""How many reasons `init` prints; the files have them all."""
Section = tuple[str, ...]
STUDIO: Section = ("studio",)
FOUNDER: Section = ("studio", "founder")
_HEAD = "# Taken from elsewhere. Read it before you publish; a guess ends with # imported.\n"
_LINE, _TEXT = get_args(Line)[1], get_args(Text)[1]


def decoded(raw: bytes) -> str:
    """Return the text of a file: UTF-8, UTF-16 or UTF-32 by its first bytes, else Windows-1252."""
    try:
        return raw.decode(json.detect_encoding(raw))
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")


@dataclass
class Entry:
    """An entry of a list, or keys of an object."""

    place: str
    """Where it stands in its source."""
    section: Section
    values: dict[str, Any]
    guesses: dict[str, Any] = field(default_factory=dict)
    """What is written, and marked, for a required key that has no right value."""
    is_in_list: bool = True
    guessed: set[str] = field(default_factory=set)
    """The keys whose values are guesses."""
    notes: list[tuple[str, str]] = field(default_factory=list)
    """Why something is a comment below its header, and the lines of it."""
    lacks: list[str] = field(default_factory=list)
    """Why the whole entry is a comment; nothing if it is none."""

    @property
    def file(self) -> str:
        """The section whose file has it."""
        if self.section[:2] == FOUNDER or self.section[0] != "studio":
            objects = 2 if self.section[0] == "studio" else 1
            return ".".join(self.section[:objects])
        return ".".join(self.section)

    def note(self, key: str, value: Any, reason: str) -> None:
        """Keep a value as a comment, with its reason."""
        self.notes.append((f"{key}: {reason}", f"{key} = {toml_value(value)}"))

    def keep(self, key: str, value: Any) -> None:
        """Keep as a comment what has no place; of what is private by its name, the name alone."""
        if _PRIVATE_KEY.search(key):
            self.notes.append((f"{key}: {PRIVATE}", ""))
        else:
            self.note(key, value, NO_PLACE)

    def refuse(self, findings: Iterable[Finding]) -> None:
        """Make comments of what these findings refuse; their paths begin in the entry."""
        items: dict[str, dict[int, Finding]] = {}
        gone = set[str]()
        for finding in findings:
            key, *inner = (*finding.path, "")
            reason = f"{finding.rule}; {finding.fix}"
            if isinstance(self.values.get(str(key)), list) and isinstance(inner[0], int):
                items.setdefault(str(key), {}).setdefault(inner[0], finding)
            elif key in self.values:
                self.note(str(key), self.values.pop(str(key)), reason)
                gone.add(str(key))
            elif key in gone:
                continue  # a second rule that the same value breaks
            elif finding.rule == MISSING and key in self.guesses:
                self.values[str(key)] = self.guesses.pop(str(key))
                self.guessed.add(str(key))
                if DRAFT in self.values:
                    self.values[DRAFT] = True  # a guess is to be decided first
            else:
                self.lacks.append(f"{key}: {reason}" if key else reason)
        for key, refused in items.items():
            if key in gone:
                continue
            for index, finding in refused.items():
                reason = f"{finding.rule}; {finding.fix}"
                self.notes.append((f"{key}: {reason}", toml_value(self.values[key][index])))
            self.values[key] = [v for i, v in enumerate(self.values[key]) if i not in refused]

    def text(self) -> str:
        """Return its lines in a file."""
        name = ".".join(self.section[1:] if self.section[:2] == FOUNDER else self.section[-1:])
        header = f"[[{name}]]\n" if self.is_in_list else ""
        notes = "".join(_commented(f"{reason}\n{lines}".rstrip()) for reason, lines in self.notes)
        values = "".join(
            f"{key} = {toml_value(self.values[key])}{MARK if key in self.guessed else ''}\n"
            for key in _in_order(model_at(self.section), self.values)
        )
        blank = "\n" if self.is_in_list else ""
        if not self.lacks:
            return f"{blank}{header}{notes}{values}"
        what = "complete it, and remove the # before each of its lines"
        reasons = _commented("\n".join([f"{self.place}: {what}", *self.lacks]))
        return blank + _commented(f"{reasons}{header}{notes}{values}".rstrip("\n"))


@dataclass
class Imported:
    """What was taken from a document, and what was not."""

    answers: dict[str, str] = field(default_factory=dict)
    """What `init` asks and the document says, by the option's name."""
    files: dict[str, str] = field(default_factory=dict)
    """Files that are taken as they are, by name."""
    entries: list[Entry] = field(default_factory=list)
    left: list[tuple[str, str]] = field(default_factory=list)
    """What was left out: where it stands, and the reason."""

    def set(
        self, place: str, section: Section, values: Mapping[str, Any], *, is_guess: bool = False
    ) -> Entry:
        """Take keys of an object, such as the studio."""
        known = _known(model_at(section), values)
        entry = Entry(place, section, known, is_in_list=False)
        entry.guessed = set(known) if is_guess else set()
        self.entries.append(entry)
        return entry

    def add(
        self,
        place: str,
        section: Section,
        values: Mapping[str, Any],
        guesses: Mapping[str, Any] | None = None,
    ) -> Entry:
        """Take an entry of a list; `guesses` are for required keys that have no right value."""
        model = model_at(section)
        known = _known(model, values)
        for name, info in model.model_fields.items():
            if info.is_required() and is_list(info):
                known.setdefault(info.alias or name, [])
        entry = Entry(place, section, known, _known(model, guesses or {}))
        if "slug" in model.model_fields:
            names = ("slug", getattr(model, "named_by", ""), "name", "term", "label")
            named = next((text for key in names if isinstance(text := known.get(key), str)), "")
            taken = {e.values.get("slug", "") for e in self.entries if e.section == section}
            known["slug"] = distinct_slug(named, taken)
        self.entries.append(entry)
        return entry

    def remark(self, place: str, section: Section, reason: str, text: str) -> None:
        """Keep a text as a comment in the file of a list."""
        notes = [(reason, f"{place}:\n{text}")]
        self.entries.append(Entry(place, section, {}, is_in_list=False, notes=notes))

    def leave(self, place: str, reason: str) -> None:
        """Name what is left out."""
        self.left.append((place, reason))

    def settle(self, studio: dict[str, Any]) -> None:
        """Make comments of what `check` would refuse beside what the owner says of the studio."""
        website = urlsplit(studio["url"])
        tree, owners = self._tree(studio)
        tree, _ = with_whole_addresses(tree, f"{website.scheme}://{website.netloc}")
        for path, number in owners.items():
            entry = self.entries[number]
            value = found_at(tree, path)
            entry.values |= value if entry.is_in_list else {str(path[-1]): value}
            if entry.section == STUDIO and entry.values.get("description") == studio["oneLiner"]:
                del entry.values["description"]
        while True:
            tree, owners = self._tree(studio)
            refused: dict[int, list[Finding]] = {}
            for finding in examine(tree, datetime.now(UTC)).findings:
                path = finding.path
                lengths = range(len(path), 0, -1)
                own = next((length for length in lengths if path[:length] in owners), 0)
                if own:
                    number = owners[path[:own]]
                    start = own if self.entries[number].is_in_list else own - 1
                    refused.setdefault(number, []).append(finding._replace(path=path[start:]))
            if not refused:
                return
            for number, findings in refused.items():
                self.entries[number].refuse(findings)

    def _tree(self, studio: dict[str, Any]) -> tuple[dict[str, Any], dict[KeyPath, int]]:
        """Return the content, and the number of the entry whose own is at a path of it."""
        tree: dict[str, Any] = {"studio": studio | {"founder": dict(studio["founder"])}}
        owners: dict[KeyPath, int] = {}
        for number, entry in enumerate(self.entries):
            holder = tree
            *before, last = entry.section
            for part in before:
                holder = holder.setdefault(part, {})
            if entry.is_in_list and not entry.lacks:
                entries = holder.setdefault(last, [])
                owners[*entry.section, len(entries)] = number
                entries.append(entry.values)
            elif not entry.is_in_list and entry.values:
                holder.setdefault(last, {}).update(entry.values)
                owners |= {(*entry.section, key): number for key in entry.values}
        return tree, owners

    def texts(self) -> dict[str, str]:
        """Return the lines of each section by its name; those of the studio may have no file."""
        found: dict[str, str] = {}
        for entry in sorted(self.entries, key=lambda entry: entry.is_in_list):
            found[entry.file] = found.get(entry.file, "") + entry.text()
        for name in found.keys() - {"studio", "studio.founder"}:
            found[name] = _HEAD + found[name]
        if self.left:
            left = "\n".join(f"Left out: {place}: {reason}" for place, reason in self.left)
            found["studio"] = found.get("studio", "") + _commented(left)
        return found

    def report(self) -> Iterator[str]:
        """Yield how much was taken, and each reason why something was not."""
        taken = [entry for entry in self.entries if entry.values and not entry.lacks]
        drafts = sum(entry.values.get(DRAFT) is True for entry in taken)
        comments = [
            *((e.place, _lack_of(e)) for e in self.entries if e.lacks),
            *((e.place, reason) for e in self.entries for reason, _ in e.notes),
        ]
        yield (
            f"taken: {len(taken)}, of which {drafts} are drafts;"
            f" as comments: {len(comments)}; left out: {len(self.left)}"
        )
        reasons: dict[tuple[str, str], list[str]] = {}
        for what, found in (("as a comment", comments), ("left out", self.left)):
            for place, reason in found:
                reasons.setdefault((what, reason), []).append(place)
        for (what, reason), places in list(reasons.items())[:MAX_REASONS]:
            more = f" and {len(places) - 1} more" if len(places) > 1 else ""
            yield f"{what}: {places[0]}{more}: {reason}"
        if len(reasons) > MAX_REASONS:
            rest = len(reasons) - MAX_REASONS
            yield f"{rest} more reasons stand as comments in the files, from studio.toml on"


def _lack_of(entry: Entry) -> str:
    keys = dict.fromkeys(reason.partition(":")[0] for reason in entry.lacks)
    file = "studio" if entry.file == ".".join(FOUNDER) else entry.file
    return f"complete it in {file}.toml: {', '.join(keys)}"


def _in_order(model: type[Output], values: Mapping[str, Any]) -> list[str]:
    """Return the keys of these values in the order of their type, after `draft`."""
    order = [DRAFT, *(info.alias or name for name, info in model.model_fields.items())]
    return sorted(values, key=lambda key: order.index(key) if key in order else len(order))


def _known(model: type[Output], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that there are, in the form that their keys have."""
    known = {}
    for key, value in values.items():
        info = field_in(model, key)
        fitted = value if info is None else _fitted(info, value)
        if fitted is not None and fitted not in ("", {}, []):
            known[key] = fitted
    return known


def _fitted(info: FieldInfo, value: Any) -> Any:
    """Return a value in the form of its field, or as it is."""
    inner = model_in(info.annotation)
    if inner is None and isinstance(value, str) and is_list(info):
        value = re.split(r"[,;\n]", value)
    if isinstance(value, list) and is_list(info):
        items = [_fitted_item(info, inner, item) for item in value]
        return [item for item in items if item not in (None, "")]
    return _fitted_item(info, inner, value)


def _fitted_item(info: FieldInfo, inner: type[Output] | None, value: Any) -> Any:
    if inner is not None:
        return _known(inner, value) if isinstance(value, Mapping) else value
    kind = constraint_of(info)
    parts = (info.annotation, *get_args(info.annotation))
    if kind is not None and isinstance(value, str | int | float | date):
        return value if isinstance(value, bool) else _fitted_text(kind, str(value).strip())
    if date in parts and isinstance(value, str | datetime):
        try:
            return date.fromisoformat(str(value)[:10])
        except ValueError:
            return value
    if bool in parts and str(value).lower() in (*YES, *NO):
        return str(value).lower() in YES
    is_word = any(isinstance(part, type) and issubclass(part, enum.Enum) for part in parts)
    return value.lower() if is_word and isinstance(value, str) else value


def _fitted_text(kind: type[Any], text: str) -> str:
    if kind is _TEXT:
        return plain(text)
    if kind is _LINE:
        return " ".join(plain(text).split())
    text = address_of(text) if kind is Url else text
    return corrected(kind, text) or text


def _commented(text: str) -> str:
    """Return each line of a text as a comment; what cannot be seen is written as its code."""
    lines = text.expandtabs(4).split("\n")
    return "".join(f"# {visible(line)}".rstrip() + "\n" for line in lines)


def read_account(snapshot: GithubSnapshot) -> Imported:
    """Return what a snapshot of an account says of its owner."""
    found = Imported()
    profile = snapshot.profile
    if profile.name != profile.login:
        found.answers["founder"] = profile.name
    handle = {"platform": "GitHub", "handle": profile.login, "url": profile.url}
    found.add("the account", (*FOUNDER, "handles"), handle)
    found.files["github.toml"] = toml_text(snapshot)
    return found
