"""Filters a language model's text sentence by sentence, so that it links to no other site.

It removes markers of unknown sources, addresses that no source names, images and HTML. Whether a
sentence is true to its sources is checked in `citation_check`.
"""

import html
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence

from resolvers.chat.conversation import REFUSAL, Finish, Source, TextDelta
from resolvers.chat.prompt import NOT_FOUND, fit_to_context
from resolvers.chat.url_allowlist import AllowedUrls, allowed_urls, mask_urls
from resolvers.embeddings.errors import ModelError

OMITTED_URL = "(address left out)"
"""Replaces an address that no source names."""
MAX_BUFFER = 2000
"""How much text may wait for the end of a sentence or a word. Units: characters."""
_ROUNDS = 20
_LONG_NUMBER = 10
_WIDE = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_SENTENCE = re.compile(
    r"""(?<![.!?\u2026])[.!?\u2026]+["'\u201d\u2019\u00bb)\]]*\s+|\n+"""
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
_NOT_FOUND = re.compile(NOT_FOUND.replace("_", r"\\?_"))


async def filter_stream(
    stream: AsyncIterator[TextDelta | Finish], sources: Sequence[Source], base_url: str
) -> AsyncGenerator[TextDelta | Finish]:
    """Yield the answer sentence by sentence, then its `Finish`.

    If the model found nothing, or no text passes, yield the fixed refusal and `stop`.
    Raises: ModelError, as the stream does, and if it breaks off before any text.
    """
    output = OutputFilter(sources, base_url)
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
    yield finish


class OutputFilter:
    """Takes an answer in pieces of any size and returns it in clean sentences."""

    def __init__(self, sources: Sequence[Source], base_url: str) -> None:
        texts = [text for source in sources for text in (source.title, source.text, source.url)]
        self._allowed = allowed_urls(texts, base_url)
        self._numbers = frozenset(source.n for source in sources)
        self._waiting = ""
        self._blank = ""
        self._is_skipping = False
        self.has_text = False
        self.is_refused = False
        """Whether the model's first words said that the passages do not answer."""

    def feed(self, text: str) -> list[str]:
        """Return the sentences that are complete now."""
        self._waiting += self._skip(text)
        sentences = []
        while match := _SENTENCE.search(self._waiting):
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
        return OMITTED_URL

    def _skip(self, text: str) -> str:
        """Return the text after the rest of a dropped word."""
        if not self._is_skipping:
            return text
        blank = re.search(r"\s", text)
        self._is_skipping = blank is None
        return text[blank.start() :] if blank else ""

    def _filter_sentence(self, sentence: str) -> str:
        """Return the filtered sentence; keep its trailing space until the next one."""
        clean = filter_text(sentence, self._numbers, self._allowed)
        if _NOT_FOUND.search(clean):
            self.is_refused = self.is_refused or not self.has_text
            return ""
        text = clean.rstrip()
        if not text and self.has_text:
            self._blank += clean
        if not text or self.is_refused or not (self.has_text or re.search(r"\w", text)):
            return ""
        output = self._blank + text if self.has_text else text.lstrip()
        self._blank = clean[len(text) :]
        self.has_text = True
        return output


def filter_text(text: str, numbers: frozenset[int], allowed: AllowedUrls) -> str:
    """Remove all forbidden content; return "" if removing it keeps creating new matches."""
    for _ in range(_ROUNDS):
        cleaned = _filter_once(text, numbers, allowed)
        if cleaned == text:
            return text
        text = cleaned
    return ""


def _filter_once(text: str, numbers: frozenset[int], allowed: AllowedUrls) -> str:
    plain = fit_to_context(_replace_all(_ENTITY, lambda match: html.unescape(match[0]), text))
    plain = _OPEN_TAG.sub("", _replace_all(_TAG, lambda _: "", plain))
    # A space is enough to turn a Markdown image or link into plain text.
    plain = _IMAGE.sub("! [", plain).replace("](", "] (")
    words = re.split(r"(\s+)", plain)
    masked = "".join(mask_urls(word, allowed, OMITTED_URL) for word in words)
    return _normalise_markers(masked, numbers)


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
