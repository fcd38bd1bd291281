"""What a mail asks: the questions in it that chat can be asked."""

from itertools import takewhile

from resolvers.contact.mail_parser import ReceivedMail
from resolvers.search.sentences import split_sentences

MAX_QUESTIONS = 3
MAX_CHARACTERS = 500
"""The length of all questions together; a longer text is a letter for a person."""
SIGNATURE = "--"
"""The line that begins a signature. Source: RFC 3676 section 4.3, without its trailing space."""


def questions_of(mail: ReceivedMail) -> str:
    """Return the first questions of a mail's subject and own words; empty if there are none.

    Quoted lines and the signature are not the sender's question.
    """
    lines = takewhile(lambda line: line.rstrip() != SIGNATURE, mail.text.splitlines())
    own = "\n".join(line for line in lines if not line.startswith(">"))
    sentences = [mail.display_value("subject"), *split_sentences(own)]
    asked = [" ".join(text.split()) for text in sentences if text.rstrip().endswith("?")]
    text = " ".join(list(dict.fromkeys(asked))[:MAX_QUESTIONS])
    return text if len(text) <= MAX_CHARACTERS else ""
