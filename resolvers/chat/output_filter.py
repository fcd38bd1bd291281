"""What a language model may say: its words, one sentence at a time, and nothing that leads away.

Markers of sources that were not given, addresses that no source names, images and HTML go. It
judges no meaning: whether a sentence is true to its sources is the lint's business.
"""

import html
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence

from resolvers.chat.conversation import REFUSAL, Finish, Source, TextDelta
from resolvers.chat.prompt import NOT_FOUND, fit_to_context
from resolvers.chat.url_allowlist import AllowedUrls, allowed_urls, mask_urls
from resolvers.embeddings.errors import ModelError

OMITTED_URL = "(address left out)"
"""Stands where an address was that no source names."""
MAX_BUFFER = 2000
"""How many characters wait for the end of a sentence or of a word.

Units: characters.
"""
_ROUNDS = 20
_LONG_NUMBER = 10
_WIDE = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_SENTENCE = re.compile(
    r"""(?<![.!?\u2026])[.!?\u2026]+["'\u201d\u2019\u00bb)\]]*\s+|\n+"""
    rf"|(?<=[{_WIDE}])[\u3002\uff01\uff1f]+(?=[{_WIDE}\[\u3010])"  # where no blank follows
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
    """The answer a sentence a token, and its Ending.

    A model that found nothing, or said nothing that passes, is the fixed refusal and a `stop`.
    Raises: ModelFault, as the stream does, and if it breaks off before anything is said.
    """
    gate = OutputFilter(sources, base_url)
    ending = Finish("truncated")
    try:
        async for item in stream:
            if isinstance(item, Finish):
                ending = item
                break
            for text in gate.feed(item.text):
                yield TextDelta(text)
            if gate.is_refused:
                break
    finally:
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()
    for text in gate.flush():
        yield TextDelta(text)
    if not gate.has_spoken:
        yield TextDelta(_nothing(gate, ending))
        ending = Finish("stop")
    yield ending


def _nothing(gate: "OutputFilter", ending: Finish) -> str:
    """What is said where nothing was. Raises: ModelFault."""
    if ending.reason in {"stop", "length"} or gate.is_refused:
        return REFUSAL
    raise ModelError("The language model broke off before it had said anything.")


class OutputFilter:
    """Takes an answer in pieces of any size and gives it back in clean sentences."""

    def __init__(self, sources: Sequence[Source], base_url: str) -> None:
        texts = [text for source in sources for text in (source.title, source.text, source.url)]
        self._known = allowed_urls(texts, base_url)
        self._numbers = frozenset(source.n for source in sources)
        self._waiting = ""
        self._blank = ""
        self._is_skipping = False
        self.has_spoken = False
        self.is_refused = False
        """Whether the model said first of all that the passages do not answer."""

    def feed(self, text: str) -> list[str]:
        """The sentences that are now whole."""
        self._waiting += self._skipped(text)
        sentences = []
        while match := _SENTENCE.search(self._waiting):
            sentences.append(self._waiting[: match.end()])
            self._waiting = self._waiting[match.end() :]
        while len(self._waiting) > MAX_BUFFER:
            sentences.append(self._cut())
        return [said for sentence in sentences if (said := self._said(sentence))]

    def flush(self) -> list[str]:
        """What is left, if anything."""
        said = self._said(self._waiting)
        self._waiting = ""
        return [said] if said else []

    def _cut(self) -> str:
        """The whole words of what waits too long; a word that is too long itself is dropped.

        To cut it would let the second half of an address pass as a word.
        """
        *words, last = re.split(r"(\s+)", self._waiting)
        if words:
            self._waiting = last
            return "".join(words)
        self._waiting = ""
        self._is_skipping = True
        return OMITTED_URL

    def _skipped(self, text: str) -> str:
        """The text behind the rest of a word that was dropped."""
        if not self._is_skipping:
            return text
        blank = re.search(r"\s", text)
        self._is_skipping = blank is None
        return text[blank.start() :] if blank else ""

    def _said(self, sentence: str) -> str:
        """What is said of a sentence; the blanks behind it wait for the next one."""
        clean = filter_text(sentence, self._numbers, self._known)
        if _NOT_FOUND.search(clean):
            self.is_refused = self.is_refused or not self.has_spoken
            return ""
        kept = clean.rstrip()
        if not kept and self.has_spoken:
            self._blank += clean
        if not kept or self.is_refused or not (self.has_spoken or re.search(r"\w", kept)):
            return ""
        said = self._blank + kept if self.has_spoken else kept.lstrip()
        self._blank = clean[len(kept) :]
        self.has_spoken = True
        return said


def filter_text(text: str, numbers: frozenset[int], known: AllowedUrls) -> str:
    """The text without what may not be said; nothing, if cleaning it makes new things to clean."""
    for _ in range(_ROUNDS):
        once = _once(text, numbers, known)
        if once == text:
            return text
        text = once
    return ""


def _once(text: str, numbers: frozenset[int], known: AllowedUrls) -> str:
    plain = fit_to_context(_settled(_ENTITY, lambda match: html.unescape(match[0]), text))
    plain = _OPEN_TAG.sub("", _settled(_TAG, lambda _: "", plain))
    # A blank is all it takes to make an image or a link of Markdown plain text.
    plain = _IMAGE.sub("! [", plain).replace("](", "] (")
    words = re.split(r"(\s+)", plain)
    return _marked("".join(mask_urls(word, known, OMITTED_URL) for word in words), numbers)


def _settled(pattern: re.Pattern[str], put: Callable[[re.Match[str]], str], text: str) -> str:
    """The text in which nothing is left to replace; each replacement makes it shorter."""
    while (once := pattern.sub(put, text)) != text:
        text = once
    return text


def _marked(text: str, numbers: frozenset[int]) -> str:
    """The text with markers of given sources alone, each as [n]."""

    def judge(match: re.Match[str]) -> str:
        given = [int(n) for n in re.findall(r"\d+", match["numbers"]) if len(n) < _LONG_NUMBER]
        kept = "".join(f"[{n}]" for n in dict.fromkeys(given) if n in numbers)
        return f"{match['blank']}{kept}" if kept else ""

    return _MARKER.sub(judge, text)
