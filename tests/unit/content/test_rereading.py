"""A reading that knows the one before says exactly what a first one says."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tiers import step

from content.checking.errors import ContentError, ContentProblem
from content.reading.files import files_of
from content.reading.reader import Reading, read

Change = Callable[[str], str]
ADDED = '\n[[faq]]\nq = "Is this new?"\na = "It is."\ntags = ["tests"]\n'
FILES = ("changelog", "faq", "licensing", "projects", "studio", "studio.practice")
"""A file of each kind: long and short lists, an object, one with others in it, one in another."""
BASE = "https://studio.example"
HEADER = re.compile(r"^(\[\[.*\]\])$", re.MULTILINE)
CHANGES: dict[str, Change] = {
    "a comment": lambda text: f"# Only a comment.\n{text}",
    "another name for each entry": lambda text: re.sub(
        r'^slug = "', 'slug = "x-', text, flags=re.MULTILINE
    ),
    "an image in each text": lambda text: text.replace('"""\n', '"""\n![seen](https://a.example) '),
    "an unknown key": lambda text: HEADER.sub(r"\1\nodd = 1", text),
    "no end of a string": lambda text: f'{text}\nodd = "open',
    "a draft": lambda text: re.sub(
        r"^(\[\[.*\]\])$", r"\1\ndraft = true", text, count=1, flags=re.MULTILINE
    ),
    "other dates": lambda text: re.sub(r"= 20\d\d-", "= 2019-", text),
    "nothing": lambda _: "",
}


Found = Reading | tuple[ContentProblem, ...]


def reading_of(
    folder: Path, before: Reading | None = None, *, drafts: bool = False, base_url: str = ""
) -> Found:
    """The reading, or every problem."""
    try:
        return read(folder, before, drafts=drafts, base_url=base_url)
    except ContentError as error:
        return error.problems


def said(folder: Path, before: Reading | None = None, *, drafts: bool = False) -> object:
    """What a reading says: the site, or every problem."""
    return words_of(reading_of(folder, before, drafts=drafts))


def words_of(found: Found) -> object:
    """What was found, without what the next reading keeps of it."""
    return found.site if isinstance(found, Reading) else found


@pytest.mark.parametrize("what", CHANGES)
def test_what_is_kept_of_a_reading_changes_no_word_of_the_next(what: str, folder: Path) -> None:
    differing, first = set(), read(folder)
    names = FILES[[*CHANGES].index(what) % step(2) :: step(2)]
    for path in (folder / f"{name}.toml" for name in names):
        original = path.read_text()
        path.write_text(CHANGES[what](original))
        for drafts in (False, True) if what == "a draft" else (False,):
            fresh = reading_of(folder, drafts=drafts)
            assert said(folder, first, drafts=drafts) == words_of(fresh), path.name
            if words_of(fresh) != first.site:
                differing.add(path.name)
            if isinstance(fresh, Reading):
                path.write_text(original)
                assert said(folder, fresh) == first.site, path.name
                path.write_text(CHANGES[what](original))
        path.write_text(original)
    assert bool(differing) == (what != "a comment")


def test_a_file_that_goes_or_comes_is_noticed(folder: Path) -> None:
    first = read(folder)
    for path in sorted(files_of(folder))[:: step(2)]:
        text = path.read_text()
        path.unlink()
        fresh = said(folder)
        assert fresh != first.site
        assert said(folder, first) == fresh, path.name
        path.write_text(text)
    assert said(folder, first) == first.site


def test_what_has_not_changed_is_the_very_same(folder: Path) -> None:
    first = read(folder)
    (folder / "faq.toml").write_text((folder / "faq.toml").read_text() + ADDED)
    second = read(folder, first)
    assert len(second.site.faq) == len(first.site.faq) + 1
    assert all(a is b for a, b in zip(first.site.projects, second.site.projects, strict=True))
    assert all(
        a is b for a, b in zip(first.site.studio.practice, second.site.studio.practice, strict=True)
    )
    third = read(folder, second)
    assert third.site == second.site == read(folder).site


def test_links_of_what_is_kept_are_kept(folder: Path) -> None:
    path, first = folder / "faq.toml", read(folder, base_url=BASE)
    path.write_text(path.read_text().replace('"""\n', '"""\n[Now](/api/faq) ', 1))
    fresh, again = read(folder, base_url=BASE), read(folder, first, base_url=BASE)
    assert again.site == fresh.site
    assert sorted(again.own_links, key=str) == sorted(fresh.own_links, key=str)


def test_what_is_equal_and_not_the_same_is_checked_again(folder: Path) -> None:
    path, first = folder / "studio.practice.toml", read(folder)
    path.write_text(path.read_text().replace("active = true", "active = 1", 1))
    assert said(folder, first) == said(folder) != first.site
