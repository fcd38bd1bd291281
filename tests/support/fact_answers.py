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
from resolvers.embeddings.hybrid import Hybrid, hybrid, meaning_of
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
    return FactAnswers(_router(content, BY_WORDS, BY_WORDS), BY_WORDS)


@cache
def answers_by_meaning(content: Path = SAMPLE) -> FactAnswers:
    """What answers questions about a studio, by the embedded model."""
    sentences = DiskTokenCache(_vectors(content) / "sentences", _model())
    return FactAnswers(router_by_meaning(content), sentences)


@cache
def router_by_meaning(content: Path = SAMPLE) -> FactRouter:
    """What finds the fields of a studio that a question is about, by the embedded model."""
    model = _model()
    kept = DiskVectorCache(_vectors(content) / "questions", model)

    def meaning(texts: Sequence[str]) -> Vectors:
        return meaning_of(model.embed_documents(texts), model.mode)

    def kept_meaning(texts: Sequence[str]) -> Vectors:
        return meaning_of(kept.get_or_embed(texts), model.mode)

    return _router(content, meaning, kept_meaning)


@cache
def _model() -> Hybrid:
    assert WEIGHTS is not None
    return hybrid(WEIGHTS, MODEL_CACHE)


def _vectors(content: Path) -> Path:
    return MODEL_CACHE / "vectors" / content.name


def _router(content: Path, embed: Embed, questions: Embed) -> FactRouter:
    return FactRouter(
        table_of(content), embed, roles_of(load(content).studio, "the founder"), questions
    )
