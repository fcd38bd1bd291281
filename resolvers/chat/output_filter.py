"""Checks a language model's text sentence by sentence before it is sent.

A sentence with a number, name or address that no source has is left out. Markers of unknown
sources, images and HTML are removed. Whether a sentence is true to the sources that it cites is
checked in `citation_check`, once the answer is complete.
"""

import html
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Sequence
from dataclasses import replace

from resolvers.chat.conversation import REFUSAL, Finish, Source, TextDelta
from resolvers.chat.grounding import Reason, collect_values, foreign_value
from resolvers.chat.prompt import NOT_FOUND, fit_to_context
from resolvers.chat.url_allowlist import allowed_urls
from resolvers.embeddings.errors import ModelError

MAX_BUFFER = 2000
"""How much text may wait for the end of a sentence or a word. Units: characters."""
_ROUNDS = 20
_LONG_NUMBER = 10
_WIDE = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_SENTENCE = re.compile(
    r"""(?<![.!?\u2026])(?<!^\d)(?<!^\d\d)[.!?\u2026]+["'\u201d\u2019\u00bb)\]]*\s+|\n+"""
    rf"|(?<=[{_WIDE}])[\u3002\uff01\uff1f]+(?=[{_WIDE}\[\u3010])"  # no space between
)
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});", re.IGNORECASE)
_TAG = re.compile(r"<[a-zA-Z/!?][^<>]*(?:>|$)")
_IMAGE = re.compile(r"!\[(?![0-9]+\])")
_OPEN_TAG = re.compile(r"<(?=[a-zA-Z/!?<])")
_MARKER = re.compile(
    r"(?P<blank>[ \t]{0,4})[\[【\uff3b]\s*\^?(?:(?:sources?|passages?)\s+)?"
    r"(?P<numbers>\d+(?:[,;\s\u2013-]{1,4}\d+)*)(?:†[^\]】\uff3d]*)?\s*[\]】\uff3d]",
    re.IGNORECASE,
)
_CITED = re.compile(r"\s*\[\d+\]")
_LEADING = re.compile(r"(?:\s*\[\d+\])+")
"""Markers at the beginning of a sentence, which belong to the one before."""
_LIST_NUMBER = re.compile(r"^\s*[0-9]{1,2}[.)]\s+(?=\S)")
_GERMAN = re.compile(r"\b(?:der|das|und|ist|nicht|eine?|sind|wird|f\u00fcr|mit)\b")
"""Words of German sentences, whose nouns have the form of names."""
_NOT_FOUND = re.compile(NOT_FOUND.replace("_", r"\\?_"))


async def filter_stream(
    stream: AsyncIterator[TextDelta | Finish],
    sources: Sequence[Source],
    base_url: str,
    own: Collection[str] = (),
) -> AsyncGenerator[TextDelta | Finish]:
    """Yield the answer sentence by sentence, then its `Finish` with what was left out.

    `own` are lower-case names that need no source: the studio's own.
    If the model found nothing, or no text passes, yield the fixed refusal and `stop`.
    Raises: ModelError, as the stream does, and if it breaks off before any text.
    """
    output = OutputFilter(sources, base_url, own)
    finish = Finish("truncated")
    try:
        async for item in stream:
            if isinstance(item, Finish):
                finish = item
                break
            for text in output.feed(item.text):
                yield TextDelta(text)
            if output.is_refused:
                break
    finally:
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()
    for text in output.flush():
        yield TextDelta(text)
    if not output.has_text:
        if finish.reason not in {"stop", "length"} and not output.is_refused:
            raise ModelError("The language model broke off before it had written anything.")
        yield TextDelta(REFUSAL)
        finish = Finish("stop")
    yield replace(finish, removed=tuple(output.removed))


class OutputFilter:
    """Takes an answer in pieces of any size and returns it in clean sentences."""

    def __init__(self, sources: Sequence[Source], base_url: str, own: Collection[str] = ()) -> None:
        texts = [text for source in sources for text in (source.title, source.text, source.url)]
        self._allowed = allowed_urls(texts, base_url)
        self._values = collect_values(sources)
        self._own = own
        self._numbers = frozenset(source.n for source in sources)
        self._waiting = ""
        self._blank = ""
        self._is_skipping = False
        self._was_removed = False
        self.has_text = False
        self.is_refused = False
        """Whether the model's first words said that the passages do not answer."""
        self.removed: list[Reason] = []
        """Why each sentence that was left out was."""

    def feed(self, text: str) -> list[str]:
        """Return the sentences that are complete now."""
        self._waiting += self._skip(text)
        sentences = []
        # The space behind a sentence has come as soon as something else follows it.
        while (match := _SENTENCE.search(self._waiting)) and match.end() < len(self._waiting):
            sentences.append(self._waiting[: match.end()])
            self._waiting = self._waiting[match.end() :]
        while len(self._waiting) > MAX_BUFFER:
            sentences.append(self._cut())
        return [clean for sentence in sentences if (clean := self._filter_sentence(sentence))]

    def flush(self) -> list[str]:
        """Return the rest, if there is any."""
        rest = self._filter_sentence(self._waiting)
        self._waiting = ""
        return [rest] if rest else []

    def _cut(self) -> str:
        """Return the complete words of a text that is too long; drop a word that is too long.

        If such a word were cut, the second half of an address could pass as a word.
        """
        *words, last = re.split(r"(\s+)", self._waiting)
        if words:
            self._waiting = last
            return "".join(words)
        self._waiting = ""
        self._is_skipping = True
        self.removed.append("url")
        return ""

    def _skip(self, text: str) -> str:
        """Return the text after the rest of a dropped word."""
        if not self._is_skipping:
            return text
        blank = re.search(r"\s", text)
        self._is_skipping = blank is None
        return text[blank.start() :] if blank else ""

    def _filter_sentence(self, sentence: str) -> str:
        """Return the filtered sentence; keep its trailing space until the next one."""
        clean = filter_text(sentence, self._numbers)
        if _NOT_FOUND.search(clean):
            self.is_refused = self.is_refused or not self.has_text
            return ""
        text = clean.rstrip()
        if not text and self.has_text:
            self._blank += clean
        if not text or self.is_refused:
            return ""
        blank = clean[len(text) :]
        text = self._without_foreign(text)
        if not (text if self.has_text else re.search(r"\w", _CITED.sub("", text))):
            return ""
        output = self._blank + text if self.has_text else text.lstrip()
        self._blank = blank
        self.has_text = True
        return output

    def _without_foreign(self, text: str) -> str:
        """Return the markers of the sentence before and this sentence, each unless left out."""
        leading = _LEADING.match(text)
        cut = leading.end() if leading else 0
        markers, sentence = text[:cut], text[cut:]
        if markers and self._was_removed:
            markers, sentence = "", sentence.lstrip()
        foreign = self._foreign_value(sentence)
        if foreign:
            self.removed.append(foreign)
        if sentence.strip():
            self._was_removed = foreign is not None
        return markers if foreign else f"{markers}{sentence}"

    def _foreign_value(self, text: str) -> Reason | None:
        """Return what kind of value the sentence has that no source has, or `None`."""
        if any(self._allowed.forbids(word) for word in text.split()):
            return "url"
        plain = _LIST_NUMBER.sub("", _CITED.sub("", text))
        foreign = foreign_value(plain, self._values, self._own)
        is_german = len({*_GERMAN.findall(plain)}) > 1
        return None if foreign == "entity" and is_german else foreign


def filter_text(text: str, numbers: frozenset[int]) -> str:
    """Remove all forbidden content; return "" if removing it keeps creating new matches."""
    for _ in range(_ROUNDS):
        cleaned = _filter_once(text, numbers)
        if cleaned == text:
            return text
        text = cleaned
    return ""


def _filter_once(text: str, numbers: frozenset[int]) -> str:
    plain = fit_to_context(_replace_all(_ENTITY, lambda match: html.unescape(match[0]), text))
    plain = _OPEN_TAG.sub("", _replace_all(_TAG, lambda _: "", plain))
    # A space is enough to turn a Markdown image or link into plain text.
    plain = _IMAGE.sub("! [", plain).replace("](", "] (")
    return _normalise_markers(plain, numbers)


def _replace_all(
    pattern: re.Pattern[str], replace: Callable[[re.Match[str]], str], text: str
) -> str:
    """Replace until nothing matches; it ends, because each replacement shortens the text."""
    while (replaced := pattern.sub(replace, text)) != text:
        text = replaced
    return text


def _normalise_markers(text: str, numbers: frozenset[int]) -> str:
    """Write the markers of existing sources as [n] and remove all others."""

    def replace(match: re.Match[str]) -> str:
        cited = [int(n) for n in re.findall(r"\d+", match["numbers"]) if len(n) < _LONG_NUMBER]
        markers = "".join(f"[{n}]" for n in dict.fromkeys(cited) if n in numbers)
        return f"{match['blank']}{markers}" if markers else ""

    return _MARKER.sub(replace, text)
