"""Whether a passage is about the very words for what a question asks for."""

import re
from collections.abc import Sequence

from resolvers.embeddings.tokenizer import terms
from resolvers.facts.evidence import Evidence
from resolvers.facts.names import MIN_TYPO_LENGTH, without_one_letter
from resolvers.facts.passages import Passage
from resolvers.facts.router import FactRouter
from resolvers.facts.slots import asked_phrases
from resolvers.search.sentences import split_sentences

ASKED_NEARNESS = 0.55
"""How near to a word of the answer the word for what is asked must be."""
UNKNOWN_NEARNESS = 0.66
"""The same for a word that nothing here has: pieces of a strange word are near to anything."""
STRANGE_NEARNESS = 0.36
"""The same for other such words of a short question, which tells nothing of its caller.

All three were set on the half of `evals/` to tune.
"""
MAX_SHORT = 5
"""How many words, without those that every text has, a short question has."""
ASKS_OPENLY = re.compile(r"^(?:who|whose|what|when|where|which|how)\b", re.IGNORECASE)
"""The beginnings of questions that do not ask for yes or no."""
POLAR = re.compile(
    r"^(?:do|does|did|can|could|would|will|have|has|is|are|may|might)\b", re.IGNORECASE
)
"""The beginnings of questions that ask for yes or no."""


class AskedWords:
    """What passages lack of what is asked for. Immutable, so threads may share it."""

    def __init__(self, router: FactRouter, evidence: Evidence) -> None:
        self._router = router
        self._evidence = evidence
        known = evidence.known_words | router.example_words
        self._almost = {
            part
            for word in known
            if len(word) >= MIN_TYPO_LENGTH
            for part in without_one_letter(word)
        }

    def lacks(
        self, question: str, numbers: Sequence[int], passages: Sequence[Passage]
    ) -> list[set[str]]:
        """Return of each passage the words for what is asked that are near to none of its own.

        "Who is the mayor of ..." is like all that is said of the town, and only `mayor` tells that
        none of it is an answer. The words of the field that is said count as its own. Nothing is
        looked for without `numbers`, where a field is the answer. Blocks.
        """
        if not numbers:
            return [set() for _ in passages]
        least = self._least(question)
        found: list[set[str]] = []
        for number, passage in zip(numbers, passages, strict=True):
            own = {*terms(passage.title), *terms(passage.quote)}
            own |= passage.field.words if passage.field is not None else set()
            near = self._evidence.nearness(question, [number]) if least else {}
            found.append({w for w, n in least.items() if w not in own and near.get(w, 1) < n})
        return found

    def _least(self, question: str) -> dict[str, float]:
        """Return the words for what is asked, and how near a passage must be to each."""
        words = terms(split_sentences(question)[0])
        is_short = len(words) <= MAX_SHORT and POLAR.match(question) is None
        strange = [word for word in words if is_short and not self._knows(word)]
        strange = [word for word in strange if not self._is_misspelt(question, word)]
        # keywords may have a word of the caller's own, but not be mostly strange
        if ASKS_OPENLY.match(question) is None and 2 * len(strange) < len(words):
            strange = []
        least = dict.fromkeys(strange, STRANGE_NEARNESS)
        for *others, noun in asked_phrases(question):
            for word in others:
                least[word] = STRANGE_NEARNESS if self._knows(word) else ASKED_NEARNESS
            least[noun] = ASKED_NEARNESS if self._knows(noun) else UNKNOWN_NEARNESS
        return least

    def _knows(self, word: str) -> bool:
        """Return whether anything that can be said, or an example question, has the word."""
        return word in self._router.example_words or self._evidence.knows(word)

    def _is_misspelt(self, question: str, word: str) -> bool:
        """Return whether a word is a known one but for one letter, and no other: `rigth`."""
        is_long = len(word) >= MIN_TYPO_LENGTH
        is_near = is_long and not self._almost.isdisjoint(without_one_letter(word))
        return is_near and self._evidence.pieces(question, word) > 1
