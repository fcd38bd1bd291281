"""Each word is taken up to its limit, refused beyond it, and answers with its rule alone."""

import re
from typing import Any
from zoneinfo import available_timezones

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from offenders import offenders
from pydantic import TypeAdapter, ValidationError

from schema.onchain import Address, Wei
from sdl.types.scalar_types import (
    ChangeId,
    ConstrainedStr,
    DateOrDateTime,
    Digest,
    Email,
    LanguageCode,
    Line,
    Markdown,
    Path,
    Reference,
    Slug,
    Text,
    TimeZone,
    Url,
    YearMonth,
    has_no_such_port,
)

A64 = "a" * 64

GOOD: list[tuple[Any, list[str]]] = [
    (Slug, ["a", "-", "0", "tide-book", "a--b", A64]),
    (Reference, ["a/b", "project/tide-book", f"{'K' * 32}/{A64}", "headlineNumber/1"]),
    (ChangeId, ["2026-03-01-a", "2024-02-29-leap-day", f"0001-01-01-{A64}"]),
    (YearMonth, ["2024-01", "2024-12", "0000-10"]),
    (DateOrDateTime, ["2024-02-29", "2024-03-01T00:00:00Z", "9999-12-31T23:59:59Z"]),
    (
        Url,
        [
            "http://a",
            "https://a.example/",
            "https://a.b.example:65535/x?y=[z]#!",
            "http://[::1]:8000/a",
        ],
    ),
    (Url, ["https://xn--bcher-kva.example", f"https://a/{'b' * 490}", "https://A-1.example?q"]),
    (Path, ["/", "/api/projects?since=2026-03-01T00:00:00Z", f"/{'~' * 499}"]),
    (Email, ["a@b.example", "o'neil+tag@mail.a-b.example", f"{A64}@{'b' * 63}.example"]),
    (Digest, [f"sha256:{'0' * 64}", f"sha256:{'abcdef09' * 8}"]),
    (Wei, ["0", "1", "250000000000000000", "9" * 78]),
    (Address, [f"0x{'0' * 40}", f"0x{'aF9' * 13}0"]),
    (LanguageCode, ["en", "nb", "gsw", "pt-BR", "zh-Hant-TW"]),
    (TimeZone, ["Europe/Lisbon", "UTC", "America/Argentina/Buenos_Aires"]),
    (Markdown, ["#", "# A\n\n<b>b</b>\ttab\n", "é" * 100_000]),
    (Line, ["a", "é" * 400, "\U0001f6f6", "a < b > c", "x <- y", "#1 of 3", "a\u00a0b"]),
    (Text, ["a", "one\n\ntwo\n", "tab\there", "\U0001f6f6" * 20_000, "1 < 2, 3 > 2", "#channel"]),
]
BAD: list[tuple[Any, list[str]]] = [
    (Slug, ["A", "a_b", "a.b", "a b", "é", "\uff41", "٣", f"{A64}a", "a/b", "a\u200b"]),
    (Reference, ["a", "/b", "a/", "a/b/c", "a/B", "pro-ject/a", f"{'K' * 33}/a", f"a/{A64}a"]),
    (ChangeId, ["2026-03-01", "2026-03-01-", "2026-02-29-a", "2026-13-01-a", "2026-3-1-a"]),
    (ChangeId, [f"2026-03-01-{A64}a", "2026-03-01_a", "٢٠٢٦-03-01-a", "2026-03-01-A"]),
    (YearMonth, ["2024-00", "2024-13", "2024-1", "24-01", "2024-01-01", "2024/01", "٢٠٢٤-01"]),
    (DateOrDateTime, ["2023-02-29", "2024-03-01T00:00:00", "2024-03-01T25:00:00Z", "2024-03-01 "]),
    (DateOrDateTime, ["2024-03-01T00:00:00+00:00", "2024-03-01T00:00:00.5Z", "2024-W01-1"]),
    (
        Url,
        [
            "a.example",
            "//a",
            "ftp://a",
            "https://",
            "https:///a",
            "https://.",
            "https://-",
            "http://a b",
        ],
    ),
    (
        Url,
        [
            "https://a/ö",
            "https://a/ä",
            "https://u:p@a/",
            "https://a\\b",
            "https://a:x",
            "https://a:0",
            "https://a:65536/b",
            "http://[::1]:70000",
            "javascript:a",
        ],
    ),
    (Url, [f"https://a/{'b' * 491}", " https://a", "https://a\t", "HTTPS://a", "http://[::1"]),
    (Path, ["a", "", "/a b", "/é", "/a\t", f"/{'a' * 500}", "https://a/"]),
    (Email, ["a", "a@", "@b.example", "a@b", "a b@c.example", "a@b..example", "ä@b.example"]),
    (Email, [f"{A64}a@b.example", f"a@{A64}.example", "a@b.example, c@d.example", "<a@b.example>"]),
    (Email, [f"{A64}@{'.'.join(['b' * 60] * 4)}", "a@b_c.example", "a\r\nBcc: x@b.example"]),
    (Digest, [f"sha256:{'0' * 63}", f"sha256:{'0' * 65}", f"sha256:{'A' * 64}", "0" * 64]),
    (Wei, ["", "00", "01", "-1", "+1", "1.0", "1e18", "0x1", "٣", "1_000", "9" * 79]),
    (Address, [f"0x{'0' * 39}", f"0x{'0' * 41}", f"0X{'0' * 40}", "0" * 42, f"0x{'g' * 40}"]),
    (
        LanguageCode,
        ["English", "EN", "e", "en_GB", "en-", "x-a", f"en-{'a' * 9}", "en" + "-ab" * 12],
    ),
    (TimeZone, ["Porto", "europe/lisbon", "../../etc/passwd", "/etc/localtime", "Lisbon", "UTC+1"]),
    (Markdown, ["\x07", "\x1b[0m", "a\u2028b", "a\x85b", "é" * 100_001]),
    (Line, [" a", "a ", "a\nb", "a\tb", "\u3000", "é" * 401, "<b>", "</p>", "x <!-- y", "# A"]),
    (Line, ["a\x07", "a\x1bb", "a\x7fb", "a\x9fb", "a\x85b", "a\u2028b", "a\u2029b", "a\rb"]),
    (
        Text,
        [
            "\n\t\n",
            "<br/>",
            f"<a {'x' * 500}>",
            "<!doctype html>",
            "b\r\nc",
            "so:\n## A",
            "é" * 20_001,
        ],
    ),
]
WORDS = list({id(word): word for word, _ in GOOD}.values())
STRUCTURED = [word for word in WORDS if isinstance(word, type) and word is not Markdown]


def pairs(table: list[tuple[Any, list[str]]]) -> list[Any]:
    """Each word with each of its texts."""
    return [
        pytest.param(word, text, id=f"{getattr(word, '__name__', word)}-{text[:24]!a}")
        for word, texts in table
        for text in texts
    ]


def rules(word: Any, value: object) -> list[str]:
    """The messages with which the word refuses the value."""
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(word).validate_python(value)
    return [error["msg"] for error in caught.value.errors()]


def test_a_text_within_the_rule_is_taken_as_it_is() -> None:
    def check(word: Any, text: str) -> None:
        assert TypeAdapter(word).validate_python(text) == text

    assert offenders(check, pairs(GOOD)) == []


@pytest.mark.parametrize(
    ("word", "written", "taken"),
    [
        (Url, "https://bücher.example/a?b#c", "https://xn--bcher-kva.example/a?b#c"),
        (Url, "http://www.BÜCHER.example:8080", "http://www.xn--bcher-kva.example:8080"),
        (Url, "https://bu\u0308cher.example/", "https://xn--bcher-kva.example/"),
        (Email, "hallo@bücher.example", "hallo@xn--bcher-kva.example"),
        (Email, "ask@пример.рф", "ask@xn--e1afmkfd.xn--p1ai"),
    ],
)
def test_a_host_in_other_letters_is_taken_as_the_dns_has_it(
    word: Any, written: str, taken: str
) -> None:
    assert TypeAdapter(word).validate_python(written) == taken


@pytest.mark.parametrize(
    "host", ["ex\u200bample.com", "127\u30020.0.1", "\uff11.example", "a_ü.example", "\u2460.com"]
)
def test_what_only_looks_like_a_host_is_refused(host: str) -> None:
    for word, written in ((Url, f"https://{host}/"), (Email, f"a@{host}")):
        with pytest.raises(ValidationError):
            TypeAdapter(word).validate_python(written)


def test_a_text_within_the_rule_fits_the_json_schema() -> None:
    def check(word: Any, text: str) -> None:
        jsonschema.validate(text, TypeAdapter(word).json_schema(), jsonschema.Draft202012Validator)

    assert offenders(check, pairs(GOOD)) == []


def test_a_text_beyond_the_rule_is_refused_with_the_rule_whatever_it_is() -> None:
    def check(word: Any, text: str) -> None:
        (message,) = rules(word, text)
        assert message.startswith("must be ")
        if has_no_such_port(text):
            assert "port is from 1 to 65535" in message
        elif "@" in text and word is Url:
            assert "without a user name" in message
        else:
            assert [message] == rules(word, "")

    assert offenders(check, pairs(BAD)) == []


def test_the_time_zones_are_those_that_python_lists() -> None:
    assert [zone for zone in available_timezones() if not TimeZone.is_valid(zone)] == []
    beside = ["America", "America/", "posix/UTC", "right/UTC", "posixrules", "zone.tab", "./UTC"]
    assert [zone for zone in beside if TimeZone.is_valid(zone)] == []


def test_no_word_is_empty_null_or_half_a_character() -> None:
    def check(word: Any, text: str) -> None:
        assert rules(word, text)

    assert offenders(check, WORDS, ["", "\x00", "\ud800"]) == []


@pytest.mark.parametrize("word", WORDS)
def test_no_word_holds_a_null(word: Any) -> None:
    good = next(texts[0] for found, texts in GOOD if found is word)
    for text in (f"{good}\x00", f"\x00{good}"):
        assert rules(word, text)


def test_nothing_follows_a_word_of_one_line() -> None:
    def check(word: Any, end: str) -> None:
        good = next(texts[0] for found, texts in GOOD if found is word)
        assert rules(word, f"{good}{end}")

    assert offenders(check, [*STRUCTURED, Line], ["\n", "\r", "\r\n", "\u2028", " ", "\x85"]) == []


@pytest.mark.parametrize("word", STRUCTURED)
def test_the_example_of_a_word_keeps_its_own_rule(word: type[ConstrainedStr]) -> None:
    assert TypeAdapter(word).validate_python(word.example) == word.example
    assert rules(word, "\n") == [f"must be {word.rule}, for example {word.example}"]


def test_what_is_no_text_is_no_word() -> None:
    def check(word: Any, value: object) -> None:
        assert rules(word, value) == ["Input should be a valid string"]

    assert offenders(check, WORDS, [None, 1, 1.5, True, [], {}]) == []


@given(st.text(max_size=70))
def test_a_slug_is_what_its_pattern_says_and_nothing_else(text: str) -> None:
    matches = 1 <= len(text) <= 64 and set(text) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    try:
        TypeAdapter(Slug).validate_python(text)
    except ValidationError:
        assert not matches
    else:
        assert matches


@given(st.text(st.sampled_from("ab<>/! #\n\t\x00\x07\u2028é"), max_size=30))
def test_what_passes_as_a_line_is_one_plain_line(text: str) -> None:
    try:
        TypeAdapter(Line).validate_python(text)
    except ValidationError:
        return
    assert text == text.strip() != ""
    assert len(text.splitlines()) == 1
    assert not re.search(r"</?[a-z][^<>]*>", text)
