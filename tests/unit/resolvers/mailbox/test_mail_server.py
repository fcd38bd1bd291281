"""A mail server hands in mails: each is stored whole before 250, and nothing else gets in."""

import asyncio
import logging
import re
import shutil
import socket
import struct
import subprocess
from contextlib import AsyncExitStack

import pytest
from mail_ports import LMTP, SMTP, Box, Line, hand_in, port, speaking, talk
from mail_samples import ALICE, MAILBOX, mail
from running_server import eventually

from resolvers.db.database import DatabaseError
from resolvers.mailbox.mail_server import MAX_RECIPIENTS, serve_mail
from resolvers.mailbox.rules import Envelope

BOTH = pytest.mark.parametrize("kind", [SMTP, LMTP])


@BOTH
def test_a_mail_is_taken_as_it_was_sent(kind: str) -> None:
    answer, box = talk(lambda line: line.mail(mail() + b".\r\n"), kind)
    assert answer == "250 2.0.0 The mail is stored\r\n"
    assert box.taken == [(mail(), Envelope(ALICE, (MAILBOX,)))]


@BOTH
def test_a_mail_of_swaks_is_taken(kind: str) -> None:
    swaks = shutil.which("swaks")
    if swaks is None:
        pytest.skip("there is no swaks")

    def send(number: int) -> int:
        words = [swaks, "--protocol", kind.upper(), "--server", f"127.0.0.1:{number}"]
        words += ["--from", ALICE, "--to", MAILBOX, "--body", "Hello from swaks.", "--hide-all"]
        return subprocess.run(words, check=False, timeout=60).returncode

    code, box = speaking(send, kind)
    assert (code, len(box.taken)) == (0, 1)
    assert b"Hello from swaks." in box.bodies[0]


def test_a_sender_beyond_ascii_is_taken() -> None:
    def work(line: Line) -> str:
        assert line.say("MAIL FROM:<alicé@sender.example> SMTPUTF8 BODY=8BITMIME")[:3] == "250"
        line.say(f"RCPT TO:<{MAILBOX}>")
        line.say("DATA")
        line.send("Subject: Grüße\r\n\r\n.\r\n".encode())
        return line.answer()

    answer, box = talk(work)
    assert (answer[:3], box.bodies) == ("250", ["Subject: Grüße\r\n\r\n".encode()])


def test_the_greeting_offers_what_there_is_and_tells_nothing_else() -> None:
    (banner, offered), _ = talk(lambda line: (line.banner, line.offered))
    assert banner == "220 studio.example studiograph\r\n"
    words = [line[4:] for line in offered.split("\r\n")[1:-1]]
    assert words == [f"SIZE {10 * 1024 * 1024}", "8BITMIME", "SMTPUTF8", "HELP"]


def test_nobody_logs_in_or_is_told_which_mailboxes_there_are() -> None:
    def work(line: Line) -> list[str]:
        addresses = (MAILBOX, "nobody@studio.example")
        told = {line.say(f"VRFY {address}") for address in addresses}
        commands = (f"EXPN {MAILBOX}", "AUTH PLAIN AGEAYg==", "STARTTLS")
        return [*(answer[:3] for answer in told), *(line.say(one)[:3] for one in commands)]

    assert talk(work)[0] == ["252", "502", "538", "454"]


@pytest.mark.parametrize("recipient", ["agents+a@studio.example", "AGENTS+a+b@Studio.Example"])
def test_tags_and_case_of_the_mailbox_do_not_matter(recipient: str) -> None:
    answers, _ = talk(lambda line: line.offer(recipient))
    assert [answer[:3] for answer in answers] == ["250", "250", "354"]


@pytest.mark.parametrize(
    "recipient",
    [
        *("founder@studio.example", "agents@other.example", "agents", "postmaster", ""),
        *("agents@studio.example@other.example", "agents%other.example@studio.example"),
        *("@studio.example:agents@other.example", '"agents@studio.example"@other.example'),
    ],
)
def test_no_other_recipient_is_taken(recipient: str) -> None:
    answers, _ = talk(lambda line: line.offer(recipient))
    assert answers[1][:3] in {"550", "553", "501"}
    assert answers[2][:3] == "503"


def test_an_address_that_cannot_be_read_is_refused(caplog: pytest.LogCaptureFixture) -> None:
    """The standard library raises errors of its own for these."""

    def work(line: Line) -> list[str]:
        odd = ("<", '"', "<a@[>", "<a@b.example,c@d.example>", "<a@b.example.>", "<<a@b.example>>")
        return [line.say(f"MAIL FROM:{path}")[:3] for path in odd]

    assert set(talk(work)[0]) <= {"501", "553"}
    assert caplog.messages == []


def test_lmtp_answers_for_each_recipient() -> None:
    def work(line: Line) -> list[str]:
        line.offer(MAILBOX, "x@y.example", f"Agents+x{MAILBOX[6:]}")
        line.send(mail() + b".\r\n")
        return [line.answer(), line.answer(), line.say("NOOP")]

    answers, box = talk(work, LMTP)
    assert answers == ["250 2.0.0 The mail is stored\r\n"] * 2 + ["250 OK\r\n"]
    assert box.taken[0][1].recipients == (MAILBOX, "Agents+x@studio.example")


def test_there_is_an_end_to_recipients() -> None:
    many = [f"agents+{number}@studio.example" for number in range(MAX_RECIPIENTS + 1)]
    answers, _ = talk(lambda line: line.offer(*many))
    assert [answer[:3] for answer in answers[-3:]] == ["250", "452", "354"]


def test_everything_at_once_is_taken_in_turn() -> None:
    def work(line: Line) -> list[str]:
        envelope = f"MAIL FROM:<{ALICE}>\r\nRCPT TO:<{MAILBOX}>\r\nDATA\r\n".encode()
        line.send(2 * (envelope + mail() + b".\r\n") + b"QUIT\r\n")
        return [line.answer()[:3] for _ in range(9)]

    answers, box = talk(work)
    assert answers == ["250", "250", "354", "250"] * 2 + ["221"]
    assert box.bodies == [mail(), mail()]


def test_who_leaves_at_any_moment_is_nothing_to_tell(caplog: pytest.LogCaptureFixture) -> None:
    def work(number: int) -> None:
        offer = f"EHLO me\r\nMAIL FROM:<{ALICE}>\r\nRCPT TO:<{MAILBOX}>\r\nDATA\r\n".encode()
        for data in (b"", offer[:20], offer, offer + b"half", offer + b"x\r\n.\r\n"):
            with Line(number, greet=False) as line:
                line.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                line.send(data)
        hand_in(number, b"last\r\n", ALICE)

    _, box = speaking(work)
    assert box.bodies[-1] == b"last\r\n"
    assert caplog.messages == []


@BOTH
def test_a_store_that_is_down_leaves_the_mail_with_the_mail_server(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    box = Box(fault=DatabaseError("studio.db: cannot be used. Fix: make room."))

    def work(line: Line) -> list[str]:
        refused = line.mail(mail() + b".\r\n")
        box.fault = ValueError(ALICE)
        broken = line.mail(mail() + b".\r\n")
        box.fault = None
        return [refused, broken, line.mail(mail() + b".\r\n")]

    answers, _ = talk(work, kind, box=box)
    assert [answer[:9] for answer in answers] == ["451 4.3.0", "451 4.3.0", "250 2.0.0"]
    assert "Fix: make room." in caplog.text
    assert ALICE not in caplog.text


def test_who_says_nothing_is_left() -> None:
    assert talk(lambda line: line.answer(), seconds=0.2)[0] == ""


def test_who_drips_is_left_in_the_end() -> None:
    def work(line: Line) -> bytes:
        line.offer(MAILBOX)
        line.socket.settimeout(0.05)
        for _ in range(400):
            try:
                line.send(b"x")
                return line.socket.recv(1)
            except TimeoutError:
                continue
            except ConnectionError:
                return b""
        return b"never"

    rest, box = talk(work, seconds=1)
    assert (rest, box.taken) == (b"", [])


def test_so_many_connections_are_held_and_no_more() -> None:
    def work(number: int) -> list[str]:
        with Line(number), Line(number) as second:
            with Line(number, greet=False) as third:
                refused = [third.banner, third.answer()]
            second.say("QUIT")
            assert second.answer() == ""
            with Line(number, greet=False) as fourth:
                return [*refused, fourth.banner]

    (refused, rest, banner), _ = speaking(work, connections=2)
    assert refused.startswith("421 4.3.2")
    assert (rest, banner[:3]) == ("", "220")


def test_another_listens_once_the_first_is_gone() -> None:
    first, second = Box(), Box()

    async def handed_over() -> None:
        async with AsyncExitStack() as leaving:
            number, _ = await leaving.enter_async_context(port(SMTP, first))
            address = f"smtp://127.0.0.1:{number}"
            async with serve_mail(address, MAILBOX, second.accept) as found:
                await asyncio.to_thread(hand_in, number, b"1\r\n", ALICE)
                assert not found.done()
                await leaving.aclose()
                assert await asyncio.wait_for(found, 20) == number
                await asyncio.to_thread(hand_in, number, b"2\r\n", ALICE)

    asyncio.run(handed_over())
    assert (first.bodies, second.bodies) == ([b"1\r\n"], [b"2\r\n"])


def test_an_address_that_cannot_be_had_is_told_with_the_fix(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def tried() -> None:
        async with serve_mail("smtp://192.0.2.1:2525", MAILBOX, Box().accept) as found:
            await asyncio.to_thread(eventually, lambda: caplog.messages)
            assert not found.done()

    asyncio.run(tried())
    assert "Fix: name another address in STUDIOGRAPH_MAIL_LISTEN." in caplog.text


def test_nothing_of_a_mail_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    talk(lambda line: (line.mail(mail() + b".\r\n"), line.say("WHAT " + ALICE)))
    assert re.findall("sender.example|Hello", caplog.text) == []
