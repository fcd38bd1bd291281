"""Slot filling: finds names, addresses, dates, numbers and quotations in the text of a goal.

Each function returns the value, or nothing if the goal does not contain it.
"""

import re
from collections.abc import Mapping

from resolvers.embeddings.tokenizer import terms
from resolvers.intent.numbers import without_limit

_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|«([^»]+)»|(?<!\w)'([^']+)'(?!\w)")
_EMAIL = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,63}")
_URL = re.compile(r"https://[^\s<>\"'“”«»]+")
_GENERATED = r"[A-Za-z0-9_-]{6,128}"
_FLAGS = {
    "dryRun": r"without (?:actually |really )?(?:sending|delivering)|(?:do not|don'?t) (?:really )?"
    r"(?:send|deliver)|(?:only|just) (?:validate|check)|validate only|before (?:sending|(?:\w+ )?"
    r"(?:send|is sent))|(?:check|validate|test) (?:the|a|my|our|this) (?:contact )?(?:message|msg)"
}
"""Other words for flags, by their name."""
_OTHER_LABELS = {"message": "message|msg|text|body"}
"""Other labels of texts, by the name of the parameter."""
_PUNCTUATION = " \t\n.?!,;:"
_PHRASES = (
    re.compile(
        r"\b(?:search\w*|grep|find|look(?:ing)?(?: up)?|lookup|passages?|entr(?:y|ies)|texts?|hits?"
        r"|results?|everything|anything)\b.{0,60}?"
        r"\b(?:for|about|on|regarding|concerning|mention(?:s|ing)?|related to):?\s+(.+)$",
        re.IGNORECASE | re.DOTALL,
    ),
    re.compile(r"\b(?:search|grep|find|look up|lookup):?\s+(.+)$", re.IGNORECASE | re.DOTALL),
)
_ASKED = re.compile(
    r"(?is)^\W*(?:please\s+)?ask(?:\s+(?:it|them|you|the\s+\w+))?:?\s+"
    r"((?:how|why|what|when|who|where|which|whether|if|does|do|is|are|can)\b.+)$"
)
_STATEMENT = re.compile(r"(?<![\w/.:@-])(?:/?api/)?([a-z][a-z-]*/[a-z0-9][a-z0-9-]*)(?![\w/@-])")
_REVISION = re.compile(
    r"(sha256:[0-9a-f]{64})(?!\w)"
    r"|(?i:\b(?:tree[ _-]?size|size|revision)\W{1,3}(?:of )?(\d{1,9}))(?!\w)"
)
_PLACE = re.compile(
    r"(?i)\s(?:in|on) (?:the|this|their|your) (?:content|texts?|site|website|server|pages)\W*$"
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


def find_flag(goal: str, name: str) -> bool | None:
    """Return `True` if the flag is named, or told in other words."""
    words = "|".join(filter(None, (_spaced(name), _FLAGS.get(name))))
    return True if re.search(rf"(?<!\w)(?:{words})(?!\w)", goal, re.IGNORECASE) else None


def find_token(goal: str, name: str, collection: str) -> str | None:
    """Return the word after the name or that of the collection, if it looks generated."""
    stem = re.escape(collection[:7])
    label = rf"(?:(?<!\w){name}\s*(?:is|[:=])?|{stem}\w*(?:\s+(?:number|{name}))?)"
    for match in re.finditer(rf"{label}\s*({_GENERATED})(?!\w)", goal, re.IGNORECASE):
        if re.search(r"[\d_]", match[1]):
            return match[1]
    return None


def find_parts(goal: str, name: str, known: tuple[str, ...]) -> str | None:
    """Return the names after a label or "only", joined by commas, if all of them are known."""
    keys = {key.lower(): key for key in known}
    keys = {f"{key}{end}": value for key, value in keys.items() for end in ("s", "es", "")}
    one = rf"(?:the )?(?:{'|'.join(map(re.escape, sorted(keys, key=len, reverse=True)))})"
    listed = rf"{one}(?:(?:\s*,\s*(?:and )?|\s+and\s+){one})*"
    before = rf"(?:{name}|{name.removesuffix('s')})\W{{1,3}}(?:called )?|(?:only|just) "
    after = r"(?=\W*$|\W*[,;.]|\s+(?:of|from|for|please|only|and nothing)\b)"
    match = re.search(rf"(?<!\w)(?:{before})({listed})(?!\w){after}", goal, re.IGNORECASE)
    if match is None:
        return None
    words = re.sub(r"(?i)\b(?:the|and)\b", " ", match[1])
    return ",".join(keys[word.lower()] for word in re.findall(r"[\w-]+", words))


def find_statement(goal: str) -> str | None:
    """Return the name of a statement as a path has it, `faq/prices`."""
    match = _STATEMENT.search(goal)
    return match[1] if match else None


def find_revision(goal: str) -> str | None:
    """Return a revision, which is a digest, or the size of the log that stands for it."""
    match = _REVISION.search(goal)
    return next(filter(None, match.groups())) if match else None


def labelled_value(goal: str, name: str) -> str | None:
    """Return the text after `name:` up to the next label, after `my name is`, or quoted."""
    label, end = rf"(?:{_OTHER_LABELS.get(name, name)})\s*[:=]", r"\s*(?:[;\n]|,\s*\w+\s*[:=]|$)"
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
    texts = quoted_parts(goal)
    goal = _PLACE.sub("", without_limit(goal).strip(_PUNCTUATION)) or goal
    matches = (pattern.search(goal) for pattern in _PHRASES)
    text = texts[0] if texts else next((match[1] for match in matches if match), goal)
    inner = _PHRASES[0].match(text)  # "passages about tides" of "look for passages about tides"
    return (inner[1] if inner else text).strip(_PUNCTUATION) or goal


def question_text(goal: str) -> str:
    """Return what to ask: the text after `ask whether` and the like, or the whole goal."""
    match = _ASKED.match(goal)
    return (match[1] if match else goal).strip()


def _spaced(name: str) -> str:
    """Return a pattern for a camel-case name in any spelling."""
    return r"[\s_-]?".join(re.findall(r"[A-Z]?[a-z0-9]+", name))
