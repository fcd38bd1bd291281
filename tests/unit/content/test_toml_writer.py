"""Sections as TOML: the file as it would be written by hand, and read back as it was."""

import tomllib
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st
from repository import SAMPLE

from content.importing.toml_writer import toml_text
from schema.github import GithubProfile, GithubReadme, GithubRepo, GithubSnapshot
from schema.site import Site
from sdl.types.scalar_types import Markdown, Url

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
URL = Url("https://github.example/maren-q")
PROFILE = GithubProfile(
    login="maren-q",
    name="Maren",
    bio=None,
    url=URL,
    followers=1,
    following=2,
    public_repos=3,
    created_at=NOW,
)


def snapshot(text: str = "x", lines: tuple[str, ...] = ()) -> GithubSnapshot:
    """A snapshot with this readme, and these lines as descriptions and topics."""
    repos = [
        GithubRepo(
            name="tides",
            description=line,
            url=URL,
            stars=0,
            forks=0,
            topics=list(lines),
            pushed_at=NOW,
            archived=False,
        )
        for line in lines
    ]
    return GithubSnapshot(
        as_of=NOW,
        profile=PROFILE,
        activity=[],
        stars=[],
        reading_list=[],
        repos=repos,
        readme=GithubReadme(markdown=Markdown(text), sha="0" * 40, fetched_at=NOW),
    )


def read_back(text: str) -> GithubSnapshot:
    """What the text says, as the reader takes it."""
    return GithubSnapshot.model_validate(tomllib.loads(text), by_name=False)


def test_the_sample_s_file_is_what_would_be_written(sample: Site) -> None:
    assert sample.github is not None
    assert toml_text(sample.github) == (SAMPLE / "github.toml").read_text(encoding="utf-8")


def test_what_is_absent_is_not_written_and_an_empty_list_is() -> None:
    written = toml_text(snapshot())
    assert written.startswith("asOf = 2026-11-20T12:00:00Z\nactivity = []\nstars = []\n")
    assert "bio" not in written
    assert read_back(written) == snapshot()


PLAIN = st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\u2028\u2029")
TEXTS = st.text(st.sampled_from("\"\\\n\t#=[]' aé") | PLAIN, min_size=1).filter(str.strip)
LINES = st.text(st.sampled_from("\"\\'é =#"), min_size=1).map(lambda text: f"a{text}a")


@given(TEXTS, st.lists(LINES, max_size=3).map(tuple))
def test_whatever_is_written_is_read_back_as_it_was(text: str, lines: tuple[str, ...]) -> None:
    made = snapshot(text, lines)
    assert read_back(toml_text(made)) == made
