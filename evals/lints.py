"""Measures the citation check with answers that are known to be good or bad.

The cases are those of the check's own tests, the sources are the sample studio's entries, and the
vectors come from the measured system.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

import numpy as np

from content.reader import load
from evals.material import ROOT, STUDIOS, Half
from resolvers.chat.citation_check import check_citations
from resolvers.chat.pipeline import source_of
from resolvers.embeddings.memory_cache import VectorCache
from resolvers.embeddings.tokenizer import terms
from resolvers.search.bm25 import Bm25
from resolvers.search.documents import Document, documents_of

CASES = ROOT / "tests/support/lint_cases.py"
_HALVES: dict[Half, str] = {"tune": "dev", "report": "test"}
"""What the cases call the halves."""

Embed = Callable[[Sequence[str]], list[list[float]]]


@dataclass(frozen=True)
class Lints:
    """The results of the check.

    Shape: `flagged` has 1 for each bad answer that did not pass, `passed` has 1 for each good one
    that passed; otherwise 0.
    """

    flagged: tuple[float, ...] = ()
    passed: tuple[float, ...] = ()


def lints(half: Half, embed: Embed) -> Lints:
    """Check the cases of a half."""
    site = load(STUDIOS["sample"])
    documents = _documents(site)
    idf = _idf(documents.values())
    vectors = VectorCache(lambda texts: np.array(embed(texts), dtype=np.float32))
    results: dict[bool, list[float]] = {True: [], False: []}
    for case in cases():
        if case.half == _HALVES[half]:
            sources = [source_of(n, documents[name]) for n, name in enumerate(case.entries, 1)]
            passes = check_citations(case.answer, sources, idf, vectors).ok
            results[case.good].append(float(passes == case.good))
    return Lints(tuple(results[False]), tuple(results[True]))


def cases() -> Sequence[Any]:
    """Load the cases of both halves from a file that is in no package."""
    spec = spec_from_file_location("lint_cases", CASES)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(CASES)
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses need it there
    spec.loader.exec_module(module)
    cases: Sequence[Any] = module.CASES
    return cases


def _documents(site: Any) -> dict[str, Document]:
    documents = documents_of(site, lambda kind, slug: f"/{kind}/{slug}")
    return {f"{item.kind}/{item.slug}": item for item in documents}


def _idf(documents: Iterable[Document]) -> Callable[[str], float]:
    """Return the function for a word's rarity, as the search index has it."""
    return Bm25([terms(f"{item.title} {item.text}") for item in documents]).idf
