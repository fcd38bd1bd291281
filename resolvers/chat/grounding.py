"""Whether cited text bears a sentence, by rule: the judge of the lint. No model is asked.

It finds what contradicts or outruns a source by its words. It does not understand: what it lets
pass may still be wrong.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from resolvers.chat.conversation import Source
from resolvers.chat.lint_words import ANTONYMS, DAYS, PARTY_NOUNS, REGULAR, STRONG_WORDS, WEAK_WORDS
from resolvers.chat.sentence_facts import (
    Clause,
    addresses_in,
    clause_of,
    clauses_of,
    is_list,
    measures_in,
    names_in,
    numbers_in,
    subjects_of,
)
from resolvers.embeddings.embedder import Vectors
from resolvers.embeddings.tokenizer import terms, tokenize
from resolvers.search.sentences import split_sentences

Reason = Literal["uncited", "number", "entity", "url", "coverage", "polarity"]
Idf = Callable[[str], float]
Embed = Callable[[Sequence[str]], Vectors]

MIN_OVERLAP = 0.60
"""The share of a sentence's weight that its source must hold."""
MIN_OVERLAP_IF_SIMILAR = 0.30
"""The same, where a sentence of the source is near in meaning."""
NEAR = 0.60
_PAIRED = 0.5
"""From what share of a clause on it is said to be about the same."""
_APART = 0.5
_TURNED = 0.9
"""From what sum of shares on a part of the source is taken to speak of the same."""
_TIE = 0.05
_DENIED = 0.12
_ONLY_DENIED = 0.30
_FEW = 3
_PREFIX = 5
_SHARE = 0.75


@dataclass(frozen=True)
class _Said:
    """A sentence of a source, and its parts."""

    text: str
    clause: Clause
    clauses: tuple[Clause, ...]


@dataclass(frozen=True)
class Evidence:
    """The cited text, read once for all sentences that cite it."""

    text: str
    words: frozenset[str]
    numbers: frozenset[str]
    measures: frozenset[tuple[str, str]]
    addresses: frozenset[str]
    said: tuple[_Said, ...]


def collect_evidence(sources: Sequence[Source]) -> Evidence:
    """What several entries say together."""
    text = "\n\n".join(f"{source.title}\n\n{source.text}" for source in sources)
    sentences = tuple(
        part
        for source in sources
        for said in split_sentences(source.text)
        if not is_list(said)
        for part in said.split("; ")
    )
    return Evidence(
        text.casefold(),
        frozenset(tokenize(text)) | frozenset(terms(text)),
        numbers_in(text),
        measures_in(text),
        addresses_in(text),
        (*(_read(said) for said in sentences), *_answered(sources)),
    )


def unsupported_reason(
    sentence: str, ground: Evidence, idf: Idf, embed: Embed | None, own: Collection[str] = ()
) -> Reason | None:
    """Why the cited text does not bear the sentence; nothing if it does."""
    if not numbers_in(sentence) <= ground.numbers or _is_mismeasured(sentence, ground):
        return "number"
    if not all(_has(name, ground.words) for name in names_in(sentence) - {*own}):
        return "entity"
    if not all(_is_given(address, ground) for address in addresses_in(sentence)):
        return "url"
    near = _near(sentence, ground, embed)
    if not _is_covered(sentence, ground, idf, near):
        return "coverage"
    return _contradiction(sentence, ground, idf, near)


def _read(sentence: str) -> _Said:
    return _Said(sentence, clause_of(sentence), tuple(clauses_of(sentence)))


def _answered(sources: Sequence[Source]) -> Iterator[_Said]:
    """What the first word of a frequent question's answer makes of the question itself."""
    for source in sources:
        asked = clause_of(source.title)
        opening = next(iter(tokenize(source.text)), "")
        is_denied = asked.denial == "denies" or opening in {"no", "not", "none", "never"}
        if source.kind == "faq" and is_denied:
            said = replace(asked, denial="denies")
            yield _Said(source.title, said, (said,))


def _is_mismeasured(sentence: str, ground: Evidence) -> bool:
    """Whether a figure has another unit than everywhere in the source."""
    units: dict[str, set[str]] = {}
    for figure, unit in ground.measures:
        units.setdefault(figure, set()).add(unit)
    return any(
        figure in units and unit not in units[figure] for figure, unit in measures_in(sentence)
    )


def _is_given(address: str, ground: Evidence) -> bool:
    return address in ground.addresses


def _has(word: str, words: Collection[str]) -> bool:
    """Whether the words hold this one, or one that begins like it, as `verify` and `verified`."""
    return word in words or any(_kin(word, other) for other in words)


def _kin(one: str, other: str) -> bool:
    if REGULAR.get(one, one) == REGULAR.get(other, other):
        return True
    shorter = min(len(one), len(other))
    length = max(_PREFIX, round(_SHARE * shorter))
    return shorter >= length and one[:length] == other[:length]


def _near(sentence: str, ground: Evidence, embed: Embed | None) -> list[float]:
    """How near in meaning each sentence of the source is; 0, if that cannot be known."""
    if embed is None:
        return [0.0] * len(ground.said)
    vectors = embed([sentence, *(said.text for said in ground.said)])
    return [float(near) for near in vectors[1:] @ vectors[0]]


def _is_covered(sentence: str, ground: Evidence, idf: Idf, near: Sequence[float]) -> bool:
    covered = _share(subjects_of(sentence) - WEAK_WORDS, ground.words, idf)
    return covered >= MIN_OVERLAP or (
        covered >= MIN_OVERLAP_IF_SIMILAR and max(near, default=0.0) >= NEAR
    )


def _share(words: Collection[str], known: Collection[str], idf: Idf) -> float:
    """How much of the words' weight is known. A text of no weight is known."""
    weights = {word: idf(word) for word in sorted(words)}  # sorted: sums do not vary
    whole = sum(weights.values())
    if whole <= 0:
        return 1.0
    return sum(weight for word, weight in weights.items() if _has(word, known)) / whole


def _contradiction(
    sentence: str, ground: Evidence, idf: Idf, near: Sequence[float]
) -> Reason | None:
    names = names_in(sentence)
    clauses = clauses_of(sentence)
    mixed = len({clause.denial for clause in clauses}) > 1
    for found in clauses:
        clause = replace(found, names=found.names & names)
        if _value_mismatch(clause, ground, _NUMBERS, idf):
            return "number"
        if any(_value_mismatch(clause, ground, kind, idf) for kind in (_NAMES, _TIMES, _ROLES)):
            return "entity"
        if not (mixed and len(clause.words) < _FEW) and _contradicts(clause, ground, idf, near):
            return "polarity"
    return "polarity" if _is_opposite(frozenset(terms(sentence)), ground) else None


def _value_mismatch(clause: Clause, ground: Evidence, values: "_Values", idf: Idf) -> bool:
    """Whether the source says the same of another value, and nothing of it of this one."""
    wanted = values.of(clause)
    names = {word for name in clause.names for word in terms(name)}
    context = clause.words - names - PARTY_NOUNS - DAYS
    if not wanted or not context:
        return False
    own = dict.fromkeys(wanted, 0.0)
    other = 0.0
    for said in ground.said:
        for candidate in said.clauses:
            found = values.of(candidate)
            around = candidate if values.narrow else said.clause
            for value in found & wanted:
                own[value] = max(own[value], _share(context, around.words, idf))
            if found and not found & wanted:
                other = max(other, _share(context, candidate.words, idf))
    worst = (min if values.each else max)(own.values())
    return other >= _PAIRED and worst < _APART * other


@dataclass(frozen=True)
class _Values:
    """A kind of thing of which one may stand where another belongs."""

    of: Callable[[Clause], frozenset[str]]
    narrow: bool
    """Whether several stand in one sentence as a rule."""
    each: bool = False
    """Whether each of several has to be in its place."""


_NUMBERS = _Values(lambda clause: clause.numbers, narrow=True, each=True)
_NAMES = _Values(lambda clause: clause.names, narrow=False)
_TIMES = _Values(lambda clause: clause.words & DAYS, narrow=True)
_ROLES = _Values(lambda clause: clause.words & PARTY_NOUNS, narrow=False)


def _contradicts(clause: Clause, ground: Evidence, idf: Idf, near: Sequence[float]) -> bool:
    """Whether the part of the source nearest to this one says the contrary."""
    words = clause.words
    if clause.denial == "may":
        return False
    found: list[tuple[float, Clause]] = []
    for said, meant in zip(ground.said, near, strict=True):
        around = _share(words, said.clause.words, idf) + meant
        for other in said.clauses:
            share = _share(words, other.words, idf)
            if share > 0:
                found.append((share + around, other))
    best = max((score for score, _ in found), default=0.0)
    if best < _TURNED:
        return False
    nearest = {other.denial for score, other in found if score >= best - _TIE}
    if "may" not in nearest and clause.denial not in nearest:
        return True
    return clause.denial == "asserts" and (
        _is_denied(words, ground, idf, near) or _is_only_denied(words, ground, idf)
    )


def _is_only_denied(words: frozenset[str], ground: Evidence, idf: Idf) -> bool:
    """Whether much of what is asserted stands nowhere in the source but where it is denied."""
    clauses = [clause for said in ground.said for clause in said.clauses]
    denied = {word for clause in clauses if clause.denial == "denies" for word in clause.words}
    rest = {word for clause in clauses if clause.denial != "denies" for word in clause.words}
    return _share(words, denied - rest, idf) >= _ONLY_DENIED


def _is_denied(words: frozenset[str], ground: Evidence, idf: Idf, near: Sequence[float]) -> bool:
    """Whether what the nearest sentence denies is asserted together with what it asserts."""
    scored = [
        (_share(words, said.clause.words, idf) + meant, said)
        for said, meant in zip(ground.said, near, strict=True)
    ]
    _, nearest = max(scored, key=lambda pair: pair[0])
    denied = {word for other in nearest.clauses if other.denial == "denies" for word in other.words}
    rest = {word for other in nearest.clauses if other.denial != "denies" for word in other.words}
    held = {word for word in words if _has(word, denied - rest)}
    if _share(words, held, idf) < _DENIED or not held:
        return False
    return not any(
        _share(words, other.words, idf) >= _PAIRED and held & other.words
        for said in ground.said
        for other in said.clauses
        if other.denial != "denies"
    )


def _is_opposite(words: frozenset[str], ground: Evidence) -> bool:
    """Whether a word is said whose opposite alone is in the source, or more than the source."""
    for left, right in ANTONYMS:
        for one, contrary in ((left, right), (right, left)):
            is_new = words & one and not words & contrary
            if is_new and ground.words & contrary and not _any(one, ground.words):
                return True
    return not all(_has(word, ground.words) for word in words & STRONG_WORDS)


def _any(words: Collection[str], known: Collection[str]) -> bool:
    return any(_has(word, known) for word in words)
