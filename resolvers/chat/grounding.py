"""Rules that decide whether cited text supports a sentence.

They compare words, numbers, names and negations with the source. They do not understand the text,
so a sentence that passes may still be wrong.
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
"""The share of a sentence's words, weighted by rarity, that its source must contain."""
MIN_OVERLAP_IF_SIMILAR = 0.30
"""The same, if a sentence of the source is similar in meaning."""
SIMILAR = 0.60
"""The cosine from which two sentences count as similar."""
_SAME_TOPIC = 0.5
"""The shared weight from which two clauses count as being about the same."""
_MAX_OWN_SHARE = 0.5
"""A value counts as misplaced if its own context fits less than this share of another's."""
_COMPARABLE = 0.9
"""The sum of shared weights and cosine from which a negation is compared with a clause."""
_TIE = 0.05
_MIN_NEGATED = 0.12
_MIN_ONLY_NEGATED = 0.30
_FEW_WORDS = 3
_MIN_PREFIX = 5
_PREFIX_SHARE = 0.75


@dataclass(frozen=True)
class _SourceSentence:
    """A sentence of a source and its clauses."""

    text: str
    clause: Clause
    clauses: tuple[Clause, ...]


@dataclass(frozen=True)
class Evidence:
    """The features of cited text, collected once for all sentences that cite it."""

    text: str
    words: frozenset[str]
    numbers: frozenset[str]
    measures: frozenset[tuple[str, str]]
    addresses: frozenset[str]
    sentences: tuple[_SourceSentence, ...]


def collect_evidence(sources: Sequence[Source]) -> Evidence:
    """Collect the features of several sources together."""
    text = "\n\n".join(f"{source.title}\n\n{source.text}" for source in sources)
    sentences = tuple(
        part
        for source in sources
        for sentence in split_sentences(source.text)
        if not is_list(sentence)
        for part in sentence.split("; ")
    )
    return Evidence(
        text.casefold(),
        frozenset(tokenize(text)) | frozenset(terms(text)),
        numbers_in(text),
        measures_in(text),
        addresses_in(text),
        (*(_parse(sentence) for sentence in sentences), *_negated_questions(sources)),
    )


def unsupported_reason(
    sentence: str, evidence: Evidence, idf: Idf, embed: Embed | None, own: Collection[str] = ()
) -> Reason | None:
    """Return why the cited text does not support the sentence, or `None`."""
    if not numbers_in(sentence) <= evidence.numbers or _has_wrong_unit(sentence, evidence):
        return "number"
    if not all(_has_form(name, evidence.words) for name in names_in(sentence) - {*own}):
        return "entity"
    if not addresses_in(sentence) <= evidence.addresses:
        return "url"
    cosines = _similarities(sentence, evidence, embed)
    if not _is_covered(sentence, evidence, idf, cosines):
        return "coverage"
    return _contradiction(sentence, evidence, idf, cosines)


def _parse(sentence: str) -> _SourceSentence:
    return _SourceSentence(sentence, clause_of(sentence), tuple(clauses_of(sentence)))


def _negated_questions(sources: Sequence[Source]) -> Iterator[_SourceSentence]:
    """Yield the questions of FAQ entries whose answer begins with a "no", as negations."""
    for source in sources:
        question = clause_of(source.title)
        opening = next(iter(tokenize(source.text)), "")
        is_negated = question.denial == "denies" or opening in {"no", "not", "none", "never"}
        if source.kind == "faq" and is_negated:
            clause = replace(question, denial="denies")
            yield _SourceSentence(source.title, clause, (clause,))


def _has_wrong_unit(sentence: str, evidence: Evidence) -> bool:
    """Return whether a number has a unit that it never has in the source."""
    units: dict[str, set[str]] = {}
    for figure, unit in evidence.measures:
        units.setdefault(figure, set()).add(unit)
    return any(
        figure in units and unit not in units[figure] for figure, unit in measures_in(sentence)
    )


def _has_form(word: str, words: Collection[str]) -> bool:
    """Return whether the words contain this one or a form of it, as `verify` and `verified`."""
    return word in words or any(_is_same_stem(word, other) for other in words)


def _is_same_stem(one: str, other: str) -> bool:
    if REGULAR.get(one, one) == REGULAR.get(other, other):
        return True
    shorter = min(len(one), len(other))
    length = max(_MIN_PREFIX, round(_PREFIX_SHARE * shorter))
    return shorter >= length and one[:length] == other[:length]


def _similarities(sentence: str, evidence: Evidence, embed: Embed | None) -> list[float]:
    """Return the cosine of each sentence of the source; 0 without an embedder."""
    if embed is None:
        return [0.0] * len(evidence.sentences)
    vectors = embed([sentence, *(other.text for other in evidence.sentences)])
    return [float(cosine) for cosine in vectors[1:] @ vectors[0]]


def _is_covered(sentence: str, evidence: Evidence, idf: Idf, cosines: Sequence[float]) -> bool:
    covered = _share(subjects_of(sentence) - WEAK_WORDS, evidence.words, idf)
    return covered >= MIN_OVERLAP or (
        covered >= MIN_OVERLAP_IF_SIMILAR and max(cosines, default=0.0) >= SIMILAR
    )


def _share(words: Collection[str], vocabulary: Collection[str], idf: Idf) -> float:
    """Return the share of the words' weight that is in `vocabulary`; 1 if they have no weight."""
    weights = {word: idf(word) for word in sorted(words)}  # sorted: equal rounding
    total = sum(weights.values())
    if total <= 0:
        return 1.0
    return sum(weight for word, weight in weights.items() if _has_form(word, vocabulary)) / total


def _contradiction(
    sentence: str, evidence: Evidence, idf: Idf, cosines: Sequence[float]
) -> Reason | None:
    names = names_in(sentence)
    clauses = clauses_of(sentence)
    has_mixed_denials = len({clause.denial for clause in clauses}) > 1
    for item in clauses:
        clause = replace(item, names=item.names & names)
        if _value_mismatch(clause, evidence, _NUMBERS, idf):
            return "number"
        if any(_value_mismatch(clause, evidence, kind, idf) for kind in (_NAMES, _TIMES, _ROLES)):
            return "entity"
        if not (has_mixed_denials and len(clause.words) < _FEW_WORDS) and _contradicts(
            clause, evidence, idf, cosines
        ):
            return "polarity"
    return "polarity" if _is_opposite(frozenset(terms(sentence)), evidence) else None


def _value_mismatch(clause: Clause, evidence: Evidence, values: "_Values", idf: Idf) -> bool:
    """Return whether the source says this about a different value than the clause does."""
    clause_values = values.of(clause)
    names = {word for name in clause.names for word in terms(name)}
    context = clause.words - names - PARTY_NOUNS - DAYS
    if not clause_values or not context:
        return False
    own = dict.fromkeys(clause_values, 0.0)
    other = 0.0
    for sentence in evidence.sentences:
        for candidate in sentence.clauses:
            source_values = values.of(candidate)
            scope = candidate if values.narrow else sentence.clause
            for value in source_values & clause_values:
                own[value] = max(own[value], _share(context, scope.words, idf))
            if source_values and not source_values & clause_values:
                other = max(other, _share(context, candidate.words, idf))
    worst = (min if values.all_must_match else max)(own.values())
    return other >= _SAME_TOPIC and worst < _MAX_OWN_SHARE * other


@dataclass(frozen=True)
class _Values:
    """A kind of value that a wrong answer may confuse with another of the same kind."""

    of: Callable[[Clause], frozenset[str]]
    narrow: bool
    """Whether one sentence usually contains several of them."""
    all_must_match: bool = False
    """Whether every one of several must be right, and not just one."""


_NUMBERS = _Values(lambda clause: clause.numbers, narrow=True, all_must_match=True)
_NAMES = _Values(lambda clause: clause.names, narrow=False)
_TIMES = _Values(lambda clause: clause.words & DAYS, narrow=True)
_ROLES = _Values(lambda clause: clause.words & PARTY_NOUNS, narrow=False)


def _contradicts(clause: Clause, evidence: Evidence, idf: Idf, cosines: Sequence[float]) -> bool:
    """Return whether the most similar clause of the source says the opposite."""
    words = clause.words
    if clause.denial == "may":
        return False
    scored: list[tuple[float, Clause]] = []
    for sentence, cosine in zip(evidence.sentences, cosines, strict=True):
        similarity = _share(words, sentence.clause.words, idf) + cosine
        for other in sentence.clauses:
            share = _share(words, other.words, idf)
            if share > 0:
                scored.append((share + similarity, other))
    best = max((score for score, _ in scored), default=0.0)
    if best < _COMPARABLE:
        return False
    nearest = {other.denial for score, other in scored if score >= best - _TIE}
    if "may" not in nearest and clause.denial not in nearest:
        return True
    return clause.denial == "asserts" and (
        _is_negated(words, evidence, idf, cosines) or _is_only_negated(words, evidence, idf)
    )


def _is_only_negated(words: frozenset[str], evidence: Evidence, idf: Idf) -> bool:
    """Return whether many of the words occur in the source only inside negations."""
    clauses = [clause for sentence in evidence.sentences for clause in sentence.clauses]
    negated = {word for clause in clauses if clause.denial == "denies" for word in clause.words}
    rest = {word for clause in clauses if clause.denial != "denies" for word in clause.words}
    return _share(words, negated - rest, idf) >= _MIN_ONLY_NEGATED


def _is_negated(
    words: frozenset[str], evidence: Evidence, idf: Idf, cosines: Sequence[float]
) -> bool:
    """Return whether the words assert something that the most similar sentence negates."""
    scored = [
        (_share(words, sentence.clause.words, idf) + cosine, sentence)
        for sentence, cosine in zip(evidence.sentences, cosines, strict=True)
    ]
    _, nearest = max(scored, key=lambda pair: pair[0])
    negated = {
        word for other in nearest.clauses if other.denial == "denies" for word in other.words
    }
    rest = {word for other in nearest.clauses if other.denial != "denies" for word in other.words}
    shared = {word for word in words if _has_form(word, negated - rest)}
    if _share(words, shared, idf) < _MIN_NEGATED or not shared:
        return False
    return not any(
        _share(words, other.words, idf) >= _SAME_TOPIC and shared & other.words
        for sentence in evidence.sentences
        for other in sentence.clauses
        if other.denial != "denies"
    )


def _is_opposite(words: frozenset[str], evidence: Evidence) -> bool:
    """Return whether a word is the opposite of, or stronger than, what the source says."""
    for left, right in ANTONYMS:
        for side, opposite in ((left, right), (right, left)):
            is_one_sided = words & side and not words & opposite
            if is_one_sided and evidence.words & opposite and not _any(side, evidence.words):
                return True
    return not all(_has_form(word, evidence.words) for word in words & STRONG_WORDS)


def _any(words: Collection[str], vocabulary: Collection[str]) -> bool:
    return any(_has_form(word, vocabulary) for word in words)
