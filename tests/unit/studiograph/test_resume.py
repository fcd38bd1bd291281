"""`studiograph init --from`: what a JSON Resume says becomes a studio, and nothing else does."""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from content.reading.reader import load
from studiograph.__main__ import main
from studiograph.settings import Settings

FULL = {
    "$schema": "https://raw.githubusercontent.com/jsonresume/resume-schema/v1.0.0/schema.json",
    "basics": {
        "name": "Ana Silva",
        "label": "Hydrographer",
        "email": "ana@saltmarsh.example",
        "url": "https://saltmarsh.example",
        "summary": "I measure tides.\r\n\r\nAnd I publish them.",
        "location": {"city": "Porto", "countryCode": "PT", "region": "Norte"},
        "profiles": [
            {"network": "GitHub", "username": "salt", "url": "https://github.example/salt"},
            {"network": "Mastodon", "username": "salt"},
        ],
    },
    "work": [
        {"name": "Saltmarsh", "position": "Owner", "startDate": "2016-02", "summary": "Runs it."},
        {
            "name": "Harbour Office",
            "position": "Surveyor",
            "startDate": "2012-05",
            "endDate": "2016-01",
            "summary": "Measured harbours.",
            "highlights": ["Found three errors", 'Wrote "Tides of the North"'],
        },
        {"name": "Ferry", "startDate": "2010", "highlights": ["Rowed <b>hard</b>"]},
    ],
    "education": [{"institution": "Halden", "area": "Statistics", "studyType": "MSc"}],
    "certificates": [
        {"name": "Diving", "issuer": "Sea School", "date": "2015-06-01"},
        {"name": "Rowing"},
    ],
    "skills": [{"name": "Data work", "keywords": ["Python", "SQL"]}, {"name": "Tea"}],
    "languages": [{"language": "Portuguese"}],
    "awards": [],
}
OLD: dict[str, Any] = {
    "basics": {
        "name": "Bo Lind",
        "email": "bo@lind.example",
        "website": "https://lind.example",
        "picture": "",
        "profiles": [],
    },
    "work": [
        {"company": "Mill", "position": "Miller", "startDate": "2001-01-01", "summary": "Ground."}
    ],
    "volunteer": [{"organization": "Choir"}],
}
BARE: dict[str, Any] = {"basics": {"name": "Cy Dee"}}
OPTIONS = {
    "--name": "Saltmarsh",
    "--url": "https://own.example",
    "--one-line": "Tide tables.",
    "--email": "own@own.example",
}
OUR_WORDS = {"general", "true", "since", "to", "january", "february", "may"}
"""A guess and the words of dates; of `Mastodon` nobody knows the address."""


def made(resume: Any, folder: Path, *options: str) -> Path:
    """The content that comes of a resume."""
    file = folder / "resume.json"
    file.write_text(json.dumps(resume), encoding="utf-8")
    words = [word for name in options for word in (name, OPTIONS[name])]
    settings = Settings(content=folder / "studio/content", data=folder / "var")
    studio = folder / "studio"
    command = ["init", str(studio), "--from", str(file), *words]
    assert main(command, settings=lambda: settings) == 0
    assert main(["check", "--quiet"], settings=lambda: settings) == 0
    return studio / "content"


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from texts(inner)
    else:
        yield str(value).lower() if isinstance(value, bool) else str(value)


@pytest.mark.parametrize(
    ("resume", "options"),
    [
        (FULL, ("--name", "--one-line")),
        (OLD, ("--name", "--one-line")),
        (BARE, tuple(OPTIONS)),
    ],
    ids=["full", "old", "bare"],
)
def test_a_resume_becomes_a_studio_with_nothing_made_up(
    resume: Any, options: tuple[str, ...], tmp_path: Path
) -> None:
    content = made(resume, tmp_path, *options)
    known = {*OUR_WORDS}
    for text in (*texts(resume), *(OPTIONS[name] for name in options)):
        known |= set(re.findall(r"\w+", text.lower()))
    files = [file for file in content.glob("*.toml") if file.name != "faq.toml"]
    for file in files:
        for text in texts(tomllib.loads(file.read_text(encoding="utf-8"))):
            assert set(re.findall(r"\w+", text.lower())) <= known, file


def test_each_part_stands_where_a_studio_has_it(tmp_path: Path) -> None:
    studio = load(made(FULL, tmp_path, "--name", "--one-line")).studio
    founder = studio.founder
    assert (studio.name, studio.url, studio.contact.email) == (
        "Saltmarsh",
        "https://saltmarsh.example",
        "ana@saltmarsh.example",
    )
    assert studio.description == "I measure tides.\n\nAnd I publish them."
    assert (founder.name, founder.role, founder.based) == (
        "Ana Silva",
        "Hydrographer",
        "Porto, Norte",
    )
    assert [(f.institution, f.subject) for f in founder.formation] == [("Halden", "MSc Statistics")]
    assert [handle.handle for handle in founder.handles] == ["salt"]
    assert [(s.period, s.headline) for s in studio.journey] == [
        ("since 2010", "Ferry"),
        ("May 2012 to January 2016", "Surveyor, Harbour Office"),
        ("since February 2016", "Owner, Saltmarsh"),
    ]
    assert studio.journey[0].body == "- Rowed **hard**"
    assert studio.journey[1].body.endswith('- Found three errors\n- Wrote "Tides of the North"')
    assert [(c.title, c.issued_at) for c in studio.certifications] == [("Diving", "2015-06")]
    assert [(p.area, p.summary, p.evidence) for p in studio.practice] == [
        ("Data work", "Python, SQL.", []),
        ("Tea", "Tea.", []),
    ]


def test_what_is_not_taken_is_a_comment_with_its_reason_and_a_guess_is_marked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = made(FULL, tmp_path, "--name", "--one-line")
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("taken: ")
    assert lines[2:-1] == [
        "as a comment: basics.profiles[1]: complete it in studio.toml: url",
        "as a comment: certificates[1]: complete it in studio.certifications.toml: issuer",
    ]
    guesses = [
        line
        for file in sorted(content.glob("*.toml"))
        for line in file.read_text(encoding="utf-8").splitlines()
        if line.endswith("  # imported") and not line.startswith("#")
    ]
    assert guesses == [
        'category = "general"  # imported',
        'category = "data-work"  # imported',
        "active = true  # imported",
        'category = "tea"  # imported',
        'summary = "Tea."  # imported',
        "active = true  # imported",
    ]


def test_what_is_null_is_as_if_it_were_missing(tmp_path: Path) -> None:
    basics = {**OLD["basics"], "location": None, "profiles": None, "label": None}
    steps = [None, {**OLD["work"][0], "endDate": None, "highlights": None}]
    resume = {**OLD, "basics": basics, "work": steps, "skills": None, "volunteer": None}
    studio = load(made(resume, tmp_path, "--name", "--one-line")).studio
    assert (studio.founder.role, studio.founder.based) == (None, None)
    assert [(s.period, s.headline) for s in studio.journey] == [
        ("since January 2001", "Miller, Mill")
    ]


def test_an_address_is_read_as_its_rule_advises(tmp_path: Path) -> None:
    basics = {"name": "Bo", "url": "lind.example", "email": "Bo Lind <bo@lind.example>"}
    studio = load(made({"basics": basics}, tmp_path, "--name", "--one-line")).studio
    assert (studio.url, studio.contact.email) == ("https://lind.example", "bo@lind.example")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[]", "the document: must be a JSON object"),
        ('{\n"basics": {"name": "Ana"\n"work": []}', "line 3 column 1"),
        ("[" * 100_000, "nested too deep"),
        (None, "No such file"),
    ],
)
def test_what_is_no_resume_is_refused_with_its_place_and_nothing_is_written(
    text: str | None, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "resume.json"
    if text is not None:
        file.write_text(text)
    words = ["init", str(tmp_path / "studio"), "--from", str(file)]
    assert main(words, settings=Settings) == 2
    assert reason in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "studio").exists()
