"""`init`, `publish`, `backup` and `restore`: from nothing to a studio, and back from a loss."""

import json
import re
import shutil
import tarfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from file_server import Sent, file_server
from minimal_studio import write_minimal_studio
from repository import SAMPLE

from content.importing.starter import QUESTIONS
from content.reading.reader import load
from resolvers.db.database import Database
from resolvers.signing.keys import new_key
from resolvers.transparency.store import ProofStore
from resolvers.transparency.words import ContentTree
from schema.site import Site
from sdl.tools.canonical_json import digest_of
from studiograph.__main__ import main
from studiograph.application import make_application
from studiograph.commands.check import READ
from studiograph.settings import Settings
from studiograph.wiring.proofs import Proofs

ANSWERS = {
    "--name": 'The "Salt" marsh',
    "--url": "https://saltmarsh.example",
    "--one-line": "Tide tables for small harbours",
    "--founder": "Ana Silva",
    "--email": "ana@saltmarsh.example",
}
WORDS = [word for pair in ANSWERS.items() for word in pair]
Run = Callable[..., int]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    content = write_minimal_studio(tmp_path / "studio" / "content")
    return Settings(content=content, data=tmp_path / "studio" / "var")


@pytest.fixture
def run(settings: Settings) -> Run:
    return lambda *words: main([str(word) for word in words], settings=lambda: settings)


def published(settings: Settings) -> list[str]:
    """The entries of the log, as the service that starts now publishes them."""
    site = load(settings.content)
    proofs = Proofs(settings, site)
    return [leaf.id for leaf in proofs.log(site, proofs.signing_key).leaves]


def test_the_status_of_a_studio_that_never_ran_is_said_and_makes_nothing(
    settings: Settings, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("status") == 0
    screen = capsys.readouterr().out
    assert "nothing is published yet" in screen
    assert "0 requests" in screen
    assert run("mirror") == 0
    assert capsys.readouterr().out.startswith("0 requests in 30 days")
    assert not settings.data.exists()
    (settings.content / "studio.toml").write_text("name = 1")
    assert run("status", "--json") == 0
    assert json.loads(capsys.readouterr().out)["content"]["faults"] > 0
    with redirect_stderr(StringIO()):
        published(Settings(content=write_minimal_studio(settings.data / "c"), data=settings.data))
    assert run("status") == 0
    assert "faults: `studiograph check`" in capsys.readouterr().out


def test_a_new_studio_is_what_was_answered_and_can_be_served(tmp_path: Path, run: Run) -> None:
    assert run("init", tmp_path / "new", *WORDS) == 0
    studio = load(tmp_path / "new" / "content").studio
    said = [studio.name, studio.url, studio.one_liner, studio.founder.name, studio.contact.email]
    assert said == [*ANSWERS.values()]
    assert "var/" in (tmp_path / "new" / ".gitignore").read_text().splitlines()


def test_its_questions_wait_in_comments_and_count_when_they_are_answered(
    tmp_path: Path, run: Run
) -> None:
    run("init", tmp_path, *WORDS)
    faq = tmp_path / "content" / "faq.toml"
    assert load(tmp_path / "content").faq == []
    faq.write_text(re.sub(r"(?m)^# (?=\[\[|[aq] =|tags)", "", faq.read_text()).replace('""', '"5"'))
    entries = load(tmp_path / "content").faq
    assert [entry.q for entry in entries] == [question.text for question in QUESTIONS]
    assert {entry.a for entry in entries} == {"5"}


def test_nothing_that_is_there_is_written_over(
    tmp_path: Path, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".gitignore").write_text("mine\n")
    assert run("init", tmp_path, *WORDS) == 0
    assert (tmp_path / ".gitignore").read_text() == "mine\n"
    assert run("init", tmp_path, *WORDS) == 1
    assert "is there already. Fix: name another folder." in capsys.readouterr().err


def test_an_answer_that_nobody_can_be_asked_for_is_named_with_an_example(
    tmp_path: Path, run: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", StringIO())
    assert run("init", tmp_path / "new", *WORDS[:-2]) == 2
    said = capsys.readouterr().err
    assert "Missing option '--email'" in said
    assert "Example: studiograph init studio --name" in said
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("option", "wrong", "rule"),
    [
        ("--url", "saltmarsh.example", "an absolute http or https address"),
        ("--email", "ana", "an e-mail address"),
        ("--name", "<b>Salt</b>", "one line of plain text"),
    ],
)
def test_an_answer_that_cannot_be_is_refused_with_its_rule(
    option: str, wrong: str, rule: str, run: Run, tmp_path: Path
) -> None:
    words = [word for pair in {**ANSWERS, option: wrong}.items() for word in pair]
    said = StringIO()
    with redirect_stderr(said):
        assert run("init", tmp_path / "new", *words) == 2
    assert rule in said.getvalue()
    assert not (tmp_path / "new").exists()


def test_an_entry_is_added_below_the_others_and_comments_stay(settings: Settings, run: Run) -> None:
    file = settings.content / "changelog.toml"
    file.write_text("# What is new, for those who follow us.\n")
    assert run("publish", 'Tides of "Porto"', "--kind", "added", "--body", "Free.", "--yes") == 0
    assert file.read_text().startswith("# What is new, for those who follow us.\n\n[[changelog]]\n")
    first = load(settings.content).changelog[-1]
    assert (first.title, first.kind.value, first.body) == ('Tides of "Porto"', "added", "Free.")
    assert first.id.endswith("-tides-of-porto")


def test_an_entry_that_breaks_the_content_is_not_added(
    settings: Settings, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("publish", "The same", "--yes", "--quiet") == 0
    before = (settings.content / "changelog.toml").read_text()
    capsys.readouterr()
    assert run("publish", "The same", "--yes") == 2
    assert "TITLE: an entry of today has it; choose another" in capsys.readouterr().err
    assert run("publish", "<h1>", "--yes") == 2
    (settings.content / "faq.toml").write_text('[[faq]]\nq = "Why?"\n')
    for quiet in ((), ("--quiet",)):
        assert run("publish", "Another", "--yes", *quiet) == 1
        assert "Nothing was added." in capsys.readouterr().err
    assert (settings.content / "changelog.toml").read_text() == before


def test_what_was_saved_comes_back_on_another_machine_and_is_never_replaced(
    settings: Settings, run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("publish", "First", "--yes")
    assert len(published(settings)) == 1
    (settings.data / "inbox" / "new").mkdir(parents=True)
    (settings.data / "inbox" / "new" / "c-1").write_text("a message")
    assert run("backup", tmp_path / "saved.tar.gz") == 0
    assert (tmp_path / "saved.tar.gz").stat().st_mode & 0o77 == 0
    saved = (tmp_path / "saved.tar.gz").read_bytes()
    capsys.readouterr()
    assert run("backup", tmp_path / "saved.tar.gz") == 1
    assert "saved.tar.gz: is there already. Fix: name a new file" in capsys.readouterr().err
    assert (tmp_path / "saved.tar.gz").read_bytes() == saved
    keys = {file.name: file.read_text() for file in (settings.data / "keys").glob("*.*")}
    shutil.rmtree(settings.data)
    assert run("restore", tmp_path / "saved.tar.gz") == 0
    restored = {file.name: file.read_text() for file in (settings.data / "keys").glob("*.*")}
    assert restored.items() <= keys.items()
    assert (settings.data / "inbox" / "new" / "c-1").read_text() == "a message"
    assert len(published(settings)) == 1  # the same keys, or it would refuse to start


def test_a_log_is_not_rolled_back_unnoticed(
    settings: Settings, run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    published(settings)
    assert run("backup", tmp_path / "old.tar.gz") == 0
    run("publish", "Later", "--yes")
    assert len(published(settings)) == 1
    assert run("restore", tmp_path / "old.tar.gz") == 1
    assert "the log here has 1 entries, and the backup 0" in capsys.readouterr().err
    assert len(published(settings)) == 1
    assert run("restore", tmp_path / "old.tar.gz", "--roll-back") == 0
    (before,) = settings.data.glob("before-*")
    assert (before / "studio.db").is_file()


def test_a_log_of_words_is_not_rolled_back_unnoticed(
    settings: Settings, run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    published(settings)
    file = tmp_path / "saved.tar.gz"
    assert run("backup", file) == 0
    tree = ContentTree(digest_of(b"later"), [("faq/one", "said later")])
    store = ProofStore(Database(f"sqlite:///{settings.data}/studio.db"))
    now = datetime.now(UTC)
    store.publish_words("words", tree, new_key("k-2026-01", now), now)
    assert run("restore", file) == 1
    assert "the log of words here has 1 entries, and the backup 0" in capsys.readouterr().err
    assert run("restore", file, "--roll-back") == 0
    assert store.published_words().hashes == ()


def test_what_is_no_backup_changes_nothing(
    settings: Settings, run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    published(settings)
    (tmp_path / "text.tar.gz").write_text(json.dumps({}))
    with tarfile.open(tmp_path / "other.tar.gz", "w:gz") as archive:
        archive.add(settings.content, "content")
    for name in ("text", "other"):
        assert run("restore", tmp_path / f"{name}.tar.gz") == 1
        assert "is no backup of studiograph" in capsys.readouterr().err
    assert run("restore", tmp_path / "none.tar.gz") == 1
    assert published(settings) == []
    assert [*settings.data.glob("restore-*"), *settings.data.glob("before-*")] == []


def test_a_state_that_is_elsewhere_is_not_saved_as_if_it_were_here(
    settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    away = settings.model_copy(update={"database_url": "postgresql://u:p@db.example/studio"})
    for name in ("backup", "restore"):
        assert main([name, str(tmp_path / "saved.tar.gz")], settings=lambda: away) == 1
        assert "STUDIOGRAPH_DATABASE_URL" in capsys.readouterr().err


def test_a_diff_names_what_a_publication_would_change(
    run: Run, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    glossary = settings.content / "glossary.toml"
    first = '[[glossary]]\nslug = "datum"\nterm = "Datum"\ndefinition = "Lowest tide."\n'
    second = first.replace("atum", "epth")
    glossary.write_text(first + second)
    make_application(settings)  # which publishes it
    assert run("diff") == 0
    assert capsys.readouterr().out == "Nothing would change.\n"
    third = first.replace("atum", "raft")
    glossary.write_text(first.replace("Lowest", "The lowest") + third)
    assert run("diff", "--json") == 0
    changes = json.loads(capsys.readouterr().out)["changes"]
    slugs = {"datum": "changed", "depth": "removed", "draft": "new"}
    assert changes == {
        "document/openapi": "changed",  # it lists the slugs
        **{f"glossary/{slug}": change for slug, change in slugs.items()},
    }
    assert run("diff") == 0
    assert capsys.readouterr().out == (
        "changed  glossary/datum\n"
        "  - definition: Lowest tide.\n"
        "  + definition: The lowest tide.\n"
        "removed  glossary/depth\n"
        "  - definition: Lowest tide.\n"
        "  - slug: depth\n"
        "  - term: Depth\n"
        "new      glossary/draft\n"
        "  + definition: Lowest tide.\n"
        "  + slug: draft\n"
        "  + term: Draft\n"
        "changed  what the service says of itself (1): document/openapi\n"
    )


def lines_in(value: Any) -> Iterator[str]:
    """Each value of plain JSON, each paragraph of a text; no slug, which names the entry."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from lines_in(inner) if key != "slug" else ()
    elif isinstance(value, list):
        for inner in value:
            yield from lines_in(inner)
    else:
        text = value if isinstance(value, str) else json.dumps(value)
        yield from (line for line in text.splitlines() if line.strip())


@pytest.mark.parametrize("command", [("diff",), ("publish", "Hello", "--yes")])
def test_the_first_publication_is_shown_whole(
    command: tuple[str, ...], tmp_path: Path, sample: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    content = shutil.copytree(SAMPLE, tmp_path / "content")
    settings = Settings(content=content, data=tmp_path / "var")
    assert main([*command], settings=lambda: settings) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("Nothing is published yet. The first publication says ")
    assert said[1:3] == ["new      about", "  + studio.contact.email: maren@quillmere.example"]
    shown = {line.partition(": ")[2] for line in said if line.startswith("  + ")}
    words = {**sample.to_json(), "github": None}  # which is GitHub's, and no statement
    assert {*lines_in(words)} - shown - {"null"} == set()
    assert f"new      faq/{sample.faq[0].slug}" in said
    assert not any(line.startswith("  - ") for line in said)


def test_a_publication_shows_what_goes_out_with_it(
    run: Run, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    make_application(settings)
    studio = settings.content / "studio.toml"
    studio.write_text(studio.read_text().replace("draws tide", "prints tide"))
    assert run("publish", "On paper", "--yes") == 0
    said = capsys.readouterr().out
    changed = said.index("+ studio.oneLiner: Saltmarsh prints tide tables")
    assert said.index("- studio.oneLiner: Saltmarsh draws tide tables") < changed
    assert changed < said.index('title = "On paper"')
    published(settings)
    make_application(settings)
    assert run("diff") == 0
    assert capsys.readouterr().out == "Nothing would change.\n"
    assert run("publish", "Again", "--yes") == 0
    assert capsys.readouterr().out.startswith("Nothing else changes.\n")
    assert run("publish", "And again", "--yes", "--quiet") == 0
    assert capsys.readouterr().out.startswith("[[changelog]]")


def test_a_strict_check_fails_on_warnings_and_names_dead_links(
    run: Run, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    with file_server() as shelf:
        shelf.files["/tides"] = Sent(b"tides")
        studio = settings.content / "studio.toml"
        words = studio.read_text().replace("https://saltmarsh.example", f"{shelf.address}/tides")
        studio.write_text(words)
        asks = f"See {shelf.address}/tides and [this]({shelf.address}/gone)."
        entry = f'[[faq]]\nq = "Where are tables?"\na = "{asks}"\ntags = []\n'
        (settings.content / "faq.toml").write_text(entry)
        assert run("check", "--links") == 0
        said = capsys.readouterr().out
        gone = f'content/faq.toml:3: faq[0] "where-are-tables".a: {shelf.address}/gone answers 404.'
        assert [
            line for line in said.splitlines() if "answer" in line and shelf.address in line
        ] == [f"{gone} Fix: correct or remove the address. (a warning)"]
        assert shelf.asked == ["/tides", "/gone"]
    assert run("check", "--strict", "--quiet") == 1
    assert "questions that agents ask first have no answer" in capsys.readouterr().out


def test_a_check_names_a_base_url_at_another_host(
    run: Run, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    rule = "studio.url: is at saltmarsh.example, and STUDIOGRAPH_BASE_URL at tides.example"
    other = settings.model_copy(update={"base_url": "https://tides.example"})
    assert main(["check"], settings=lambda: other) == 0
    assert rule in capsys.readouterr().out
    assert run("check") == 0
    assert rule not in capsys.readouterr().out


def test_a_check_warns_of_a_character_that_nobody_sees(
    run: Run, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = '[[faq]]\nq = "Is it\u200b free?"\na = "It is."\ntags = []\n'
    (settings.content / "faq.toml").write_text(entry, encoding="utf-8")
    assert run("check") == 0
    said = [line for line in capsys.readouterr().out.splitlines() if "hidden" in line]
    assert said == [
        'content/faq.toml:2: faq[0] "is-it-free".q: in line 1, U+200B is hidden after it. Fix:'
        " delete it; it may have come from a web page or a document. (a warning)"
    ]


def test_a_doctor_says_what_check_says_and_names_what_is_wrong(
    run: Run, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("doctor") == 0
    assert not settings.data.exists()
    make_application(settings)  # which makes keys and the log
    capsys.readouterr()
    assert run("doctor") == 0
    *said, last = capsys.readouterr().out.splitlines()
    assert last == "Nothing to mend; no service was asked."
    assert run("check") == 0
    assert said == capsys.readouterr().out.splitlines()[:-1]  # but for the line of the digest
    assert any("questions that agents ask first" in line for line in said)
    with file_server() as shelf:
        shelf.files |= {path: Sent(b"{}") for path in READ[1:]}
        assert run("doctor", shelf.address) == 1
        found = capsys.readouterr().out
    assert f"service: {shelf.address}/ answers 404. Fix: let the proxy" in found
    assert "publishes none of the keys here. Fix: set STUDIOGRAPH_DATA" in found
    assert run("doctor", shelf.address) == 1
    assert "does not answer" in capsys.readouterr().out
    (settings.data / "keys").chmod(0o755)
    (settings.content / "faq.toml").write_text("What?\n")
    assert run("doctor", "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert told["warnings"] == []  # of content that cannot be read none is known
    troubles = told["found"]
    assert [trouble["part"] for trouble in troubles] == ["content", "keys"], troubles
    (settings.content / "faq.toml").unlink()
    shutil.rmtree(settings.data / "keys")
    assert run("doctor") == 1
    assert "has no key, and the log knows 1." in capsys.readouterr().out


def test_a_file_above_the_limit_is_named_with_the_setting_that_permits_it(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    file = settings.content / "faq.toml"
    file.write_text("#" * ((1 << 20) + 1))
    assert main(["check"], settings=lambda: settings) == 1
    assert capsys.readouterr().out.startswith(
        "content/faq.toml:1: has 1,048,577 bytes, more than 1 MiB. Fix: shorten the section, or set"
        " STUDIOGRAPH_CONTENT_FILE_MIB to a larger number."
    )
    larger = settings.model_copy(update={"content_file_mib": 2})
    assert main(["check"], settings=lambda: larger) == 0
