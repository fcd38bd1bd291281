"""Files that look like content and are not read are named, and nothing else is."""

import logging
from pathlib import Path

import pytest
from content_breakage import SAMPLE
from local_service import stored_operations
from minimal_studio import write_minimal_studio

from content.reading.files import files_elsewhere, misnamed_files
from studiograph.application import make_application
from studiograph.settings import Settings


def named(folder: Path) -> list[tuple[str, str]]:
    """Each file that is named, with what to do."""
    problems = [*misnamed_files(folder), *files_elsewhere(folder)]
    return [(problem.file, problem.fix) for problem in problems]


@pytest.mark.parametrize(
    "path",
    [
        *("content/.faq.toml.swp", "content/faq.toml~", "content/#faq.toml#", "content/faq.bak"),
        *("content/.git/faq.toml", "content/.trash/faq.md", "content/faq.toml.orig"),
        *(
            "content/notes.md",
            "content/README.md",
            "content/drafts.py",
            "content/studio.jpg",
        ),
        *("content/projects/boiler.jpg", "content/pictures/faq.png", "content/old/notes.md"),
        *("README.md", "faq.md", "projects.json", "pyproject.toml", ".faq.toml", "faq.toml~"),
    ],
)
def test_what_is_no_content_is_passed_over(path: str, tmp_path: Path) -> None:
    folder = write_minimal_studio(tmp_path / "content")
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text("")
    assert named(folder) == []


def test_the_code_beside_the_sample_is_no_content() -> None:
    assert named(SAMPLE) == []


@pytest.mark.parametrize(
    ("name", "section"),
    [
        ("FAQ (2).toml", "faq"),
        ("Copie de faq.toml", "faq"),
        ("projects_backup.toml", "projects"),
        ("studio.founder kopie.toml", "studio.founder"),
        ("Studio-Founder.TOML", "studio.founder"),
        ("headline-numbers.toml", "headlineNumbers"),
        ("glosary.toml.txt", "glossary"),
        ("engagement.yml", "engagement"),
        ("licensing.html", "licensing"),
    ],
)
def test_the_section_that_a_name_means_is_told(name: str, section: str, tmp_path: Path) -> None:
    folder = write_minimal_studio(tmp_path / "content")
    (folder / name).write_text("")
    ((file, fix),) = named(folder)
    assert file == f"content/{name}"
    assert f" {section}.toml" in fix


def test_a_section_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    folder = write_minimal_studio(tmp_path / "content")
    (folder / "STUDIO.toml").write_text("")
    (tmp_path / "studio.toml").write_text("")
    assert [fix.partition(",")[0] for _, fix in named(folder)] == [
        "move what it says to studio.toml",
        "move what it says to content/studio.toml",
    ]


def test_a_folder_of_a_name_is_no_file(tmp_path: Path) -> None:
    folder = write_minimal_studio(tmp_path / "content")
    (folder / "old.toml").mkdir()
    (tmp_path / "faq.toml").mkdir()
    assert named(folder) == []


def test_a_start_of_the_service_names_them_in_its_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = write_minimal_studio(tmp_path / "content")
    (tmp_path / "faq.toml").write_text("")
    settings = Settings(content=folder, data=tmp_path / "var")
    with caplog.at_level(logging.WARNING, "studiograph.application"):
        make_application(settings, operations=stored_operations())
    assert [record.getMessage() for record in caplog.records] == [
        "faq.toml:1: nothing reads a file beside content/. Fix: move it to content/faq.toml."
    ]
