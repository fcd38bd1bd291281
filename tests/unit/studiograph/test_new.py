"""`studiograph new`: an example of each kind of entry, and the schemas that editors read."""

import json
import tomllib
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator
from minimal_studio import write_minimal_studio
from repository import ROOT, SAMPLE

from content.importing.starter import entry_text, file_schemas, kinds, left_examples, schema_line
from content.reading.reader import load
from studiograph.__main__ import main
from studiograph.settings import read_settings

TODAY = date(2026, 11, 29)
NAMES = {"faq": "Do you travel?"}


@pytest.fixture
def content(tmp_path: Path) -> Path:
    return write_minimal_studio(tmp_path / "content")


def run(content: Path, *words: str) -> int:
    """The exit code of `studiograph new` in a studio."""
    settings = read_settings({"STUDIOGRAPH_CONTENT": str(content)})
    return main(["new", *words], settings=lambda: settings)


@pytest.mark.parametrize("kind", kinds())
def test_an_example_of_each_kind_is_a_draft_that_is_valid_and_may_be_had_twice(
    kind: str, content: Path
) -> None:
    before = load(content)
    name = NAMES.get(kind, "House at the quay")
    assert [run(content, kind, name), run(content, kind, name)] == [0, 0]
    assert load(content) == before
    assert load(content, drafts=True) != before


def test_what_is_left_of_an_example_is_named_when_it_is_published(content: Path) -> None:
    assert run(content, "project", "House at the quay") == 0
    file = content / "projects.toml"
    assert list(left_examples(load(content))) == []
    file.write_text(file.read_text().replace("draft = true", "draft = false"))
    left = {finding.path[-1] for finding in left_examples(load(content))}
    assert left == {"tagline", "summary"}


@pytest.mark.parametrize("kind", ["prize", "changelog"])
def test_a_kind_that_is_none_is_told_with_what_there_is(
    kind: str, content: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(content, kind, "x") == 2
    said = capsys.readouterr().err
    assert f"there is no kind '{kind}'" in said
    assert "price" in said


def test_what_is_no_list_is_told_as_such(content: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(content, "business", "x") == 2
    assert "business is no list: write its keys in business.toml" in capsys.readouterr().err


def test_nothing_is_added_to_content_that_is_wrong(
    content: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (content / "faq.toml").write_text("[[faq]]\nq = 1\n")
    assert run(content, "price", "Portrait") == 1
    assert "Nothing was added." in capsys.readouterr().err
    assert not (content / "prices.toml").exists()


def test_an_entry_goes_where_the_others_are(content: Path) -> None:
    studio = content / "studio.toml"
    link = '\n[[social]]\nplatform = "a"\nhandle = "b"\nurl = "https://a.example"\n'
    studio.write_text(studio.read_text() + link)
    assert run(content, "social", "Mastodon") == 0
    assert not (content / "studio.social.toml").exists()
    assert len(load(content, drafts=True).studio.social) == 2


def plain(value: Any) -> Any:
    """A value of TOML as an editor hands it to a schema."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return value.isoformat() if isinstance(value, date | datetime) else value


@pytest.mark.parametrize("folder", [SAMPLE, ROOT / "evals" / "second"], ids=["sample", "second"])
def test_each_file_of_a_studio_is_as_its_schema_says(folder: Path) -> None:
    schemas = file_schemas()
    for file in folder.glob("*.toml"):
        Draft7Validator.check_schema(schemas[file.stem])
        Draft7Validator(schemas[file.stem]).validate(plain(tomllib.loads(file.read_text())))


@pytest.mark.parametrize("kind", kinds())
def test_an_example_is_as_its_schema_says_and_another_key_is_not(kind: str) -> None:
    section = kinds()[kind]
    check = Draft7Validator(file_schemas()[".".join(section)])
    text = entry_text(section, NAMES.get(kind, "House"), set(), TODAY)
    assert check.is_valid(plain(tomllib.loads(text)))
    assert not check.is_valid(plain(tomllib.loads(f"{text}nmae = 1\n")))


def test_a_new_studio_names_the_schemas_of_its_files(tmp_path: Path) -> None:
    words = "--name S --url https://s.example --one-line We. --founder A --email a@s.example"
    assert main(["init", str(tmp_path / "s"), *words.split()]) == 0
    content = tmp_path / "s" / "content"
    for file in content.glob("*.toml"):
        assert file.read_text().startswith(schema_line(file.stem))
        assert json.loads((content / f".schemas/{file.stem}.json").read_text())["type"] == "object"
