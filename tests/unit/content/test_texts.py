"""What texts may not have, and what they may."""

from pathlib import Path

import pytest
from content_breakage import faults_in
from minimal_studio import write_minimal_studio

from content.checking.errors import Finding
from content.checking.texts import check_texts, hidden_characters, unfinished_entries
from content.reading.reader import load
from schema.site import Site


@pytest.fixture(scope="module")
def minimal(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return load(write_minimal_studio(tmp_path_factory.mktemp("studio") / "content"))


def saying(site: Site, text: str) -> Site:
    """The site with this one line."""
    studio = site.studio.model_copy(update={"one_liner": text})
    return site.model_copy(update={"studio": studio})


def found(text: str) -> list[Finding]:
    return list(check_texts({"faq": [{"a": text}]}))


@pytest.mark.parametrize(
    "text",
    [
        "Write `![alt](address)` for an image.",
        "A definition is ``[1]: address``.",
        "[Ask](mailto:ann@saltmarsh.example), [read](HTTPS://x.example) or [see](/api/faq).",
        "Great! [It floats](https://saltmarsh.example).",
        "Use `[x](javascript:void 0)` nowhere.",
        "See note [1]: it is the third.",
        "Ann asked: [is it free](/api/faq)?",
        "See [[1]](https://saltmarsh.example/1) and `[[links]]`, `{{ names }}`, `[^a]`, `&amp;`.",
        "Todo es posible... and Q&A; a set {a, b}; 5 < 7.",
        "Silva & Sons",
    ],
)
def test_what_only_looks_alike_is_allowed(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("One.\nTwo.\n\n![x](y) is here", "in line 4, ![x](y) is an image"),
        ("[a][b]\n\n  [b]: https://x.example", "in line 3, [b]: https://x.example defines a link"),
        (
            "[a](<VBScript:x>)",
            "in line 1, a link begins with VBScript:, which does not lead to a page of the web",
        ),
        ("`code` ![x][y]", "in line 1, ![x][y] is an image"),
        ("a ` b ![x](y)", "in line 1, ![x](y) is an image"),
        ("One.\n\nSee [[a|b]].", "in line 3, [[a|b]] is a wiki link"),
        ("{{< x >}}", "in line 1, {{< x >}} is for a site's generator, which is not here"),
        ("It is so[^1].", "in line 1, [^1] is the mark of a footnote that is not there"),
        (" …\n", '" …\\n" is a placeholder'),
        ("TODO: prices", '"TODO: prices" is a placeholder'),
    ],
)
def test_what_a_tool_would_act_on_is_refused_with_its_place(text: str, what: str) -> None:
    (finding,) = found(text)
    assert (finding.path, finding.rule) == (("faq", 0, "a"), what)


@pytest.mark.parametrize("character", "\u00ad\u200b\u202e\u2066\ufeff")
def test_a_hidden_character_is_named_with_the_word_before_it(minimal: Site, character: str) -> None:
    (finding,) = hidden_characters(saying(minimal, f"Logs of{character} tides."))
    assert finding.path == ("studio", "oneLiner")
    assert finding.rule == f"in line 1, U+{ord(character):04X} is hidden after of"


@pytest.mark.parametrize("text", ["👩‍🚀 rows.", "می‌خواهم", "naïve café"])
def test_joiners_that_scripts_and_emoji_need_are_not_hidden(minimal: Site, text: str) -> None:
    assert list(hidden_characters(saying(minimal, text))) == []


def test_what_is_written_for_html_is_a_warning_and_code_is_not(minimal: Site) -> None:
    (finding,) = hidden_characters(saying(minimal, "Ann &amp; Lee use `&nbsp;` and &this;."))
    assert (finding.rule, finding.fix) == ("in line 1, &amp; is written for HTML", "write &")


def test_what_the_changelog_has_published_is_no_fault_and_what_it_has_not_is_a_warning(
    sample: Site,
) -> None:
    entries = [entry.model_copy(update={"body": "See [[a]]."}) for entry in sample.changelog]
    site = sample.model_copy(update={"changelog": entries})
    assert list(check_texts(site.to_json())) == []
    assert [f.path for f in unfinished_entries(site, 2)] == [
        ("changelog", 0, "body"),
        ("changelog", 1, "body"),
    ]


def test_texts_of_other_people_may_have_what_the_owners_may_not(sample: Site) -> None:
    tree = sample.to_json()
    image = "![badge](https://github.example/badge.svg)"
    tree["github"]["readme"]["markdown"] = image
    tree["github"]["repos"][0]["description"] = image
    assert list(check_texts(tree)) == []
    tree["projects"][0]["highlights"][0]["detail"] = image
    assert [f.path for f in check_texts(tree)] == [("projects", 0, "highlights", 0, "detail")]


def test_what_the_status_repeats_is_found_where_it_is_said(folder: Path) -> None:
    path = folder / "studio.currentlyStudying.toml"
    path.write_text(
        path.read_text().replace('source = "', 'source = "[[', 1).replace('"\n', ']]"\n', 3)
    )
    assert {fault.file for fault in faults_in(folder)} == {f"content/{path.name}"}
