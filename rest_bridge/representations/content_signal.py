"""The signals of the licensing policy to crawlers, for robots.txt and for headers of responses.

Source: contentsignals.org.
"""

from collections.abc import Mapping
from typing import Any

SIGNALS = {"search": "crawling", "ai-input": "summarization", "ai-train": "training"}
"""The policy's field behind each signal."""


def content_signal(licensing: Mapping[str, Any] | None) -> str:
    """Return the signals, such as `search=yes, ai-train=no`; empty if there are none."""
    return ", ".join(yes_or_no(licensing, SIGNALS, ("yes", "no")))


def yes_or_no(
    licensing: Mapping[str, Any] | None, fields: Mapping[str, str], answers: tuple[str, str]
) -> list[str]:
    """Return `signal=answer` for each signal whose permission has no condition.

    None says nothing about any use.
    """
    if licensing is None:
        return []
    words = {"allowed": answers[0], "not-allowed": answers[1]}
    return [
        f"{signal}={words[licensing[field]]}"
        for signal, field in fields.items()
        if licensing[field] in words
    ]
