"""The parts of a question: those that ask for different things, and what is told around them."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from resolvers.embeddings.tokenizer import terms

_CLAUSE = re.compile(
    r"(?<=[.?!;:])\s+|\s+\+\s+|,?\s+and\s+(?=(?:who|what|when|where|which|how|is|are|does|do|in"
    r"|may|can|could|will|would|should|has|have)\b)|,\s+(?=(?:who|what|when|where|which|how)\b)",
    re.IGNORECASE,
)
_PIECE = re.compile(
    r"(?<=[.?!;:])\s+|\s+-\s+|,\s+(?=(?:who|what|when|where|which|how|is|are|does|do|can|could|will"
    r"|would|has|have|may)\b)",
    re.IGNORECASE,
)
"""The ends of what callers tell about themselves before or after a question."""
_CHOICE = re.compile(r"\b(?:or|versus|vs|compar\w+|difference|between)\b", re.IGNORECASE)
"""A question that lets entries be compared is asked as a whole."""
_CONDITION = re.compile(
    r"(?:^|[,;.?:]|\s-)\s*(?:(?:and|or|but)\s+)?if\s+(?:(?P<no>not|no)|so|yes)\b[\s,:]*",
    re.IGNORECASE,
)
"""What makes the rest of a question depend on the answer to what is before it."""
_IT = re.compile(r"\b(?:it|that one|this one)\b", re.IGNORECASE)
_LEANS = re.compile(r"\b(?:it|that|this|those|these|so)\b", re.IGNORECASE)
"""Words that mean something that was said before."""
_ASKS = re.compile(
    r"(?:and\s+|in\s+)?(?:who|whose|what|when|where|which|how|why|is|are|does|do|did|can|could|would"
    r"|will|has|have|may|list|name)\b",
    re.IGNORECASE,
)
"""The beginnings of questions; a part that is none tells what another is about."""
_LISTS = re.compile(r"(?:which|what|list|name|show|how many|all|every)\b", re.IGNORECASE)
_ALSO = re.compile(
    r"(?:were|was|are|is|have|has)\s+(?!(?:the|a|an|she|he|it|there|you|they|this|that|we|any)\b)",
    re.IGNORECASE,
)
"""A second thing that the items of a list shall be: "which are ashore and were built by 1990"."""
_ONLY_ASKS = re.compile(
    r"(?:(?:since|from|until|for|by)\s+)?(?:who|whom|what|when|where|why"
    r"|how(?:\s+(?:fast|quickly|soon|long|often))?)",
    re.IGNORECASE,
)
"""A part that is only a question word: it asks about what the part before says."""
_OPENING = re.compile(r"(?:who|what|when|where|how|why)\s+", re.IGNORECASE)
MIN_CLAUSE_WORDS = 2
MAX_CLAUSES = 8
"""How many parts of a question are looked for; each costs as much as a question."""
MAX_PIECES = 6
MAX_PIECE_WORDS = 4
MAX_FRAGMENT_WORDS = 3


@dataclass(frozen=True)
class Clause:
    """A part of a question; `only_if` is the answer to the part before that lets it be asked."""

    text: str
    only_if: bool | None = None


def parts_of(question: str) -> list[Clause]:
    """Return the parts of a question that ask for different things, with their conditions.

    "Are they free, and if not, from when?": the second is asked only if the first is denied.
    """
    match = _CONDITION.search(question)
    if match is None or not terms(question[: match.start()]):
        return [Clause(text) for text in clauses_of(question)]
    first, rest = question[: match.start()], question[match.end() :]
    parts = [Clause(text) for text in clauses_of(first)]
    if not rest.strip(" ?.!"):
        return parts
    return [*parts, Clause(rest, only_if=match["no"] is None)]


def asks(part: str) -> bool:
    """Return whether a part begins as a question does."""
    return _ASKS.match(part) is not None


def is_fragment(part: str) -> bool:
    """Return whether a part is but the name of what is asked for, as in a form: `day rate`."""
    count = len(part.split())
    return count == 1 or (count <= MAX_FRAGMENT_WORDS and not asks(part))


def with_name(clause: str, names: Collection[str]) -> str:
    """Return a clause with the entry named before it in place of a pronoun."""
    if not names or not _IT.search(clause):
        return clause
    return _IT.sub(lambda _: next(reversed(list(names))), clause, count=1)


def clauses_of(question: str) -> list[str]:
    """Return the parts of a question that ask for different things."""
    prefix, _, rest = question.rpartition(": ")
    pieces = re.split(r",\s*(?:and\s+)?|\s+[/+&]\s+|\s+and\s+", rest.strip(" ?."))
    if _LISTS.match(pieces[0]) and any(map(_ALSO.match, pieces[1:])):
        return [question]
    is_short = max(len(piece.split()) for piece in pieces) <= MAX_PIECE_WORDS
    if 1 < len(pieces) <= MAX_PIECES and is_short and not _CHOICE.search(rest):
        return [f"{prefix} {piece}".strip() for piece in _completed(pieces)]
    parts = _completed(_CLAUSE.split(question))
    parts = [part for part in parts if len(part.split()) >= MIN_CLAUSE_WORDS]
    if len(parts) > 1 and all(part.endswith("?") or _ASKS.match(part) for part in parts):
        return list(dict.fromkeys(parts))[:MAX_CLAUSES]
    return [question]


def _completed(parts: Sequence[str]) -> list[str]:
    """Return the parts of a question, each with what it leaves out.

    "Who founded this and when" asks "who founded this" and "when founded this".
    """
    completed = [*parts[:1]]
    for part in parts[1:]:
        word, before = part.strip(" ?.!,"), completed[-1].strip(" ?.!,")
        is_bare = _ONLY_ASKS.fullmatch(word) is not None
        completed.append(f"{word} {_OPENING.sub('', before, count=1)}" if is_bare else part)
    return completed


def pieces_of(question: str) -> list[str]:
    """Return the sentences of a question, what callers tell about themselves among them."""
    pieces = _PIECE.split(question)
    return [p for p in pieces if terms(p) and not _LEANS.search(p)][:MAX_CLAUSES]
