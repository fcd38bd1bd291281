"""What the counts say: who came, what was not found, and which questions had no answer.

A word of a question is shown once `SHOWN_FROM` callers used it in such a question, so that nobody's
own words are read by the owner, whatever they are.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from resolvers.embeddings.tokenizer import STOP_WORDS, stem, terms, tokenize
from resolvers.usage.recorder import GAP
from resolvers.usage.store import Asked, Question

SHOWN_FROM = 3
"""How many callers must have used a word."""
SAME = 0.5
"""How much of their words two questions share that are shown as one; Dice's coefficient."""


Counted = TypeVar("Counted")


@dataclass(frozen=True)
class AskedTogether:
    """Questions about the same thing."""

    text: str
    """One of them, with a gap for each word that too few callers used."""
    callers: int
    """At least how many callers asked; one who asked in two ways counts once."""
    times: int
    channels: tuple[str, ...]


@dataclass
class _Text:
    """One wording, by whom and how often it was asked."""

    text: str
    callers: set[int] = field(default_factory=set)
    channels: set[str] = field(default_factory=set)
    times: int = 0

    @property
    def stems(self) -> frozenset[str]:
        """What it is about; all of its words if they say nothing alone."""
        return frozenset(terms(self.text) or tokenize(self.text))


def totals(counted: Counter[Counted], by: Callable[[Counted], str]) -> Counter[str]:
    """Return how many there were of each kind."""
    result: Counter[str] = Counter()
    for each, number in counted.items():
        result[by(each)] += number
    return result


def unanswered(questions: Counter[Question], *kinds: Asked) -> tuple[list[AskedTogether], int]:
    """Return what was asked and not answered, most callers first, and how much is not shown."""
    shown, hidden = [], 0
    for group in _grouped(_texts(questions, kinds)):
        if (together := _shown(group)) is None:
            hidden += 1
        else:
            shown.append(together)
    return sorted(shown, key=lambda each: (-each.callers, -each.times, each.text)), hidden


def _texts(questions: Counter[Question], kinds: Iterable[Asked]) -> list[_Text]:
    """Return every wording that was not answered, most callers first."""
    texts: dict[str, _Text] = {}
    for question, times in questions.items():
        if not question.answered and question.kind in kinds:
            text = texts.setdefault(question.text, _Text(question.text))
            text.callers.add(question.caller)
            text.channels.add(question.channel)
            text.times += times
    return sorted(texts.values(), key=lambda each: (-len(each.callers), -each.times, each.text))


def _grouped(texts: Iterable[_Text]) -> Iterator[list[_Text]]:
    """Put each wording to the first group whose first one shares enough words with it."""
    groups: list[list[_Text]] = []
    for text in texts:
        group = next((g for g in groups if _likeness(g[0].stems, text.stems) >= SAME), None)
        if group is None:
            groups.append([text])
        else:
            group.append(text)
    yield from groups


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other) or 1)


def _shown(group: list[_Text]) -> AskedTogether | None:
    """Return a group as the owner may see it; None if too few callers share its words."""
    callers = set[int]().union(*(text.callers for text in group))
    users: defaultdict[str, set[int]] = defaultdict(set)
    for text in group:
        for word in {stem(word) for word in tokenize(text.text)}:
            users[word] |= text.callers
    known = {word for word, who in users.items() if len(who) >= SHOWN_FROM}
    wordings = [_without_rare_words(text.text, known) for text in group]
    best = min(wordings, key=lambda text: text.count(GAP))
    if len(callers) < SHOWN_FROM or not any(map(_says_something, best.split())):
        return None
    channels = sorted(set[str]().union(*(text.channels for text in group)))
    return AskedTogether(best, len(callers), sum(text.times for text in group), tuple(channels))


def _without_rare_words(text: str, known: set[str]) -> str:
    """Return a text with gaps for the words that are neither known nor say nothing."""
    words = [word if _is_shown(word, known) else GAP for word in text.split()]
    return " ".join(w for i, w in enumerate(words) if w != GAP or words[i - 1 : i] != [GAP])


def _is_shown(word: str, known: set[str]) -> bool:
    return all(part in STOP_WORDS or stem(part) in known for part in tokenize(word))


def _says_something(word: str) -> bool:
    return any(part not in STOP_WORDS for part in tokenize(word))
