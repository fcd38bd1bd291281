"""Checks which sentences of an answer are cited and supported by what they cite.

The check is deterministic, by the five rules of `grounding`, and no proof. This is its version 2.
Source: Gao et al., "Enabling Large Language Models to Generate Text with Citations" (2023), for
recall and precision of citations; here rules decide instead of a model.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from resolvers.chat.conversation import CANNED_REPLIES, Source
from resolvers.chat.grounding import (
    Embed,
    Evidence,
    Idf,
    Reason,
    collect_evidence,
    unsupported_reason,
)
from resolvers.search.sentences import split_sentences
from schema.chat import CitationLint, RemovedSentences, UnsupportedSentence

VERSION = "2"
MAX_UNSUPPORTED = 20
"""How many unsupported sentences are listed; all are counted."""
_MARKER = re.compile(r"\s*\[(\d{1,3})\]")
_LEADING = re.compile(r"\s*(?:\[\d{1,3}\][\s,;.]*)+")
_CITED_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\u201d]*(?:\s*\[\d{1,3}\])+\s*")


@dataclass(frozen=True)
class _Sentence:
    text: str
    markers: tuple[int, ...]


class _Checker:
    """Judges the sentences of one answer; reads each combination of sources once."""

    def __init__(
        self, sources: Sequence[Source], idf: Idf, embed: Embed | None, own: Collection[str]
    ) -> None:
        self.sources = {source.n: source for source in sources}
        self._idf = idf
        self._embed = embed
        self._own = own
        self._evidence: dict[frozenset[int], Evidence] = {}

    def cited(self, sentence: _Sentence) -> frozenset[int]:
        """Return the sentence's markers that have a source."""
        return frozenset(sentence.markers).intersection(self.sources)

    def reason(self, text: str, markers: frozenset[int]) -> Reason | None:
        """Return why the sources with these markers do not support the text, or `None`."""
        if not markers:
            return "uncited"
        if any(text in split_sentences(self.sources[n].text) for n in markers):
            return None  # a quotation
        if markers not in self._evidence:
            chosen = [self.sources[n] for n in sorted(markers)]
            self._evidence[markers] = collect_evidence(chosen)
        return unsupported_reason(text, self._evidence[markers], self._idf, self._embed, self._own)

    def needed(self, sentence: _Sentence) -> Iterator[int]:
        """Yield the markers of a supported sentence that support it alone or are needed for it."""
        cited = self.cited(sentence)
        for n in cited:
            alone = self.reason(sentence.text, frozenset({n})) is None
            if alone or self.reason(sentence.text, cited - {n}) is not None:
                yield n


def check_citations(
    answer: str,
    sources: Sequence[Source],
    idf: Idf,
    embed: Embed | None,
    own: Collection[str] = (),
) -> CitationLint:
    """Check a finished answer. Blocks while it embeds. Raises: ModelError, if `embed` does.

    `own` are lower-case names that any sentence may use, whatever it cites: the studio's own.
    Without `embed`, a sentence in other words than the source's is not recognised as supported.
    """
    checker = _Checker(sources, idf, embed, own)
    sentences = list(_sentences(answer))
    reasons = [checker.reason(each.text, checker.cited(each)) for each in sentences]
    judged = list(zip(sentences, reasons, strict=True))
    supported = [sentence for sentence, reason in judged if reason is None]
    markers = {n for sentence in sentences for n in sentence.markers}
    needed = {n for sentence in supported for n in checker.needed(sentence)}
    unknown = sorted(markers - checker.sources.keys())
    unsupported = [  # not validated: a model's sentence need not follow the rules for texts
        UnsupportedSentence.model_construct(
            sentence=sentence.text, reason=reason, markers=list(sentence.markers)
        )
        for sentence, reason in judged
        if reason is not None
    ]
    return CitationLint(
        version=VERSION,
        method="lexical+embedding" if embed else "lexical",
        ok=not unknown and (not unsupported if sentences else _abstains(answer)),
        sentences=len(sentences),
        cited=sum(1 for sentence in sentences if checker.cited(sentence)),
        supported=len(supported),
        unsupported=unsupported[:MAX_UNSUPPORTED],
        removed=[],
        unknown_markers=unknown,
        unused_citations=sorted(checker.sources.keys() - markers),
        # The share of the sentences that are supported; 1.0 if none needs to be.
        citation_recall=_ratio(len(supported), len(sentences), 1.0),
        # The share of the cited sources that support a sentence, alone or together with others
        # that need them. If none is cited: 1.0, or 0.0 if a sentence needed a citation.
        citation_precision=_ratio(len(needed), len(markers), 0.0 if sentences else 1.0),
    )


def count_removed(reasons: Sequence[str]) -> list[RemovedSentences]:
    """Return how many sentences were left out of an answer, by reason."""
    counts = sorted(Counter(reasons).items())
    return [RemovedSentences(reason=reason, count=count) for reason, count in counts]


def _ratio(part: int, total: int, default: float) -> float:
    return round(part / total, 4) if total else default


def _abstains(answer: str) -> bool:
    return CANNED_REPLIES.search(answer) is not None


def _sentences(answer: str) -> Iterator[_Sentence]:
    """Yield the sentences that need a citation, with their markers, even after the full stop."""
    plain = CANNED_REPLIES.sub("\n\n", answer)
    sentences: list[_Sentence] = []
    for part in _parts(plain):
        leading = _LEADING.match(part)
        if leading and sentences:
            last = sentences[-1]
            sentences[-1] = _Sentence(last.text, (*last.markers, *_markers(leading.group())))
            part = part[leading.end() :]  # noqa: PLW2901 - the rest belongs to the next sentence
        text = _MARKER.sub("", part).strip()
        if any(char.isalnum() for char in text):
            sentences.append(_Sentence(text, _markers(part)))
    yield from sentences


def _parts(text: str) -> Iterator[str]:
    """Yield the sentences; markers between two sentences also separate them."""
    at = 0
    for match in _CITED_SENTENCE_END.finditer(text):
        yield from split_sentences(text[at : match.end()])
        at = match.end()
    yield from split_sentences(text[at:])


def _markers(text: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(int(number) for number in _MARKER.findall(text)))
