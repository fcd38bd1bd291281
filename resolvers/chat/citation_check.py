"""The lint of an answer: which of its sentences are cited, and borne by what they cite.

Deterministic, version 1. It is a lint and no proof: see `support`. Writes no answer, mends none.
Source: Gao et al., "Enabling Large Language Models to Generate Text with Citations" (2023), for
recall and precision of citations; the judge is rules instead of a model.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from resolvers.chat.conversation import ABSTENTIONS, CANNED_REPLIES, Source
from resolvers.chat.grounding import (
    Embed,
    Evidence,
    Idf,
    Reason,
    collect_evidence,
    unsupported_reason,
)
from resolvers.search.sentences import split_sentences
from schema.chat import CitationLint, UnsupportedSentence

VERSION = "1"
MAX_UNSUPPORTED = 20
"""How many unsupported sentences are listed; all are counted."""
_MARKER = re.compile(r"\s*\[(\d{1,3})\]")
_LEADING = re.compile(r"\s*(?:\[\d{1,3}\][\s,;.]*)+")
_ENDED = re.compile(r"(?<=[.!?])[\"')\u201d]*(?:\s*\[\d{1,3}\])+\s*")


@dataclass(frozen=True)
class _Sentence:
    text: str
    markers: tuple[int, ...]


class _Checker:
    """The sources of one answer, each combination read once."""

    def __init__(
        self, sources: Sequence[Source], idf: Idf, embed: Embed | None, own: Collection[str]
    ) -> None:
        self.known = {source.n: source for source in sources}
        self._idf = idf
        self._embed = embed
        self._own = own
        self._grounds: dict[tuple[int, ...], Evidence] = {}

    def fault(self, sentence: _Sentence) -> Reason | None:
        """Why a sentence is not borne; nothing if it is."""
        markers = self.of(sentence)
        if not markers:
            return "uncited"
        return self._fault(sentence.text, markers)

    def of(self, sentence: _Sentence) -> tuple[int, ...]:
        """The sentence's markers that there are sources for, in order."""
        return tuple(sorted({n for n in sentence.markers if n in self.known}))

    def relevant(self, sentence: _Sentence) -> Iterator[int]:
        """Of the markers of a sentence that is borne, those that bear it or are needed to."""
        markers = self.of(sentence)
        for n in markers:
            rest = tuple(other for other in markers if other != n)
            if not rest or not self._fault(sentence.text, (n,)) or self._fault(sentence.text, rest):
                yield n

    def _fault(self, text: str, markers: tuple[int, ...]) -> Reason | None:
        if any(text in split_sentences(self.known[n].text) for n in markers):
            return None  # a quotation
        if markers not in self._grounds:
            self._grounds[markers] = collect_evidence([self.known[n] for n in markers])
        return unsupported_reason(text, self._grounds[markers], self._idf, self._embed, self._own)


def check_citations(
    answer: str,
    sources: Sequence[Source],
    idf: Idf,
    embed: Embed | None,
    own: Collection[str] = (),
) -> CitationLint:
    """The lint of a finished answer. Blocks while it embeds. Raises: ModelFault, if `embed` does.

    `own` are names, in small letters, of which every source speaks without saying them: the
    studio's. Without `embed`, what is said in other words than the source's is not recognised.
    """
    judge = _Checker(sources, idf, embed, own)
    said = list(_sentences(answer))
    faults: list[Reason | None] = [judge.fault(sentence) for sentence in said]
    borne = [sentence for sentence, fault in zip(said, faults, strict=True) if fault is None]
    used = {n for sentence in said for n in sentence.markers}
    bearing = {n for sentence in borne for n in judge.relevant(sentence)}
    unknown = sorted(used - judge.known.keys())
    unsupported = [  # not validated: a model's sentence need not follow the rules for texts
        UnsupportedSentence.model_construct(
            sentence=sentence.text, reason=fault, markers=list(sentence.markers)
        )
        for sentence, fault in zip(said, faults, strict=True)
        if fault is not None
    ]
    return CitationLint(
        version=VERSION,
        method="lexical+embedding" if embed else "lexical",
        ok=not unknown and (len(borne) == len(said) if said else _abstains(answer)),
        sentences=len(said),
        cited=sum(1 for sentence in said if judge.of(sentence)),
        supported=len(borne),
        unsupported=unsupported[:MAX_UNSUPPORTED],
        unknown_markers=unknown,
        unused_citations=sorted(judge.known.keys() - used),
        # The share of the sentences that are borne out; 1.0 where none needs to be.
        citation_recall=_ratio(len(borne), len(said), 1.0),
        # The share of the cited sources that bear a sentence out, alone or as one that the others
        # need; where none is cited 1.0, or 0.0 if a sentence needed one.
        citation_precision=_ratio(len(bearing), len(used), 0.0 if said else 1.0),
    )


def _ratio(part: int, whole: int, otherwise: float) -> float:
    return round(part / whole, 4) if whole else otherwise


def _abstains(answer: str) -> bool:
    return any(phrase in answer for phrase in ABSTENTIONS)


def _sentences(answer: str) -> Iterator[_Sentence]:
    """The sentences that need a citation, each with its markers: also with those after its stop."""
    plain = answer
    for phrase in CANNED_REPLIES:
        plain = plain.replace(phrase, "\n\n")
    found: list[_Sentence] = []
    for part in _parts(plain):
        leading = _LEADING.match(part)
        if leading and found:
            found[-1] = _Sentence(found[-1].text, (*found[-1].markers, *_markers(leading.group())))
            part = part[leading.end() :]  # noqa: PLW2901 - what is left of it
        text = _MARKER.sub("", part).strip()
        if any(char.isalnum() for char in text):
            found.append(_Sentence(text, _markers(part)))
    yield from found


def _parts(text: str) -> Iterator[str]:
    """The sentences, cut also where markers stand between one's stop and the next."""
    at = 0
    for match in _ENDED.finditer(text):
        yield from split_sentences(text[at : match.end()])
        at = match.end()
    yield from split_sentences(text[at:])


def _markers(text: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(int(number) for number in _MARKER.findall(text)))
