"""An author's file is checked and split without a word of it being shown."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from repository import SAMPLE

from evals.material import KINDS, Chat
from evals.split import entries_of, main, operation_names, problems_of, split, toml_of

GOOD = """
[[chat]]
text = "Is a \\\\ a backslash, and \\"this\\" quoted?"
style = "first"
answered = "yes"
must = ["contact|agents@x\\\\.example"]
[[chat]]
text = "And how much?"
style = "follow-up"
answered = "partly"
must_not = ["never"]
history = [["user", "Who?"], ["assistant", "Maren."]]
[[chat]]
text = "Do they repair bicycles?"
style = "near-miss"
answered = "no"
[[search]]
text = "clock drift"
style = "keyword"
relevant = {"project/tidebook" = 2, "glossary/clock-skew" = 3}
[[goal]]
text = "tell me of fixes at https://hooks.example/x"
operations = ["Subscribe"]
path = "/api/subscribe"
body = {url = "https://hooks.example/x", kinds = ["fixed"], more = {n = 1, on = true}}
"""
ENTRIES = {"project/tidebook", "glossary/clock-skew"}


def problems(text: str) -> list[tuple[str, int, str]]:
    return list(problems_of(tomllib.loads(text), ENTRIES, {"Subscribe"}))


def many(styles: dict[str, int]) -> dict[str, Any]:
    """A file with so many chat questions of each style."""
    return {
        "chat": [
            {"text": f"{style} {number}", "style": style}
            for style, count in styles.items()
            for number in range(count)
        ]
    }


def test_a_sound_file_has_no_problem() -> None:
    assert problems(GOOD) == []


@pytest.mark.parametrize(
    ("old", "new", "kind", "number", "rule"),
    [
        ('style = "first"', 'style = "secret"', "chat", 1, "style"),
        ("must_not =", "mustnot =", "chat", 2, "mustnot"),
        ('"contact|', '"(contact|', "chat", 1, "must.1: is no regular expression"),
        ("must = ", "must_not = ", "chat", 1, None),
        ('must_not = ["never"]', "", "chat", 2, "any answer would be right"),
        ('history = [["user", "Who?"], ["assistant", "Maren."]]', "", "chat", 2, "history"),
        ('["user", "Who?"]', '["system", "Who?"]', "chat", 2, "history.1.1"),
        ('answered = "no"', 'answered = "yes"', "chat", 3, "answered is yes"),
        ("project/tidebook", "project/secret", "search", 1, "relevant: number 1"),
        ("= 3}", "= 4}", "search", 1, "relevant"),
        ('["Subscribe"]', '["Secret"]', "goal", 1, "operations: number 1"),
        ('path = "/', 'path = "', "goal", 1, "path"),
        ("Do they repair bicycles?", "and  HOW much?", "chat", 3, "the same text as chat 2"),
        ("[[search]]", "[[secret]]", "file", 0, "unknown tables"),
    ],
)
def test_a_problem_is_named_by_number_and_rule(
    old: str, new: str, kind: str, number: int, rule: str | None
) -> None:
    found = problems(GOOD.replace(old, new, 1))
    if rule is None:
        assert found == []
        return
    assert [(problem[0], problem[1]) for problem in found] == [(kind, number)]
    assert found[0][2].startswith(rule)


def test_no_problem_shows_a_text_or_a_pattern() -> None:
    broken = GOOD.replace('style = "', 'style = "un').replace("contact|", "(contact|")
    shown = str(problems(broken))
    for table in tomllib.loads(broken)["chat"]:
        assert table["text"] not in shown
        assert table["style"] not in shown
    assert "contact" not in shown


def test_both_halves_have_each_style_and_no_question_is_lost() -> None:
    document = many({"first": 4, "field": 7, "fit": 2})
    tune, report = split(document)
    texts = [table["text"] for half in (tune, report) for table in half["chat"]]
    assert sorted(texts) == sorted(table["text"] for table in document["chat"])
    for half, fields in ((tune, 3), (report, 4)):
        styles = [table["style"] for table in half["chat"]]
        assert {style: styles.count(style) for style in styles} == {
            "first": 2,
            "field": fields,
            "fit": 1,
        }


def test_the_order_of_the_file_decides_nothing() -> None:
    document = many({"first": 9, "field": 4})
    backwards = {"chat": document["chat"][::-1]}
    for one, other in zip(split(document), split(backwards), strict=True):
        assert sorted(t["text"] for t in one["chat"]) == sorted(t["text"] for t in other["chat"])


def test_a_half_reads_back_as_it_was() -> None:
    document = tomllib.loads(GOOD)
    assert tomllib.loads(toml_of({kind: document[kind] for kind in KINDS})) == document


def test_patterns_ignore_case() -> None:
    chat = Chat.model_validate(tomllib.loads(GOOD)["chat"][0])
    assert chat.must[0].search("write to AGENTS@X.example")


def test_entries_and_operations_are_those_of_the_product() -> None:
    assert "project/tidebook" in entries_of(SAMPLE)
    assert {"Ask", "Subscribe", "GetProject"} <= operation_names()


def test_a_split_is_written_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "someone-sample.toml"
    file.write_text(GOOD.replace("clock-skew", "slippage"), encoding="utf-8")
    words = [str(file), "--content", str(SAMPLE), "--to", str(tmp_path / "to")]
    assert main([*words, "--check"]) == 0
    assert not (tmp_path / "to").exists()
    assert main(words) == 0
    halves = [tmp_path / "to" / half / file.name for half in ("tune", "report")]
    texts = [tomllib.loads(half.read_text(encoding="utf-8")) for half in halves]
    assert len(texts[1]["chat"]) == 3
    assert main(words) == 1
    assert "a split is made once" in capsys.readouterr().out


def test_questions_with_problems_are_left_out_only_if_asked(tmp_path: Path) -> None:
    file = tmp_path / "someone-sample.toml"
    file.write_text(GOOD, encoding="utf-8")  # the sample studio has no such glossary entry
    words = [str(file), "--content", str(SAMPLE), "--to", str(tmp_path / "to")]
    assert main(words) == 1
    assert not (tmp_path / "to").exists()
    assert main([*words, "--leave-out"]) == 0
    report = (tmp_path / "to" / "report" / file.name).read_text(encoding="utf-8")
    assert "[[goal]]" in report
    assert "[[search]]" not in report
