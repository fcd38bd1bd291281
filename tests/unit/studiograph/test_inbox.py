"""`studiograph inbox`: what its owner sees of what strangers wrote, and what is done with it."""

import asyncio
import json
from contextlib import redirect_stdout
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from command_runs import Run, runs
from pydantic import SecretStr

from resolvers.contact.mail_parser import read_mail
from resolvers.contact.message import ContactMessage, to_rfc822
from resolvers.contact.transport import Maildir
from resolvers.mailbox.replies import build_forward
from resolvers.mailbox.rules import Envelope, Policy
from sdl.caller import Channel
from studiograph.commands import inbox
from studiograph.settings import Settings
from studiograph.wiring.services import inbox_folder

HUMAN, MAILBOX = "founder@studio.example", "agents@studio.example"
IDS = [f"c-{letter * 32}" for letter in "abc"]
POLICY = Policy(MAILBOX, frozenset(), "off", "")
MAIL = (
    b"From: =?utf-8?q?Al=C3=ADce?= <alice@sender.example>\r\nSubject: A question\r\n\r\nWhat is"
    b" your domain?\r\n"
)
HOSTILE = "\x1b[2J\x1b]0;title\x07\r\n\x9b31m\u202etxt.exe\0\x08"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings with a data folder of their own."""
    return Settings(data=tmp_path / "var")


@pytest.fixture
def run(settings: Settings, capsys: pytest.CaptureFixture[str]) -> Run:
    """`run("list")`: the exit code of `studiograph inbox list`, its output and its errors."""

    return runs(capsys, "inbox", settings=settings)


def letter(number: int, hours: float, **changes: Any) -> ContactMessage:
    """A letter that came some hours ago."""
    came = datetime.now(UTC) - timedelta(hours=hours)
    made = ContactMessage(
        id=IDS[number],
        channel=Channel.HTTP,
        agent="claude/4.1",
        name="Zoë",
        email="zoe@sender.example",
        company=None,
        message="Hello there,\n\nwhat is this?",
        received_at=came,
    )
    return replace(made, **changes)


def deliver(settings: Settings, *letters: ContactMessage) -> None:
    """Nothing, once they are in the inbox."""
    for one in letters:
        keep(settings, to_rfc822(one, MAILBOX, HUMAN), one.id)


def keep(settings: Settings, message: bytes, key: str) -> None:
    """Nothing, once the message is in the inbox."""
    asyncio.run(Maildir(inbox_folder(settings), HUMAN).deliver(message, key))


def files(settings: Settings) -> set[str]:
    """Every message by the place of its file."""
    folder = inbox_folder(settings)
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_an_empty_inbox_says_how_messages_come(run: Run) -> None:
    code, out, err = run()
    assert (code, out, err) == (0, "", f"The inbox is empty. {inbox.SOURCES}\n")
    assert run("list", "--quiet") == (0, "", "")
    assert run("--json", "--quiet") == (0, "[]\n", "")


def test_the_newest_is_first_and_each_says_how_it_stands(settings: Settings, run: Run) -> None:
    deliver(settings, letter(0, 30.5), letter(1, 0.5), letter(2, 20.5, agent=None, name="Bo"))
    assert run() == (
        0,
        "*  c-bbbbbb  30 min old  answer within 23 h  http  claude/4.1  Zoë"
        "  <zoe@sender.example>  Hello there, what is this?\n"
        "*  c-cccccc  20 h old    answer within 3 h   http              Bo "
        "  <zoe@sender.example>  Hello there, what is this?\n"
        "*  c-aaaaaa  30 h old    late by 6 h         http  claude/4.1  Zoë"
        "  <zoe@sender.example>  Hello there, what is this?\n",
        "",
    )
    assert run("list") == run()


@pytest.mark.parametrize(
    ("hours", "told"),
    [
        (-1, ("0 min old", "answer within 24 h")),
        (0.02, ("1 min old", "answer within 23 h")),
        (23.5, ("23 h old", "answer within 29 min")),
        (24.01, ("24 h old", "late by 0 min")),
        (100, ("4 d old", "late by 3 d")),
    ],
)
def test_age_and_target_are_in_the_unit_that_fits(
    hours: float, told: tuple[str, str], settings: Settings, run: Run
) -> None:
    deliver(settings, letter(0, hours))
    assert tuple(cell.strip() for cell in run()[1].split("  ")[2:4]) == told


def test_a_mail_and_a_letter_are_listed_alike(settings: Settings, run: Run) -> None:
    envelope = Envelope("alice@sender.example", (MAILBOX,))
    moment = datetime.now(UTC)
    keep(
        settings,
        build_forward(read_mail(MAIL), envelope, POLICY, to=HUMAN, moment=moment),
        "mail-1",
    )
    deliver(settings, letter(0, 1, channel=Channel.MCP))
    mail, sent = json.loads(run("--json")[1])
    assert set(sent) - set(mail) == {"agent"}
    assert (mail["channel"], sent["channel"]) == ("mail", "mcp")
    assert (mail["name"], mail["email"]) == ("Alíce", "alice@sender.example")
    assert (mail["about"], sent["about"]) == ("A question", "Hello there, what is this?")
    assert "What is your domain?" in run("show", "mail-1")[1]


def test_json_says_the_same(settings: Settings, run: Run) -> None:
    sent = letter(0, 1)
    deliver(settings, sent)
    (row,) = json.loads(run("list", "--json")[1])
    came = sent.received_at.replace(microsecond=0)
    due = came + timedelta(hours=24)
    assert row == {
        "id": IDS[0],
        "name": "Zoë",
        "email": "zoe@sender.example",
        "channel": "http",
        "agent": "claude/4.1",
        "about": "Hello there, what is this?",
        "receivedAt": f"{came:%Y-%m-%dT%H:%M:%SZ}",
        "dueAt": f"{due:%Y-%m-%dT%H:%M:%SZ}",
        "seen": False,
        "done": False,
    }
    shown = json.loads(run("show", "c-", "--json")[1])
    assert shown.items() >= {**row, "seen": True}.items()
    assert shown["text"].endswith("Channel: http\n\nHello there,\n\nwhat is this?\n")
    assert Path(shown["file"]).is_file()


def test_show_prints_the_message_and_marks_it_as_seen(settings: Settings, run: Run) -> None:
    deliver(settings, letter(0, 2.5), letter(1, 1))
    code, out, err = run("show", IDS[0][:8])
    file = inbox_folder(settings) / "cur" / f"{IDS[0]}:2,S"
    assert (code, err) == (0, "")
    first, when, answer, where, _, *text = out.splitlines()
    assert first == f"Id: {IDS[0]}"
    assert when.endswith("Z, 2 h old, answer within 21 h")
    assert (answer, where) == ("Answer to: zoe@sender.example", f"File: {file}")
    assert "\n".join(text) == (
        "Name: Zoë\nE-mail: zoe@sender.example\nAgent: claude/4.1\nChannel: http\n\n"
        "Hello there,\n\nwhat is this?"
    )
    assert files(settings) == {f"cur/{IDS[0]}:2,S", f"new/{IDS[1]}"}
    assert [line[0] for line in run()[1].splitlines()] == ["*", " "]


@pytest.mark.parametrize("shown", [True, False])
def test_done_takes_it_off_the_list(shown: bool, settings: Settings, run: Run) -> None:  # noqa: FBT001 - a case
    deliver(settings, letter(0, 30))
    if shown:
        run("show", IDS[0])
    code, out, err = run("done", IDS[0])
    assert (code, out) == (0, "")
    assert (
        err == f"{IDS[0]} is marked as answered; `studiograph inbox list --all` still lists it.\n"
    )
    assert files(settings) == {f"cur/{IDS[0]}:2,RS"}
    assert run() == (0, "", f"{inbox.ALL_ANSWERED}\n")
    for words in (("--all",), ("list", "--all")):
        assert run(*words)[1].startswith("   c-aaaaaa  30 h old  done  http  ")
    assert run("done", IDS[0], "--quiet") == (0, "", "")


def test_what_is_done_is_not_delivered_again(settings: Settings, run: Run) -> None:
    deliver(settings, letter(0, 1))
    run("done", IDS[0])
    deliver(settings, letter(0, 1))
    assert files(settings) == {f"cur/{IDS[0]}:2,RS"}


def test_flags_of_other_readers_are_kept(settings: Settings, run: Run) -> None:
    deliver(settings, letter(0, 1))
    cur = inbox_folder(settings) / "cur"
    (cur.parent / "new" / IDS[0]).rename(cur / f"{IDS[0]}:2,FP")
    run("done", "c-a")
    assert files(settings) == {f"cur/{IDS[0]}:2,FPRS"}


@pytest.mark.parametrize("action", ["show", "done"])
def test_an_id_that_names_no_one_message_says_where_ids_are(
    action: str, settings: Settings, run: Run
) -> None:
    deliver(settings, letter(0, 1), letter(1, 1))
    for name, count in (("c-d", "no"), ("../new", "no"), ("c-", "2"), ("", "2")):
        assert run(action, name) == (
            *(1, ""),
            f"{count} messages have an id that begins like that."
            " Fix: choose an id from `studiograph inbox list --all`.\n",
        )
    assert files(settings) == {f"new/{IDS[0]}", f"new/{IDS[1]}"}


def test_ids_are_as_long_as_they_must_be_to_be_told_apart(settings: Settings, run: Run) -> None:
    alike = [f"c-{'a' * 20}{letter}" for letter in "bc"]
    deliver(settings, *(letter(0, 1, id=name) for name in (*alike, alike[0][:-1])))
    names = [line.split()[1] for line in run()[1].splitlines()]
    assert sorted(names) == sorted((*alike, alike[0][:-1]))
    assert run("show", alike[0][:-1])[0] == 0


def test_a_message_that_is_there_twice_is_done_twice(settings: Settings, run: Run) -> None:
    deliver(settings, letter(0, 1))
    folder = inbox_folder(settings)
    (folder / "cur" / f"{IDS[0]}:2,").write_bytes((folder / "new" / IDS[0]).read_bytes())
    assert [len(run()[1].splitlines()), *(run("done", "c-a")[0] for _ in "12")] == [2, 0, 0]
    assert files(settings) == {f"cur/{IDS[0]}:2,RS"}


def test_no_control_of_a_stranger_reaches_the_terminal(settings: Settings, run: Run) -> None:
    hostile = letter(0, 1, name=HOSTILE, agent=HOSTILE, company=HOSTILE, message=HOSTILE * 9)
    deliver(settings, hostile)
    keep(settings, f"From: {HOSTILE}\nSubject: {HOSTILE}\n\n{HOSTILE}".encode(), "mail-1")
    said = [*run(), *run("show", "c-"), *run("show", "mail-1"), *run("--json")]
    text = "".join(part for part in said if isinstance(part, str)).replace("\n", "")
    assert text.isprintable()


def test_a_letter_in_letters_that_the_terminal_lacks_is_shown(settings: Settings, run: Run) -> None:
    deliver(settings, letter(0, 1, name="漢字"))
    assert "  漢字  <" in run()[1]
    terminal = TextIOWrapper(BytesIO(), encoding="ascii")
    with redirect_stdout(terminal):
        assert run()[0] == 0
    terminal.seek(0)
    assert "  ??  <" in terminal.read()


def test_what_is_no_mail_is_listed_by_the_time_of_its_file(settings: Settings, run: Run) -> None:
    deliver(settings, letter(0, 1))
    for name, data in (("1.M1P2.host", b"\xff\0" * 99), ("empty", b"")):
        (inbox_folder(settings) / "new" / name).write_bytes(data)
    (inbox_folder(settings) / "new" / ".hidden").write_bytes(b"")
    assert [row["id"] for row in json.loads(run("--json")[1])] == ["empty", "1.M1P2.host", IDS[0]]
    assert run("show", "1.M")[0] == run("show", "empty")[0] == 0
    assert "Answer to: (no valid address)\n" in run("show", "empty")[1]


def test_what_is_broken_names_the_fix(settings: Settings, run: Run) -> None:
    folder = inbox_folder(settings)
    folder.parent.mkdir()
    folder.write_text("")
    code, out, err = run()
    assert (code, out) == (1, "")
    assert err.startswith(f"{folder}: cannot be used (")
    assert ". Fix: " in err


def test_with_a_mail_server_it_says_where_new_ones_go(settings: Settings, run: Run) -> None:
    relayed = settings.model_copy(update={"smtp_url": SecretStr("smtps://u:secret@relay.example")})
    deliver(settings, letter(0, 1))
    code, out, err = run(having=relayed)
    assert (code, out, err) == (0, run()[1], f"{inbox.RELAYED}\n")
    assert run("show", "c-", having=relayed)[2] == ""
    assert run("--quiet", having=relayed)[2] == ""
