"""What is told while texts are embedded, by the caches that embed them."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from counted_embedder import Noting

from resolvers.ai.embedding_count import Progress, telling
from resolvers.embeddings.disk_cache import DiskVectorCache
from resolvers.embeddings.errors import ModelError

TEXTS = [f"text {number}" for number in range(1200)]


class Bars:
    """Bars that keep what they were shown, and whether they were closed."""

    def __init__(self) -> None:
        self.shown: list[tuple[int, int]] = []
        self.is_open = False

    @contextmanager
    def __call__(self) -> Iterator[Progress]:
        """One bar."""
        self.is_open = True
        try:
            yield lambda done, total: self.shown.append((done, total))
        finally:
            self.is_open = False


def test_the_begin_and_the_end_are_logged_and_a_bar_is_shown_in_between(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "studiograph.answers")
    for texts, expected in ((TEXTS, "1,200"), ([*TEXTS, "one more"], "1")):
        bars = Bars()
        with telling(bars) as progress:
            DiskVectorCache(tmp_path, Noting(), progress).get_or_embed(texts)
            assert bars.is_open
        assert not bars.is_open
        assert bars.shown[0] == (len(texts) - int(expected.replace(",", "")), len(texts))
        assert bars.shown[-1] == (len(texts), len(texts))
        begun, ended = (record.getMessage() for record in caplog.records)
        assert begun == f"embedding {expected} passages beside the service"
        assert re.fullmatch(rf"embedded {expected} passages in \d+\.\d s", ended)
        caplog.clear()


def test_where_nothing_is_missing_nothing_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    DiskVectorCache(tmp_path, Noting()).get_or_embed(TEXTS)
    caplog.set_level(logging.INFO, "studiograph.answers")
    bars = Bars()
    with telling(bars) as progress:
        DiskVectorCache(tmp_path, Noting(), progress).get_or_embed(TEXTS)
    assert not bars.shown
    assert not caplog.records


def test_a_failure_closes_the_bar_and_is_no_end(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "studiograph.answers")
    bars = Bars()
    with pytest.raises(ModelError), telling(bars) as progress:
        DiskVectorCache(tmp_path, Noting(is_away=True), progress).get_or_embed(TEXTS)
    assert not bars.is_open
    assert [r.getMessage() for r in caplog.records] == [
        "embedding 1,200 passages beside the service"
    ]
