"""Conversations with a mail port that are changed at random."""

import socket
from collections.abc import Sequence
from random import Random
from typing import BinaryIO

from answer_faults import telling
from mail_samples import ALICE, MAILBOX
from request_mutations import BYTES, mutated_bytes

OPENINGS = (b"EHLO me\r\n", b"HELO me\r\n", b"LHLO me\r\n", b"ehlo [127.0.0.1]\r\n")
ODD = (
    *(b"MAIL FROM:<>\r\n", b"MAIL FROM:<a@b.example> SIZE=99999999999\r\n", b"RCPT TO:<>\r\n"),
    *(b"MAIL FROM:<a@b.example> BODY=8BITMIME SMTPUTF8\r\n", b"RCPT TO:<@a,@b:c@d.example>\r\n"),
    *(b"RSET\r\n", b"NOOP x\r\n", b"VRFY root\r\n", b"EXPN list\r\n", b"HELP\r\n", b"TURN\r\n"),
    *(b"AUTH PLAIN AAAA\r\n", b"AUTH LOGIN\r\n", b"STARTTLS\r\n", b"BDAT 5 LAST\r\nabcde"),
    *(b"DATA\r\n", b".\r\n", b"\r\n", b"\x00\r\n", b"\xff\xfe\r\n", b"x" * 600 + b"\r\n"),
    *(b"GET / HTTP/1.1\r\n\r\n", b"MAIL FROM:<" + b"a" * 300 + b"@b.example>\r\n", b"QUIT\r\n"),
)


def mail_case(
    place: tuple[str, int],
    random: Random,
    mail: bytes,
    patience_seconds: float,
    secrets: Sequence[bytes],
) -> tuple[list[str], list[bytes]]:
    """Speak a changed conversation; return what is wrong with the replies, and the replies.

    Each command is sent when the one before is answered, or after a pipeline of all of them.
    """
    dots = b"\r\n".join(b"." + line if line[:1] == b"." else line for line in mail.split(b"\r\n"))
    commands = [
        random.choice(OPENINGS),
        f"MAIL FROM:<{ALICE}>\r\n".encode(),
        f"RCPT TO:<{MAILBOX}>\r\n".encode(),
        b"DATA\r\n",
        dots + b"\r\n.\r\n",
        b"QUIT\r\n",
    ]
    for _ in range(random.randint(0, 3)):
        at = random.randrange(len(commands))
        way = random.randrange(4)
        if way == 0:
            commands[at:at] = [random.choice(ODD)]
        elif way == 1:
            commands[at : at + 1] = []
        elif way == 2:
            commands[at] = mutated_bytes(random, commands[at])
        else:
            commands[at] = random.choice(BYTES) + commands[at]
    with socket.create_connection(place, timeout=patience_seconds) as connection:
        connection.settimeout(patience_seconds)
        replies = _spoken(connection, commands, is_pipelined=random.random() < 0.3)
    faults = [f"it tells {word!r}" for reply in replies for word in telling(reply, secrets)]
    # aiosmtpd names an exception that nothing caught like that.
    faults += [f"a fault of ours: {reply!r}" for reply in replies if b"Error: (" in reply]
    if not replies[:1] or not replies[0].startswith(b"220"):
        faults.append("no greeting")
    return faults, replies


def _spoken(connection: socket.socket, commands: list[bytes], *, is_pipelined: bool) -> list[bytes]:
    replies: list[bytes] = []
    try:
        with connection.makefile("rb") as stream:
            replies.append(stream.readline())
            for at in range(1 if is_pipelined else len(commands)):
                sent = b"".join(commands) if is_pipelined else commands[at]
                connection.sendall(sent)
                if sent.endswith(b"\r\n"):  # or the port waits for the rest
                    replies.append(_reply(stream))
    except (TimeoutError, ConnectionError):  # in a mail that does not end, nothing is answered
        pass
    return replies


def _reply(stream: BinaryIO) -> bytes:
    lines = b""
    while line := stream.readline():
        lines += line
        if line[3:4] != b"-":
            break
    return lines
