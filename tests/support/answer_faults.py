"""What no answer may be, whatever was asked: a fault of ours, a page, late, or telling."""

import json
import re
import sys
from collections.abc import Iterator, Sequence

from raw_client import Answer, Heard
from repository import ROOT

MARK = "c4n4ry"
"""Begins every mark; the number of the request follows."""
_MARKS = re.compile(rb"c4n4ry-([0-9]+)")
INTERNAL = (
    *(b"Traceback (most recent", b'File "/', b"site-packages", b'.py", line', b"sqlite3."),
    *(b"sqlalchemy", b"psycopg", b"pydantic", b"starlette", b"uvicorn", b"STUDIOGRAPH_"),
    *(str(ROOT).encode(), sys.prefix.encode()),
)
"""Nothing outside needs any of these, and the sample studio names none."""
UNHIDDEN = ("gzip", "br", "zstd")


def mark_of(number: int) -> str:
    """Return the mark of a request."""
    return f"{MARK}-{number}"


def faults(number: int, heard: Heard, secrets: Sequence[bytes]) -> Iterator[str]:
    """Yield what is wrong with what was heard for a request.

    Args:
        number: the number of the request, which its mark holds.
        heard: what came back.
        secrets: values that only the service knows, such as its settings and folders.
    """
    if heard.is_late:
        yield "no whole answer in time"
    if heard.is_garbled:
        yield "an answer that is no HTTP"
    for answer in heard.answers:
        yield from _of_answer(number, answer, secrets)


def telling(text: bytes, secrets: Sequence[bytes]) -> list[str]:
    """Return what a text tells of the inside of the service."""
    return [word.decode() for word in (*INTERNAL, *secrets) if word in text]


def _of_answer(number: int, answer: Answer, secrets: Sequence[bytes]) -> Iterator[str]:
    headers = answer.headers
    if answer.status >= 500:
        yield f"the status is {answer.status}"
    if headers.get("x-content-type-options") != "nosniff":
        yield "no nosniff"
    if "html" in headers.get("content-type", ""):
        yield "an HTML page"
    for name in ("server", "set-cookie", "x-powered-by", "x-sent"):
        if name in headers:
            yield f"the header {name}"
    if headers.get("content-encoding") in UNHIDDEN:
        return
    shown = "\n".join(headers.values()).encode() + b"\n" + answer.body
    for word in telling(shown, secrets):
        yield f"it tells {word!r}"
    others = {int(found) for found in _MARKS.findall(shown)} - {number}
    if others:
        yield f"it holds what another request sent: {sorted(others)[:3]}"
    if "problem+json" in headers.get("content-type", "") and _repeats(answer.body):
        yield "a refusal repeats what was sent"


def _repeats(problem: bytes) -> bool:
    """Return whether a problem document holds a value that was sent; a path may name a member."""
    told = json.loads(problem or b"{}")
    for each in told.get("fields", ()):
        del each["path"]
    return MARK in json.dumps(told)
