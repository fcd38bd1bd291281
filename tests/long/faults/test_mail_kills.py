"""Whenever a process is killed: no accepted mail is lost, and nobody is answered twice."""

import signal
import time
from collections.abc import Iterator

import pytest
from databases import KINDS, store
from mail_program import MOMENTS, Mother, mother


@pytest.fixture(scope="module", params=KINDS)
def program(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Mother]:
    """The program on an empty store."""
    folder = tmp_path_factory.mktemp(request.param)
    with store(request.param, folder) as url, mother(url, folder) as made:
        yield made


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_kill_loses_nothing_and_answers_nobody_twice(moment: str, program: Mother) -> None:
    sender = f"alice@{moment.replace(' ', '-')}.example"
    assert program.tell("take", sender, moment) == -signal.SIGKILL
    was_accepted = program.said("accepted", sender)
    assert program.tell("heal") == 0
    if not was_accepted:  # the mail server was not told 250 and hands it in again
        assert program.tell("take", sender, "") == 0
    is_claimed = moment in {"after claim", "before answer"}
    assert program.letters(sender) == 1
    assert program.said("answers", sender) == (0 if is_claimed else 1)
    assert program.tell("take", sender, "") == 0
    assert program.tell("heal") == 0
    assert (program.letters(sender), program.said("answers", sender)) == (1, not is_claimed)


def test_mails_of_one_sender_in_many_processes_are_answered_once(program: Mother) -> None:
    sender = "alice@many.example"
    assert program.tell("race", sender, 8, time.time() + 0.3) == [0] * 8
    assert (program.letters(sender), program.said("answers", sender)) == (8, 1)
