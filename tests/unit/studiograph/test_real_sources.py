"""`studiograph init` from ten resumes and ten folders of markdown in the forms that there are.

`resumes.json` and `folders.toml` follow the public documentation of the programs that make such
files. What is private in them has the word `xylophone`.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from content.reading.reader import load
from schema.site import Site
from studiograph.__main__ import main
from studiograph.settings import Settings

HERE = Path(__file__).parent
CANARY = "xylophone"
LONG = "Word. " * 4_000
RESUMES: dict[str, Any] = json.loads(
    (HERE / "resumes.json").read_text(encoding="utf-8").replace("@LONG@", LONG.strip())
)
FOLDERS: dict[str, dict[str, str]] = tomllib.loads(
    (HERE / "folders.toml").read_text(encoding="utf-8")
)
ANSWERS = {
    "--name": "Saltmarsh",
    "--url": "https://own.example",
    "--one-line": "Tide tables.",
    "--founder": "Ana Silva",
    "--email": "own@own.example",
}
TAKEN: dict[str, dict[str, Any]] = json.loads((HERE / "taken.json").read_text(encoding="utf-8"))
"""What comes of each source: how much, and what each list is of."""


class Made:
    """A studio that was made: what `init` printed, and what is in its files."""

    def __init__(self, name: str, studio: Path, said: str) -> None:
        self.name = name
        self.content = studio / "content"
        self.said = said
        files = [file for file in studio.rglob("*") if file.is_file()]
        self.files = {file.name: file.read_text(encoding="utf-8") for file in files}
        self.text = "\n".join(self.files.values())
        self.left = re.findall(r"^# Left out: ([^:]+):", self.files["studio.toml"], re.MULTILINE)

    @property
    def site(self) -> Site:
        """All of it, with the drafts."""
        return load(self.content, drafts=True)


def names(site: Site) -> dict[str, list[str]]:
    """What each list is of, for the lists that have entries."""
    studio = site.studio
    found = {
        "projects": [project.name for project in site.projects],
        "works": [work.name for work in site.works],
        "prices": [f"{p.name} {p.amount or p.min_amount} {p.currency}" for p in site.prices],
        "faq": [entry.q for entry in site.faq],
        "glossary": [entry.term for entry in site.glossary],
        "practice": [area.area for area in studio.practice],
        "journey": [f"{step.period}: {step.headline}" for step in studio.journey],
        "certifications": [each.title for each in studio.certifications],
        "convictions": [conviction.headline for conviction in studio.convictions],
        "handles": [str(handle.url) for handle in studio.founder.handles or []],
        "formation": [each.subject for each in studio.founder.formation or []],
    }
    return {name: entries for name, entries in found.items() if entries}


def made(capsys: pytest.CaptureFixture[str], folder: Path, option: str, source: Path) -> Made:
    """What `init` makes of a source, which `check` finds no fault in."""
    studio = folder / "studio"
    words = [word for answer in ANSWERS.items() for word in answer]
    settings = Settings(content=studio / "content", data=folder / "var")
    command = ["init", str(studio), option, str(source), *words]
    assert main(command, settings=lambda: settings) == 0
    said = capsys.readouterr()
    assert main(["check", "--quiet"], settings=lambda: settings) == 0
    assert sorted(file.name for file in studio.iterdir()) == [".env", ".gitignore", "content"]
    return Made(source.stem, studio, said.out + said.err)


@pytest.fixture
def resume(
    request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Made:
    """The studio that comes of the resume of this name."""
    file = tmp_path / f"{request.param}.json"
    file.write_text(json.dumps(RESUMES[request.param]), encoding="utf-8")
    return made(capsys, tmp_path, "--from", file)


@pytest.fixture
def folder(
    request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Made:
    """The studio that comes of the folder of this name, with links to what is outside of it."""
    source = tmp_path / request.param
    for name, text in FOLDERS[request.param].items():
        file = source / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("@LONG@", LONG), encoding="utf-8")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "note.md").write_text(f"# {CANARY}\n\n{CANARY}\n")
    (source / "faq").mkdir(exist_ok=True)
    (source / "faq" / "linked.md").symlink_to(outside / "note.md")
    (source / "linked").symlink_to(outside)
    return made(capsys, tmp_path, "--from-markdown", source)


resumes = pytest.mark.parametrize("resume", RESUMES, indirect=True)
folders = pytest.mark.parametrize("folder", FOLDERS, indirect=True)


def leaves(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Each text in a document with its place, as `init` names it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{place}.{key}".lstrip("."))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from leaves(inner, f"{place}[{number}]")
    elif isinstance(value, str) and CANARY not in value:
        yield place, value


def words_in(text: str) -> set[str]:
    """The words of a text, without those in addresses, tags and the code of tools."""
    plain = re.sub(r"<[^>]*>|https?:\S+|\]\([^)]*\)|\{[^}]*\}|\[\[[^\]]*\|", " ", unescape(text))
    return set(re.findall(r"[^\W\d_]{3,}", plain.lower()))


NOT_TEXT = re.compile(
    r"\.(?:id|icon|email|url|website|href|language)$|^basics\.email|^meta|(?:[dD]ate|period)$|languages"
    r"|^sections\.\w+\.name$|^picture|\.picture"
)
"""What is written in another form, is answered by an option, or says nothing of the founder."""
MIXED = ("Home.md", "Projects/Leaflets.md", "content/about.md", "src/content/projects/kettle.mdx")
"""Pages that are public but for a comment in them."""
IN_TOOLS = re.compile("archetypes|themes|node_modules|_includes|notes")
HEAD = re.compile(r"\A(?:---\n.*?^---\n|\+\+\+\n.*?^\+\+\+\n|\{.*?\}\n)", re.DOTALL | re.MULTILINE)
UNSEEN = re.compile(
    r"<!--.*?-->|%%.*?%%|^(?:# [^\n]*|import [^\n]*|export [^;]*;|\[\w\]: [^\n]*)$",
    re.DOTALL | re.MULTILINE,
)
"""Comments, modules, the targets of links, and the titles of lists."""


@resumes
def test_what_comes_of_a_resume(resume: Made) -> None:
    assert {"said": resume.said.splitlines()[1]} | names(resume.site) == TAKEN[resume.name]


@resumes
def test_nothing_of_a_resume_is_lost_without_a_word(resume: Made) -> None:
    hidden = ("projects[0]",) if resume.name == "nulls" else ()
    for place, text in leaves(RESUMES[resume.name]):
        is_named = place.startswith((*resume.left, *hidden)) if resume.left else False
        if not NOT_TEXT.search(place) and not is_named:
            assert words_in(text) <= words_in(resume.text), place


@folders
def test_what_comes_of_a_folder(folder: Made) -> None:
    assert {"said": folder.said.splitlines()[1]} | names(folder.site) == TAKEN[folder.name]
    assert not any(names(load(folder.content)).values()), "an entry of a folder is a draft"


@folders
def test_nothing_of_a_folder_is_lost_without_a_word(folder: Made) -> None:
    for place, text in FOLDERS[folder.name].items():
        is_public = CANARY not in text or place in MIXED
        if is_public and place.endswith((".md", ".mdx")) and place not in folder.left:
            body = UNSEEN.sub("", HEAD.sub("", text.replace("@LONG@", LONG)))
            if not IN_TOOLS.search(place):
                assert words_in(body) - {"per", "pro"} <= words_in(folder.text), place


@resumes
def test_nothing_private_of_a_resume_is_written_or_said(resume: Made) -> None:
    assert CANARY not in resume.said + resume.text


@folders
def test_nothing_private_of_a_folder_is_written_or_said(folder: Made) -> None:
    assert CANARY not in folder.said + folder.text


def test_there_are_many_private_things_in_many_places() -> None:
    files = [text for files in FOLDERS.values() for text in files.values()]
    assert sum(CANARY in text for text in [*files, *map(json.dumps, RESUMES.values())]) > 30
    assert json.dumps(RESUMES).count(CANARY) > 20


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_a_resume_is_read_in_the_encoding_that_it_has(
    encoding: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "resume.json"
    document = {"work": [{"name": "Caf\u00e9", "position": "Cook", "startDate": "2014"}]}
    file.write_bytes(json.dumps(document, ensure_ascii=False).encode(encoding))
    (step,) = made(capsys, tmp_path, "--from", file).site.studio.journey
    assert (step.headline, step.period) == ("Cook, Caf\u00e9", "since 2014")


def test_an_answer_that_check_refuses_leaves_nothing_behind(tmp_path: Path) -> None:
    words = [word for answer in (ANSWERS | {"--name": "![x](y.png)"}).items() for word in answer]
    assert main(["init", str(tmp_path / "studio"), *words], settings=Settings) == 1
    assert list(tmp_path.iterdir()) == []
