"""Five rules that decide whether cited text supports a sentence.

Its numbers, names and addresses must stand in the text, numbers and names with the same words near
them. Most of its words must stand there, or a sentence like it. It must not deny what the text
asserts, nor assert what it denies. A sentence that passes may still be wrong.
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from resolvers.chat.conversation import Source
from resolvers.chat.sentence_facts import (
    Clause,
    addresses_in,
    clauses_of,
    denies,
    is_list,
    measures_in,
    names_in,
    spell_dates,
    words_in,
)
from resolvers.embeddings.embedder import Vectors
from resolvers.embeddings.tokenizer import terms, tokenize
from resolvers.search.sentences import split_sentences

Reason = Literal["uncited", "number", "entity", "url", "coverage", "polarity"]
Idf = Callable[[str], float]
Embed = Callable[[Sequence[str]], Vectors]

MIN_COVERED = 0.55
"""The share of a sentence's words, weighted by rarity, that its source must contain."""
MIN_COVERED_AND_SIMILAR = 1.15
"""With vectors: the least sum of that share and the cosine of the most similar sentence."""
_SAME_TOPIC = 0.5
"""The share of words from which two clauses are about the same."""
_MISPLACED = 0.4
"""A value is misplaced if its own context fits less than this share of another value's."""
_COMPARABLE = 0.9
"""The words shared with a clause and its sentence, and the cosine, from which denials compare."""
_TIE = 0.05
_ONLY_DENIED = 0.2
"""The share of a clause's words that the most similar sentence may have in denials alone."""
_FEW_WORDS = 3
_DECIMAL = re.compile(r"[0-9]+(?:[.,][0-9]+)+")
_SWAPPED = str.maketrans(".,", ",.")
_MIN_PREFIX = 5
_PREFIX_SHARE = 0.75


@dataclass(frozen=True)
class _Part:
    """A clause of the source, and the sentence that it stands in."""

    clause: Clause
    sentence: int
    """The position of the sentence."""
    words: frozenset[str]
    """The words of the whole sentence."""


@dataclass(frozen=True)
class Values:
    """The words and numbers of some sources."""

    words: frozenset[str]
    units: dict[str, set[str]]
    """The units of each number, "" where it has none."""


@dataclass(frozen=True)
class Evidence:
    """What the cited text holds, collected once for all sentences that cite it."""

    values: Values
    names: frozenset[str]
    addresses: frozenset[str]
    sentences: tuple[str, ...]
    parts: tuple[_Part, ...]


def collect_values(sources: Sequence[Source]) -> Values:
    """Collect the words and numbers of several sources."""
    text = _text_of(sources)
    units: dict[str, set[str]] = {}
    for figure, unit in measures_in(f"{text}\n{_other_spellings(text)}"):
        units.setdefault(figure, set()).add(unit)
    return Values(frozenset(tokenize(text)) | frozenset(terms(text)), units)


def collect_evidence(sources: Sequence[Source]) -> Evidence:
    """Collect what several sources hold together."""
    text = _text_of(sources)
    names = names_in(text)
    denied = {source.title for source in sources if _is_denied_question(source)}
    sentences = [
        part
        for source in sources
        for sentence in split_sentences(spell_dates(source.text))
        if not is_list(sentence)
        for part in sentence.split("; ")
    ] + sorted(denied)
    parts = tuple(
        _Part(replace(clause, denial=sentence in denied or clause.denial), n, words_in(sentence))
        for n, sentence in enumerate(sentences)
        for clause in _clauses_of(sentence, names)
    )
    values = collect_values(sources)
    return Evidence(values, names, addresses_in(text), tuple(sentences), parts)


def unsupported_reason(
    sentence: str, evidence: Evidence, idf: Idf, embed: Embed | None, own: Collection[str] = ()
) -> Reason | None:
    """Return the rule by which the cited text does not support the sentence, or `None`."""
    foreign = foreign_value(sentence, evidence.values, own)
    if foreign or not addresses_in(sentence) <= evidence.addresses:
        return foreign or "url"
    cosines = _cosines(sentence, evidence, embed)
    covered = _share(words_in(sentence), evidence.values.words, idf) + max(cosines, default=0.0)
    if covered < (MIN_COVERED if embed is None else MIN_COVERED_AND_SIMILAR):
        return "coverage"
    clauses = _clauses_of(sentence, names_in(sentence) | evidence.names)
    if any(_is_misplaced(clause, "numbers", evidence, idf) for clause in clauses):
        return "number"
    if any(_is_misplaced(clause, "names", evidence, idf) for clause in clauses):
        return "entity"
    comparable = [] if denies(sentence) is None else _comparable(clauses)
    is_denied = any(_contradicts(clause, evidence, idf, cosines) for clause in comparable)
    return "polarity" if is_denied else None


def foreign_value(
    sentence: str, values: Values, own: Collection[str] = ()
) -> Literal["number", "entity"] | None:
    """Return the kind of a value in the sentence that the sources do not hold, or `None`."""
    for figure, unit in measures_in(sentence):
        units = values.units.get(figure)
        if units is None or (unit and units != {""} and unit not in units):
            return "number"
    names = names_in(sentence) - {*own}
    return None if all(_has_form(name, values.words) for name in names) else "entity"


def _text_of(sources: Sequence[Source]) -> str:
    return spell_dates("\n\n".join(f"{source.title}\n\n{source.text}" for source in sources))


def _other_spellings(text: str) -> str:
    """Return the numbers as German or Portuguese writes them: `11,4` for `11.4`."""
    return "\n".join(match.translate(_SWAPPED) for match in _DECIMAL.findall(text))


def _is_denied_question(source: Source) -> bool:
    """Return whether the title is a question that the text denies, as an answer with "No." does."""
    opening = next(iter(tokenize(source.text)), "")
    is_denied = opening in {"no", "not", "none", "never"} or denies(source.title) is True
    return source.kind == "faq" and is_denied


def _clauses_of(sentence: str, names: frozenset[str]) -> list[Clause]:
    """Return the clauses; a word that is a name in the text is one in small letters too."""
    return [
        replace(clause, names=(clause.names | clause.words) & names)
        for clause in clauses_of(sentence)
    ]


def _comparable(clauses: Sequence[Clause]) -> list[Clause]:
    """Return the clauses that deny or assert; what a short one among others does is not clear."""
    is_mixed = len({clause.denial for clause in clauses}) > 1
    return [
        clause
        for clause in clauses
        if clause.denial is not None and not (is_mixed and len(clause.words) < _FEW_WORDS)
    ]


def _has_form(word: str, words: Collection[str]) -> bool:
    """Return whether the words contain this one or a form of it, as `verify` and `verified`."""
    return word in words or any(_is_same_stem(word, other) for other in words)


def _is_same_stem(one: str, other: str) -> bool:
    shorter = min(len(one), len(other))
    length = max(_MIN_PREFIX, round(_PREFIX_SHARE * shorter))
    return shorter >= length and one[:length] == other[:length]


def _share(words: Collection[str], vocabulary: Collection[str], idf: Idf) -> float:
    """Return the share of the words' weight that is in `vocabulary`; 1 if they have no weight."""
    weights = {word: idf(word) for word in sorted(words)}  # sorted: equal rounding
    total = sum(weights.values())
    found = sum(weight for word, weight in weights.items() if _has_form(word, vocabulary))
    return found / total if total > 0 else 1.0


def _cosines(sentence: str, evidence: Evidence, embed: Embed | None) -> list[float]:
    """Return the cosine of each sentence of the source; 0 without an embedder."""
    if embed is None:
        return [0.0] * len(evidence.sentences)
    vectors = embed([sentence, *evidence.sentences])
    return [float(cosine) for cosine in vectors[1:] @ vectors[0]]


def _is_misplaced(
    clause: Clause, kind: Literal["numbers", "names"], evidence: Evidence, idf: Idf
) -> bool:
    """Return whether the source says this of other values than the clause does.

    Every number must stand in a clause about the same; of the names one, in such a sentence.
    """
    values: frozenset[str] = getattr(clause, kind)
    context = clause.words - {word for name in clause.names for word in terms(name)}
    if not values or not context:
        return False
    own, others = dict.fromkeys(values, 0.0), dict.fromkeys(values, 0.0)
    for part in evidence.parts:
        found: frozenset[str] = getattr(part.clause, kind)
        if not found:
            continue
        near = _share(context, part.clause.words, idf)
        held = near if kind == "numbers" else _share(context, part.words, idf)
        for value in values:
            if value in found:
                own[value] = max(own[value], held)
            elif kind == "numbers" or not found & values:
                others[value] = max(others[value], near)
    misplaced = [
        others[value] >= _SAME_TOPIC and own[value] < _MISPLACED * others[value] for value in values
    ]
    return any(misplaced) if kind == "numbers" else all(misplaced)


def _contradicts(clause: Clause, evidence: Evidence, idf: Idf, cosines: Sequence[float]) -> bool:
    """Return whether the source denies what the clause asserts, or the reverse."""
    scored = [
        (share + _share(clause.words, part.words, idf) + cosines[part.sentence], part)
        for part in evidence.parts
        if (share := _share(clause.words, part.clause.words, idf)) > 0
    ]
    best, nearest = max(scored, key=lambda item: item[0], default=(0.0, None))
    if nearest is None or best < _COMPARABLE:
        return False
    denials = {part.clause.denial for score, part in scored if score >= best - _TIE}
    if None not in denials and clause.denial not in denials:
        return True
    sentence = [part.clause for part in evidence.parts if part.sentence == nearest.sentence]
    denied = {word for other in sentence if other.denial for word in other.words}
    rest = {word for other in sentence if not other.denial for word in other.words}
    return not clause.denial and _share(clause.words, denied - rest, idf) >= _ONLY_DENIED
