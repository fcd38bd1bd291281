"""Answers as readable text that is the same in every run.

What a run makes anew (keys, signatures, ids, its own times) is replaced by a word in angle
brackets. Digests of the content stay, and so do ETags of bodies in which nothing was replaced.
"""

import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

WIDTH = 100
ANCHORED = 1_500
"""The length of JSON from which it is shown once in a file, and named where it stands again."""
WRAPPERS = ("data", "payload", "result", "structuredContent", "items")
"""The members of an answer that hold what was asked for."""
UNTOLD = ("content-length", "content-type", "date", "etag")
"""Headers that follow from the body or the clock, and those that are always told."""
_NO_NAMES: Mapping[str, str] = {}

_RULES = [
    (re.compile(pattern, re.MULTILINE), word)
    for pattern, word in (
        (r"(?<![\w-])[\w-]{86}(?![\w-])", "<signature>"),  # 64 bytes in base64url
        (r"^(— \S+) \S+$", r"\1 <signature>"),  # of a signed note
        (r"\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}", "+<key id>+<key>"),  # the key of a signed note
        (r"whpk_[A-Za-z0-9+/]{43}=", "whpk_<key>"),
        (r"^extra \S+$", "extra <proof>"),  # in base64, with the time of the run
        (r"\bc-[0-9a-f]{32}\b", "<receipt id>"),  # of a message, which differs from day to day
        (r'(request[_-]id"?: "?)[0-9a-f]{16}', r"\1<request id>"),
        (r"<lastmod>[^<]*</lastmod>", "<lastmod><date></lastmod>"),
        (r"^Expires: \S+$", "Expires: <time>"),  # half a year from today
        (r"\br=\d+;t=\d+", "r=<left>;t=<seconds>"),  # of a rate limit
    )
]
_TIMES: list[tuple[re.Pattern[str], Callable[[str], datetime]]] = [
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), datetime.fromisoformat),
    (re.compile(r"\d{8}T\d{6}Z"), datetime.fromisoformat),
    (re.compile(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT"), parsedate_to_datetime),
]


@dataclass(frozen=True)
class Asked:
    """What was asked, in a line, and what came back."""

    title: str
    answer: httpx.Response | str
    shape_alone: bool = False
    """Whether only keys and types of the answer are shown, and none of its words."""

    @property
    def body(self) -> Any:
        """The body as it is shown: JSON as values, else text."""
        if isinstance(self.answer, str):
            return self.answer
        kind = self.answer.headers.get("content-type", "").partition(";")[0]
        if kind.endswith("json") and self.answer.content:
            value = self.answer.json()
            return shape(value) if self.shape_alone else value
        if kind == "text/event-stream":
            return _events(self.answer.text, shape_alone=self.shape_alone)
        text = self.answer.text
        text = text.replace("><", ">\n<") if kind.endswith("xml") else text
        return "<text>" if self.shape_alone else text


@dataclass
class Steady:
    """What one run of a service makes anew, and how its answers are shown without it."""

    since: datetime = field(default_factory=lambda: datetime.now(UTC).replace(microsecond=0))
    """When the run began: later times are its own, earlier ones are the content's."""
    words: dict[str, str] = field(default_factory=dict)
    """The values that are replaced wherever they stand, each with its word."""
    usual: frozenset[str] = frozenset()
    """The lines of headers that an answer usually has."""

    def learn(self, ask: Callable[[str], httpx.Response]) -> None:
        """Ask for the key, the usual headers, and the head of the log that has the run's time."""
        [key] = ask("/.well-known/jwks.json").json()["keys"]
        envelope, head = ask("/api/changelog.sig"), ask("/api/words").json()["rollupHash"]
        digest = bytes.fromhex(head.removeprefix("sha256:"))
        self.words = {
            key["x"]: "<key>",
            key["kid"]: "<kid>",
            envelope.json()["thumbprint"]: "<thumbprint>",
            head: "<head of the words log>",
            base64.b64encode(digest).decode(): "<head of the words log>",
        }
        self.usual = frozenset(self._header_lines(envelope))

    def text(self, text: str) -> str:
        """Return a text without what this run made anew."""
        for value, word in self.words.items():
            text = text.replace(value, word)
        for pattern, word in _RULES:
            text = pattern.sub(word, text)
        for pattern, read in _TIMES:
            for found in {*pattern.findall(text)}:
                if self.since <= read(found) <= datetime.now(UTC):
                    text = text.replace(found, "<time>")
        return text

    def answers(self, parts: list[Asked], names: Mapping[str, str]) -> dict[str, str]:
        """Return the text of each answer by its title; `names` are those of known values."""
        shown: dict[str, str] = {}
        names = {**anchors(parts), **names}
        for part in parts:
            assert part.title not in shown
            own = {line: name for line, name in names.items() if name != f"<as in {part.title}>"}
            text = part.body if isinstance(part.body, str) else readable(part.body, own)
            shown[part.title] = self._head(part) + self.text(text)
        return shown

    def _head(self, part: Asked) -> str:
        """Return the status and type, the ETag, and the headers that are not the usual ones."""
        if isinstance(part.answer, str):
            return ""
        headers, told = part.answer.headers, self._header_lines(part.answer)
        lines = [f"{part.answer.status_code} {headers.get('content-type', '')}".rstrip()]
        if "etag" in headers:
            is_steady = not part.shape_alone and self.text(part.answer.text) == part.answer.text
            lines.append(f"etag: {headers['etag'] if is_steady else '<etag>'}")
        if part.shape_alone:
            told = [line for line in told if not line.startswith("x-markdown-tokens")]
        lines += [line for line in told if line not in self.usual]
        missing = {line for line in self.usual if line not in told}
        without = {line if line.startswith("link") else line.partition(":")[0] for line in missing}
        without -= {line.partition(":")[0] for line in told}
        lines += [f"without {', '.join(sorted(without))}"] if without else []
        return "\n".join([*lines, "", ""])

    def _header_lines(self, answer: httpx.Response) -> list[str]:
        """Return a line for each header, and for each link."""
        headers = {**answer.headers}
        if "link" in headers:
            headers["link"] = headers["link"].replace(", <", "\nlink: <")
        told = (f"{name}: {headers[name]}" for name in sorted(headers) if name not in UNTOLD)
        return self.text("\n".join(told)).splitlines()


def anchors(parts: list[Asked]) -> dict[str, str]:
    """Return the long values that answers consist of, as JSON, each with its name elsewhere."""
    found: dict[str, str] = {}
    for part in parts:
        if not isinstance(body := part.body, str):
            for value in _contents(body):
                line = json.dumps(value, ensure_ascii=False)
                if len(line) >= ANCHORED:
                    found.setdefault(line, f"<as in {part.title}>")
    return found


def _contents(value: Any) -> Iterator[Any]:
    """Yield an answer, and what is in its wrappers."""
    yield value
    if isinstance(value, dict):
        for name, inner in value.items():
            if name in WRAPPERS or len(value) == 1:
                yield from _contents(inner)


def readable(value: Any, names: Mapping[str, str] = _NO_NAMES, depth: int = 0) -> str:
    """Return JSON with a line for each member that is no short object or list.

    A text of several lines stands between lines of quotes, as it is. `names` replace values.
    """
    line = json.dumps(value, ensure_ascii=False)
    if line in names:
        return names[line]
    if len(line) + 2 * depth <= WIDTH and "\\n" not in line:
        return line
    inner, outer = "  " * (depth + 1), "  " * depth
    if isinstance(value, dict):
        members = (f"{json.dumps(k)}: {readable(v, names, depth + 1)}" for k, v in value.items())
        return "{\n" + ",\n".join(f"{inner}{each}" for each in members) + f"\n{outer}}}"
    if isinstance(value, list):
        items = (readable(each, names, depth + 1) for each in value)
        return "[\n" + ",\n".join(f"{inner}{each}" for each in items) + f"\n{outer}]"
    return f'"""\n{value}\n"""' if isinstance(value, str) and "\n" in value else line


def shape(value: Any) -> Any:
    """Return keys and types; the items of a list are one, and `?` marks keys that not all have."""
    if isinstance(value, dict):
        return {key: shape(each) for key, each in value.items()}
    if isinstance(value, list):
        return _merged([shape(each) for each in value])
    names = {str: "text", bool: "true or false", int: "number", float: "number"}
    return names.get(type(value), "null")


def _merged(shapes: list[Any]) -> list[Any]:
    """Return the different shapes; those of objects are one."""
    objects = [each for each in shapes if isinstance(each, dict)]
    rest = [each for each in shapes if not isinstance(each, dict)]
    members: dict[str, Any] = {}
    for key in sorted({key.removesuffix("?") for each in objects for key in each}):
        found = _merged([each[k] for each in objects for k in (key, f"{key}?") if k in each])
        is_everywhere = all(key in each for each in objects)
        members[key if is_everywhere else f"{key}?"] = found[0] if len(found) == 1 else found
    distinct = {json.dumps(each): each for each in rest}
    return [*([members] if objects else []), *(distinct[line] for line in sorted(distinct))]


def _events(text: str, *, shape_alone: bool) -> str:
    """Return the events, or the shape of each kind once."""
    lines = []
    for line in text.splitlines():
        name, _, value = line.partition(": ")
        told = json.loads(value) if name == "data" else None
        lines.append(f"data: {readable(shape(told) if shape_alone else told)}" if told else line)
    return "\n".join(dict.fromkeys(lines) if shape_alone else lines)
