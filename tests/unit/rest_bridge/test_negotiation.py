"""Which form a caller gets for which Accept header, and that no header is ever too odd."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rest_bridge.http.negotiation import choose
from rest_bridge.representations.rendering import JSON, MARKDOWN, TEXT

API = (JSON, MARKDOWN, TEXT)
ROOT = (MARKDOWN, JSON, TEXT)
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"

CHOICES = [
    pytest.param("", JSON, id="no wish"),
    pytest.param("*/*", JSON, id="anything"),
    pytest.param("text/markdown, text/html, */*", MARKDOWN, id="Claude Code"),
    pytest.param("text/markdown, text/plain;q=0.9, */*;q=0.8", MARKDOWN, id="Cursor"),
    pytest.param("text/html, */*", JSON, id="Codex CLI"),
    pytest.param(BROWSER, JSON, id="a browser"),
    pytest.param("application/json", JSON, id="one type"),
    pytest.param("application/json; charset=utf-8", JSON, id="a parameter"),
    pytest.param("text/markdown;variant=CommonMark;q=1", MARKDOWN, id="a parameter before q"),
    pytest.param("TEXT/Markdown", MARKDOWN, id="case"),
    pytest.param("text/plain", TEXT, id="plain text"),
    pytest.param("text/*", MARKDOWN, id="a kind, in the order offered"),
    pytest.param("text/*;q=0.5, application/json;q=0.4", MARKDOWN, id="a kind above a type"),
    pytest.param("application/json;q=0.5, text/markdown;q=0.6", MARKDOWN, id="higher q"),
    pytest.param("application/json;q=0.999, text/markdown", MARKDOWN, id="three digits"),
    pytest.param("text/markdown;q=0.5, application/json;q=0.5", MARKDOWN, id="equal q, leftmost"),
    pytest.param("application/json, text/markdown", JSON, id="equal q, leftmost again"),
    pytest.param("text/markdown;Q=0.1, application/json;q=0.2", JSON, id="an upper-case Q"),
    pytest.param("application/json;q=0", None, id="refused and nothing else"),
    pytest.param("application/json;q=0, */*", MARKDOWN, id="all but one"),
    pytest.param("*/*, application/json;q=0.0", MARKDOWN, id="all but one, said last"),
    pytest.param("*/*;q=0", None, id="nothing"),
    pytest.param(
        "*/*, text/*;q=0, application/json;q=0.001", JSON, id="the most exact range rules"
    ),
    pytest.param("text/*, text/markdown;q=0", TEXT, id="a kind but for one type"),
    pytest.param("*/*;q=0.9, text/markdown;q=0.1", JSON, id="an exact range may lower"),
    pytest.param("image/png, text/html", None, id="only what is not made here"),
    pytest.param("application/jsonx, text/markdowns", None, id="names that only begin alike"),
    pytest.param("application/vnd.text/markdown", JSON, id="two slashes are passed over"),
    pytest.param("text/markdown;q=2", JSON, id="q above 1 is passed over"),
    pytest.param("text/markdown;q=-1, application/json", JSON, id="q below 0 is passed over"),
    pytest.param("text/markdown;q=0.1234, text/plain", TEXT, id="too many digits are passed over"),
    pytest.param("text/markdown;q=nan, text/plain", TEXT, id="no number is passed over"),
    pytest.param("text/markdown;q=, text/plain;q=0.1", TEXT, id="an empty q is passed over"),
    pytest.param("*/json, text/markdown", MARKDOWN, id="a wild kind is passed over"),
    pytest.param("*, text/markdown", JSON, id="a lone star is anything"),
    pytest.param("image/gif, *; q=.2, */*; q=.2", JSON, id="as Java writes it"),
    pytest.param(", ,, text/markdown ,", MARKDOWN, id="empty elements are passed over"),
    pytest.param(";;;, =, /, text/, /plain", JSON, id="nothing well-formed is no wish"),
    pytest.param("text/markdown\x00, text/plain", TEXT, id="a control character"),
    pytest.param(f"{'a/b,' * 2560}text/markdown", None, id="10 kB, ours beyond the first 50"),
    pytest.param(f"text/markdown,{'a/b;q=0.5,' * 1024}", MARKDOWN, id="10 kB, ours first"),
    pytest.param(
        f"text/markdown;{'x=y;' * 2560}q=0.3, text/plain;q=0.2", MARKDOWN, id="10 kB of x"
    ),
]


@pytest.mark.parametrize(("accept", "expected"), CHOICES)
def test_the_accept_header_decides(accept: str, expected: str | None) -> None:
    assert choose(accept, API) == expected


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("", MARKDOWN),
        ("*/*", MARKDOWN),
        ("text/html, */*", TEXT),
        (BROWSER, TEXT),
        ("application/json", JSON),
        ("application/json, */*;q=0.1", JSON),
        ("text/markdown;q=0.3, application/json;q=0.3", MARKDOWN),
    ],
)
def test_where_markdown_comes_first_it_is_the_default_but_in_browsers(
    accept: str, expected: str
) -> None:
    assert choose(accept, ROOT) == expected


@given(
    st.one_of(
        st.text(st.characters(max_codepoint=255), max_size=200),
        st.lists(
            st.sampled_from(
                ["text", "json", "*", "/", ",", ";", "q", "=", "0", ".", "1", " ", '"', *API]
            ),
            max_size=40,
        ).map("".join),
    )
)
def test_no_header_raises_or_gives_what_is_not_offered(accept: str) -> None:
    assert choose(accept, API) in (*API, None)


@given(st.lists(st.tuples(st.sampled_from(API), st.integers(1, 1000)), min_size=1, max_size=6))
def test_among_exact_types_the_highest_q_wins_and_then_the_leftmost(
    wishes: list[tuple[str, int]],
) -> None:
    wishes = list({media_type: (media_type, q) for media_type, q in reversed(wishes)}.values())
    accept = ", ".join(f"{media_type};q={q / 1000:.3f}" for media_type, q in wishes)
    assert choose(accept, API) == max(wishes, key=lambda wish: wish[1])[0]


@pytest.mark.parametrize("header", [",", ";", "a/b,", "a/b;q=0.1;", "text/*;", "q=", "/"])
def test_a_long_header_is_read_at_once(header: str) -> None:
    began = time.process_time()  # what others use of the machine does not count
    choose(header * (10_240 // len(header)), API)
    assert time.process_time() - began < 0.5
