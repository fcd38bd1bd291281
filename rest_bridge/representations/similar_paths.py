"""Paths that a caller of an unknown path may have meant: by spelling, and by what they serve."""

import difflib
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from sdl.running.runner import Operations, Snapshot

MAX_PATHS = 3
MAX_LENGTH = 100
"""How many characters of an unknown path are compared."""

_SPELLING, _WHOLE_SPELLING = 0.8, 0.9
"""How alike two last parts must be, and two whole paths, which have much in common."""
_RARE = 1.0
"""From which rarity a word says what a path is about, as `api` does not."""
_WORD = re.compile(r"[a-z0-9]+")
_ENDING = re.compile(r"(?<=...)(?:ings?|ed|es|e|s)$")


def similar_paths(path: str, snapshot: Snapshot) -> tuple[str, ...]:
    """Return the paths of this service most like an unknown one, at most three, the best first."""
    asked, known = _plain(path), _known_paths(snapshot)
    found = dict.fromkeys([*known.spelled_like(asked), *known.about(asked)])
    return tuple(found)[:MAX_PATHS]


def similarly_spelled(path: str, snapshot: Snapshot) -> tuple[str, ...]:
    """Return the paths that are spelled like an unknown one, at most three, the best first."""
    return tuple(dict.fromkeys(_known_paths(snapshot).spelled_like(_plain(path))))[:MAX_PATHS]


def _plain(path: str) -> str:
    return path[:MAX_LENGTH].lower().rstrip("/")


def _known_paths(snapshot: Snapshot) -> "_KnownPaths":
    known: _KnownPaths = snapshot.cached("known paths", lambda: _KnownPaths(snapshot))
    return known


class _KnownPaths:
    """The paths in the directory, with the words of their titles, tools, notes and goals."""

    def __init__(self, snapshot: Snapshot) -> None:
        links = [link for s in snapshot.directory["sections"] for link in s["links"]]
        names, goals = _tools(snapshot.operations), _goals(snapshot.operations)
        texts = {
            link["path"]: (
                f"{link['title']} {names.get(link['path'], '')}",
                link["note"],
                *goals.get(link["path"], ()),
            )
            for link in links
            if not {"?", "{"} & {*link["path"]}
        }
        self._words = {path: Counter(_stems(" ".join([path, *t]))) for path, t in texts.items()}
        self._names = {path: {*_stems(f"{path} {t[0]}")} for path, t in texts.items()}
        self._saying: dict[str, list[str]] = {}
        """The paths that have each word."""
        for path, words in self._words.items():
            for word in words:
                self._saying.setdefault(word, []).append(path)
        known = self._saying.items()
        self._rarity = {word: math.log(len(texts) / len(paths)) for word, paths in known}
        self._whole = _Spellings({path: path for path in self._words}, _WHOLE_SPELLING)
        last = {path.rpartition("/")[2]: path for path in reversed(self._words)}
        self._last = _Spellings(last, _SPELLING)

    def spelled_like(self, asked: str) -> Iterator[str]:
        """Yield the paths that are spelled alike, or whose last part is."""
        yield from self._whole.like(asked)
        yield from self._last.like(asked.rpartition("/")[2])

    def about(self, asked: str) -> list[str]:
        """Return the paths whose words are those of the unknown one, the rarest counting most."""
        words = [word for word in {*_stems(asked)} if self._rarity.get(word, 0.0) >= _RARE]
        saying = {path for word in words for path in self._saying[word]}
        scores = {path: self._score(path, words) for path in self._words if path in saying}
        return sorted(scores, key=lambda path: -scores[path])[:MAX_PATHS]

    def _score(self, path: str, words: Sequence[str]) -> float:
        said, names = self._words[path], self._names[path]
        return math.fsum(
            self._rarity[word] * (2 * (word in names) + said[word] / (1 + said[word]))
            for word in words
            if word in said
        )


class _Spellings:
    """Texts that stand for paths; those with too few pairs of letters in common are not compared.

    Most unknown paths are those of scanners, and comparing each with all texts took 0.2 ms.
    """

    def __init__(self, paths: Mapping[str, str], least: float) -> None:
        self._paths, self._least = paths, least
        self._having: dict[str, list[str]] = {}
        for text in paths:
            for pair in _pairs(text):
                self._having.setdefault(pair, []).append(text)
        # What a quarter of all paths have, as those of `/api/`, says nothing.
        self._common = {pair for pair, own in self._having.items() if 4 * len(own) > len(paths)}

    def like(self, asked: str) -> list[str]:
        """Return the paths of the texts that are spelled like one, the best first."""
        pairs = _pairs(asked) - self._common
        shared = Counter(text for pair in pairs for text in self._having.get(pair, ()))
        least = (3 * self._least - 2) * len(pairs)  # a wrong letter is in two pairs
        near = [text for text, count in shared.items() if count >= least]
        matches = difflib.get_close_matches(asked, near, MAX_PATHS, self._least) if near else []
        return [self._paths[match] for match in matches]


def _pairs(text: str) -> set[str]:
    return {text[at : at + 2] for at in range(max(1, len(text) - 1))}


def _goals(operations: Operations) -> dict[str, list[str]]:
    """Return the goals of the operations at each path."""
    goals: dict[str, list[str]] = {}
    for operation in operations:
        if operation.rest is not None and operation.intent is not None:
            goals.setdefault(operation.rest.path, []).extend(operation.intent.goals)
    return goals


def _tools(operations: Operations) -> dict[str, str]:
    """Return the MCP tool that does the same as each path, where there is one."""
    found = (o for o in operations if o.rest is not None and o.mcp is not None)
    return {o.rest.path: o.mcp.tool for o in found if o.rest is not None and o.mcp is not None}


def _stems(text: str) -> list[str]:
    """Return the words without the commonest English endings: `pricing` and `prices` are equal."""
    return [_ENDING.sub("", word) for word in _WORD.findall(text.lower())]
