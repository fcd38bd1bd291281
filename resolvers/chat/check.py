"""Whether a sentence says what it cites: the one check of everything that is answered.

A sentence stands if it is quoted, or if its content words are, in their order, those of one
sentence or clause of what it cites, with the same denials, conditions and quantities. So a model
may leave words out; what it adds or turns round is found. It is no proof.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from resolvers.chat.conversation import CANNED_REPLIES, Source
from resolvers.embeddings.tokenizer import terms, tokenize
from resolvers.search.sentences import split_sentences
from schema.services.chat import CitationLint, RemovedSentences, UnsupportedSentence

VERSION = "3"
MAX_UNSUPPORTED = 20
"""How many unsupported sentences are listed; all are counted."""
Reason = Literal["uncited", "number", "entity", "url", "coverage", "polarity"]

_MARKER = re.compile(r"\s*\[(\d{1,3})\]")
_LEADING = re.compile(r"\s*(?:\[\d{1,3}\][\s,;.]*)+")
_CITED_END = re.compile(r"(?<=[.!?])[\"')\u201d]*(?:\s*\[\d{1,3}\])+\s*")
_MARKUP = re.compile(r"<[a-zA-Z/!?]|!\[|\]\(|&#?\w{1,31};")
_ADDRESS = re.compile(
    r"\b[a-z][a-z0-9+.-]*:/?/?[^\s<>\"')\]]*[^\s<>\"')\].,;:!?]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|\b(?:[a-z0-9-]+\.)+[a-z]{2,}\b(?:/[^\s<>\"')\]]*)?|(?<![\w/])/[a-z.][\w.{}/-]*",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:()\u2013\u2014](?!\d)|\s-\s|\b(?:but|and|while|whereas|because|so)\b")
_TURNS = frozenset(
    """
    not no never none nothing nobody nowhere neither nor without cannot cant dont doesnt didnt isnt
    arent wasnt werent wont wouldnt hasnt havent hadnt couldnt shouldnt if unless only except until
    till once may might could would should must can will all every each always most some few many
    several half both more less fewer over under least than before after hardly rarely often
    nicht kein keine keinen keiner nie niemals ohne nur wenn falls sofern bis alle jeder jede jedes
    manche einige kann darf muss soll mehr weniger vor nach
    """.split()  # noqa: SIM905 - a hundred quoted words are hard to read
)
"""Words that turn what a sentence says round, limit it, or say how much of it is meant."""
_CONDITIONS = frozenset(
    {"if", "unless", "only", "except", "until", "till", "once"}
    | {"wenn", "falls", "sofern", "nur", "bis"}
)
"""Those of them without which no part of the sentence is true."""
_REPORTS = frozenset(terms("studio say says state states note notes offer offers provide provides"))
"""Words that a sentence may have beside those of its source."""
_OPENS = re.compile(r"(?:^|[.!?\u2026:]\s*)[\"'\u201c(\[]*$")


@dataclass(frozen=True)
class Sentence:
    """A sentence of an answer without its markers, and their numbers."""

    text: str
    markers: tuple[int, ...]


class Check:
    """Judges the sentences of one answer."""

    def __init__(self, sources: Sequence[Source], own: Collection[str] = ()) -> None:
        """`own` are stems that any sentence may have: those of the studio's name."""
        self.sources = {source.n: source for source in sources}
        self._own = _REPORTS | set(own)

    def reason(self, sentence: Sentence) -> Reason | None:
        """Return why what a sentence cites does not say it, or nothing if it does."""
        cited = [self.sources[n] for n in sentence.markers if n in self.sources]
        if not cited:
            return "uncited"
        if _MARKUP.search(sentence.text) or not self._holds_addresses(sentence.text, cited):
            return "url"
        if any(sentence.text in source.text for source in cited):
            return None
        said = [part for source in cited for part in _parts_of(source)]
        if any(self._says(sentence.text, part) for part in said):
            return None
        return self._fault(sentence.text, said)

    def needed(self, sentence: Sentence) -> Iterator[int]:
        """Yield the markers of a sentence whose source alone says it."""
        for n in sentence.markers:
            if n in self.sources and self.reason(Sentence(sentence.text, (n,))) is None:
                yield n

    def _holds_addresses(self, text: str, cited: Sequence[Source]) -> bool:
        published = " ".join(f"{source.title} {source.text} {source.url}" for source in cited)
        known = {address.casefold() for address in _ADDRESS.findall(published)}
        return all(address.casefold() in known for address in _ADDRESS.findall(text))

    def _says(self, text: str, part: str) -> bool:
        rest = iter(terms(part))
        in_order = all(word in rest or word in self._own for word in self._words(text))
        return in_order and _turns(text) == _turns(part)

    def _words(self, text: str) -> list[str]:
        return [word for word in terms(text) if word not in self._own]

    def _fault(self, text: str, said: Sequence[str]) -> Reason:
        """Return what it is that no source says."""
        known = {word for part in said for word in (*terms(part), *tokenize(part))}
        missing = [word for word in self._words(text) if word not in known]
        if any(char.isdigit() for word in missing for char in word):
            return "number"
        if any(word in missing for name in _names(text) for word in terms(name)):
            return "entity"
        return "coverage" if missing else "polarity"


def check_citations(
    answer: str, sources: Sequence[Source], own: Collection[str] = (), removed: Sequence[str] = ()
) -> CitationLint:
    """Check a finished answer; `removed` has the reason for each sentence that was left out."""
    check = Check(sources, own)
    sentences = list(sentences_of(answer))
    reasons = [check.reason(sentence) for sentence in sentences]
    judged = list(zip(sentences, reasons, strict=True))
    supported = [sentence for sentence, reason in judged if reason is None]
    markers = {n for sentence in sentences for n in sentence.markers}
    needed = {n for sentence in supported for n in check.needed(sentence)}
    unknown = sorted(markers - check.sources.keys())
    unsupported = [  # not validated: a model's sentence need not follow the rules for texts
        UnsupportedSentence.model_construct(
            sentence=sentence.text, reason=reason, markers=list(sentence.markers)
        )
        for sentence, reason in judged
        if reason is not None
    ]
    is_fixed = CANNED_REPLIES.search(answer) is not None
    return CitationLint(
        version=VERSION,
        method="lexical",
        ok=not unknown and (not unsupported if sentences else is_fixed),
        sentences=len(sentences),
        cited=sum(1 for sentence in sentences if set(sentence.markers) & check.sources.keys()),
        supported=len(supported),
        unsupported=unsupported[:MAX_UNSUPPORTED],
        removed=[
            RemovedSentences(reason=reason, count=count)
            for reason, count in sorted(Counter(removed).items())
        ],
        unknown_markers=unknown,
        unused_citations=sorted(check.sources.keys() - markers),
        # The share of the sentences that are supported; 1.0 if none needs to be.
        citation_recall=_ratio(len(supported), len(sentences), 1.0),
        # The share of the cited sources that say a sentence. If none is cited: 1.0, or 0.0 if a
        # sentence needed a citation.
        citation_precision=_ratio(len(needed), len(markers), 0.0 if sentences else 1.0),
    )


def sentences_of(answer: str) -> Iterator[Sentence]:
    """Yield the sentences that need a citation, with their markers, even after the full stop."""
    sentences: list[Sentence] = []
    for part in _split(CANNED_REPLIES.sub("\n\n", answer)):
        leading = _LEADING.match(part)
        if leading and sentences:
            last = sentences[-1]
            sentences[-1] = Sentence(last.text, (*last.markers, *_markers(leading.group())))
            part = part[leading.end() :]  # noqa: PLW2901 - the rest belongs to the next sentence
        text = _MARKER.sub("", part).strip()
        if any(char.isalnum() for char in text):
            sentences.append(Sentence(text, _markers(part)))
    yield from sentences


def _split(text: str) -> Iterator[str]:
    """Yield the sentences; markers between two sentences also separate them."""
    at = 0
    for match in _CITED_END.finditer(text):
        yield from split_sentences(text[at : match.end()])
        at = match.end()
    yield from split_sentences(text[at:])


def _markers(text: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(int(number) for number in _MARKER.findall(text)))


def _parts_of(source: Source) -> Iterator[str]:
    """Yield each sentence of a source and its clauses, alone and after the title."""
    for sentence in split_sentences(source.text):
        is_whole = bool(_turns(sentence) & _CONDITIONS)
        clauses = [] if is_whole else [part for part in _CLAUSE.split(sentence) if terms(part)]
        for part in (sentence, *clauses):
            yield part
            yield f"{source.title.rstrip('?.!')} {part}"


def _turns(text: str) -> frozenset[str]:
    return _TURNS.intersection(tokenize(text))


def _names(text: str) -> Iterator[str]:
    for match in re.finditer(r"[A-Z][\w'\u2019-]*", text):
        if not _OPENS.search(text[: match.start()]):
            yield match[0]


def _ratio(part: int, total: int, default: float) -> float:
    return round(part / total, 4) if total else default
