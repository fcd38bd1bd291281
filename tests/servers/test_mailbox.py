"""The real mailbox: mails are taken, handed on and answered, whatever happens to its processes."""

import os
import re
import sqlite3
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from email import message_from_bytes
from email.policy import default
from io import BytesIO, TextIOWrapper
from pathlib import Path

import httpx
import pytest
from ai_service import LIGHT
from databases import store
from mailboxes import HUMAN, Studio, Taker, mail, studio, taker
from outside_reader import command, told
from running_server import eventually, running

ALICE = "alice@sender.example"
MANY = [f"person@sender-{number}.example" for number in range(20)]
STORED = re.compile(r"mail [0-9a-f]{32}: (.+)\n")


@pytest.fixture
def relay() -> Iterator[Taker]:
    """The mail server that mails go out through."""
    with taker() as made:
        yield made


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Studio]:
    """A studio without a mail server of its own."""
    with studio(tmp_path, **LIGHT) as made:
        yield made


def opened(made: Studio, count: int = 1) -> None:
    """Nothing, once so many processes have said that they take mails."""
    eventually(lambda: sum("takes mails for" in line for line in made.output) == count, 60)


def test_a_mail_is_taken_handed_on_and_answered_once(tmp_path: Path, relay: Taker) -> None:
    relay_url = f"smtp://127.0.0.1:{relay.port}"
    with (
        store("postgresql", tmp_path) as url,  # the kills below are on SQLite
        studio(tmp_path, SMTP_URL=relay_url, DATABASE_URL=url, **LIGHT) as made,
    ):
        first = made.begin()
        opened(made)
        second = made.begin()
        eventually(lambda: any("is in use; this process" in line for line in made.output), 60)
        assert made.hand_in(ALICE)
        first.kill()  # 250 was said, and nothing more is known
        eventually(lambda: made.hand_in("bob@b.example", 1), 60)
        eventually(lambda: len(relay.sent_to("bob@b.example")) == 1, 60)
        eventually(lambda: len(relay.sent_to(HUMAN)) >= 2, 60)
        assert made.hand_in(ALICE, 2)
        eventually(lambda: any(b"(2)" in letter for letter in relay.sent_to(HUMAN)), 60)
        assert made.hand_in("carol@c.example", question="Where is the studio based?")
        assert made.hand_in("dora@d.example", question="I need a ledger.")
        eventually(lambda: relay.sent_to("carol@c.example") and relay.sent_to("dora@d.example"), 60)
        assert len(relay.sent_to(ALICE)) <= 1
        senders = (f"{name}.example" for name in ("bob@b", "carol@c", "dora@d"))
        first_told, answer, other = (answered(relay.sent_to(sender)) for sender in senders)
        assert "https://studio.example/" in first_told
        assert "is published about" not in other
        assert "What is published about your question:" in answer
        assert "Porto" in answer
        assert "https://studio.example/api/about" in answer
        assert {one.mail_from for one in relay.taken} == {"<>"}
        told = "".join(made.output)
        assert len(re.findall("answerable, forwarded: True, answered: True", told)) >= 1
        assert not re.search(
            r"sender\.example|[bcd]\.example|question|What is|Where is|a ledger", told
        )
    assert second.returncode == 0


def answered(letters: list[bytes]) -> str:
    """What the one answer says."""
    (letter,) = letters
    return str(message_from_bytes(letter, policy=default).get_content())


def test_kills_under_load_lose_no_accepted_mail(tmp_path: Path, relay: Taker) -> None:
    with studio(tmp_path, SMTP_URL=f"smtp://127.0.0.1:{relay.port}", **LIGHT) as made:
        made.begin()
        opened(made)

        def insist(sender: str) -> None:
            eventually(lambda: made.hand_in(sender), 60)

        senders = [threading.Thread(target=insist, args=(one,)) for one in MANY]
        for number, sender in enumerate(senders):
            sender.start()
            if number % 7 == 6:
                made.processes[-1].kill()
                made.begin()
        for sender in senders:
            sender.join()
        eventually(lambda: all(relay.sent_to(one) for one in MANY[-5:]), 60)
        eventually(lambda: {_sender(one) for one in relay.sent_to(HUMAN)} == set(MANY), 90)
        assert max(len(relay.sent_to(one)) for one in MANY) == 1


def _sender(letter: bytes) -> str:
    found = re.search(rb"Reply-To: (\S+)", letter)
    assert found is not None
    return found[1].decode()


def deliver(made: Studio, *words: str, data: bytes) -> int:
    """How a delivery in this process ends."""
    made.settle()
    with pytest.MonkeyPatch.context() as given:
        given.setattr(sys, "stdin", TextIOWrapper(BytesIO(data)))
        return command(made.folder, "mailbox", "deliver", *words)


def delivered(made: Studio, *words: str, data: bytes) -> int:
    """How a delivery ends where nothing but storing the mail is possible."""
    (made.folder / "content" / "studio.toml").write_text("broken")
    return deliver(made, *words, data=data)


def test_a_mail_from_a_pipe_is_stored_and_worked_on(
    alone: Studio, capsys: pytest.CaptureFixture[str]
) -> None:
    done = alone.command("mailbox", "deliver", f"--sender={ALICE}", data=mail(ALICE))
    assert (done.returncode, done.stderr) == (0, b"")
    said = STORED.fullmatch(done.stdout.decode())
    assert said is not None
    assert said[1] == "answerable, forwarded: yes, answered: no"
    assert deliver(alone, "--quiet", data=mail(ALICE)) == 0
    assert capsys.readouterr().out == ""
    (letter,) = alone.letters
    assert b"X-Studiograph-Channel: mail" in letter


def test_the_sender_of_the_envelope_is_told_or_read(alone: Studio) -> None:
    told: list[tuple[bytes, tuple[str, ...], str]] = [
        (b"From alice@sender.example Sat Nov 21 20:00:00 2026\n", (), ALICE),
        (b"Return-Path: <alice@sender.example>\r\n", (), ALICE),
        (b"From MAILER-DAEMON Sat Nov 21 20:00:00 2026\n", (), ""),
        (b"", (), ""),
        (b"Return-Path: <bob@b.example>\r\n", ("--sender=",), ""),
        (b"", ("--sender", "alice@sender.example\n"), "-"),
    ]
    for number, (above, words, _) in enumerate(told):
        assert delivered(alone, *words, data=above + mail(ALICE, number)) == 0
    with closing(sqlite3.connect(alone.folder / "var" / "studio.db")) as database:
        found = database.execute("SELECT sender FROM mail ORDER BY received_at").fetchall()
    assert [one for (one,) in found] == [sender for _, _, sender in told]


def test_what_a_mail_server_can_understand_is_how_it_ends(
    alone: Studio, capsys: pytest.CaptureFixture[str]
) -> None:
    assert delivered(alone, data=b"") == os.EX_DATAERR
    assert delivered(alone, "--recipient=x@y.example", data=mail(ALICE)) == os.EX_NOUSER
    assert delivered(alone, data=b"x" * (10 * 1024 * 1024 + 1)) == os.EX_UNAVAILABLE
    capsys.readouterr()
    assert delivered(alone, "--recipient=Agents+x@studio.example", data=mail(ALICE)) == 0
    out, err = capsys.readouterr()
    assert out.partition(": ")[2] == "stored\n"
    assert "must wait" in err


def test_a_mail_and_a_message_over_http_reach_one_inbox_alike(alone: Studio) -> None:
    letter = {"name": "Alice", "email": ALICE, "message": "What is your domain, and since when?"}
    data = (
        mail(ALICE)
        .replace(b"From: ", b"From: Alice <")
        .replace(b"example\r\nTo", b"example>\r\nTo")
    )
    assert deliver(alone, f"--sender={ALICE}", data=data) == 0
    with running(alone.folder / "content") as server:
        assert (
            httpx.post(f"{server.address}/api/contact", json=letter, timeout=60).status_code == 200
        )
    listed = told(alone.folder, "inbox", "list")
    assert sorted(one["channel"] for one in listed) == ["http", "mail"]
    assert {(one["name"], one["email"]) for one in listed} == {("Alice", ALICE)}
    assert {tuple(one) for one in listed} == {tuple(listed[0])}
