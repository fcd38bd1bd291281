"""Measures the check of sentences with answers that are known to be good or bad.

The cases are in `lint_cases.py`; the sources are the sample studio's entries.
"""

from dataclasses import dataclass

from content.reading.reader import load
from evals.lint_cases import CASES
from evals.material import STUDIOS, Half
from resolvers.chat.check import check_citations
from resolvers.chat.conversation import Source
from resolvers.embeddings.tokenizer import terms
from resolvers.search.documents import documents_of

_HALVES: dict[Half, str] = {"tune": "dev", "report": "test"}
"""What the cases call the halves."""


@dataclass(frozen=True)
class Lints:
    """The results of the check.

    Shape: `flagged` has 1 for each bad answer that did not pass, `passed` has 1 for each good one
    that passed; otherwise 0.
    """

    flagged: tuple[float, ...] = ()
    passed: tuple[float, ...] = ()


def lints(half: Half) -> Lints:
    """Check the cases of a half."""
    site = load(STUDIOS["sample"])
    documents = documents_of(site, lambda kind, slug: f"/{kind}/{slug}")
    texts = {f"{d.kind}/{d.slug}": (d.title, d.text) for d in documents}
    results: dict[bool, list[float]] = {True: [], False: []}
    for case in CASES:
        if case.half == _HALVES[half]:
            sources = [
                Source(n, "", name, texts[name][0], name, 1.0, texts[name][1])
                for n, name in enumerate(case.entries, 1)
            ]
            passes = check_citations(case.answer, sources, terms(site.studio.name)).ok
            results[case.good].append(float(passes == case.good))
    return Lints(tuple(results[False]), tuple(results[True]))
