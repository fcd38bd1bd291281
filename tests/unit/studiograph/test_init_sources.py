"""`studiograph init` from a folder of markdown and from a GitHub account."""

from collections.abc import Callable
from pathlib import Path

import pytest
from github_server import LOGIN, always, github_server, http, readme, user

from content.reading.reader import load
from schema.site import Site
from studiograph.__main__ import main
from studiograph.settings import Settings

MARKDOWN = {
    "index.md": """\
---
url: https://saltmarsh.example
email: ana@saltmarsh.example
founder: Ana Silva
theme: dark
---
# Saltmarsh

Tide tables for
small harbours.

We compute *tides*.

## History

Long.
""",
    "faq.md": """\
# Questions

Read these.

## Is it free?

Yes, for a year.

## How does it look?

![a graph](tides.png)

## Empty
""",
    "faq/price.md": '+++\ntitle = "What does it cost?"\ndraft = true\n+++\nNothing.\n',
    "glossary.md": "# Neap tide\n\nThe small one.\n\n# `Spring` tide\n\nThe large one.\n",
    "projects/tides.md": """\
---
title: Tides
status: in-production
ownership: studio
startedAt: "2021-04"
lastUpdated: 2026-10-01
stack: [Python, xarray]
highlights:
  - {label: Ports, value: "12", detail: Counted in May.}
weight: 3
---
Tables of tides.

They are right.

## Usage

Run it.
""",
    "projects/gauges.md": "# Gauges\n\nThey measure.\n",
    "practice.md": "# Tide tables\n\nFor harbours.\n",
    "notes.md": "# Notes\n",
}
ANSWERS = {
    "--name": "Saltmarsh",
    "--url": "https://saltmarsh.example",
    "--one-line": "Tide tables.",
    "--founder": "Ana Silva",
    "--email": "ana@saltmarsh.example",
}

Captured = pytest.CaptureFixture[str]
Init = Callable[..., int]


@pytest.fixture
def init(tmp_path: Path) -> Init:
    """`studiograph init` in an empty folder, and `studiograph check` of what it wrote."""

    def run(*words: str, github: str = "https://api.github.example") -> int:
        studio = tmp_path / "studio"
        settings = Settings(content=studio / "content", data=studio / "var", github_api_url=github)
        code = main(["init", str(tmp_path / "studio"), *words], settings=lambda: settings)
        return code or main(["check", "--quiet"], settings=lambda: settings)

    return run


def written(folder: Path, texts: dict[str, str]) -> Path:
    """A folder with these files."""
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def answers(*names: str) -> list[str]:
    """The options that answer these questions."""
    return [word for name in names for word in (name, ANSWERS[name])]


def test_a_folder_of_markdown_becomes_a_studio(tmp_path: Path, init: Init) -> None:
    notes = written(tmp_path / "notes", MARKDOWN)
    assert init("--from-markdown", str(notes)) == 0
    site = load(tmp_path / "studio/content", drafts=True)
    studio = site.studio
    assert (studio.name, studio.url, studio.contact.email, studio.founder.name) == (
        "Saltmarsh",
        "https://saltmarsh.example",
        "ana@saltmarsh.example",
        "Ana Silva",
    )
    assert studio.one_liner == "Tide tables for small harbours."
    assert studio.description is not None
    assert studio.description.startswith("Tide tables for\nsmall harbours.\n\nWe compute *tides*.")
    assert studio.description.endswith("\n\n**History**\n\nLong.")
    assert [(entry.q, entry.a, entry.slug) for entry in site.faq] == [
        ("What does it cost?", "Nothing.", "price"),
        ("Is it free?", "Yes, for a year.", "is-it-free"),
        ("How does it look?", "[a graph](tides.png)", "how-does-it-look"),
    ]
    assert [(entry.term, entry.slug) for entry in site.glossary] == [
        ("Neap tide", "neap-tide"),
        ("Spring tide", "spring-tide"),
    ]
    gauges, project = site.projects
    assert (gauges.slug, gauges.summary) == ("gauges", "They measure.")
    assert (project.slug, project.name, project.tagline) == ("tides", "Tides", "Tables of tides.")
    assert project.summary == "Tables of tides.\n\nThey are right.\n\n**Usage**\n\nRun it."
    assert [(h.label, h.value) for h in project.highlights] == [("Ports", "12")]
    text = (tmp_path / "studio/content/projects.toml").read_text(encoding="utf-8")
    assert 'tagline = "Tables of tides."  # imported\n' in text


def test_a_file_of_an_editor_that_begins_with_a_byte_order_mark_is_read_alike(
    tmp_path: Path, init: Init
) -> None:
    notes = written(tmp_path / "notes", {name: f"\ufeff{text}" for name, text in MARKDOWN.items()})
    assert init("--from-markdown", str(notes)) == 0
    site = load(tmp_path / "studio/content", drafts=True)
    assert (site.studio.founder.name, site.studio.one_liner) == (
        "Ana Silva",
        "Tide tables for small harbours.",
    )
    assert [entry.q for entry in site.faq][:2] == ["What does it cost?", "Is it free?"]
    assert [project.name for project in site.projects] == ["Gauges", "Tides"]


def test_a_path_in_a_link_is_one_of_the_website_that_it_was_written_for(
    tmp_path: Path, init: Init
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "index.md").write_text(MARKDOWN["index.md"])
    (notes / "faq.md").write_text("# Is it free?\n\nSee [terms](/terms#free) and `[x](/y)`.\n")
    assert init("--from-markdown", notes) == 0
    content = tmp_path / "studio" / "content"
    answer = load(content, base_url="https://agents.example", drafts=True).faq[0].a
    assert answer == "See [terms](https://saltmarsh.example/terms#free) and `[x](/y)`."


def test_what_a_folder_says_is_a_draft_unless_it_says_otherwise(tmp_path: Path, init: Init) -> None:
    notes = written(tmp_path / "notes", MARKDOWN)
    written(notes, {"faq/open.md": "---\ntitle: Is it open?\ndraft: false\n---\nYes.\n"})
    assert init("--from-markdown", str(notes)) == 0
    assert [entry.q for entry in load(tmp_path / "studio/content").faq] == ["Is it open?"]
    assert "# [[faq]]" in (tmp_path / "studio/content/faq.toml").read_text(encoding="utf-8")


def test_what_markdown_has_and_a_studio_has_not_is_a_comment_and_named(
    tmp_path: Path, init: Init, capsys: Captured
) -> None:
    notes = written(tmp_path / "notes", MARKDOWN)
    assert init("--from-markdown", str(notes)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:-1] == [
        "taken: 9, of which 8 are drafts; as comments: 4; left out: 1",
        "as a comment: faq.md: Empty: complete it in faq.toml: a",
        "as a comment: index.md: theme: has no place in the content",
        "as a comment: faq.md: stands before its first entry",
        "as a comment: projects/tides.md: weight: has no place in the content",
        "left out: private: files that are private, of another folder or to come: 1",
    ]
    content = tmp_path / "studio/content"
    assert '# weight = "3"\n' in (content / "projects.toml").read_text(encoding="utf-8")
    assert "# # faq.md: Empty: complete it" in (content / "faq.toml").read_text(encoding="utf-8")
    assert "# Read these.\n" in (content / "faq.toml").read_text(encoding="utf-8")
    assert "# Left out: private" in (content / "studio.toml").read_text(encoding="utf-8")


def test_a_comment_that_the_owner_completes_is_an_entry(tmp_path: Path, init: Init) -> None:
    site_of(tmp_path, init, {**ROOT_PAGE, "faq.md": "# Is it free?\n\n# Open?\n\nYes.\n"})
    file = tmp_path / "studio/content/faq.toml"
    text = file.read_text(encoding="utf-8")
    block = text[text.index("# # faq.md: Is it free?") :].partition("\n\n")[0]
    completed = "\n".join(line.removeprefix("# ") for line in block.split("\n"))
    file.write_text(text.replace(block, f'{completed}\na = "Yes."'), encoding="utf-8")
    site = load(tmp_path / "studio/content", drafts=True)
    assert [(entry.q, entry.a) for entry in site.faq] == [
        ("Is it free?", "Yes."),
        ("Open?", "Yes."),
    ]


def test_a_sentence_that_is_too_long_is_asked_for(tmp_path: Path, init: Init) -> None:
    notes = written(tmp_path / "notes", {"README.md": f"# Saltmarsh\n\n{'Tides. ' * 99}\n"})
    rest = answers("--one-line", "--url", "--founder", "--email")
    assert init("--from-markdown", str(notes), *rest) == 0
    studio = load(tmp_path / "studio/content").studio
    assert (studio.name, studio.one_liner) == ("Saltmarsh", "Tide tables.")


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        ({}, "has none of index.md, README.md, about.md"),
        ({"notes.md": "Tides."}, "and no file named after a list"),
        (
            {"index.md": "---\n- tides\n---\n"},
            "index.md: cannot be read: its head must be keys with values",
        ),
    ],
)
def test_a_folder_that_says_nothing_is_refused_and_nothing_is_written(
    texts: dict[str, str], reason: str, tmp_path: Path, init: Init, capsys: Captured
) -> None:
    notes = written(tmp_path / "notes", texts)
    assert init("--from-markdown", str(notes)) == 2
    assert reason in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "studio").exists()


def site_of(tmp_path: Path, init: Init, texts: dict[str, str]) -> Site:
    """What is made of a folder with these files; the other answers are given."""
    notes = written(tmp_path / "notes", texts)
    rest = answers(*([] if "index.md" in texts else ["--name"]), "--url", "--founder", "--email")
    assert init("--from-markdown", str(notes), *rest) == 0
    return load(tmp_path / "studio/content", drafts=True)


ROOT_PAGE = {"index.md": "# Studio\n\nWe measure.\n"}


def test_names_in_any_script_and_names_twice_have_slugs_of_their_own(
    tmp_path: Path, init: Init
) -> None:
    headings = ("你是谁", "Price?", "Price?", "?!")
    faq = "# FAQ\n\n" + "".join(f"## {heading}\n\nYes.\n\n" for heading in headings)
    site = site_of(tmp_path, init, {**ROOT_PAGE, "faq.md": faq})
    assert [entry.slug for entry in site.faq] == ["nishishei", "price", "price-2", "entry"]


def test_a_line_is_what_markdown_calls_one(tmp_path: Path, init: Init) -> None:
    faq = "# FAQ\n\n## First?\n\nOne.\x0cTwo.\u2028Three.\n\n## Second?\n\nA second answer.\n"
    site = site_of(tmp_path, init, {**ROOT_PAGE, "faq.md": faq})
    assert [entry.a for entry in site.faq] == ["One. Two. Three.", "A second answer."]


@pytest.mark.parametrize("head", ["---\ntitle:\ntags: []\n---\n", "---\ntitle: [A, B]\n---\n", ""])
def test_a_title_that_is_no_text_is_none(head: str, tmp_path: Path, init: Init) -> None:
    notes = written(tmp_path / "notes", {"index.md": f"{head}\nWe measure.\n"})
    rest = answers("--name", "--url", "--founder", "--email")
    assert init("--from-markdown", str(notes), *rest) == 0
    studio = load(tmp_path / "studio/content").studio
    assert (studio.name, studio.one_liner) == ("Saltmarsh", "We measure.")


@pytest.mark.parametrize("title", ["12:30", "1.10", "On"])
def test_a_value_is_as_it_is_written(title: str, tmp_path: Path, init: Init) -> None:
    page = f"---\ntitle: {title}\ndraft: no\n---\nYes.\n"
    site_of(tmp_path, init, {**ROOT_PAGE, "faq/noon.md": page})
    site = load(tmp_path / "studio/content")  # without drafts
    assert [entry.q for entry in site.faq] == [title]


@pytest.mark.parametrize(
    "texts",
    [
        {"_index.md": "---\ntitle: Hugo Studio\n---\n\nWe measure.\n"},
        {"readme.md": "# Hugo Studio\n\nWe **measure**.\n"},
        {"index.md": '{\n  "title": "Hugo Studio"\n}\n\n[We](https://x.example) measure.\n'},
    ],
)
def test_forms_of_the_studio_s_page(texts: dict[str, str], tmp_path: Path, init: Init) -> None:
    notes = written(tmp_path / "notes", texts)
    bundle = "# Clock\n\nIt ticks.\n"
    written(notes, {"faq/clock/index.md": bundle, "faq/_index.md": "# Questions\n"})
    rest = answers("--url", "--founder", "--email")
    assert init("--from-markdown", str(notes), *rest) == 0
    site = load(tmp_path / "studio/content", drafts=True)
    assert (site.studio.name, site.studio.one_liner) == ("Hugo Studio", "We measure.")
    assert [(entry.slug, entry.q) for entry in site.faq] == [("clock", "Clock")]


def test_a_file_that_cannot_be_read_is_named_and_the_rest_is_taken(
    tmp_path: Path, init: Init, capsys: Captured
) -> None:
    notes = written(tmp_path / "notes", {**ROOT_PAGE, "faq.md": "# Is it free?\n\nYes.\n"})
    written(notes, {"templates/page.md": "---\ntitle: {{title}}\n---\n"})
    written(notes, {"faq/new.md": "---\ntitle: {{title}}\n---\nYes.\n"})
    written(notes, {"faq/z.md": "---\ntitle: Open: when?\ntags: [a\n- b\n---\nAlways.\n"})
    (notes / "faq/y.md").write_bytes(b"# Caf\xe9?\n\nYes.\n")
    (notes / "faq/x.md").write_bytes(b"\x00\x01\x02")
    assert init("--from-markdown", str(notes), *answers("--url", "--founder", "--email")) == 0
    said = capsys.readouterr().out
    assert "faq/new.md: cannot be read: its head is one of a template" in said
    assert "faq/x.md: cannot be read: it is no text" in said
    assert "tools: files of templates, themes and packages: 1" in said
    faq = load(tmp_path / "studio/content", drafts=True).faq
    assert [entry.q for entry in faq] == ["Café?", "Open: when?", "Is it free?"]
    assert "- b" in (tmp_path / "studio/content/faq.toml").read_text(encoding="utf-8")


def test_private_notes_never_go_in_and_are_not_named(
    tmp_path: Path, init: Init, capsys: Captured
) -> None:
    canary = "xylophone"
    private = {
        "faq/a.md": f"---\npublish: false\n---\n# {canary}?\n\nYes.\n",
        "faq/b.md": f"---\npublished: false\n---\n# {canary}?\n\nYes.\n",
        "faq/c.md": f"---\nprivate: true\n---\n# {canary}?\n\nYes.\n",
        "faq/d.md": f"---\ndate: 2999-01-01\n---\n# {canary}?\n\nYes.\n",
        "faq/f.md": f'{{"date": "2999-01-01T08:00:00Z"}}\n# {canary}?\n\nYes.\n',
        "faq/g.md": f"---\npublished: 'no'\n---\n# {canary}?\n\nYes.\n",
        "faq/h.md": f"---\nprivate: yes\n---\n# {canary}?\n\nYes.\n",
        f"faq/_drafts/{canary}.md": f"# {canary}?\n\nYes.\n",
        "faq/i.md": f"---\ntitle: {{{{x}}}}\nprivate: true\nx: {canary}\n---\nYes.\n",
        "faq/j.md": f"---\npassword: {canary}\n---\n# {canary}?\n\nYes.\n",
        "faq/k.md": f"---\nvisibility: private\n---\n# {canary}?\n\nYes.\n",
        "works/_index.md": "---\ncascade:\n  build: {render: never}\n---\n",
        f"works/{canary}.md": f"# {canary}\n\nYes.\n",
        "projects/_index.md": "---\nprivate: true\n---\n",
        f"projects/{canary}.md": f"# {canary}\n\nYes.\n",
        f".trash/{canary}.md": f"# {canary}?\n\nYes.\n",
        f"private/{canary}.md": f"# {canary}?\n\nYes.\n",
    }
    notes = written(tmp_path / "notes", {**ROOT_PAGE, **private})
    outside = written(tmp_path / "else", {"e.md": f"# {canary}?\n\nYes.\n"})
    (notes / "faq" / "e.md").symlink_to(outside / "e.md")
    (notes / "faq" / "l.md").symlink_to(notes / "private" / f"{canary}.md")
    written(
        notes, {"faq/open.md": f"---\nclient_phone: {canary}\n# {canary}\n---\n# Open?\n\nYes.\n"}
    )
    assert init("--from-markdown", str(notes), *answers("--url", "--founder", "--email")) == 0
    said = capsys.readouterr()
    files = (tmp_path / "studio").rglob("*")
    made = "".join(file.read_text(encoding="utf-8") for file in files if file.is_file())
    assert canary not in f"{said.out}{said.err}{made}"
    assert "private, of another folder or to come: 19" in said.out


def test_a_github_account_becomes_a_studio(tmp_path: Path, init: Init) -> None:
    with github_server() as hub:
        hub.readme = readme("# Maren\n\n![badge](https://github.example/badge.svg)\n")
        rest = answers("--name", "--url", "--one-line", "--email")
        assert init("--from-github", LOGIN, *rest, github=hub.address) == 0
    site = load(tmp_path / "studio/content")
    founder = site.studio.founder
    assert founder.name == "Maren Q."
    assert [(h.platform, h.handle) for h in founder.handles] == [("GitHub", LOGIN)]
    assert site.github is not None
    assert site.github.readme is not None  # other people's words may have images
    assert {repo.name for repo in site.github.repos} == {"tides", LOGIN, "ledger"}


def test_an_account_without_a_name_answers_no_question(tmp_path: Path, init: Init) -> None:
    with github_server() as hub:
        hub.user = {**user(), "name": None}
        assert init("--from-github", LOGIN, *answers(*ANSWERS), github=hub.address) == 0
    assert load(tmp_path / "studio/content").studio.founder.name == "Ana Silva"


@pytest.mark.parametrize(
    ("login", "reason"),
    [
        ("../etc", "'../etc' is no GitHub login, such as octocat"),
        (LOGIN, "GitHub answered with HTTP 404"),
    ],
)
def test_an_account_that_is_not_there_is_refused(
    login: str, reason: str, tmp_path: Path, init: Init, capsys: Captured
) -> None:
    with github_server() as hub:
        hub.instead = always(*http("404 Not Found"))
        assert init("--from-github", login, *answers(*ANSWERS), github=hub.address) == 2
    assert reason in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "studio").exists()


def test_a_studio_begins_with_one_source(tmp_path: Path, init: Init, capsys: Captured) -> None:
    notes = written(tmp_path / "notes", MARKDOWN)
    assert init("--from-markdown", str(notes), "--from-github", LOGIN) == 2
    assert "A studio begins with one source" in capsys.readouterr().err
