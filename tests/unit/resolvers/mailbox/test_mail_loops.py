"""Answering machines face to face: how often they answer each other, and when they stop."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice

import pytest
from mail_samples import HUMAN, MAILBOX, NOW, POLICY, TRUSTED, came, mail
from mail_wire import check_answer
from test_mail_rules import CASES

from resolvers.contact.mail_parser import dedupe_key, read_mail
from resolvers.mailbox.replies import build_auto_reply, build_forward
from resolvers.mailbox.rules import Envelope, Policy, decide

THEIRS = Policy("robot@b.example", frozenset({"b.example"}), "trusted", "")
FIRST = mail("=From: robot@b.example", sender="robot@b.example")


@dataclass
class Mailbox:
    """A mailbox of ours: what it takes, sends on and answers within a day."""

    policy: Policy = POLICY
    answered: set[str] = field(default_factory=set)
    sent_on: dict[str, bytes] = field(default_factory=dict)
    taken: int = 0

    def takes(self, data: bytes, envelope: Envelope) -> bytes | None:
        """The answer to a mail, if there is one."""
        read = read_mail(data)
        found = decide(read, envelope, self.policy)
        self.taken += 1
        if found.forward:
            made = build_forward(read, envelope, self.policy, to=HUMAN, moment=NOW)
            self.sent_on.setdefault(dedupe_key(read), made)
        if found.reply_to is None or found.sender_digest in self.answered:
            return None
        self.answered.add(found.sender_digest or "")
        made_answer = build_auto_reply(read, found, self.policy, subject="s", text="t", moment=NOW)
        return check_answer(made_answer, found.reply_to, self.policy.mailbox).as_bytes()


def bare(data: bytes) -> bytes:
    """An answer of a responder that marks nothing and has forgotten what it answers."""
    return mail("=From: robot@b.example", "=Subject: Away", "-Message-ID", body=data[-200:])


def quoting(data: bytes) -> bytes:
    """An answer of a responder that hangs its head over ours, marks and all."""
    return b"From: robot@b.example\r\nTo: agents@studio.example\r\n" + data


def sent_back(data: bytes) -> bytes:
    """Our own answer, redirected to us."""
    return b"Received: from b.example by mx.studio.example\r\n" + data


def tagged(_: bytes) -> bytes:
    """An answer with another sender each time."""
    return mail("=From: robot@b.example", "=Subject: another")


def talk(box: Mailbox, machine: Callable[[bytes], bytes], senders: Iterator[str]) -> int:
    """How often we answer a machine that answers each of our answers."""
    answers, data = 0, FIRST
    for sender in islice(senders, 50):
        made = box.takes(data, came(sender))
        if made is None:
            return answers
        answers += 1
        data = machine(made)
    return answers


def always() -> Iterator[str]:
    """One sender, for ever."""
    while True:
        yield "robot@b.example"


def tags() -> Iterator[str]:
    """One sender in ever other spellings."""
    for number in range(1_000):
        yield f"{('ROBOT', 'robot', 'Robot')[number % 3]}+{number}@B.example"


def test_two_of_ours_stop_after_one_answer() -> None:
    here, there = Mailbox(TRUSTED), Mailbox(THEIRS)
    first = here.takes(FIRST, came("robot@b.example"))
    assert first is not None
    assert there.takes(first, Envelope(None, ("robot@b.example",))) is None
    assert (here.taken, there.taken) == (1, 1)


def test_two_of_ours_stop_even_where_the_null_sender_is_lost() -> None:
    here, there = Mailbox(TRUSTED), Mailbox(THEIRS)
    first = here.takes(FIRST, came("robot@b.example"))
    assert first is not None
    assert there.takes(first, Envelope(MAILBOX, ("robot@b.example",))) is None


@pytest.mark.parametrize("machine", [bare, quoting, sent_back, tagged])
@pytest.mark.parametrize("senders", [always, tags])
def test_every_machine_is_answered_once(
    machine: Callable[[bytes], bytes], senders: Callable[[], Iterator[str]]
) -> None:
    assert talk(Mailbox(TRUSTED), machine, senders()) == 1


def test_a_machine_that_answers_to_nobody_is_never_answered() -> None:
    assert talk(Mailbox(TRUSTED), bare, iter([""])) == 0


def test_what_the_human_sends_back_by_itself_goes_no_further() -> None:
    box = Mailbox(TRUSTED)
    box.takes(FIRST, came("robot@b.example"))
    (sent,) = box.sent_on.values()
    for _ in range(30):
        assert box.takes(sent_back(sent), came("founder@elsewhere.example")) is None
    assert (len(box.sent_on), box.taken) == (1, 31)


def test_what_cannot_reach_the_human_comes_back_once() -> None:
    box = Mailbox(TRUSTED)
    box.takes(FIRST, came("robot@b.example"))
    (sent,) = box.sent_on.values()
    head = sent.partition(b"\r\n\r\n")[0]
    returned = b"--b\r\nContent-Type: text/rfc822-headers\r\n\r\n" + head + b"\r\n--b--\r\n"
    bounce = mail("=Content-Type: multipart/report; boundary=b", sender=None, body=returned)
    assert box.takes(bounce, came(None)) is None
    assert (len(box.sent_on), box.taken) == (1, 2)


def test_a_mail_that_arrives_again_and_again_is_sent_on_once() -> None:
    box = Mailbox(TRUSTED)
    for number in range(20):
        box.takes(f"Received: from {number} by b\r\n".encode() + FIRST, came("robot@b.example"))
    assert (len(box.sent_on), len(box.answered), box.taken) == (1, 1, 20)


def test_of_all_that_arrives_nothing_is_lost_and_each_sender_is_answered_once() -> None:
    box, answers = Mailbox(), 0
    cases = [case for case in CASES if case.policy == POLICY]
    for case in (*cases, *reversed(cases)):
        answers += box.takes(case.data, case.envelope) is not None
    told = [decide(read_mail(case.data), case.envelope, POLICY) for case in cases]
    assert answers == len({one.sender_digest for one in told if one.reply_to})
    assert set(box.sent_on) == {
        dedupe_key(read_mail(case.data))
        for case, one in zip(cases, told, strict=True)
        if one.forward
    }
    assert box.taken == 2 * len(cases)


def test_a_circle_without_marks_ends_at_the_25th_hop() -> None:
    data, rounds = FIRST, 0
    while decide(read_mail(data), came("robot@b.example"), TRUSTED).forward:
        data, rounds = b"Received: from a by b\r\n" + data, rounds + 1
    assert rounds == 24
    assert len(re.findall(rb"(?m)^Received:", data)) == 25
