"""What a goal says outright: names, addresses, dates, numbers, quotes. Guesses nothing.

Each function answers the value, or nothing where the goal does not give it.
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
_MADE = r"[A-Za-z0-9_-]{6,128}"
_CLOSING = " \t\n.?!,;:"
_OBJECTS = (
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
    """Every text in quotation marks."""
    return [next(text for text in match if text).strip() for match in _QUOTED.findall(goal)]


def without_quotes(goal: str) -> str:
    """The goal without what it quotes, which is its object; all of it, if nothing else is said."""
    rest = _QUOTED.sub(" ", goal)
    return rest if terms(rest) else goal


def replace_names_with_roles(goal: str, roles: Mapping[str, str]) -> str:
    """The goal with what each name stands for in the place of the name, in the order given."""
    for name, role in roles.items():
        goal = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", role, goal)
    return goal


def find_email(goal: str) -> str | None:
    """The first e-mail address."""
    match = _EMAIL.search(goal)
    return match[0] if match else None


def find_url(goal: str) -> str | None:
    """The first HTTPS URL."""
    match = _URL.search(goal)
    return match[0].rstrip(".,;:!?)") if match else None


def find_instant(goal: str) -> str | None:
    """The first ISO date or instant, in UTC; a date is its first second.

    One that UTC has no year for is none.
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
    """The number after its name; or, if that is enough, the only number of the goal."""
    if match := re.search(
        rf"(?<!\w){_spaced(name)}\W{{0,3}}(\d{{1,9}})(?!\w)", goal, re.IGNORECASE
    ):
        return int(match[1])
    numbers = _NUMBER.findall(goal) if alone else []
    return int(numbers[0]) if len(numbers) == 1 else None


def find_flag(goal: str, name: str) -> bool | None:
    """True, if the flag is named."""
    return True if re.search(rf"(?<!\w){_spaced(name)}(?!\w)", goal, re.IGNORECASE) else None


def find_token(goal: str, name: str) -> str | None:
    """The word after its name, if it looks like one that a machine made."""
    match = re.search(rf"(?<!\w){name}\s*(?:is|[:=])?\s*({_MADE})(?!\w)", goal, re.IGNORECASE)
    return match[1] if match and re.search(r"[\d_]", match[1]) else None


def labelled_value(goal: str, name: str) -> str | None:
    """The text after `name:`, up to the next such label; of a name, also what `my name is` says."""
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
    """What is asked for: the quoted text, what stands after `search for` and the like, or all."""
    texts = quoted_parts(goal)
    found = (pattern.search(goal) for pattern in _OBJECTS)
    text = texts[0] if texts else next((match[1] for match in found if match), goal)
    further = _OBJECTS[0].match(text)  # "passages about tides" of "look for passages about tides"
    return (further[1] if further else text).strip(_CLOSING) or goal


def count_words(goal: str, member: Parameter, own: str, *, only_plainly: bool) -> list[str]:
    """The words of a member that a goal names, in the order in which it does.

    A word that the operation uses of itself (`own`), as in "what has changed", says nothing unless
    it stands plainly as a choice: "only changed entries". Of several in one place the longest.
    """
    found: list[tuple[int, int, str]] = []
    for word, title in member.words.items():
        for name in filter(None, (word, title)):
            whole = _whole(name, is_bent=member.location != "path")
            is_own = only_plainly or bool(own and re.search(whole, own, re.IGNORECASE))
            patterns = _plainly(member.name, name) if is_own else (whole,)
            matches = (re.search(pattern, goal, re.IGNORECASE) for pattern in patterns)
            found += [(m.start(1), -len(m[1]), word) for m in matches if m is not None]
    return list(dict.fromkeys(_longest(sorted(found))))


def _longest(found: list[tuple[int, int, str]]) -> Iterator[str]:
    end = 0
    for start, length, word in found:
        if start >= end:
            end = start - length
            yield word


def _whole(name: str, *, is_bent: bool) -> str:
    """A pattern of a name that is no part of another; with its plural, if it may be bent."""
    ending = "(?:s|es)?" if is_bent else ""
    return rf"(?<![\w-])({_joined(name)}{ending})(?![\w-])"


def _plainly(member: str, name: str) -> tuple[str, ...]:
    word = _joined(name)
    return (
        rf"(?<!\w){member}\W{{0,3}}(?:is |of |named )?({word})(?!\w)",
        rf"(?<!\w)(?:only|just|in|among|within) (?:the )?({word}s?)(?!\w)",
        rf"(?<!\w)({word}) (?:entr(?:y|ies)|items?|changes|ones|only|notices|certificat\w+)(?!\w)",
    )


def _joined(name: str) -> str:
    """A pattern of a name whose words may be joined in any way."""
    return r"[\s_-]+".join(re.escape(part) for part in re.split(r"[\s_-]+", name))


def _spaced(name: str) -> str:
    """A pattern of a name in camel case, written in any way."""
    return r"[\s_-]?".join(re.findall(r"[A-Z]?[a-z0-9]+", name))
