"""A revision is what the content says and when it changed: equal words, equal digest."""

import hashlib
import json
import os
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from content_breakage import Edit, put

import content
from content.checking.errors import ContentError
from content.reading.revision import Revision, read_revision

FILES = sorted(path.name for path in Path(content.__file__).parent.glob("*.toml"))
LONG_AGO = 1_000_000_000
TABLE = re.compile(r"^\[\[(\w+)\]\]\n", re.MULTILINE)


@pytest.fixture(scope="module")
def revision() -> Revision:
    """The revision of the sample."""
    return read_revision(Path(content.__file__).parent)


def canonical(value: Any) -> str:
    """RFC 8785 without numbers that are not integers, made from the standard library alone."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(key)}:{canonical(value[key])}" for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    assert value is None or isinstance(value, (str, bool, int))
    return json.dumps(value, ensure_ascii=False)


def test_the_digest_is_sha256_over_the_canonical_bytes_of_the_site(revision: Revision) -> None:
    plain = json.loads(json.dumps(revision.site.to_json()))
    expected = hashlib.sha256(canonical(plain).encode("utf-8")).hexdigest()
    assert revision.digest == f"sha256:{expected}"


def commented(text: str) -> str:
    """The same words among comments and other white space."""
    headers = TABLE.sub(lambda table: f"  [[ {table[1]} ]] # here\n", text)
    return f"# quiet\n\n{headers}\n#"


def with_other_line_ends(text: str) -> str:
    """The same words with the line ends of another system."""
    return text.replace("\n", "\r\n")


def with_literal_strings(text: str) -> str:
    """The same words in quotes of the other kind."""
    return re.sub(r'^(\w+) = "([^"\'\\]*)"$', r"\1 = '\2'", text, flags=re.MULTILINE)


def with_other_offsets(text: str) -> str:
    """The same instants as seen from Kathmandu."""

    def moved(found: re.Match[str]) -> str:
        there = datetime.fromisoformat(found[0]) + timedelta(hours=5, minutes=45)
        return f"{there:%Y-%m-%dT%H:%M:%S}+05:45"

    return re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", moved, text)


def with_keys_turned_round(text: str) -> str:
    """The same words, keys of one line in the opposite order."""
    return re.sub(
        r'(?:^\w+ = (?!\[\n|""").*\n){2,}',
        lambda found: "".join(reversed(found[0].splitlines(keepends=True))),
        text,
        flags=re.MULTILINE,
    )


@pytest.mark.parametrize(
    "same",
    [
        commented,
        with_other_line_ends,
        with_literal_strings,
        with_other_offsets,
        with_keys_turned_round,
    ],
)
def test_equal_words_have_an_equal_digest(
    same: Callable[[str], str], folder: Path, revision: Revision
) -> None:
    changed = 0
    for path in folder.glob("*.toml"):
        before = path.read_text()
        path.write_bytes(same(before).encode())
        changed += path.read_bytes() != before.encode()
    assert changed
    assert read_revision(folder).digest == revision.digest


def test_the_digest_does_not_depend_on_the_order_of_the_changelog_file(
    folder: Path, revision: Revision
) -> None:
    path = folder / "changelog.toml"
    entries = path.read_text().split("[[changelog]]\n")[1:]
    path.write_text("\n".join(f"[[changelog]]\n{entry.rstrip()}\n" for entry in entries[::-1]))
    assert read_revision(folder).digest == revision.digest


def test_the_digest_does_not_depend_on_which_file_holds_a_section(
    folder: Path, revision: Revision
) -> None:
    part, around = folder / "studio.scheduling.toml", folder / "studio.toml"
    around.write_text(f"{around.read_text()}\n[scheduling]\n{part.read_text()}")
    part.unlink()
    assert read_revision(folder).digest == revision.digest


def test_the_digest_does_not_depend_on_the_folder_or_its_times(
    folder: Path, tmp_path: Path, revision: Revision
) -> None:
    moved = folder.rename(tmp_path / "words")
    for path in moved.glob("*.toml"):
        os.utime(path, (LONG_AGO, LONG_AGO))
    assert read_revision(moved).digest == revision.digest


def with_a_word_more(text: str) -> str:
    """The first long text begins with another word."""
    return text.replace('"""\n', '"""\nIndeed: ', 1)


CHANGES: dict[str, Edit] = {
    "engagement.toml": put("preferredChannel", '"None"'),
    "headlineNumbers.toml": put("value", '"39"'),
    "status.toml": put("openToWork", "false"),
    "studio.certifications.toml": put("issuer", '"Another Academy"'),
    "studio.currentlyStudying.toml": put("status", '"Done"'),
    "studio.scheduling.toml": put("workingHours", '"Never"'),
    "github.toml": put("followers", "413"),
    "business.toml": put("availability", '"Never"'),
    "prices.toml": put("amount", "9700"),
    "works.toml": put("kind", '"leaflet"'),
}


@pytest.mark.parametrize("name", FILES)
def test_a_change_of_any_section_changes_the_digest(
    name: str, folder: Path, revision: Revision
) -> None:
    path = folder / name
    text = path.read_text()
    path.write_text(CHANGES.get(name, with_a_word_more)(text))
    assert path.read_text() != text
    changed = read_revision(folder, revision)
    assert changed.digest != revision.digest
    assert changed.modified > revision.modified


TAGLINES = ["a b", "a  b", "A b", "a b.", "a, b", "b a", "caf\u00e9", "cafe\u0301", "a\u00a0b"]


def test_the_least_change_of_a_word_changes_the_digest(folder: Path) -> None:
    path = folder / "studio.toml"
    digests: set[str] = set()
    for tagline in TAGLINES:
        path.write_text(put("tagline", f'"{tagline}"')(path.read_text()))
        digests.add(read_revision(folder).digest)
    assert len(digests) == len(TAGLINES)


def test_the_order_of_a_list_is_part_of_its_words(folder: Path, revision: Revision) -> None:
    path = folder / "studio.toml"
    languages = [f'"{code}"' for code in reversed(revision.site.studio.languages)]
    path.write_text(put("languages", f"[{', '.join(languages)}]")(path.read_text()))
    assert read_revision(folder).digest != revision.digest


def test_unchanged_words_are_the_same_revision_however_new_their_files(folder: Path) -> None:
    first = read_revision(folder)
    later = first.modified + timedelta(days=365)
    for path in folder.glob("*.toml"):
        path.write_text(f"{path.read_text()}\n# touched\n")
        os.utime(path, (later.timestamp(), later.timestamp()))
    assert read_revision(folder, first) is first


def test_modified_is_that_of_the_newest_file_or_of_the_words_themselves(folder: Path) -> None:
    for path in folder.glob("*.toml"):
        os.utime(path, (LONG_AGO, LONG_AGO))
    first = read_revision(folder)
    assert first.modified == first.site.status.as_of
    later = datetime(2040, 1, 2, 3, 4, 5, 678_901, UTC)
    os.utime(folder / "faq.toml", (later.timestamp(), later.timestamp()))
    assert read_revision(folder).modified == datetime(2040, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_modified_rises_with_each_new_revision_even_back_to_old_words(folder: Path) -> None:
    path = folder / "studio.scheduling.toml"
    words = path.read_text()
    revisions = [read_revision(folder)]
    for hours in ("Mornings", "Evenings", None):
        path.write_text(words if hours is None else put("workingHours", f'"{hours}"')(words))
        os.utime(path, (LONG_AGO, LONG_AGO))
        revisions.append(read_revision(folder, revisions[-1]))
    assert revisions[0].digest == revisions[-1].digest
    for before, after in pairwise(revisions):
        assert after.modified >= before.modified + timedelta(seconds=1)
        assert after.modified.microsecond == 0


def test_broken_content_has_no_revision(folder: Path) -> None:
    before = read_revision(folder)
    (folder / "faq.toml").write_text("[[faq]]\n")
    with pytest.raises(ContentError):
        read_revision(folder, before)
