"""Reads with parameters: from the loop or from the thread, an answer is the same."""

import re
import threading
from pathlib import Path

import pytest
from local_service import asking

from rest_bridge.endpoints import read
from studiograph.asgi import build
from studiograph.settings import Settings

REQUEST_ID = re.compile(rb'"request_id":"[^"]*",')
TARGETS = (
    *("/api/manifest?fields=faq,studio.name", "/api/manifest?fields=studio.name,faq.q"),
    *("/api/projects?limit=1", "/api/projects?offset=1&fields=slug", "/api/changes?since=2020"),
    *("/api/projects?fields=nonsense", "/api/projects/nobody?fields=name", "/api/faq.md?limit=2"),
)


def test_what_takes_long_is_made_beside_the_loop_and_is_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answers(data: str) -> list[tuple[int, bytes, str | None]]:
        ask = asking(build(Settings(content=folder, data=folder / data)))
        both = [*TARGETS, *TARGETS]  # the second time it is remembered
        return [
            (r.status_code, REQUEST_ID.sub(b"", r.content), r.headers.get("etag"))
            for r in map(ask, both)
        ]

    def reads() -> int:
        return sum(thread.name.startswith("reads") for thread in threading.enumerate())

    before = reads()
    monkeypatch.setattr(read, "LONG_SECONDS", float("inf"))
    in_the_loop = answers("one")
    assert reads() == before
    monkeypatch.setattr(read, "LONG_SECONDS", -1)  # all but the first of each operation
    beside_it = answers("one")
    assert reads() == before + 1
    assert [status for status, _, _ in in_the_loop][:4] == [200] * 4
    assert beside_it == in_the_loop
