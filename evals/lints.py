"""The lint of answers against answers known to be good or bad. Changes neither.

The cases stand beside the lint's own tests; sources are the sample studio's entries, and vectors
come from the system that is measured.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

from content.reader import load
from evals.questions import Half

if TYPE_CHECKING:
    from resolvers.search.documents import Document

ROOT = Path(__file__).parents[1]
CASES = ROOT / "tests/support/lint_cases.py"

Embed = Callable[[Sequence[str]], list[list[float]]]


@dataclass(frozen=True)
class Lints:
    """How the lint judged.

    Shape: `flagged` has 1 for each bad answer that did not pass, `passed` 1 for each good one
    that did; else 0.
    """

    flagged: tuple[float, ...]
    passed: tuple[float, ...]


def lints(halves: Sequence[Half], embed: Embed) -> Lints:
    """How the lint judges the cases of these halves."""
    import numpy as np  # noqa: PLC0415 - heavy, as are those that follow

    from resolvers.chat.citation_check import check_citations  # noqa: PLC0415 - as above
    from resolvers.chat.pipeline import source_of  # noqa: PLC0415 - as above
    from resolvers.embeddings.memory_cache import VectorCache  # noqa: PLC0415 - as above

    site = load(ROOT / "content")
    entries = _entries(site)
    idf = _idf(entries.values())
    vectors = VectorCache(lambda texts: np.array(embed(texts), dtype=np.float32))
    judged: dict[bool, list[float]] = {True: [], False: []}
    for case in cases():
        if case.half in halves:
            sources = [source_of(n, entries[name]) for n, name in enumerate(case.entries, 1)]
            passes = check_citations(case.answer, sources, idf, vectors).ok
            judged[case.good].append(float(passes == case.good))
    return Lints(tuple(judged[False]), tuple(judged[True]))


def cases() -> Sequence[Any]:
    """The cases of both halves, from the file of a folder that is no package."""
    spec = spec_from_file_location("lint_cases", CASES)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(CASES)
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # a dataclass looks its own module up
    spec.loader.exec_module(module)
    cases: Sequence[Any] = module.CASES
    return cases


def _entries(site: Any) -> "dict[str, Document]":
    from resolvers.search.documents import documents_of  # noqa: PLC0415 - as above

    made = documents_of(site, lambda kind, slug: f"/{kind}/{slug}")
    return {f"{entry.kind}/{entry.slug}": entry for entry in made}


def _idf(entries: "Iterable[Document]") -> Callable[[str], float]:
    """How rare a word is among the entries, as the index has it."""
    from resolvers.embeddings.tokenizer import terms  # noqa: PLC0415 - as above
    from resolvers.search.bm25 import Bm25  # noqa: PLC0415 - as above

    return Bm25([terms(f"{entry.title} {entry.text}") for entry in entries]).idf
