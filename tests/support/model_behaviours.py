"""Behaviours of a model server that speaks OpenAI's HTTP, right and wrong ones.

A behaviour turns a call into steps: bytes that are sent, pauses, and how the connection ends.
"""

import json
import re
import time
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any
from zlib import crc32

import numpy as np

DIMENSIONS = 768


class Halt(Enum):
    """How a call goes on that does not simply end."""

    SILENCE = auto()  # nothing more is sent until the caller leaves
    RESET = auto()  # the connection is reset


@dataclass(frozen=True)
class Wait:
    """A pause, unless the caller leaves."""

    seconds: float


@dataclass(frozen=True)
class Call:
    """What was asked."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any

    @property
    def texts(self) -> list[str]:
        """What is to be embedded."""
        given = self.body["input"]
        return [given] if isinstance(given, str) else list(given)

    @property
    def messages(self) -> list[dict[str, str]]:
        """What the language model is told."""
        return list(self.body["messages"])


Step = bytes | Halt | Wait
Habit = Callable[[Call], Iterable[Step]]
"""What a server does with a call: the bytes that it sends, and where it halts."""


# Chat -------------------------------------------------------------------------------------------


def says(*pieces: str, finish: str | None = "stop", done: bool = True) -> Habit:
    """The habit of answering so: streamed a piece a chunk, or whole where no stream is asked."""

    def habit(call: Call) -> Iterator[Step]:
        if not call.body.get("stream"):
            yield _whole("".join(pieces), finish)
            return
        yield from _opening(pieces)
        if finish is not None:
            yield event(_chunk({}, finish))
        if done:
            yield b"data: [DONE]\n\n"

    return habit


def then(*pieces: str, step: Step) -> Habit:
    """The habit of beginning an answer and then taking a step."""
    return lambda _: [*_opening(pieces), step]


def silent() -> Habit:
    """The habit of never answering."""
    return lambda _: [Halt.SILENCE]


def streams(*steps: Step) -> Habit:
    """The habit of an event stream of these very bytes and halts."""
    return lambda _: [STREAM, *steps]


def drips(pieces: Sequence[str], seconds: float) -> Habit:
    """The habit of a pause before each piece."""

    def habit(_: Call) -> Iterator[Step]:
        yield STREAM
        for piece in pieces:
            yield Wait(seconds)
            yield event(_chunk({"content": piece}))
        yield event(_chunk({}, "stop"))

    return habit


def grounded(most: int = 2) -> Habit:
    """The habit of quoting the first sentence of the first passages in the prompt, with [n]."""

    def habit(call: Call) -> Iterable[Step]:
        quotes = [f"{_sentence(text)} [{n}]" for n, text in passages(call)[:most]]
        words = re.findall(r"\S+\s*", " ".join(quotes))
        return says(*(words or ["NOT_FOUND"]))(call)

    return habit


def passages(call: Call) -> list[tuple[int, str]]:
    """The passages of a prompt: number and text, the title in the first line."""
    prompt = call.messages[-1]["content"]
    found = re.findall(r"<<<PASSAGE (\d+) (\w+)>>>\n(.*?)\n<<<END \2>>>", prompt, re.DOTALL)
    return [(int(n), text) for n, _, text in found]


# Embeddings -------------------------------------------------------------------------------------


def embeds(dimensions: int = DIMENSIONS, *, shortens: bool = False, codes: bool = True) -> Habit:
    """The habit of vectors of counted words; `shortens`: as many dimensions as are asked for."""

    def habit(call: Call) -> list[Step]:
        asked = call.body.get("dimensions", dimensions) if shortens else dimensions
        rows = [vector_of(text, asked) for text in call.texts]
        return [_vectors(rows, codes=codes and call.body.get("encoding_format") == "base64")]

    return habit


def embeds_so(change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> Habit:
    """The habit of vectors that a test has changed."""

    def habit(call: Call) -> list[Step]:
        rows = [vector_of(text, DIMENSIONS).tolist() for text in call.texts]
        data = [{"object": "embedding", "index": n, "embedding": row} for n, row in enumerate(rows)]
        return [as_json({"object": "list", "model": "m", "data": change(data)})]

    return habit


def vector_of(text: str, dimensions: int = DIMENSIONS) -> np.ndarray[Any, np.dtype[np.float32]]:
    """The vector of a text: its words, each counted in a place of its own. Not of unit length."""
    made = np.zeros(dimensions, np.float32)
    for word in re.findall(r"\w+", text.casefold()) or [text]:
        made[crc32(word.encode()) % dimensions] += 1
    return made


# Both -------------------------------------------------------------------------------------------


def refuses(status: int, *headers: str, text: str = "no, sk-secret") -> Habit:
    """The habit of a refusal, which repeats a secret as some servers do."""
    return lambda _: [as_json({"error": {"message": text, "type": "t"}}, status, *headers)]


def answers(body: bytes, kind: str = "application/json", status: int = 200) -> Habit:
    """The habit of one body, whatever it is."""
    return lambda _: [_http(body, kind, status)]


def resets() -> Habit:
    """The habit of resetting the connection at once."""
    return lambda _: [Halt.RESET]


def event(value: Any) -> bytes:
    """A value as an event."""
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def _http(body: bytes, kind: str, status: int, *headers: str) -> bytes:
    lines = (
        *(f"HTTP/1.1 {status} Word", f"Content-Type: {kind}", f"Content-Length: {len(body)}"),
        *("Connection: close", *headers),
    )
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


STREAM = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
    b"Connection: close\r\n\r\n"
)
"""The head of an event stream, which ends with its connection."""


def as_json(value: Any, status: int = 200, *headers: str) -> bytes:
    return _http(json.dumps(value).encode(), "application/json", status, *headers)


def _opening(pieces: Iterable[str]) -> Iterator[bytes]:
    yield STREAM
    yield event(_chunk({"role": "assistant", "content": ""}))
    for piece in pieces:
        yield event(_chunk({"content": piece}))


def _chunk(delta: dict[str, str], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": "c", "object": "chat.completion.chunk", "created": int(time.time())}
    return {**head, "model": "m", "choices": [choice]}


def _whole(text: str, finish: str | None) -> bytes:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    head = {"id": "c", "object": "chat.completion", "created": int(time.time()), "model": "m"}
    return as_json({**head, "choices": [choice]})


def _vectors(rows: list[np.ndarray[Any, np.dtype[np.float32]]], *, codes: bool) -> bytes:
    data = [
        {
            "object": "embedding",
            "index": n,
            "embedding": b64encode(row.tobytes()).decode() if codes else row.tolist(),
        }
        for n, row in enumerate(rows)
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return as_json({"object": "list", "model": "m", "data": data, "usage": usage})


def _sentence(text: str) -> str:
    """The first sentence behind the title."""
    body = text.partition("\n")[2].strip()
    return re.split(r"(?<=[.!?])\s", body, maxsplit=1)[0]
