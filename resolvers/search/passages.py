"""What is searched in one revision: its documents, their chunks, sentences and words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from resolvers.embeddings.tokenizer import terms, tokenize
from resolvers.search.bm25 import Bm25
from resolvers.search.documents import Chunk, Document, chunks_of, embedding_text
from resolvers.search.sentences import split_sentences

_TITLE_REPEATS = 2
"""How often the title counts in BM25."""


@dataclass(frozen=True)
class Sentence:
    """A sentence of a chunk; one that two chunks share belongs to the first of them."""

    document: int
    chunk: int
    text: str
    begin: int
    """Where it begins in the text of its chunk. Units: characters."""
    position: int
    """How many sentences of the document come before it."""


class Passages:
    """The documents of a revision and their parts, each named by its number. Immutable."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = documents
        self.numbers = {(item.kind, item.slug): number for number, item in enumerate(documents)}
        self.chunks: list[Chunk] = []
        self.owners: list[int] = []
        """The document of each chunk."""
        self.chunks_of: list[range] = []
        """The chunks of each document."""
        for number, document in enumerate(documents):
            begin = len(self.chunks)
            self.chunks += chunks_of(document)
            self.chunks_of.append(range(begin, len(self.chunks)))
            self.owners += [number] * len(self.chunks_of[-1])
        self.kinds = [chunk.kind for chunk in self.chunks]
        self.texts = [embedding_text(chunk) for chunk in self.chunks]
        self.sentences = [
            sentence for number in range(len(documents)) for sentence in self._sentences(number)
        ]
        every = [
            f"{item.title}. " * _TITLE_REPEATS + f"{item.text} {item.facts}" for item in documents
        ]
        words = [terms(text) for text in every]
        self.terms = [frozenset(document_words) for document_words in words]
        self.fact_terms = [frozenset(terms(item.facts)) for item in documents]
        self.bm25 = Bm25(words)
        self.known_words = frozenset(word for text in every for word in tokenize(text))

    def offset_of(self, chunk: int) -> int:
        """Return where the chunk's own text begins in the text to embed. Units: characters."""
        return len(self.texts[chunk]) - len(self.chunks[chunk].text)

    def _sentences(self, number: int) -> Iterator[Sentence]:
        position, last = 0, ""
        for chunk in self.chunks_of[number]:
            text, begin, previous = self.chunks[chunk].text, 0, ""
            for sentence in split_sentences(text):
                begin = text.index(sentence, begin)
                if previous or sentence != last:  # a long paragraph's chunks share a sentence
                    yield Sentence(number, chunk, sentence, begin, position)
                    position += 1
                begin += len(sentence)
                previous = last = sentence
