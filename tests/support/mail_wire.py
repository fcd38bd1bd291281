"""Checks that every outgoing mail must pass."""

import re
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

from mail_samples import HUMAN, MAILBOX

BOTH = {"From", "To", "Date", "Message-ID", "X-Loop", "MIME-Version", "Subject", "Auto-Submitted"}
TEXT = {"Content-Type", "Content-Transfer-Encoding"}
ANSWER = BOTH | TEXT | {"X-Auto-Response-Suppress"}
THREAD = {"In-Reply-To", "References"}
FORWARD = BOTH | {"Content-Type", "X-Studiograph-Channel"}
ID = re.compile(r"<[!#-'*+./0-9=?A-Z^-~-]+@[A-Za-z0-9._:\[\]-]+>")
ADDRESS = re.compile(r"[!#-'*+./0-9=?A-Z^-~-]{1,64}@[a-z0-9.-]+\.[a-z][a-z0-9-]*")


def parsed(data: bytes) -> EmailMessage:
    """The message, once its bytes are what a relay takes."""
    assert b"\0" not in data
    assert data.count(b"\r") == data.count(b"\n") == data.count(b"\r\n")
    assert max(len(line) for line in data.split(b"\r\n")) <= 998
    head, blank, _ = data.partition(b"\r\n\r\n")
    assert blank
    assert head.isascii()
    assert not re.search(rb"[^\r\n -~]", head)
    message = message_from_bytes(data, policy=default)
    assert message.defects == []
    assert all(value.defects == () for value in message.values())
    assert len(message.keys()) == len(set(message.keys()))
    return message


def check_answer(message: EmailMessage, reply_to: str, own: str = MAILBOX) -> EmailMessage:
    """The answer as others read it, which holds nothing but what it may."""
    data = message.as_bytes()
    found = parsed(data)
    assert len(data) <= 4096
    assert set(found.keys()) - THREAD == ANSWER
    assert (found["From"], found["X-Loop"]) == (own, own)
    assert [one.addr_spec for one in found["To"].addresses] == [reply_to]
    assert found["Auto-Submitted"] == "auto-replied"
    assert found["In-Reply-To"] == found["References"]
    assert found["In-Reply-To"] is None or ID.fullmatch(found["In-Reply-To"])
    return found


def check_forward(data: bytes) -> EmailMessage:
    """The message to the human as others read it, which holds nothing but what it may."""
    found = parsed(data)
    assert set(found.keys()) - {"Reply-To", "X-Studiograph-Name"} == FORWARD
    assert (found["From"], found["To"], found["X-Loop"]) == (MAILBOX, HUMAN, MAILBOX)
    assert (found["X-Studiograph-Channel"], found["Auto-Submitted"]) == ("mail", "auto-generated")
    assert found["Reply-To"] is None or ADDRESS.fullmatch(found["Reply-To"])
    assert found["Subject"].startswith("[agents] ")
    text, attached = part(found, 0), part(found, 1)
    assert len(list(found.iter_parts())) == 2
    assert text.get_content_type() == "text/plain"
    assert text.defects == attached.defects == []
    assert str(text.get_content()).endswith("The original mail is attached.\r\n")
    return found


def part(found: EmailMessage, place: int) -> EmailMessage:
    """One of the two parts of a message to the human."""
    made = found.get_payload(place)
    assert isinstance(made, EmailMessage)
    return made


def original(found: EmailMessage, data: bytes) -> bytes:
    """The bytes of the mail that a message to the human holds."""
    attached = part(found, 1)
    if attached.get_content_type() == "application/octet-stream":
        return bytes(attached.get_content())
    assert attached.get_content_type() == "message/rfc822"
    mark = f"\r\n--{found.get_boundary()}".encode()
    return data.split(mark)[2].partition(b"\r\n\r\n")[2]
