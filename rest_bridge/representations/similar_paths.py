"""Paths that a caller of an unknown path may have meant: by spelling, and by what they serve."""

import difflib
import math
import re
from collections import Counter, defaultdict

from sdl.running.runner import Operations, Snapshot

MAX_PATHS = 3
MAX_LENGTH = 100
"""How many characters of an unknown path are compared."""

_SPELLING, _SHARED = 0.8, 0.4
"""How alike two last parts must be, and the part of its pairs of letters that such a one shares.

A wrong letter is in two pairs. Comparing each unknown path with all texts took 0.2 ms.
"""
_RARE = 1.0
"""From which rarity a word says what a path is about, as `api` does not."""
_WORD = re.compile(r"[a-z0-9]+")
_ENDING = re.compile(r"(?<=...)(?:ings?|ed|es|e|s)$")


def similar_paths(path: str, snapshot: Snapshot) -> tuple[str, ...]:
    """Return the paths of this service most like an unknown one, at most three, the best first."""
    known = _known_paths(snapshot)
    asked = _plain(path)
    return tuple(dict.fromkeys([*known.spelled_like(asked), *known.about(asked)]))[:MAX_PATHS]


def similarly_spelled(path: str, snapshot: Snapshot) -> tuple[str, ...]:
    """Return the paths that are spelled like an unknown one, at most three, the best first."""
    return tuple(_known_paths(snapshot).spelled_like(_plain(path)))[:MAX_PATHS]


def _plain(path: str) -> str:
    return path[:MAX_LENGTH].lower().rstrip("/")


def _known_paths(snapshot: Snapshot) -> "_KnownPaths":
    known: _KnownPaths = snapshot.cached("known paths", lambda: _KnownPaths(snapshot))
    return known


class _KnownPaths:
    """The paths in the directory, by the letters of their last parts and by what is said of them.

    Most unknown paths are those of scanners: these tables tell quickly that nothing is like them.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        links = [link for s in snapshot.directory["sections"] for link in s["links"]]
        tools, goals = _tools(snapshot.operations), _goals(snapshot.operations)
        self._by_last: dict[str, str] = {}
        self._having: defaultdict[str, list[str]] = defaultdict(list)
        """The last parts with each pair of letters."""
        self._weights: defaultdict[str, dict[str, float]] = defaultdict(dict)
        """How much each word says of the paths of which it is said."""
        plain = [link for link in links if not {"?", "{"} & {*link["path"]}]
        self._count = len({link["path"] for link in plain})
        for link in plain:
            path = link["path"]
            self._by_last.setdefault(path.rpartition("/")[2], path)
            name = f"{path} {link['title']} {tools.get(path, '')}"
            names = {*_stems(name)}
            said = Counter(_stems(" ".join([name, link["note"], *goals.get(path, ())])))
            for word, count in said.items():
                self._weights[word][path] = 2 * (word in names) + count / (1 + count)
        for last in self._by_last:
            for pair in _pairs(last):
                self._having[pair].append(last)

    def spelled_like(self, asked: str) -> list[str]:
        """Return the paths whose last part is spelled like that of the unknown one."""
        last = asked.rpartition("/")[2]
        pairs = _pairs(last)
        shared = Counter(known for pair in pairs for known in self._having.get(pair, ()))
        near = [known for known, count in shared.items() if count >= _SHARED * len(pairs)]
        matches = difflib.get_close_matches(last, near, MAX_PATHS, _SPELLING)
        return [self._by_last[known] for known in matches]

    def about(self, asked: str) -> list[str]:
        """Return the paths whose words are those of the unknown one, the rarest counting most."""
        scores: defaultdict[str, float] = defaultdict(float)
        for word in dict.fromkeys(_stems(asked)):
            weights = self._weights.get(word, {})
            rarity = math.log(self._count / len(weights)) if weights else 0.0
            if rarity >= _RARE:
                for path, weight in weights.items():
                    scores[path] += rarity * weight
        return sorted(scores, key=lambda path: -scores[path])[:MAX_PATHS]


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
