"""Slot filling: finds names, addresses, dates, numbers and quotations in the text of a goal.

Each function returns the value, or nothing if the goal does not contain it.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

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
_GENERATED = r"[A-Za-z0-9_-]{6,128}"
_PUNCTUATION = " \t\n.?!,;:"
_PHRASES = (
    re.compile(
        r"\b(?:search\w*|find|look(?:ing)?(?: up)?|lookup|passages?|entr(?:y|ies)|texts?)\b.{0,60}?"
        r"\b(?:for|about|on|regarding|concerning|mention(?:s|ing)?|related to)\s+(.+)$",
        re.IGNORECASE | re.DOTALL,
    ),
    re.compile(r"\b(?:search|find|look up|lookup):?\s+(.+)$", re.IGNORECASE | re.DOTALL),
    re.compile(
        r"\bask(?:\s+(?:it|them|you|the\s+\w+))?:?\s+"
        r"((?:how|why|what|when|who|where|which|whether|if|does|do|is|are|can)\b.+)$",
        re.IGNORECASE | re.DOTALL,
    ),
)


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
    """Return the first ISO date or instant in UTC; a date stands for its first second.

    A date whose year is out of range in UTC does not count.
    """
    match = _INSTANT.search(goal)
    if match is None:
        return None
    try:
        moment = datetime.fromisoformat(match[0].upper().replace(" ", "T"))
        return format_instant(moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return None


def find_number(goal: str, name: str, *, alone: bool) -> int | None:
    """Return the number after its name, or, with `alone`, the only number in the goal."""
    if match := re.search(
        rf"(?<!\w){_spaced(name)}\W{{0,3}}(\d{{1,9}})(?!\w)", goal, re.IGNORECASE
    ):
        return int(match[1])
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
    """Return the text after `name:`, up to the next label; for `name` also after `my name is`."""
    label, end = rf"{name}\s*[:=]", r"\s*(?:[;\n]|,\s*\w+\s*[:=]|$)"
    if name == "name":
        label = r"(?:my name is|name\s*[:=])"
        end = r"\s*(?:[,;\n]|\.(?:\s|$)|\s(?:and|from|of|at)\s|$)"
    match = re.search(rf"(?<![\w-]){label}\s*(.+?)(?={end})", goal, re.IGNORECASE)
    if match is None:
        return None
    texts = quoted_parts(match[1])
    return (texts[0] if texts else match[1]).strip() or None


def search_phrase(goal: str) -> str:
    """Return what to search: the quotation, the text after `search for` and the like, or all."""
    texts = quoted_parts(goal)
    matches = (pattern.search(goal) for pattern in _PHRASES)
    text = texts[0] if texts else next((match[1] for match in matches if match), goal)
    inner = _PHRASES[0].match(text)  # "passages about tides" of "look for passages about tides"
    return (inner[1] if inner else text).strip(_PUNCTUATION) or goal


def named_values(goal: str, parameter: Parameter, own: str, *, only_choices: bool) -> list[str]:
    """Return the values of a parameter that a goal names, in the order of the goal.

    A word that is also in the operation's own text (`own`), as in "what has changed", counts only
    if it is clearly a choice, as in "only changed entries"; with `only_choices`, this holds for
    all words. Of overlapping names the longest counts.
    """
    matches: list[tuple[int, int, str]] = []
    for word, title in parameter.words.items():
        for name in filter(None, (word, title)):
            pattern = _name_pattern(name, with_plural=parameter.location != "path")
            is_own = only_choices or bool(own and re.search(pattern, own, re.IGNORECASE))
            patterns = _choice_patterns(parameter.name, name) if is_own else (pattern,)
            results = (re.search(item, goal, re.IGNORECASE) for item in patterns)
            matches += [(m.start(1), -len(m[1]), word) for m in results if m is not None]
    return list(dict.fromkeys(_longest(sorted(matches))))


def _longest(matches: list[tuple[int, int, str]]) -> Iterator[str]:
    end = 0
    for start, length, word in matches:
        if start >= end:
            end = start - length
            yield word


def _name_pattern(name: str, *, with_plural: bool) -> str:
    """Return a pattern for a name that is not part of a longer word."""
    ending = "(?:s|es)?" if with_plural else ""
    return rf"(?<![\w-])({_joined(name)}{ending})(?![\w-])"


def _choice_patterns(parameter: str, name: str) -> tuple[str, ...]:
    word = _joined(name)
    return (
        rf"(?<!\w){parameter}\W{{0,3}}(?:is |of |named )?({word})(?!\w)",
        rf"(?<!\w)(?:only|just|in|among|within) (?:the )?({word}s?)(?!\w)",
        rf"(?<!\w)({word}) (?:entr(?:y|ies)|items?|changes|ones|only|notices|certificat\w+)(?!\w)",
    )


def _joined(name: str) -> str:
    """Return a pattern for a name; spaces, hyphens or underscores may join its words."""
    return r"[\s_-]+".join(re.escape(part) for part in re.split(r"[\s_-]+", name))


def _spaced(name: str) -> str:
    """Return a pattern for a camel-case name in any spelling."""
    return r"[\s_-]?".join(re.findall(r"[A-Z]?[a-z0-9]+", name))
