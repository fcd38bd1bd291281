"""The real mailbox: mails are taken, handed on and answered, whatever happens to its processes."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import httpx
import pytest
from databases import KINDS, store
from mailboxes import HUMAN, MAILBOX, Studio, Taker, mail, studio, taker
from running_server import eventually, running

ALICE = "alice@sender.example"
MANY = [f"person@sender-{number}.example" for number in range(40)]
STORED = re.compile(r"mail [0-9a-f]{32}: (.+)\n")


@pytest.fixture
def relay() -> Iterator[Taker]:
    """The mail server that mails go out through."""
    with taker() as made:
        yield made


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Studio]:
    """A studio without a mail server of its own."""
    with studio(tmp_path) as made:
        yield made


def opened(made: Studio, count: int = 1) -> None:
    """Nothing, once so many processes have said that they take mails."""
    eventually(lambda: sum("takes mails for" in line for line in made.output) == count, 60)


@pytest.mark.parametrize("kind", KINDS)
def test_a_mail_is_taken_handed_on_and_answered_once(
    kind: str, tmp_path: Path, relay: Taker
) -> None:
    with (
        store(kind, tmp_path) as url,
        studio(tmp_path, SMTP_URL=f"smtp://127.0.0.1:{relay.port}", DATABASE_URL=url) as made,
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
        assert len(relay.sent_to(ALICE)) <= 1
        (answer,) = relay.sent_to("bob@b.example")
        assert b"https://studio.example/" in answer
        assert {one.mail_from for one in relay.taken} == {"<>"}
        told = "".join(made.output)
        assert len(re.findall("answerable, forwarded: True, answered: True", told)) >= 1
        assert not re.search(r"sender\.example|b\.example|question|What is", told)
    assert second.returncode == 0


def test_kills_under_load_lose_no_accepted_mail(tmp_path: Path, relay: Taker) -> None:
    with studio(tmp_path, SMTP_URL=f"smtp://127.0.0.1:{relay.port}") as made:
        made.begin()
        opened(made)

        def insist(sender: str) -> None:
            eventually(lambda: made.hand_in(sender), 60)

        senders = [threading.Thread(target=insist, args=(one,)) for one in MANY]
        for number, sender in enumerate(senders):
            sender.start()
            if number % 10 == 9:
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


def test_a_mail_from_a_pipe_is_stored_and_worked_on(alone: Studio) -> None:
    done = alone.command("mailbox", "deliver", f"--sender={ALICE}", data=mail(ALICE))
    assert (done.returncode, done.stderr) == (0, b"")
    told = STORED.fullmatch(done.stdout.decode())
    assert told is not None
    assert told[1] == "answerable, forwarded: yes, answered: no"
    again = alone.command("mailbox", "deliver", "--quiet", data=mail(ALICE))
    assert (again.returncode, again.stdout) == (0, b"")
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
        assert _stored_alone(alone, *words, data=above + mail(ALICE, number)).returncode == 0
    with closing(sqlite3.connect(alone.folder / "var" / "studio.db")) as database:
        found = database.execute("SELECT sender FROM mail ORDER BY received_at").fetchall()
    assert [one for (one,) in found] == [sender for _, _, sender in told]


def test_what_is_stored_is_taken_though_nobody_can_work_on_it(alone: Studio) -> None:
    done = _stored_alone(alone, data=mail(ALICE))
    assert (done.returncode, done.stdout.decode().partition(": ")[2]) == (0, "stored\n")
    assert b"must wait" in done.stderr


def _stored_alone(made: Studio, *words: str, data: bytes) -> "subprocess.CompletedProcess[bytes]":
    """What became of a mail where nothing but storing it is possible."""
    (made.folder / "content" / "studio.toml").write_text("broken")
    return made.command("mailbox", "deliver", *words, data=data)


def test_what_a_mail_server_can_understand_is_how_it_ends(alone: Studio) -> None:
    def code(*words: str, data: bytes) -> int:
        return _stored_alone(alone, *words, data=data).returncode

    assert code(data=b"") == os.EX_DATAERR
    assert code("--recipient=x@y.example", data=mail(ALICE)) == os.EX_NOUSER
    assert code(data=b"x" * (10 * 1024 * 1024 + 1)) == os.EX_UNAVAILABLE
    assert code("--recipient=Agents+x@studio.example", data=mail(ALICE)) == 0


def test_a_question_that_the_content_answers_is_answered_with_its_source(
    tmp_path: Path, relay: Taker
) -> None:
    relay_url = f"smtp://127.0.0.1:{relay.port}"
    with studio(tmp_path, SMTP_URL=relay_url, AI_EMBEDDER="hash") as made:
        made.begin()
        opened(made)
        assert made.hand_in(ALICE, question="Where is the studio based?")
        assert made.hand_in("bob@b.example", question="I need a ledger.")
        eventually(lambda: relay.sent_to(ALICE) and relay.sent_to("bob@b.example"), 60)
    answer, other = (
        message_from_bytes(relay.sent_to(sender)[0], policy=default).get_content()
        for sender in (ALICE, "bob@b.example")
    )
    assert "What is published about your question:" in answer
    assert "Porto" in answer
    assert "https://studio.example/api/about" in answer
    assert "is published about" not in other


def test_what_cannot_be_stored_stays_with_the_mail_server(alone: Studio) -> None:
    shutil.rmtree(alone.folder / "var")
    (alone.folder / "var").write_text("in the way")
    done = alone.command("mailbox", "deliver", data=mail(ALICE))
    assert done.returncode == os.EX_TEMPFAIL
    assert b"Fix:" in done.stderr
    assert ALICE.encode() not in done.stderr


def test_a_mail_and_a_message_over_http_reach_one_inbox_alike(alone: Studio) -> None:
    letter = {"name": "Alice", "email": ALICE, "message": "What is your domain, and since when?"}
    data = (
        mail(ALICE)
        .replace(b"From: ", b"From: Alice <")
        .replace(b"example\r\nTo", b"example>\r\nTo")
    )
    assert alone.command("mailbox", "deliver", f"--sender={ALICE}", data=data).returncode == 0
    with running(alone.folder / "content") as server:
        assert (
            httpx.post(f"{server.address}/api/contact", json=letter, timeout=60).status_code == 200
        )
    listed = json.loads(alone.command("inbox", "list", "--json").stdout)
    assert sorted(one["channel"] for one in listed) == ["http", "mail"]
    assert {(one["name"], one["email"]) for one in listed} == {("Alice", ALICE)}
    assert {tuple(one) for one in listed} == {tuple(listed[0])}


def test_nowhere_to_listen_is_told_with_the_fix(alone: Studio) -> None:
    alone.settings["MAIL_LISTEN"] = ""
    done = alone.command("mailbox", "serve")
    assert done.returncode == 1
    assert b"Fix: set STUDIOGRAPH_MAIL_LISTEN" in done.stderr
    assert MAILBOX.encode() not in done.stderr


def test_a_mailbox_that_would_send_to_itself_does_not_start(alone: Studio) -> None:
    alone.settings |= {"MAIL_TO": MAILBOX, "SMTP_URL": "smtp://127.0.0.1:25"}
    done = alone.command("mailbox", "serve")
    assert done.returncode == 1
    assert b"Fix: set STUDIOGRAPH_MAIL_TO" in done.stderr
