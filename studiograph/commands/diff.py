"""`studiograph diff`: what a publication would change of what is published, in words."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from typing import Any, cast

import click

from content.losses import losses
from resolvers.context import RequestContext
from sdl.statements import INTERFACE
from studiograph.application import make_application
from studiograph.cli import json_option, pass_settings
from studiograph.commands.table import print_text
from studiograph.settings import Settings
from studiograph.wiring.proofs import proof_store

NEW, CHANGED, REMOVED = "new", "changed", "removed"
ABOUT = "about"
"""The statement that repeats others, and alone says some of the studio's own words."""
MANIFEST = "manifest"
REPEATING = (ABOUT, MANIFEST)
"""The statements that change with others."""
MAX_LINES, MAX_LENGTH, CONTEXT = 12, 160, 40
"""How many lines are shown of a statement, how long each is, and how much before a difference."""
SHOWN = 3
"""How many descriptions of the service are named."""


@dataclass(frozen=True)
class Difference:
    """What a publication would change."""

    published: bool
    """Whether anything is published yet."""
    statements: int
    """How many the content says now."""
    changes: dict[str, str]
    """What becomes of each statement that differs, by its name."""
    words: dict[str, list[str]]
    """What each of them says no longer, after `- `, and says now, after `+ `."""
    lost: list[str]
    """The lists of which most entries are gone, such as `faq (3 of 24)`."""


@click.command(epilog="Example: studiograph diff --json")
@json_option
@pass_settings
def command(settings: Settings, *, as_json: bool) -> int:
    """Print what publishing the content would change, in words; publish nothing.

    It is compared with the revision that was published last, by a start of the service, a reload or
    an export. Each statement is named by its path without /api/, as in faq/what-it-costs. Behind -
    stands what it says no longer, behind + what it says then.
    """
    difference = difference_of(settings)
    if as_json:
        print(json.dumps(asdict(difference)))
    else:
        print_difference(difference)
    return 0


def difference_of(settings: Settings) -> Difference:
    """Compare the content with what is published. Raises: ContentError, ProofError."""
    snapshot = make_application(settings, preview=True).current()
    said = cast("RequestContext", snapshot.context).words().content
    store = proof_store(settings)
    has_tables = store.database.is_initialised()  # looking makes none
    published = store.published_words().statements() if has_tables else {}
    before = store.published_texts() if has_tables else {}
    changes = changes_of(published, said.hashes) if published else {}
    words: dict[str, list[str]] = {}
    told: set[str] = set()
    for name in (*(n for n in changes if n not in REPEATING), ABOUT):
        if name.startswith(INTERFACE) or not (name in before or changes.get(name) == NEW):
            continue
        lines = [*_words(before.get(name), said.texts.get(name))]
        if name == ABOUT:
            lines = [line for line in lines if _value(line) not in told]
        if lines:
            words[name] = lines
            told |= {_value(line) for line in lines}
    if ABOUT in words:
        changes = {n: c for n, c in changes.items() if n not in REPEATING} | {ABOUT: CHANGED}
    manifests = (json.loads(texts.get(MANIFEST, "{}")) for texts in (before, said.texts))
    lost = [*losses(*(manifest.get("data") for manifest in manifests))]
    return Difference(bool(published), len(said.hashes), changes, words, lost)


def changes_of(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> dict[str, str]:
    """Return what becomes of each statement that differs, without lists of those that are named."""
    changes = {name: NEW for name in after if name not in before}
    changes |= {name: REMOVED for name in before if name not in after}
    changes |= {n: CHANGED for n in after if n in before and before[n] != after[n]}
    named = {name.partition("/")[0] for name in changes if "/" in name}
    single = changes.keys() - named - {*REPEATING}
    return {name: changes[name] for name in sorted(single or changes)}


def print_difference(difference: Difference, nothing: str = "Nothing would change.") -> None:
    """Print each change with its words; what the service says of itself follows from these."""
    if not difference.published:
        count = difference.statements
        print(f"Nothing is published yet. The first publication says {count} statements.")
    elif not difference.changes:
        print(nothing)
    own = [name for name in difference.changes if name.startswith(INTERFACE)]
    for name, change in difference.changes.items():
        if name not in own:
            print_text(f"{change:8} {name}")
            lines = difference.words.get(name, [])
            for line in lines[:MAX_LINES]:
                print_text(f"  {line}")
            if len(lines) > MAX_LINES:
                print(f"  and {len(lines) - MAX_LINES} lines more")
    if own:
        names = f"{', '.join(own[:SHOWN])}{' …' if len(own) > SHOWN else ''}"
        print(f"{CHANGED:8} what the service says of itself ({len(own)}): {names}")
    if difference.lost:
        print_text(f"Most entries are gone: {', '.join(difference.lost)}. Was that meant?")


def _words(before: str | None, after: bytes | None) -> Iterator[str]:
    """Yield the lines in which two versions of a statement differ."""
    old, new = _lines(before), _lines(after)
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for tag, first, last, start, end in blocks:
        if tag != "equal":
            yield from _block(old[first:last], new[start:end])


def _value(line: str) -> str:
    """Return a line without its key, which differs between statements that say the same."""
    return f"{line[:2]}{line.partition(': ')[2]}"


def _block(gone: Sequence[str], come: Sequence[str]) -> Iterator[str]:
    """Yield lines that were said and those in their place, pair by pair if there are as many."""
    if len(gone) != len(come):
        yield from (f"- {_cut(line, 0)}" for line in gone)
        yield from (f"+ {_cut(line, 0)}" for line in come)
        return
    for one, other in zip(gone, come, strict=True):
        pairs = enumerate(zip(one, other, strict=False))
        same = next((place for place, (a, b) in pairs if a != b), 0)
        yield f"- {_cut(one, same)}"
        yield f"+ {_cut(other, same)}"


def _cut(line: str, same: int) -> str:
    """Return a line, or what stands around the place up to which it is the same as another."""
    key, _, text = line.partition(": ")
    start = max(0, same - len(key) - 2 - CONTEXT) if len(text) > MAX_LENGTH else 0
    shown = text[start : start + MAX_LENGTH]
    end = "…" if start + MAX_LENGTH < len(text) else ""
    return f"{key}: {'…' if start else ''}{shown}{end}"


def _lines(statement: str | bytes | None) -> list[str]:
    """Return what a statement says, one line for each value and each paragraph of a text."""
    return [] if statement is None else [*_values(json.loads(statement)["data"], "")]


def _values(value: Any, key: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _values(inner, f"{key}.{name}" if key else name)
    elif isinstance(value, list):
        for inner in value:
            yield from _values(inner, key)
    else:
        text = value if isinstance(value, str) else json.dumps(value)
        yield from (f"{key}: {line}" for line in text.splitlines() if line.strip())
