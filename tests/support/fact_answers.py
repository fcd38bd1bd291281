"""Answers from the fields of a studio, without a server; vectors are kept between runs."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from boatyard import BY_WORDS
from local_service import bound, stored_operations
from model_weights import WEIGHTS
from repository import MODEL_CACHE, ROOT, SAMPLE

from content.reader import load
from resolvers.ai.builder import roles_of
from resolvers.embeddings.disk_cache import DiskTokenCache, DiskVectorCache
from resolvers.embeddings.embedder import Vectors
from resolvers.embeddings.hybrid import hybrid, meaning_of
from resolvers.facts.answers import FactAnswers
from resolvers.facts.fields import FactTable
from resolvers.facts.likeness import Embed
from resolvers.facts.router import FactRouter

SECOND = ROOT / "evals" / "second"
STUDIOS = (SAMPLE, SECOND)


@cache
def table_of(content: Path = SAMPLE) -> FactTable:
    """The fields of a studio that answer questions."""
    return FactTable(bound(stored_operations(), content))


@cache
def answers_by_words(content: Path = SAMPLE) -> FactAnswers:
    """What answers questions about a studio, by an embedder that knows no meaning."""
    return _answers(content, BY_WORDS, BY_WORDS, BY_WORDS)


@cache
def answers_by_meaning(content: Path = SAMPLE) -> FactAnswers:
    """What answers questions about a studio, by the embedded model."""
    assert WEIGHTS is not None
    model = hybrid(WEIGHTS, MODEL_CACHE)

    def meaning(texts: Sequence[str]) -> Vectors:
        return meaning_of(model.embed_documents(texts), model.mode)

    def kept(name: str) -> Embed:
        cache = DiskVectorCache(MODEL_CACHE / "vectors" / content.name / name, model)
        return lambda texts: meaning_of(cache.get_or_embed(texts), model.mode)

    sentences = DiskTokenCache(MODEL_CACHE / "vectors" / content.name / "sentences", model)
    return _answers(content, meaning, kept("questions"), sentences)


def _answers(
    content: Path, embed: Embed, questions: Embed, sentences: Embed | DiskTokenCache
) -> FactAnswers:
    roles = roles_of(load(content).studio, "the founder")
    return FactAnswers(FactRouter(table_of(content), embed, roles, questions), sentences)
