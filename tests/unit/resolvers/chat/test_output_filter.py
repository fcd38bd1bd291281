"""Nothing a model says leads away from what is published, however its words are cut."""

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from resolvers.chat.conversation import REFUSAL, Finish, Reason, Source, TextDelta
from resolvers.chat.output_filter import MAX_BUFFER, filter_stream
from resolvers.chat.url_allowlist import addresses_in, normalise
from resolvers.embeddings.errors import ModelError

BASE = "https://studio.example"
SOURCES = (
    Source(
        *(1, "faq", "a", "Price", f"{BASE}/faq#a", 0.6),
        "See https://docs.example/a?b=c (v2.1). From 1.5 to 3 Wochen, 5 \u20ac, in two steps,"
        " twelve times a year, for Node.js, AT&T and R&D of Maren Quill in Porto: 1,885 days,"
        " 11.4 million.",
    ),
    Source(2, "faq", "b", "Mail", f"{BASE}/faq#b", 0.5, "Write to hello@studio.example."),
)
GOOD = (
    "The price is fixed [1]. It is per milestone [1][2].",
    "See https://docs.example/a?b=c [1].",
    "See (https://docs.example/a?b=c), please [1].",
    "See docs.example/a?b=c [1].",
    "Write to hello@studio.example [2].",
    f"Read {BASE}/projects/ledgerline and {BASE}.",
    "Read studio.example/projects now.",
    "Version v2.1 of Node.js, e.g. i.e. 1.5 a < b, 3 > 2, and/or.",
    "Was it so?Yes.The end.",
    "Zwölf Wochen, à 5 €.\n\n- one [1]\n- two [2]",
    "価格は固定です。[1]詳しくは[2]。",
    "Great![1] Fine.",
    "AT&T and R&D; x &amp y.",
)


def wide(text: str) -> str:
    """The text in letters of full width."""
    return "".join(chr(ord(char) + 0xFEE0) for char in text)


EVIL = {
    "image of ours": (f"![a]({BASE}/p.png) b", f"! [a] ({BASE}/p.png) b"),
    "image over sentences": ("![a. b](/p.png) c", "! [a. b] (/p.png) c"),
    "tag": ('a <img src="https://evil.example/p"> b', "a  b"),
    "tag of ours": (f'a <img src="{BASE}/p" alt="c. d"> b', 'a d"> b'),
    "tag in a tag": ("a <<b>script>x</script> b", "a x b"),
    "unfinished tag": ("a <script src=x", "a"),
    "escaped tag": ("a &lt;script&gt;x b", "a x b"),
    "comment": ("a <!-- hidden --> b", "a  b"),
    "unknown marker": ("It is so [7]. Yes [1, 9][3].", "It is so. Yes [1]."),
    "marker in a marker": ("It is so [9[8]9].", "It is so."),
    "marker by a tag": ("It is so [<b>9].", "It is so."),
    "other brackets": (f"It is so 【2†source】 and {wide('[9]')}.", "It is so [2] and."),
    "marker with a word": ("It is so [Source 1] [^2] [passage 8].", "It is so [1] [2]."),
    "bells": ("a\x07\x1b[m b", "a[m b"),
    "direction": ("a \u202eevil\u202c b", "a evil b"),
}
FOREIGN = {
    "link": "Go to https://evil.example/x?q=1 now [1].",
    "bare host": "Go to evil.com now.",
    "bare host in capitals": "Go to EVIL.COM or Evil.Com.",
    "host and path": "Go to files.py/x.",
    "address of mail": "Ask x+y@evil.example.",
    "no scheme": "Go to //evil.example/x.",
    "other schemes": "javascript:alert(1) data:text/html,x",
    "any scheme": "Go to gopher://1.",
    "user": f"{BASE}@evil.example/ a",
    "backslash": f"{BASE}\\@evil.example/ a",
    "longer host": f"{BASE}.evil.example/ a",
    "two in one": f"{BASE}/,https://evil.example a",
    "other query": "https://docs.example/a?b=secret [1] a",
    "other port": f"{BASE}:8443/x a",
    "full width": f"{wide('https://evil.example')} a",
    "other dots": "evil。example is",
    "hidden marks": "ht\u200btps://ev\u00adil.example a",
    "entities": "&#104;ttps&colon;//evil.example a",
    "entities of entities": "&amp;#104;ttps&amp;#58;//evil.example a",
    "image": "![a](https://evil.example/p.png) b",
    "link of Markdown": "[here](https://evil.example) b",
    "definition": "[x]: https://evil.example b",
}
"""Sentences with an address that no source names, which are left out."""
VALUES = {
    "number": "The price is 9 \u20ac [1].",
    "number in words": "It takes ninety steps [1].",
    "unit": "It takes 1,885 weeks [1].",
    "number of a list": "99.",
    "name": "It was built by Erik Solberg [1].",
    "name behind a colon": "Owner: Solberg [1].",
    "name in quotes": 'It is called "Solberg" [1].',
    "code": "It is owned by zq007xv [1].",
    "name in capitals": "Call SOLBERG now [1].",
}
"""Sentences with a number or name that no source has, which are left out."""
SPOKEN = (
    "Maren Quill lives in Porto [1].",
    "It has 1885 days and 11.4 million [1].",
    "S\u00e3o 11,4 milh\u00f5es em 1.885 dias [1].",
    "Das Studio ist in Porto und hat eine Gr\u00fcnderin [1].",
    "1. The price is fixed [1].\n2. Quillmere answers [2].",
)
"""Sentences whose numbers and names the sources have, in some language."""


def said(
    pieces: Sequence[str], reason: Reason = "stop", sources: Sequence[Source] = SOURCES
) -> tuple[list[str], Reason]:
    """The tokens of what passes the gate, and the reason of the one Ending."""

    async def stream() -> AsyncGenerator[TextDelta | Finish]:
        for piece in pieces:
            yield TextDelta(piece)
        yield Finish(reason)

    async def collect() -> list[TextDelta | Finish]:
        return [item async for item in filter_stream(stream(), sources, BASE, ("quillmere",))]

    *tokens, ending = asyncio.run(collect())
    assert isinstance(ending, Finish)
    texts = [token.text for token in tokens if isinstance(token, TextDelta)]
    assert len(texts) == len(tokens)
    return texts, ending.reason


def removed(text: str) -> tuple[str, ...]:
    """Why each sentence of an answer was left out."""

    async def stream() -> AsyncGenerator[TextDelta | Finish]:
        yield TextDelta(text)
        yield Finish("stop")

    async def collect() -> list[TextDelta | Finish]:
        return [item async for item in filter_stream(stream(), SOURCES, BASE, ("quillmere",))]

    ending = asyncio.run(collect())[-1]
    assert isinstance(ending, Finish)
    return ending.removed


def passed(text: str) -> str:
    """What passes of an answer that comes a character at a time."""
    return "".join(said(text)[0])


@pytest.mark.parametrize("text", GOOD, ids=range(len(GOOD)))
def test_what_is_cited_and_plain_passes_unchanged(text: str) -> None:
    assert passed(text) == text


@pytest.mark.parametrize(("text", "rest"), EVIL.values(), ids=EVIL)
def test_markup_and_unknown_markers_do_not_pass(text: str, rest: str) -> None:
    assert passed(text) == rest
    assert "".join(said([text])[0]) == rest


@pytest.mark.parametrize("text", SPOKEN, ids=range(len(SPOKEN)))
def test_what_the_sources_have_passes_in_any_spelling(text: str) -> None:
    assert passed(text) == text
    assert removed(text) == ()


@pytest.mark.parametrize("text", [*FOREIGN.values(), *VALUES.values()], ids=[*FOREIGN, *VALUES])
def test_a_sentence_with_what_no_source_has_is_left_out_and_noted(text: str) -> None:
    for pieces in (text, [text]):
        assert said(pieces) == ([REFUSAL], "stop")
    assert said([f"It is fixed [1]. {text}\nIt is so [1]."])[0] == [
        "It is fixed [1].",
        " It is so [1].",
    ]
    assert ("url" in removed(text)) == (text in FOREIGN.values())
    assert removed(text)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("It is so. [1] It costs 99. [2]", "It is so. [1]"),
        ("It costs 99. [2] It is so. [1]", "It is so. [1]"),
        ("It is so. It costs 99. [1][2] Yes.", "It is so. Yes."),
        ("It costs 99. [1]", REFUSAL),
    ],
)
def test_markers_stay_and_go_with_their_sentence(text: str, rest: str) -> None:
    assert passed(text) == "".join(said([text])[0]) == rest


def test_what_was_left_out_is_noted_by_its_kind() -> None:
    text = "It costs 9 \u20ac. It is fixed [1]. Ask Solberg or 9 others. See evil.com."
    assert passed(text) == "It is fixed [1]."
    assert removed(text) == ("number", "number", "url")
    assert removed("Ask Erik Solberg.") == ("entity",)


def test_each_sentence_is_a_token() -> None:
    tokens, reason = said(["One [1]. Tw", "o [2]. ", "[1] Three"])
    assert tokens == ["One [1].", " Two [2].", " [1] Three"]
    assert reason == "stop"


def test_a_sentence_goes_out_when_the_next_begins_and_not_at_the_end() -> None:
    async def go() -> None:
        more = asyncio.Event()

        async def stream() -> AsyncGenerator[TextDelta | Finish]:
            yield TextDelta("One [1]. T")
            await more.wait()
            yield TextDelta("wo [2].")
            yield Finish("stop")

        answer = filter_stream(stream(), SOURCES, BASE)
        assert await anext(answer) == TextDelta("One [1].")
        more.set()
        assert [item async for item in answer] == [TextDelta(" Two [2]."), Finish("stop")]

    asyncio.run(go())


@pytest.mark.parametrize(
    "text",
    [
        *("NOT_FOUND", "NOT_FOUND.", " **NOT_FOUND** [1]", "NOT\\_FOUND", '"NOT_FOUND"\n'),
        *("NOT_FOUND\nBut I can tell you what I think.", "Sorry: NOT_FOUND. Yet [1]."),
    ],
    ids=range(7),
)
def test_not_found_is_the_fixed_refusal(text: str) -> None:
    assert said(text) == ([REFUSAL], "stop")
    assert said([text]) == ([REFUSAL], "stop")


def test_not_found_behind_an_answer_is_left_out() -> None:
    assert said(["It is fixed [1]. NOT_FOUND."]) == (["It is fixed [1]."], "stop")


@pytest.mark.parametrize("text", ["", "  \n", "[9]", "<b></b>", "..."])
def test_nothing_that_passes_is_the_refusal(text: str) -> None:
    assert said([text]) == ([REFUSAL], "stop")


@pytest.mark.parametrize("reason", ["error", "truncated"])
def test_a_break_before_anything_is_said_is_a_fault(reason: Reason) -> None:
    with pytest.raises(ModelError, match="broke off"):
        said([" "], reason)


@pytest.mark.parametrize("reason", ["stop", "length", "truncated", "error"])
def test_the_reason_of_the_end_is_kept(reason: Reason) -> None:
    assert said(["It is fi"], reason) == (["It is fi"], reason)


def test_half_an_address_is_not_one_that_is_named() -> None:
    answer = ["It is fixed [1]. See https://docs.exam"]
    assert said(answer, "truncated") == (["It is fixed [1]."], "truncated")


def test_a_fault_before_the_first_word_is_passed_on() -> None:
    async def stream() -> AsyncGenerator[TextDelta | Finish]:
        raise ModelError("away")
        yield Finish("stop")

    async def go() -> None:
        with pytest.raises(ModelError, match="away"):
            await anext(filter_stream(stream(), SOURCES, BASE))

    asyncio.run(go())


def test_leaving_the_gate_closes_the_stream_behind_it() -> None:
    async def go() -> None:
        closed = asyncio.Event()

        async def stream() -> AsyncGenerator[TextDelta | Finish]:
            try:
                while True:
                    yield TextDelta("One [1]. ")
            finally:
                closed.set()

        answer = filter_stream(stream(), SOURCES, BASE)
        await anext(answer)
        await answer.aclose()
        assert closed.is_set()

    asyncio.run(go())


def test_words_without_an_end_are_given_out_in_whole_words() -> None:
    tokens, _ = said("word " * MAX_BUFFER)
    assert len(tokens) > 2
    assert "".join(tokens) == ("word " * MAX_BUFFER).rstrip()


def test_a_word_without_an_end_is_left_out() -> None:
    text = "See https://" + "e" * 3 * MAX_BUFFER + ".evil.example/ [1]."
    assert passed(text) == "See  [1]."
    assert "evil" not in "".join(said([text])[0])


NASTY = st.lists(
    st.sampled_from(
        [
            *("http", "s:", "//", "evil.", "com", "example", "/", "@", ".", " ", "\n", "[", "]"),
            *("(", ")", "!", "<", ">", "img ", "1", "2", "9", ",", "&lt;", "&#58;", "&amp;", "a"),
            *("\u200b", "\u3002", "\uff1a", "docs.example/a?b=c", BASE, "NOT_FOUND", "\\"),
            *('"', "javascript:", "source ", "&#104;", "![", "](", "<b>", "中"),
        ]
    ),
    max_size=30,
)


@given(NASTY)
@example(["http", "!", " ", " ", "1", "\n", "http"])
def test_whatever_comes_nothing_foreign_passes_and_cuts_change_nothing(pieces: list[str]) -> None:
    text = "".join(pieces)
    whole = passed(text)
    assert whole == "".join(said([text])[0]) == "".join(said(pieces)[0])
    plain = normalise(whole).replace(REFUSAL, "")
    hosts = ("https://docs.example/a?b=c", "docs.example/a?b=c", BASE, "studio.example")
    for match in addresses_in(plain):
        assert match[0].lower().lstrip("(\"'[").startswith(hosts), whole
    assert not re.search(r"evil\.com(?![^\W_])|!\[(?!\d+\])|\]\(|<[a-z]|javascript:\w", whole)
    assert not {*re.findall(r"\[(\d+)\]", whole)} - {"1", "2"}
