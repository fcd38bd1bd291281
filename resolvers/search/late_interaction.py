"""The ranking for embedders that also give a vector for each token.

A question is compared token by token: each of its tokens looks for the one that it is most like
in a chunk, and rare ones count more. The vectors of chunks and sentences, and shared words,
choose the documents for which this is done.

Source: Khattab and Zaharia, "ColBERT" (2020); here with a model that was not trained for it.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from resolvers.embeddings.disk_cache import StoredTokens
from resolvers.embeddings.embedder import TokenEmbedder, Vectors
from resolvers.search.bm25 import share_of
from resolvers.search.passages import Passages
from resolvers.search.ranking import Ranked, cache_by_query
from resolvers.search.token_index import QuestionTokens, TokenIndex, read_question
from resolvers.search.vector_index import VectorIndex

CANDIDATES = 30
"""How many documents are compared token by token."""
MAX_SENTENCE_BYTES = 32 * 2**20
"""The memory for vectors of sentences; beyond it, the last ones of long documents have none."""
_NEAREST = 60
"""How many chunks, how many sentences and how many matches of words name candidates."""
_CHUNK, _SENTENCE, _TOKENS = 0.5, 0.5, 1.25
"""The weights of the best chunk, the best sentence and the tokens in a score.

They, `_FACT`, `_REFUSE` and `_OUTSTANDING` were fitted to the half of `evals/` to tune; the one
to report must stay unused.
"""
_FACT = 0.8
"""The likeness of a word that stands in the facts of a document, which are no part of a chunk."""
_CANDIDATE_WORDS = 0.4
"""The weight of the words, besides the first two, where candidates are chosen."""
_REFUSE = 0.33
_OUTSTANDING = 0.08
_CACHED_QUESTIONS = 500
"""Each takes about 10 KB."""
Numbers = npt.NDArray[np.intp]


class LateInteraction:
    """Ranks by chunks, sentences and tokens."""

    refuse = _REFUSE
    outstanding = _OUTSTANDING

    def __init__(
        self,
        passages: Passages,
        embedder: TokenEmbedder,
        vectors: VectorIndex,
        texts: Sequence[StoredTokens],
    ) -> None:
        """Take what the embedder made of the text of each chunk, in their order."""
        self._passages = passages
        self._vectors = vectors
        self._kinds = np.array([document.kind for document in passages.documents])
        self._owners = np.array(passages.owners, dtype=np.intp)
        self._rows = np.array([text.vector for text in texts])
        self._tokens = TokenIndex(texts)
        limit = MAX_SENTENCE_BYTES // self._rows[0].nbytes
        self._sentences = _SentenceIndex(passages, texts, self._tokens.ranges, limit)
        self._question = cache_by_query(
            partial(read_question, embedder=embedder, index=self._tokens), _CACHED_QUESTIONS
        )

    def rank(self, query: str, limit: int, kinds: tuple[str, ...]) -> list[Ranked]:
        """Return the nearest documents, best first. Raises: ModelError."""
        question = self._question(query)
        sentences = self._sentences.vectors @ question.vector
        scores = self._scores(query, question, sentences, max(CANDIDATES, limit), kinds)
        best = sorted(scores, key=lambda number: (-scores[number], number))[:limit]
        return [self._ranked(number, scores[number], sentences) for number in best]

    def _scores(
        self,
        query: str,
        question: QuestionTokens,
        sentences: Vectors,
        count: int,
        kinds: tuple[str, ...],
    ) -> dict[int, float]:
        """Return the scores of the most promising documents."""
        size = len(self._kinds)
        by_chunk = _best(self._rows @ question.vector, self._owners, size)
        by_sentence = _best(sentences, self._sentences.owners, size)
        meaning = _CHUNK * by_chunk + _SENTENCE * np.where(by_sentence > -1, by_sentence, by_chunk)
        bm25 = self._passages.bm25.scores(query)
        is_near = np.zeros(size, dtype=bool)
        is_near[self._owners[self._vectors.nearest(question.vector, _NEAREST, *kinds)]] = True
        is_near[np.argsort(-by_sentence, kind="stable")[:_NEAREST]] = True
        is_near[np.argsort(-bm25, kind="stable")[:_NEAREST]] = True
        near = np.flatnonzero(is_near & np.isin(self._kinds, kinds) if kinds else is_near)
        promise = meaning[near] + _CANDIDATE_WORDS * share_of(bm25[near])
        near = np.sort(near[np.argsort(-promise, kind="stable")[:count]])
        if not len(near):
            return {}
        scores = meaning[near] + _TOKENS * self._token_scores(question, near)
        scaled = np.clip(scores / (_CHUNK + _SENTENCE + _TOKENS), 0, 1)
        return dict(zip(near.tolist(), scaled.tolist(), strict=True))

    def _token_scores(self, question: QuestionTokens, documents: Numbers) -> Vectors:
        """Return the likeness of the best chunk of each of these documents, which are in order."""
        of_documents = [self._passages.chunks_of[number] for number in documents]
        groups = [[self._tokens.ranges[chunk]] for chunks in of_documents for chunk in chunks]
        likeness = self._tokens.likeness(question.tokens, groups)
        facts = [self._passages.fact_terms[number] for number in documents]
        in_facts = np.array([[term in words for term in question.terms] for words in facts])
        likeness = np.maximum(
            likeness, _FACT * np.repeat(in_facts, [*map(len, of_documents)], axis=0)
        )
        starts = np.cumsum([0, *map(len, of_documents[:-1])])
        best: Vectors = np.maximum.reduceat(likeness @ question.weights, starts)
        return best

    def _ranked(self, document: int, score: float, cosines: Vectors) -> Ranked:
        places = np.flatnonzero(self._sentences.owners == document)
        if not len(places):
            return Ranked(document, score, self._passages.chunks_of[document][0], 0)
        best = self._sentences.sentences[places[np.argmax(cosines[places])]]
        return Ranked(document, score, best.chunk, best.begin)


class _SentenceIndex:
    """Sentences with their vectors: the mean of their tokens and of those of the title."""

    def __init__(
        self,
        passages: Passages,
        texts: Sequence[StoredTokens],
        ranges: Sequence[slice],
        limit: int,
    ) -> None:
        """Take all sentences, or of too many those that stand first in their documents."""
        first = sorted(passages.sentences, key=lambda sentence: sentence.position)[:limit]
        self.sentences = sorted(first, key=lambda item: (item.document, item.position))
        self.owners = np.array([item.document for item in self.sentences], dtype=np.intp)
        self.ranges: list[tuple[slice, slice]] = []
        """Where the tokens of the title and of the sentence are, for each sentence."""
        self.vectors = np.empty((len(self.sentences), texts[0].tokens.shape[1]), dtype=np.float32)
        chunk, tokens = -1, texts[0].tokens
        for row, item in enumerate(self.sentences):
            text, offset = texts[item.chunk], passages.offset_of(item.chunk)
            if item.chunk != chunk:
                chunk, tokens = item.chunk, text.tokens
            edges = [offset, offset + item.begin, offset + item.begin + len(item.text)]
            title, begin, end = np.searchsorted(text.pieces["begin"], edges).tolist()
            if begin == end:  # it stands beyond what the model reads
                begin, end = 0, len(tokens)
            mean = np.concatenate([tokens[:title], tokens[begin:end]]).mean(axis=0)
            self.vectors[row] = mean / np.linalg.norm(mean)
            start = ranges[chunk].start
            self.ranges.append((slice(start, start + title), slice(start + begin, start + end)))


def _best(cosines: Vectors, owners: Numbers, count: int) -> Vectors:
    """Return the best cosine of each owner, and -1 for one that has none; owners are in order."""
    best = np.full(count, -1, dtype=np.float32)
    if len(owners):
        starts = np.flatnonzero(np.diff(owners, prepend=-1))
        best[owners[starts]] = np.maximum.reduceat(cosines, starts)
    return best
