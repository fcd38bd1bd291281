"""What the recipes for mail servers name is there."""

import re

import pytest
from repository import ROOT

from resolvers.mailbox.rules import Reason
from studiograph.__main__ import main
from studiograph.settings import PREFIX, Settings

RECIPES = (ROOT / "docs" / "mail.md").read_text(encoding="utf-8")
COMMANDS = sorted(set(re.findall(r"studiograph (mailbox (?:serve|deliver))", RECIPES)))


def test_every_setting_that_is_named_is_there() -> None:
    known = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
    assert set(re.findall(rf"{PREFIX}[A-Z]\w*", RECIPES)) <= known


def test_every_value_of_whom_to_answer_is_told() -> None:
    rows = re.findall(r"(?m)^\| `([a-z]+)` \| ", RECIPES)
    annotation = Settings.model_fields["mail_auto_reply"].annotation
    assert tuple(rows) == getattr(annotation, "__args__", ())


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_that_is_named_is_there(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command.split(), "--help"]) == 0
    known = set(re.findall(r"--[a-z]+", capsys.readouterr().out))
    calls = re.findall(rf"studiograph {command}((?: --[a-z]+(?:=\S+)?)*)", RECIPES)
    assert {option for call in calls for option in re.findall(r"--[a-z]+", call)} <= known


def test_every_reason_is_explained() -> None:
    reasons = RECIPES.partition("The reasons:")[2].partition("##")[0]
    assert set(re.findall(r"`([a-z_]+)`", reasons)) == {reason.value for reason in Reason}
