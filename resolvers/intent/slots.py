"""Slot filling: finds names, addresses, dates, numbers and quotations in the text of a goal.

Each function returns the value, or nothing if the goal does not contain it.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from difflib import get_close_matches
from functools import lru_cache

from resolvers.embeddings.tokenizer import terms
from resolvers.intent.operation import Parameter
from sdl.scalar_types import format_instant

_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|«([^»]+)»|(?<!\w)'([^']+)'(?!\w)")
_EMAIL = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,63}")
_URL = re.compile(r"https://[^\s<>\"'“”«»]+")
_INSTANT = re.compile(
    r"(?<![\w-])\d{4}-\d{2}-\d{2}"
    r"(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:[Zz]|[+-]\d{2}:\d{2})?)?(?![\w-])"
)
_NUMBER = re.compile(r"(?<![\w.,-])\d{1,9}(?![\w-]|[.,]\d)")
_LIMIT = re.compile(
    r"(?i)\b(?:top|first|best|at most|up to) (\d{1,9})\b"
    r"|(?<![\w.,-])(\d{1,9}) (?:results|hits|matches|recommendations)\b"
)
_GENERATED = r"[A-Za-z0-9_-]{6,128}"
_PUNCTUATION = " \t\n.?!,;:"
_JOINT = re.compile(r"(?i)\W*(?:and|or|plus)?\W*(?:the )?")
_NOT = r"except(?: for)?|not|without|excluding|other than|all but"
_EXCEPT = re.compile(rf"(?i)(?<!\w)(?:{_NOT})(?!\w)")
_BEFORE_CHOICE = re.compile(
    rf"(?i)(?<!\w)(?:only|just|nothing but|solely|in|among|within|search|through|{_NOT})"
    r"(?: (?:in|for|about|of|on|the|what|got|was|were|is|are))*\W{1,2}$"
)
_AFTER_CHOICE = re.compile(
    r"(?i)\W{0,2}(?:entr(?:y|ies)|items?|changes|ones|only|notices|certificat\w+)(?!\w)"
)
_EVERY_KIND = ("change", "changes", "changing")
"""Nouns for entries of every kind, although a kind has almost the same name."""
_ENDINGS = "e|e?s|ed|ings?|e?ments?|als?|itions?|ations?"
_JOINS = re.compile(r"[\s_-]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
ALIKE, MIN_FUZZY = 0.83, 5
"""How alike a misspelt name must be, and how long. One wrong letter of six is 0.83."""
_PHRASES = (
    re.compile(
        r"\b(?:search\w*|find|look(?:ing)?(?: up)?|lookup|passages?|entr(?:y|ies)|texts?)\b.{0,60}?"
        r"\b(?:for|about|on|regarding|concerning|mention(?:s|ing)?|related to):?\s+(.+)$",
        re.IGNORECASE | re.DOTALL,
    ),
    re.compile(r"\b(?:search|find|look up|lookup):?\s+(.+)$", re.IGNORECASE | re.DOTALL),
)
_ASKED = re.compile(
    r"(?is)^\W*(?:please\s+)?ask(?:\s+(?:it|them|you|the\s+\w+))?:?\s+"
    r"((?:how|why|what|when|who|where|which|whether|if|does|do|is|are|can)\b.+)$"
)
_PLACE = re.compile(
    r"(?i)\s(?:in|on) (?:the|this|their|your) (?:content|texts?|site|website|server|pages)\W*$"
)
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec"
_WRITTEN = re.compile(
    r"(?i)(?<![\w-])(?:(?P<day>\d{1,2})(?:st|nd|rd|th)? (?:of )?)?(?P<month>jan(?:uary)?"
    r"|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
    r"(?: (?P<after>\d{1,2})(?:st|nd|rd|th)?(?=,? \d{4}))?,? (?P<year>\d{4})(?![\w-])"
)
_YEAR_MONTH = re.compile(r"(?<![\w-])\d{4}-\d{2}(?![\w-])")


def quoted_parts(goal: str) -> list[str]:
    """Return every text in quotation marks."""
    return [next(text for text in match if text).strip() for match in _QUOTED.findall(goal)]


def without_quotes(goal: str) -> str:
    """Remove the quotations from a goal, unless nothing else is left."""
    rest = _QUOTED.sub(" ", goal)
    return rest if terms(rest) else goal


def replace_names_with_roles(goal: str, roles: Mapping[str, str]) -> str:
    """Replace each name in a goal by its role, in the order of the mapping."""
    for name, role in roles.items():
        goal = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", role, goal)
    return goal


def find_email(goal: str) -> str | None:
    """Return the first e-mail address."""
    match = _EMAIL.search(goal)
    return match[0] if match else None


def find_url(goal: str) -> str | None:
    """Return the first HTTPS URL."""
    match = _URL.search(goal)
    return match[0].rstrip(".,;:!?)") if match else None


def find_instant(goal: str) -> str | None:
    """Return the first date or instant in UTC; a date or a month stands for its first second.

    Read are ISO 8601, `3 May 2026`, `May 3, 2026` and `May 2026`, but no relative date. One whose
    year is out of range in UTC does not count.
    """
    if match := _INSTANT.search(goal):
        text = match[0].upper().replace(" ", "T")
    elif match := _WRITTEN.search(goal):
        month = _MONTHS.index(match["month"][:3].lower()) // 4 + 1
        text = f"{match['year']}-{month:02}-{int(match['day'] or match['after'] or 1):02}"
    elif match := _YEAR_MONTH.search(goal):
        text = f"{match[0]}-01"
    else:
        return None
    try:
        moment = datetime.fromisoformat(text)
        return format_instant(moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return None


def find_number(goal: str, name: str, *, alone: bool) -> int | None:
    """Return the number after its name, or, with `alone`, the only number in the goal."""
    if match := re.search(
        rf"(?<!\w){_spaced(name)}\W{{0,3}}(\d{{1,9}})(?!\w)", goal, re.IGNORECASE
    ):
        return int(match[1])
    if name == "limit" and (match := _LIMIT.search(goal)):
        return int(match[1] or match[2])
    numbers = _NUMBER.findall(goal) if alone else []
    return int(numbers[0]) if len(numbers) == 1 else None


def find_flag(goal: str, name: str) -> bool | None:
    """Return `True` if the flag is named."""
    return True if re.search(rf"(?<!\w){_spaced(name)}(?!\w)", goal, re.IGNORECASE) else None


def find_token(goal: str, name: str) -> str | None:
    """Return the word after the name, if it looks like a generated token."""
    match = re.search(rf"(?<!\w){name}\s*(?:is|[:=])?\s*({_GENERATED})(?!\w)", goal, re.IGNORECASE)
    return match[1] if match and re.search(r"[\d_]", match[1]) else None


def labelled_value(goal: str, name: str) -> str | None:
    """Return the text after `name:` up to the next label, after `my name is`, or quoted."""
    label, end = rf"{name}\s*[:=]", r"\s*(?:[;\n]|,\s*\w+\s*[:=]|$)"
    if name == "name":
        label = r"(?:my name is|name\s*[:=])"
        end = r"\s*(?:[,;\n]|\.(?:\s|$)|\s(?:and|from|of|at)\s|$)"
    match = re.search(rf"(?<![\w-]){label}\s*(.+?)(?={end})", goal, re.IGNORECASE)
    if match is None:
        named = re.search(rf"(?<![\w-]){name}\s+(?:{_QUOTED.pattern})", goal, re.IGNORECASE)
        return next(filter(None, named.groups())).strip() if named else None
    texts = quoted_parts(match[1])
    return (texts[0] if texts else match[1]).strip() or None


def search_phrase(goal: str) -> str:
    """Return what to search: the quotation, the text after `search for` and the like, or all."""
    texts, goal = quoted_parts(goal), _PLACE.sub("", goal)
    matches = (pattern.search(goal) for pattern in _PHRASES)
    text = texts[0] if texts else next((match[1] for match in matches if match), goal)
    inner = _PHRASES[0].match(text)  # "passages about tides" of "look for passages about tides"
    return (inner[1] if inner else text).strip(_PUNCTUATION) or goal


def question_text(goal: str) -> str:
    """Return what to ask: the text after `ask whether` and the like, or the whole goal."""
    match = _ASKED.match(goal)
    return (match[1] if match else goal).strip()


def named_values(goal: str, parameter: Parameter, own: str, *, only_choices: bool) -> list[str]:
    """Return the values of a parameter that a goal names, in any inflection, in their order.

    A word that is also in the operation's own text (`own`), as in "what has changed", counts only
    if it is clearly a choice, as in "only changed entries", or joined to one; with `only_choices`,
    this holds for all words. Of overlapping names the longest counts. After "except" and the like
    the other values are returned. The name of an entry may have a letter too many or too few.
    """
    found: list[tuple[int, int, str]] = []
    for word, title in parameter.words.items():
        for name in filter(None, (word, title)):
            pattern = name_pattern(name, is_entry=parameter.location == "path")
            matches = re.finditer(pattern, goal, re.IGNORECASE)
            found += [(match.start(1), -match.end(1), word) for match in matches]
    if not found and parameter.location == "path":
        return _nearly_named(goal, parameter)
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
        stands_alone = rf"(?i)(?<![\w-]){re.escape(surface)}(?![\w-])"
        is_own = only_choices or surface in _EVERY_KIND or re.search(stands_alone, own)
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


def _nearly_named(goal: str, parameter: Parameter) -> list[str]:
    """Return the value whose word or title a goal spells with about one wrong letter."""
    pairs = [(text, value) for value, title in parameter.words.items() for text in (value, title)]
    names = {_JOINS.sub(" ", text).lower(): value for text, value in pairs if text}
    words = re.findall(r"[\w-]+", goal.lower())
    for size in sorted({1, *(name.count(" ") + 1 for name in names)}, reverse=True):
        for first in range(len(words) - size + 1):
            text = _JOINS.sub(" ", " ".join(words[first : first + size]))
            alike = [name for name in names if name[0] == text[0] and may_be_alike(name, text)]
            if alike and (match := get_close_matches(text, alike, 1, ALIKE)):
                return [names[match[0]]]
    return []


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
    return rf"(?<![\w-])({base}(?:{_ENDINGS})?)(?![\w-])"


def _joined(name: str) -> str:
    """Return a pattern for a name; spaces, hyphens or underscores may join its words."""
    return r"[\s_-]+".join(re.escape(part) for part in _JOINS.split(name))


def _spaced(name: str) -> str:
    """Return a pattern for a camel-case name in any spelling."""
    return r"[\s_-]?".join(re.findall(r"[A-Z]?[a-z0-9]+", name))
