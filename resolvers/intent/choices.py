"""Finds the names of entries and the words of a choice in the text of a goal."""

import re
from difflib import get_close_matches
from functools import lru_cache

from resolvers.intent.operation import Parameter

_JOINT = re.compile(r"(?i)\s*(?:[,/&]|(?:,\s*)?\b(?:and|or|plus)\b)\s*(?:the )?")
_NOT = r"except(?: for)?|not|without|excluding|other than|all but"
_EXCEPT = re.compile(rf"(?i)(?<!\w)(?:{_NOT})(?!\w)")
_BEFORE_CHOICE = re.compile(
    rf"(?i)(?<!\w)(?:only|just|nothing but|solely|in|among|within|search|grep|through|{_NOT}"
    r"|which(?: of)?(?: (?:the|your|their))?|(?:that|which) (?:was|were|got|are|is)|latest|newest"
    r"|recent|last|first)"
    r"(?: (?:in|for|about|of|on|the|what|got|was|were|is|are|\d+))*\W{1,2}$"
)
_AFTER_CHOICE = re.compile(
    r"(?i)\W{0,2}(?:entr(?:y|ies)|items?|changes|ones|only|notices|certificat\w+)(?!\w)"
)
_EVERY_KIND = ("change", "changes", "changing")
"""Nouns for entries of every kind, although a kind has almost the same name."""
_ENDINGS = "e|e?s|ed|ings?|e?ments?|als?|itions?|ations?"
_SYNONYMS = {
    "added": "introduc(?:ed|tions?)",
    "changed": "alter(?:ed|ations?)|modif(?:ied|ications?)",
    "fixed": "correct(?:ed|ions?)|repair(?:ed|s)?",
    "removed": "withdrawn?|withdrawals?|delet(?:ed|ions?)|retired",
}
"""Other words for values that operations declare, by the value."""
_JOINS = re.compile(r"[\s_-]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
ALIKE, MIN_FUZZY = 0.83, 5
"""How alike a misspelt name must be, and how long. One wrong letter of six is 0.83."""


def named_values(goal: str, parameter: Parameter, own: str, *, only_choices: bool) -> list[str]:
    """Return the values of a parameter that a goal names, in any inflection, in their order.

    A word that is also in the operation's own text (`own`), as in "what has changed", counts only
    if it is clearly a choice, as in "only changed entries", a plural, or joined to one; with
    `only_choices`, this holds for all words. Of overlapping names the longest counts. After
    "except" and the like the other values are returned. The name of an entry may have a letter
    too many or too few.
    """
    found: list[tuple[int, int, str]] = []
    for word, title in parameter.words.items():
        for name in filter(None, (word, title)):
            pattern = name_pattern(name, is_entry=parameter.location == "path")
            matches = re.finditer(pattern, goal, re.IGNORECASE)
            found += [(match.start(1), -match.end(1), word) for match in matches]
    if not found and parameter.location == "path":
        return [*_nearly_named(goal, tuple(parameter.words.items()))]
    chosen: list[str] = []
    excluded: list[str] = []
    chain: list[str] = []  # words joined by "and" or "or"
    end, is_choice = 0, False
    for start, minus_end, word in sorted(found):
        if start < end:
            continue
        if not _JOINT.fullmatch(goal[end:start]):
            chain, is_choice = [], False
        end = -minus_end
        chain.append(word)
        surface = goal[start:end].lower()
        form = word if re.fullmatch(_SYNONYMS.get(word, "$"), surface) else surface
        stands_alone = rf"(?i)(?<![\w-]){re.escape(form)}(?![\w-])"
        is_plural = surface.endswith("s") and surface != word
        is_in_own = re.search(stands_alone, own) is not None and not is_plural
        is_own = only_choices or surface in _EVERY_KIND or is_in_own
        is_choice = is_choice or not is_own or _is_choice(goal, start, end, parameter.name)
        if is_choice:
            (excluded if _EXCEPT.search(goal[:start]) else chosen).extend(chain)
            chain = []
    if excluded and not chosen:
        return [word for word in parameter.words if word not in excluded]
    return list(dict.fromkeys(chosen))


def _is_choice(goal: str, start: int, end: int, parameter: str) -> bool:
    """Return whether the words around a value say that it is a choice."""
    before, label = goal[:start], rf"(?i)(?<!\w){parameter}\W{{0,3}}(?:is |of |named )?$"
    if goal[start:end].lower() in _EVERY_KIND:
        return False
    around = re.search(label, before) or _BEFORE_CHOICE.search(before)
    return bool(around or _AFTER_CHOICE.match(goal[end:]))


@lru_cache(256)  # the parameters of a goal are read several times, one goal after the other
def _nearly_named(goal: str, known: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    """Return the value whose word or title a goal spells with about one wrong letter.

    `known` has each value with its title.
    """
    pairs = [(text, value) for value, title in known for text in (value, title)]
    names = {_JOINS.sub(" ", text).lower(): value for text, value in pairs if text}
    words = re.findall(r"[\w-]+", goal.lower())
    for size in sorted({1, *(name.count(" ") + 1 for name in names)}, reverse=True):
        for first in range(len(words) - size + 1):
            text = _JOINS.sub(" ", " ".join(words[first : first + size]))
            alike = [name for name in names if name[0] == text[0] and may_be_alike(name, text)]
            if alike and (match := get_close_matches(text, alike, 1, ALIKE)):
                return (names[match[0]],)
    return ()


def may_be_alike(name: str, text: str) -> bool:
    """Return whether two words can be alike enough, by their lengths and letters alone."""
    size = len(name) + len(text)
    if len(name) < MIN_FUZZY or 2 * min(len(name), len(text)) / size < ALIKE:
        return False
    one, other = set(name), set(text)
    shared = min(len(name) - len(one - other), len(text) - len(other - one))
    return 2 * shared / size >= ALIKE


@lru_cache(512)
def name_pattern(name: str, *, is_entry: bool) -> str:
    """Return a pattern for a name that is not part of a longer word; a choice may be inflected."""
    if is_entry:
        return rf"(?<![\w-])({_joined(name)})(?![\w-])"
    if not name.isalpha() or not name.islower():
        return rf"(?<![\w-])({_joined(_CAMEL.sub(' ', name))}(?:s|es)?)(?![\w-])"
    base = re.sub(r"(?<=\w{3})(?:ed|e)$", "", name)
    other = f"|{_SYNONYMS[name]}" if name in _SYNONYMS else ""
    return rf"(?<![\w-])({base}(?:{_ENDINGS})?{other})(?![\w-])"


def _joined(name: str) -> str:
    """Return a pattern for a name; spaces, hyphens or underscores may join its words."""
    return r"[\s_-]+".join(re.escape(part) for part in _JOINS.split(name))
