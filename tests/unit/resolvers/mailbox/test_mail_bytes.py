"""The bytes of a mail are stored as they were sent, and nothing but its end ends it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mail_ports import LMTP, SMTP, Line, talk
from mail_samples import ALICE, MAILBOX

BOTH = pytest.mark.parametrize("kind", [SMTP, LMTP])
KIB = 1024


@BOTH
@pytest.mark.parametrize("over", [0, 1])
def test_a_mail_may_have_so_many_bytes_and_no_more(kind: str, over: int) -> None:
    size = 300 * KIB

    def work(line: Line) -> str:
        first = line.mail(b"x" * (size + over - 2) + b"\r\n.\r\n")
        assert line.mail(b"small\r\n.\r\n")[:3] == "250"
        return first

    answer, box = talk(work, kind, mail_bytes=size)
    assert answer[:3] == ("552" if over else "250")
    assert [len(body) for body in box.bodies] == [size, 7][over:]


def test_a_size_that_is_told_beforehand_is_refused_beforehand() -> None:
    answer, _ = talk(lambda line: line.say(f"MAIL FROM:<{ALICE}> SIZE=10485761"))
    assert answer[:3] == "552"


ENDS = [
    *(b"\n.\n", b"\n.\r\n", b"\r\n.\n", b"\r.\r", b"\r.\r\n", b"\r\n.\r", b"\n.\r", b"\r\n\0.\r\n"),
    *(
        b"\r\n.\0\r\n",
        b"\r\n.\r\r\n",
        b"\r\r\n.\r\r\n",
        b"\r\n. \r\n",
        b"\r\n\n.\n\r\n",
        b"\n\r.\r\n",
    ),
]


@BOTH
@pytest.mark.parametrize("end", ENDS, ids=repr)
def test_no_other_end_ends_a_mail(kind: str, end: bytes) -> None:
    smuggled = f"MAIL FROM:<evil@b.example>\r\nRCPT TO:<{MAILBOX}>\r\nDATA\r\nsmuggled\r\n"
    wire = b"Subject: x\r\n\r\nfirst" + end + smuggled.encode()
    answer, box = talk(lambda line: line.mail(wire + b".\r\n"), kind)
    assert answer[:3] == "250"
    assert box.bodies == [(b"\r\n" + wire).replace(b"\r\n.", b"\r\n")[2:]]
    assert box.taken[0][1].sender == ALICE


@given(
    st.lists(st.sampled_from([b"\r", b"\n", b".", b"x", b"\r\n", b"\r\n.", b"\0"])),
    st.integers(1, 9),
)
def test_whatever_is_sent_arrives_in_whatever_pieces(pieces: list[bytes], size: int) -> None:
    data = b"".join(pieces) + b"\r\n"
    wire = (b"\r\n" + data).replace(b"\r\n.", b"\r\n..")[2:] + b".\r\n"

    def work(line: Line) -> str:
        line.offer(MAILBOX)
        for place in range(0, len(wire), size):
            line.send(wire[place : place + size])
        return line.answer()

    answer, box = talk(work)
    assert (answer[:3], box.bodies) == ("250", [data])


def test_a_mail_of_nothing_is_a_mail() -> None:
    _, box = talk(lambda line: line.mail(b".\r\n"))
    assert box.bodies == [b""]
