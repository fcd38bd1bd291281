"""Finds the names of entries and the words of a choice in the text of a goal."""

import re
from functools import lru_cache

from resolvers.intent.operation import Parameter

_JOINT = re.compile(r"(?i)\s*(?:[,/&]|(?:,\s*)?\b(?:and|or|plus)\b)\s*(?:the )?")
ONLY = re.compile(r"(?i)\b(?:only|nothing but|except|without|other than|all but|but not)\b")
"""What narrows a goal. A choice after one of these, other than "only", is left unread."""
_BEFORE = re.compile(
    r"(?i)\b(?:only|just|nothing but|in|among|within|search|which|latest|newest|last|first)"
    r"(?: (?:in|for|the|of|what|that|those|got|was|were|is|are|\d+|entries))*\W{1,2}$"
)
_AFTER = re.compile(r"(?i)\W{0,2}(?:entr(?:y|ies)|items?|ones|only|certificat\w+)(?!\w)")
_EVERY = re.compile(r"(?i)changes?$")
"""A noun for entries of every kind, although a kind has almost the same name."""
_ENDINGS = "e|e?s|ed|ings?|e?ments?|als?|itions?|ations?"
_JOINS = re.compile(r"[\s_-]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
MIN_BASE = 3
"""How many letters of a word stay in all its inflections."""


def named_values(goal: str, parameter: Parameter, own: str) -> list[str]:
    """Return the values of a parameter that a goal names, in any inflection, in their order.

    A word that is also in the operation's own text (`own`), as in "what has changed", counts only
    if it is clearly a choice, as in "only changed entries", a plural, or joined to one. Of
    overlapping names the longest counts; after "except" and the like, none.
    """
    is_entry, lowered = parameter.location == "path", goal.lower()
    found = [
        (match.start(1), -match.end(1), word)
        for word, title in parameter.words.items()
        for name in filter(None, (word, title))
        if _may_be_named(name, lowered, is_entry=is_entry)
        for match in re.finditer(name_pattern(name, is_entry=is_entry), goal, re.IGNORECASE)
        if not _EVERY.match(match[1])
    ]
    chosen: list[str] = []
    chain: list[str] = []  # words joined by "and" or "or"
    end, is_choice = 0, False
    for start, minus_end, word in sorted(found):
        if start < end:
            continue
        if not _JOINT.fullmatch(goal[end:start]):
            chain, is_choice = [], False
        end = -minus_end
        chain.append(word)
        is_plural = goal[start:end].endswith("s") and own != goal
        own_word = rf"(?i)(?<![\w-]){re.escape(goal[start:end])}(?![\w-])"
        is_own = not is_plural and re.search(own_word, own) is not None
        label = rf"(?i)\b{parameter.name}\W{{0,3}}(?:is |of )?$"
        around = _BEFORE.search(goal[:start]) or _AFTER.match(goal[end:])
        is_choice = bool(is_choice or not is_own or around or re.search(label, goal[:start]))
        if is_choice:
            chosen.extend(chain)
            chain = []
    before = ONLY.search(goal[: min(found)[0]]) if found else None
    is_excluded = before is not None and before[0].lower() not in {"only", "nothing but"}
    return [] if is_excluded else list(dict.fromkeys(chosen))


def _may_be_named(name: str, goal: str, *, is_entry: bool) -> bool:
    """Return whether a goal, in lower case, has the parts of a name, of a choice their beginnings.

    It spares a pattern for each entry: made anew for each goal, some 600 of them took 50 ms.
    """
    parts = _parts(name)
    return all((part if is_entry else part[:MIN_BASE]).lower() in goal for part in parts)


def _parts(name: str) -> list[str]:
    return _JOINS.split(_CAMEL.sub(" ", name))


@lru_cache(512)
def name_pattern(name: str, *, is_entry: bool) -> str:
    """Return a pattern for a name that is not part of a longer word; a choice may be inflected."""
    joined = r"[\s_-]+".join(map(re.escape, _parts(name)))
    if is_entry or not (name.isalpha() and name.islower()):
        return rf"(?<![\w-])({joined}{'' if is_entry else '(?:s|es)?'})(?![\w-])"
    base = re.sub(rf"(?<=\w{{{MIN_BASE}}})(?:ed|e)$", "", name)
    return rf"(?<![\w-])({base}(?:{_ENDINGS})?)(?![\w-])"
