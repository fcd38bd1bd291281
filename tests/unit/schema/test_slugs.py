"""Slugs derived from names: always slugs or nothing, at most 64 characters, cut at a word."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from schema.sections import FaqEntry
from schema.site import Site
from sdl.types.declare import MAX_SLUG, slug_of
from sdl.types.scalar_types import Slug

CASES = {
    "Ledger engineering": "ledger-engineering",
    "What is Quillmere?": "what-is-quillmere",
    "  Many   --  gaps  ": "many-gaps",
    "the desk's own book": "the-desks-own-book",
    "the desk\u2019s own book": "the-desks-own-book",
    "Übergröße café": "ubergroe-cafe",
    "\ufb01nance \u2460": "finance-1",
    "0.5 % of capital": "0-5-of-capital",
    "???": "",
    "": "",
    "日本語": "ribenyu",
    "a" * 64: "a" * 64,
    "a" * 65: "a" * 64,
    f"{'a' * 63} b": f"{'a' * 63}",
    f"{'a' * 62} b": f"{'a' * 62}-b",
    f"{'a' * 64} b": "a" * 64,
    "one two " * 9: ("one-two-" * 8).rstrip("-"),
}


@pytest.mark.parametrize(("name", "slug"), CASES.items(), ids=lambda text: f"{text[:20]!a}")
def test_a_name_gives_this_slug(name: str, slug: str) -> None:
    assert slug_of(name) == slug


@given(st.text(max_size=200) | st.text(st.sampled_from("ab -'?.é"), max_size=200))
@example("a" * 63 + "-" + "b" * 63)
def test_what_is_derived_is_a_slug_or_nothing(name: str) -> None:
    slug = slug_of(name)
    assert len(slug) <= MAX_SLUG == 64
    assert slug == "" or TypeAdapter(Slug).validate_python(slug) == slug
    assert not slug.startswith("-")
    assert not slug.endswith("-")
    assert "--" not in slug


@given(st.text(max_size=80))
def test_a_slug_is_its_own_slug(name: str) -> None:
    assert slug_of(slug_of(name)) == slug_of(name)


@given(st.text(st.sampled_from("abc .,"), min_size=1, max_size=150))
def test_a_long_name_is_cut_between_words_where_it_has_some(name: str) -> None:
    words = re.findall(r"[abc]+", name)
    slug = slug_of(name)
    if words and len(words[0]) <= MAX_SLUG:
        assert slug.split("-") == words[: slug.count("-") + 1]


ENTRY = {"q": "What is it?", "a": "It is this.", "tags": []}


def test_an_entry_takes_the_slug_of_its_name() -> None:
    assert FaqEntry.model_validate(ENTRY).slug == "what-is-it"


def test_an_entry_keeps_the_slug_it_is_given() -> None:
    assert FaqEntry.model_validate({**ENTRY, "slug": "it"}).slug == "it"


def test_derived_slugs_are_unique_within_each_list_of_the_sample(sample: Site) -> None:
    studio = sample.studio
    for entries in (
        *(sample.faq, studio.practice, studio.convictions),
        *(studio.looking_for, studio.certifications),
    ):
        slugs = [entry.slug for entry in entries]
        assert len(set(slugs)) == len(slugs)
