"""Answers about a studio, without a server; vectors are kept between runs."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from local_service import bound, stored_operations
from model_weights import WEIGHTS
from repository import MODEL_CACHE, ROOT, SAMPLE

from resolvers.answers.answers import Answers
from resolvers.answers.fields import FactTable
from resolvers.answers.lines import lines_of
from resolvers.answers.ranker import Ranker
from resolvers.embeddings.disk_cache import document_cache
from resolvers.embeddings.embedder import Embedder, TokenEmbedder
from resolvers.embeddings.hashing import HashingEmbedder
from resolvers.embeddings.hybrid import Hybrid, hybrid

SECOND = ROOT / "evals" / "second"
STUDIOS = (SAMPLE, SECOND)


@cache
def table_of(content: Path = SAMPLE) -> FactTable:
    """The fields of a studio that answer questions."""
    return FactTable(bound(stored_operations(), content))


@cache
def answers_by_words(content: Path = SAMPLE) -> Answers:
    """What answers questions about a studio, by an embedder that knows no meaning."""
    return answers_from(table_of(content))


@cache
def answers_by_meaning(content: Path = SAMPLE) -> Answers:
    """What answers questions about a studio, by the embedded model."""
    return answers_from(table_of(content), model(), MODEL_CACHE / "vectors" / content.name)


def answers_from(
    table: FactTable, embedder: Embedder | None = None, folder: Path | None = None
) -> Answers:
    """What answers questions from these fields, by words alone unless an embedder is given."""
    folder = folder or Path(mkdtemp(prefix="studiograph-answers-"))
    cache_ = document_cache(folder, embedder or HashingEmbedder())
    ranker = Ranker(lines_of(table), cache_, table.unanswered)
    return Answers(ranker, "tokens" if isinstance(embedder, TokenEmbedder) else "words")


@cache
def model() -> Hybrid:
    """The embedded model."""
    assert WEIGHTS is not None
    return hybrid(WEIGHTS)


def texts_of(answers: Answers, question: str, turns: Sequence[tuple[str, str]] = ()) -> list[str]:
    """The lines of an answer."""
    return [line.text for line, _ in answers.answer(question, turns).lines]
