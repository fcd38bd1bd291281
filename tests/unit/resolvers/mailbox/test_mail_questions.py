"""A mail's questions are those of its sender's own words, and few enough for chat."""

import pytest
from offenders import offenders

from resolvers.contact.mail_parser import read_mail
from resolvers.mailbox.service import MAX_CHARACTERS, questions_of

CASES = (
    ("A question", "Hello,\r\n\r\nwhat do you\r\ncharge?", "what do you charge?"),
    ("Are you free?", "I need a ledger.", "Are you free?"),
    ("Hi", "Thanks. Who are you? Where are you? Why? When?", "Who are you? Where are you? Why?"),
    ("Re: Hi", "No.\r\n> What do you charge?\r\n", ""),
    ("Hi", "Yes.\r\n-- \r\nIs this a signature?", ""),
    ("Hi", f"Is this {'very ' * MAX_CHARACTERS}long?", ""),
    ("", "", ""),
)


@pytest.mark.parametrize("line_end", ["\r\n", "\n"])
def test_the_questions_of_a_mail(line_end: str) -> None:
    def check(subject: str, text: str, questions: str) -> None:
        data = f"Subject: {subject}\r\n\r\n{text}".replace("\r\n", line_end)
        assert questions_of(read_mail(data.encode())) == questions

    assert offenders(check, CASES) == []
