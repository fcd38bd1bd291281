"""Which mails go on to the human, and which of them are answered."""

from collections import Counter

import pytest
from machine_mail_samples import BOUNCES, LOOPS, MACHINES, NOTHING, ROLES
from mail_samples import ALICE, HEADS, HONEST, POLICY, PROOFS, SENDERS, Case, came, mail
from offenders import offenders

from resolvers.contact.mail_parser import read_mail
from resolvers.mailbox import rules
from resolvers.mailbox.rules import Decision, Reason, decide, sender_digest

CASES = [*HONEST, *SENDERS, *HEADS, *PROOFS, *BOUNCES, *ROLES, *MACHINES, *LOOPS, *NOTHING]


def decided(case: Case) -> Decision:
    """What is done with the mail of a case."""
    return decide(read_mail(case.data), case.envelope, case.policy)


def test_every_mail_is_treated_for_the_right_reason() -> None:
    def check(case: Case) -> None:
        assert decided(case).reason is case.reason

    assert offenders(check, CASES) == []


def test_all_but_loops_go_on() -> None:
    def check(case: Case) -> None:
        found = decided(case)
        assert found.forward == (case not in LOOPS)

    assert offenders(check, CASES) == []


def test_the_sender_of_the_envelope_is_answered_or_nobody() -> None:
    def check(case: Case) -> None:
        found = decided(case)
        assert (found.reply_to is None) == (case.reason is not Reason.ANSWERABLE)
        if found.reply_to is not None:
            sender = case.envelope.sender or ""
            assert found.reply_to.lower() == sender.lower()
            assert found.reply_to.partition("@")[0] == sender.partition("@")[0]

    assert offenders(check, CASES) == []


def test_there_are_many_cases_and_one_for_each_reason() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 200
    assert set(Counter(case.reason for case in CASES)) == set(Reason)
    assert {case.reason for case in LOOPS} == rules.LOOP_REASONS


@pytest.mark.parametrize(
    ("sender", "key"),
    [
        (ALICE, ALICE),
        ("Alice@Sender.EXAMPLE", ALICE),
        ("alice+a+b@sender.example", ALICE),
        ("ALICE+@sender.example", ALICE),
        ("prvs=0123456789=Alice+x@sender.example", ALICE),
        ("+alice@sender.example", "+alice@sender.example"),
        ("al.ice@sender.example", "al.ice@sender.example"),
    ],
)
def test_every_spelling_of_a_sender_has_one_key(sender: str, key: str) -> None:
    found = decide(read_mail(mail(sender=sender)), came(sender), POLICY)
    assert (found.sender_digest, found.sender_domain) == (key, "sender.example")
    assert sender_digest(key) == key


def test_a_sender_that_is_no_address_has_no_key() -> None:
    found = decide(read_mail(mail()), came("root@localhost"), POLICY)
    assert (found.sender_digest, found.sender_domain) == (None, None)
