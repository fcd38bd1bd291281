"""Splits plain text and light Markdown into sentences, which stay verbatim."""

import re
from collections.abc import Iterator, Sequence

_BLOCK = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+•]|\d{1,3}[.)]|#{1,6}|>|\|)[ \t])")
"""A line break that ends a block: before an empty line, list item, heading or quotation."""
_MARKER = re.compile(r"[ \t]*(?:(?:[-*+•>]|\d{1,3}[.)]|#{1,6})[ \t]+)*")
_ROW = r"^[ \t]*[^\n]*\|[^\n]*$"
_RULE = r"^(?=[^\n]*\|)[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$"
_WHOLE = re.compile(
    r"^[ \t]*(?P<marks>```|~~~)(?s:.*?)(?:^[ \t]*(?P=marks)[ \t]*$|\Z)"
    rf"|{_ROW}\n{_RULE}(?:\n{_ROW})*",
    re.MULTILINE,
)
"""A block of code, or a table, which lose their form when they are cut. Source: GFM 0.29, 4.10."""
_CODE = re.compile(r"`[^`\n]+`")
_STOP = re.compile(
    r"[.!?\u2026]{1,9}[\"'\u2019\u201d\u00bb)\]*_]{0,9}"
    r"(?:[ \t]?\[\d{1,3}\]){0,9}"  # a citation or an emoji after the stop belongs to the sentence
    r"(?:[ \t]?[\u2190-\u2bff\U0001f000-\U0001faff][\ufe0f\u200d\U0001f3fb-\U0001f3ff]{0,9}){0,9}"
    r"(?=\s|\Z)"
    r"|(?P<cjk>[\u3002\uff01\uff1f]+[\u300d\u300f\u2019\u201d\uff09]{0,9})"
)
_WORD = re.compile(r"[^\s(\[\"'\u2018\u201c]+$")
_LONGEST_WORD = 40
"""How far before a stop the word is looked for that it may abbreviate."""
_NEVER_LAST = re.compile(
    r"e\.g|i\.e|cf|vs|viz|approx|ca|mr|mrs|ms|dr|prof|st|sr|jr|rev|hon|capt|figs?|eqs?|sec|vols?"
    r"|eds?|pp?|nos|art|al|incl|excl|esp|resp|dept|univ|est"
    r"|bzw|usw|ggf|inkl|nr|tel|evtl|vgl|zzgl|mind|sog"
)
"""Abbreviations, which never end a sentence."""
_NUMBERED = re.compile(r"no|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec")
"""Words that are abbreviations only before a number."""
_MONTH = re.compile(
    r"(?:jan|feb|m[\u00e4a]r|a[pv]r|ma[ijy]|jun|jul|aug|sep|o[ck]t|nov|de[czs])[^\W\d_]*\b",
    re.IGNORECASE,
)
"""The name of a month, before which a number with a stop is an ordinal, in several languages."""


def split_sentences(text: str) -> list[str]:
    """Return the sentences in order, each a verbatim part of the text without list markers.

    A block of code and a table are one each. What has no letter or digit is none, if any has.
    """
    sentences: list[str] = []
    start = 0
    for whole in _WHOLE.finditer(text):
        sentences += _split_prose(text[start : whole.start()])
        sentences.append(whole.group().strip())
        start = whole.end()
    sentences += _split_prose(text[start:])
    return [one for one in sentences if any(map(str.isalnum, one))] or sentences


def join_sentences(sentences: Sequence[str], mark: str = "") -> str:
    """Return the sentences as one text, with a mark behind each; code and tables stand alone."""
    text = ""
    for sentence in sentences:
        is_whole = _WHOLE.fullmatch(sentence) is not None
        gap = "\n\n" if is_whole else " "
        before = gap if text and not text.endswith("\n") else ""
        after = "\n\n" if is_whole else ""
        text += f"{before}{sentence}{(after or ' ') + mark if mark else ''}{after}"
    return text.rstrip("\n")


def _split_prose(text: str) -> Iterator[str]:
    for block in _BLOCK.split(text):
        marker = _MARKER.match(block)
        yield from _split_block(block[marker.end() if marker else 0 :])


def _split_block(block: str) -> Iterator[str]:
    start = 0
    without_code = _CODE.sub(lambda match: "`" * len(match.group()), block)
    for stop in _STOP.finditer(without_code):
        if _ends_sentence(without_code, stop, start):
            yield block[start : stop.end()].strip()
            start = stop.end()
    if rest := block[start:].strip():
        yield rest


def _ends_sentence(block: str, stop: re.Match[str], start: int) -> bool:
    """Return whether a sentence ends with this stop."""
    if stop["cjk"]:
        return True
    after = block[stop.end() : stop.end() + _LONGEST_WORD].lstrip()
    if not after or after[0].islower():
        return not after
    if not stop.group().startswith(".") or stop.group().startswith(".."):
        return True
    before = _WORD.search(block[max(start, stop.start() - _LONGEST_WORD) : stop.start()])
    return before is None or not _is_abbreviation(before.group(), after)


def _is_abbreviation(word: str, after: str) -> bool:
    """Return whether the stop after this word only abbreviates it."""
    plain = word.lower()
    if re.fullmatch(r"\d{1,2}", word) and _MONTH.match(after):
        return True
    is_initial = len(word) == 1 and word.isalpha() and word != "I"
    is_before_number = after[0].isdigit() and _NUMBERED.fullmatch(plain)
    return bool(is_initial or is_before_number or _NEVER_LAST.fullmatch(plain))
