"""Measures the check of sentences with answers that are known to be good or bad.

The cases are those of the check's own tests; the sources are the sample studio's entries.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

from content.reading.reader import load
from evals.material import ROOT, STUDIOS, Half
from resolvers.chat.check import check_citations
from resolvers.chat.conversation import Source
from resolvers.embeddings.tokenizer import terms
from resolvers.search.documents import documents_of

CASES = ROOT / "tests/support/lint_cases.py"
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
    for case in cases():
        if case.half == _HALVES[half]:
            sources = [
                Source(n, "", name, texts[name][0], name, 1.0, texts[name][1])
                for n, name in enumerate(case.entries, 1)
            ]
            passes = check_citations(case.answer, sources, terms(site.studio.name)).ok
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
