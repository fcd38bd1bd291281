"""Answers: what a field says, a list, a comparison, or the passages that come nearest.

Every word is the owner's or fixed here. Of a question at most one word is told beside the answer.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from resolvers.embeddings.disk_cache import DiskTokenCache
from resolvers.embeddings.tokenizer import terms
from resolvers.facts.clauses import Clause, asks, parts_of, pieces_of, with_name
from resolvers.facts.comparisons import comparison
from resolvers.facts.evidence import Evidence, passage_of
from resolvers.facts.fields import Entry
from resolvers.facts.figures import Figures
from resolvers.facts.follow_up import resolve
from resolvers.facts.likeness import Embed
from resolvers.facts.lines import Line, without_repetition
from resolvers.facts.lists import ListAnswer, Lists
from resolvers.facts.passages import Passage
from resolvers.facts.router import EXACT, SAME, FactRouter, FieldMatch, ParsedQuestion
from resolvers.facts.slots import asks_offer, asks_price, holds_price, unpublished_kind
from resolvers.facts.statements import (
    MARKED,
    MAX_LIST,
    Statement,
    opening,
    shortened,
    statements_of,
)
from resolvers.facts.verdict import ADVERBS, MAX_FIELDS, Part, Verdict
from resolvers.search.sentences import split_sentences
from sdl.declare import slug_of

Answered = Literal["yes", "partly", "no"]
Basis = Literal["field", "faq", "definition", "quotation", "none"]

TIE = 0.01
"""The difference up to which two scores are the same."""
EMPTY = 0.8
"""The score from which a question is that of a field that the owner left out."""
EMPTY_MARGIN = 0.1
"""How near to a field that the owner left out another one is that may be meant as well.

It was set on the half of `evals/` to tune.
"""
BESIDE = 0.06
"""How near to a field that is asked for another one of the same object is said too."""
STATE_BESIDE = 0.3
"""The same between two states, of which each is a word: that work is taken on, and how much."""
COVERED = 0.5
"""The share of a question's words that a field must be about, to be said alone."""
MARGIN = 0.4
"""How much less than the best a further passage may score."""
ASKED = 0.55
"""The likeness from which a question is that of a field, so that little more is said."""
NEAR = 0.8
"""A passage that scores less is about something else, and is not even said to be near."""
MAX_ROWS = 8
"""How many entries a table of one field has."""
MAX_LINES = 8
"""How many lines an answer has."""
MAX_PASSAGES = 4
"""How many passages answer a question; of one with several parts, half as many for each."""
MIN_STEM = 6
"""The length from which the beginning of a word stands for words made of it."""
MAX_NEAREST = 2
"""How many passages are said of a part that nothing answers."""
MAX_PROFILE = 3
"""How many fields are said of an entry without a text that is asked for by its name alone."""
_OF_AN_ENTRY = re.compile(r"(?:who|whose|when|where|why|how)\b", re.IGNORECASE)
"""The beginnings of questions that ask for more than what an entry is."""


@dataclass(frozen=True)
class FactAnswer:
    """The lines of an answer, and what it is worth."""

    lines: tuple[Line, ...]
    answered: Answered
    basis: Basis
    missing: str = ""
    """A word of the question that nothing said is about, if the answer is `partly`."""
    lacks: str = ""
    """The kind of thing that the question asks for and no line gives: `telephone number`."""
    says_unpublished: bool = False
    """Whether it begins with the note that what is asked for is not published."""


class FactAnswers:
    """Answers questions about one revision. Immutable, so threads may share it."""

    def __init__(self, router: FactRouter, embed: Embed | DiskTokenCache) -> None:
        """Embed every passage that can be said. Blocks. Raises: ModelError."""
        self._router = router
        self._table = router.table
        self._lists = Lists(router)
        self._figures = Figures(router.table)
        self._evidence = Evidence(router, embed)
        self._verdict = Verdict(router, self._evidence)

    @property
    def overview(self) -> Line:
        """What the fields say that stand alone: name, terms, contact, hours and the like."""
        single = [field for field in self._table.fields if field.is_single and not field.is_prose]
        said = [
            statement
            for field in single
            if field.asked.published
            for statement in statements_of(self._table, field)
            if len(statement.text) <= MAX_LIST
        ]
        paths = Counter(statement.operation.name for statement in said)
        main = next(s for s in said if s.operation.name == paths.most_common(1)[0][0])
        text = "\n".join(statement.text for statement in said)
        return replace(_line(passage_of(main), 1.0), text=text, pointer="")

    def answer(self, question: str, turns: Sequence[tuple[str, str]] = ()) -> FactAnswer:
        """Return the answer; `turns` are earlier ones, as role and text. Blocks.

        Raises: ModelError.
        """
        text = resolve(question, turns, self._router.names)
        clauses = self._clauses(text)
        parts: list[Part] = []
        last: Statement | None = None
        names: dict[str, None] = {}
        name_words: set[str] = set()
        lacks_field = False
        affirmed: bool | None = None
        for clause in clauses:
            if affirmed is not None and clause.only_if is (not affirmed):
                continue
            parsed = self._router.parse_part(with_name(clause.text, names))
            names |= {item.entry.name: None for item in parsed.named}
            name_words |= parsed.name_words
            statements, listed = ([], None) if parsed.needed else self._exact(parsed, last)
            last = listed.source if listed is not None else None
            said = [s for s in statements if s.text and not MARKED.search(s.text)]
            affirmed = _truth(said)
            if said:
                score = SAME if listed and listed.is_exact else parsed.matches[0].score
                own = [(score, passage_of(s)) for s in said]
                state = said[0].field if len(said) == 1 and said[0].field.is_state else None
                more = islice(self._evidence.of_state(parsed, state), 1) if state else ()
                parts.append(Part(parsed.text, (*own, *more)))
            else:
                limit = MAX_PASSAGES // min(2, len(clauses))
                is_empty = self._is_empty(parsed)
                no_fields = is_empty or bool(parsed.needed)
                parts += self._nearest(parsed, limit, no_fields=no_fields)
                lacks_field = lacks_field or is_empty
        if not parts:
            return FactAnswer((), "no", "none")
        said_of = [self._verdict.held(part, names, name_words) for part in parts]
        is_answer = not lacks_field and all(said_of) and not self._verdict.names_unknown(text)
        rows = [
            row
            for part, held in zip(parts, said_of, strict=True)
            for row in (held or part.passages[:MAX_NEAREST])
        ]
        lines = without_repetition(_line(passage, score) for score, passage in rows)[:MAX_LINES]
        missing = "" if is_answer else self._verdict.missing(text, parts)
        first = rows[0][1]
        return FactAnswer(
            tuple(lines),
            "yes" if is_answer else "partly",
            _basis(first),
            missing,
            "" if is_answer else unpublished_kind(text, [line.text for line in lines]),
            first.is_unpublished,
        )

    def _clauses(self, text: str) -> list[Clause]:
        """Return the parts of a question, unless it is an example as a whole or an entry's name."""
        clauses = parts_of(text)
        if len(clauses) == 1:
            return [Clause(self._point_of(text))]
        clauses = self._joined(clauses)
        entire = self._router.parse(text)
        score = entire.matches[0].score
        # One part that is an example makes the whole like it, and the other would not be answered.
        is_example = score >= SAME and all(
            self._router.parse(clause.text).matches[0].score < score + TIE for clause in clauses
        )
        return [Clause(text)] if is_example or _is_name(entire) else clauses

    def _joined(self, clauses: Sequence[Clause]) -> list[Clause]:
        """Return the parts, each with what it leaves out: "what is it, in one line" is one."""
        joined = [*clauses[:1]]
        for clause in clauses[1:]:
            text = f"{joined[-1].text} {clause.text}"
            if self._stands_alone(clause.text):
                joined.append(clause)
            elif clause.only_if is not None:
                joined.append(replace(clause, text=text))
            elif asks(joined[-1].text) and not asks(clause.text):
                joined[-1] = replace(joined[-1], text=text)
            else:
                joined.append(clause)
        return joined

    def _stands_alone(self, clause: str) -> bool:
        """Return whether a part tells what it asks for: "from when" does not."""
        return len(terms(clause)) > 1 or self._router.parse_part(clause).matches[0].score >= EXACT

    def _point_of(self, question: str) -> str:
        """Return the sentence that asks, if it asks for a field and the others tell about callers.

        "Everything you refuse to do. Our legal department wants it today."
        """
        pieces = pieces_of(question)
        if not pieces or pieces == [question]:
            return question
        scores = {piece: self._router.parse(piece).matches[0].score for piece in pieces}
        best = max(scores, key=scores.__getitem__)
        is_better = scores[best] > self._router.parse(question).matches[0].score + BESIDE
        return best if scores[best] >= EXACT and is_better else question

    def _exact(
        self, parsed: ParsedQuestion, last: Statement | None
    ) -> tuple[list[Statement], ListAnswer | None]:
        """Return what the fields say that a part asks for, and what a list says of it."""
        if ranked := self._figures.ranked(parsed):
            return ranked, None
        listed = self._lists.answer(parsed, last)
        if listed is not None:
            details = self._details(parsed, listed.entry) if listed.entry else []
            return [*listed.statements, *details], listed
        if profile := self._profile(parsed) or comparison(self._table, parsed):
            return profile, None
        best, *others = parsed.matches
        said = self._said(best)
        least = SAME if asks_offer(parsed.text) else EXACT
        if best.score < least or not best.field.asked.published:
            return [], None
        is_covered = best.score >= SAME or self._coverage(parsed, said) >= COVERED
        for other in others:
            margin = BESIDE if is_covered else EMPTY_MARGIN
            if best.field.is_state and other.field.is_state:
                margin = STATE_BESIDE
            if not _is_beside(best, other, margin):
                continue
            both = [*said, *self._said(other)]
            # "Available" is a word of one field, and what is asked is said by the other.
            if is_covered or self._coverage(parsed, both) >= COVERED:
                return both, None
        return (said if is_covered else []), None

    def _is_empty(self, parsed: ParsedQuestion) -> bool:
        """Return whether a question asks for a field that the owner left out, and for no other.

        Of an entry that is called by its name, no other field is taken for it.
        """
        best = parsed.matches[0]
        near = (match for match in parsed.matches if match.score >= best.score - EMPTY_MARGIN)
        name = {*terms(best.entry.name)} if best.entry is not None else set()
        least = EXACT if name and name.issubset(terms(parsed.text)) else EMPTY
        return best.score >= least and not any(map(self._said, near))

    def _nearest(self, parsed: ParsedQuestion, limit: int, *, no_fields: bool) -> Iterator[Part]:
        """Yield the passages that come nearest to a part, no text twice, if any is near.

        Where no field holds what is asked for, other fields say nothing about it.
        """
        chosen: list[tuple[float, int, Passage]] = []
        fits: list[float] = []
        for score, number, fit in self._evidence.rank(parsed):
            passage = self._evidence.passages[number]
            best = chosen[0][0] if chosen else score
            if score < max(NEAR, best - MARGIN) or len(chosen) == limit:
                break
            if fits and fits[0] >= ASKED and len(chosen) == MAX_FIELDS:
                break
            fields = sum(other.field is not None for _, _, other in chosen)
            if passage.field is not None and (no_fields or fields == MAX_FIELDS):
                continue
            said = " ".join(other.quote for _, _, other in chosen)
            if passage.is_in(said):
                continue
            if passage.field is None or passage.field.is_prose:
                rest = [text for text in split_sentences(passage.quote) if text not in said]
                if not rest:
                    continue
                passage = replace(passage, quote=" ".join(rest))
            elif any(other.sentence in passage.quote for _, _, other in chosen):
                passage = replace(passage, quote=passage.sentence)
            chosen.append((score, number, passage))
            fits.append(fit)
        chosen = _without_denied_price(parsed.text, chosen)
        rows = tuple((score, passage) for score, _, passage in chosen)
        numbers = tuple(number for _, number, _ in chosen)
        if rows:
            yield Part(parsed.text, rows, numbers, parsed.needed)

    def _profile(self, parsed: ParsedQuestion) -> list[Statement]:
        """Return what an entry is, if the question is its name alone."""
        if not _is_name(parsed):
            return []
        entry = parsed.named[0].entry
        own = [f for f in self._table.fields if f.owner.type_name == entry.type_name]
        fields = sorted((f for f in own if f.asked.published), key=lambda f: not f.is_prose)
        said = (s for field in fields for s in statements_of(self._table, field, entry))
        prose = next(said, None)
        if prose is None or not prose.field.is_prose:
            return [*([prose] if prose else []), *islice(said, MAX_PROFILE - 1)]
        return [replace(prose, text=opening(prose.text))]

    def _details(self, parsed: ParsedQuestion, entry: Entry) -> list[Statement]:
        """Return the fields asked about, if a question about a list means one entry alone."""
        own = [m for m in parsed.matches if m.field.owner.type_name == entry.type_name]
        return [s for match in own[:MAX_FIELDS] for s in self._said(replace(match, entry=entry))]

    def _coverage(self, parsed: ParsedQuestion, statements: Sequence[Statement]) -> float:
        """Return the share of the question's words that what fields say is about."""
        names = parsed.name_words
        words = [w for w in dict.fromkeys(terms(parsed.text)) if w not in names | ADVERBS]
        own = self._router.role_words.union(
            *(statement.field.words for statement in statements),
            *(terms(statement.text) for statement in statements),
        )
        # "available" and "availability" have no stem in common, but nearly all of the shorter one.
        found = [
            w in own or any(o.startswith(w[: max(MIN_STEM, len(w) - 1)]) for o in own)
            for w in words
        ]
        return sum(found) / len(words) if words else 1.0

    def _said(self, match: FieldMatch) -> list[Statement]:
        """Return what the content says about a field."""
        said = islice(statements_of(self._table, match.field, match.entry), MAX_ROWS)
        return [shortened(statement) for statement in said]


def _truth(said: Sequence[Statement]) -> bool | None:
    """Return what a field that is true or false says; nothing of any other."""
    value = said[0].value if said else None
    return value if isinstance(value, bool) else None


def _without_denied_price(
    question: str, rows: list[tuple[float, int, Passage]]
) -> list[tuple[float, int, Passage]]:
    """Return passages without "No prices are published", if one of them has a price."""
    if asks_price(question) and any(holds_price(passage.quote) for *_, passage in rows):
        return [row for row in rows if not row[2].is_unpublished]
    return rows


def _is_name(parsed: ParsedQuestion) -> bool:
    """Return whether a question is the name of an entry and no more."""
    names = parsed.name_words
    is_more = _OF_AN_ENTRY.match(parsed.text) is not None
    return bool(names) and not is_more and names.issuperset(terms(parsed.text))


def _is_beside(best: FieldMatch, other: FieldMatch, margin: float) -> bool:
    """Return whether a field of the same object is asked for as much as the best one."""
    is_same = other.field.owner.type_name == best.field.owner.type_name
    return (
        other.score >= best.score - margin
        and other.entry == best.entry
        and (is_same or (best.field.is_single and other.field.is_single))
        and not (other.field.is_prose or best.field.is_prose)
        and other.field.asked.published
        and other.field.field.key != best.field.field.key
    )


def _basis(passage: Passage) -> Basis:
    """Return what an answer rests on whose first passage this is."""
    entry, field = passage.entry, passage.field
    if entry is not None and passage.sentence == entry.name:
        return "faq" if entry.is_question else "definition"
    if field is None:
        return "quotation"
    if entry is None or not field.is_prose:
        return "field"
    return "faq" if entry.is_question else "definition"


def _line(passage: Passage, score: float) -> Line:
    entry, operation = passage.entry, passage.operation
    return Line(
        text=passage.quote,
        kind=entry.kind if entry is not None else operation.root_key,
        slug=entry.slug if entry is not None else slug_of(operation.title),
        title=entry.name if entry is not None else operation.title,
        url=passage.url,
        pointer=passage.pointer,
        score=min(1.0, max(0.0, score)),
    )
