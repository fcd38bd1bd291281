"""The two messages made from a received mail: the automatic answer and the forward to the human.

Every field is written here from validated values; none is copied from the mail. Both messages are
sent with the null sender, so that they cause no answers and no bounces.

Source: RFC 3834 section 3 (answers), RFC 2046 5.2.1 (a mail within a mail).
"""

from datetime import datetime
from email.message import EmailMessage
from hashlib import sha256

from resolvers.contact.mail_parser import MBOX_LINE, ReceivedMail, address, addresses, dedupe_key
from resolvers.contact.message import (
    CHANNEL,
    MAX_LINE,
    NAME,
    PREFIX,
    field_text,
    new_mail,
    set_text,
)
from resolvers.mailbox.rules import Decision, Envelope, Policy, is_authenticated, sender_digest
from sdl.caller import Channel

ANSWER_BYTES = 4 * 1024


def build_auto_reply(  # noqa: PLR0913 - three are named in the call
    mail: ReceivedMail,
    decision: Decision,
    policy: Policy,
    *,
    subject: str,
    text: str,
    moment: datetime,
) -> EmailMessage:
    """Return the answer to the envelope sender, its text cut so that it has `ANSWER_BYTES`.

    Raises: ValueError if the decision is no answer.
    """
    if decision.reply_to is None:
        raise ValueError(f"this mail gets no answer: {decision.reason}")
    local_id = _local_id("reply", mail, decision.reply_to)
    reply = new_mail(policy.mailbox, decision.reply_to, local_id, moment, subject)
    reply["Auto-Submitted"] = "auto-replied"
    reply["X-Auto-Response-Suppress"] = "All"
    if mail.message_id is not None:
        reply["In-Reply-To"] = reply["References"] = mail.message_id
    set_text(reply, text)
    while text and (size := len(bytes(reply))) > ANSWER_BYTES:
        text = text[: len(text) * ANSWER_BYTES // size]
        set_text(reply, text)
    return reply


def build_forward(
    mail: ReceivedMail, envelope: Envelope, policy: Policy, *, to: str, moment: datetime
) -> bytes:
    """Return the message to the human, with the mail attached."""
    subject = f"{PREFIX} {mail.display_value('subject') or '(no subject)'}"
    forward = new_mail(policy.mailbox, to, _local_id("mail", mail, to), moment, subject)
    forward["Auto-Submitted"] = "auto-generated"
    forward[CHANNEL] = Channel.MAIL
    if name := mail.display_value("from").partition("<")[0].strip(' "'):
        forward[NAME] = field_text(name)
    author = _reply_to(mail, envelope, policy)
    if author is not None:
        forward["Reply-To"] = author
    set_text(forward, _summary(mail, envelope, policy))
    _attach(forward, mail)
    return bytes(forward)


def _local_id(kind: str, mail: ReceivedMail, to: str) -> str:
    """Return the first part of a Message-ID; a second attempt gets the same."""
    digest = sha256(f"{dedupe_key(mail)} {to}".encode("ascii", "replace")).hexdigest()
    return f"{kind}.{digest[:40]}"


def _reply_to(mail: ReceivedMail, envelope: Envelope, policy: Policy) -> str | None:
    """Return the only author, or else the envelope sender; None if it is our mailbox."""
    authors = [author for value in mail.values("from") for author in addresses(value)]
    author = authors[0] if len(authors) == 1 else None
    author = author or address(envelope.sender or "")
    is_ours = author is not None and sender_digest(author) == sender_digest(policy.mailbox)
    return None if is_ours else author


def _summary(mail: ReceivedMail, envelope: Envelope, policy: Policy) -> str:
    """Return the text that the human reads."""
    sender = address(envelope.sender or "")
    otherwise = "no" if policy.authserv_id else "not known"
    authenticated = "yes" if is_authenticated(mail, sender, policy.authserv_id) else otherwise
    lines = [
        f"From: {mail.display_value('from')}",
        f"Envelope sender: {sender or '(no valid address)'}",
        f"Sender authenticated by your mail server (SPF or DKIM): {authenticated}",
        f"Subject: {mail.display_value('subject')}",
        f"Date: {mail.display_value('date')}",
    ]
    warning = "This mail breaks the rules for mail, so something may be missing above. "
    end = f"{warning if mail.is_malformed else ''}The original mail is attached."
    return "\n".join([*lines, "", mail.text or "(No plain text.)", "", end])


def _attach(forward: EmailMessage, mail: ReceivedMail) -> None:
    """Attach the mail as a message if the rules allow it, else as a file, byte for byte."""
    data = MBOX_LINE.sub(b"", mail.raw)
    if _can_be_message_part(mail, data):
        body = data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        forward.add_attachment(body, "message", "rfc822", cte="7bit", filename="mail.eml")
    else:
        forward.add_attachment(mail.raw, "application", "octet-stream", filename="mail.eml")


def _can_be_message_part(mail: ReceivedMail, data: bytes) -> bool:
    """Return whether the mail can be included as it is: RFC 2046 5.2.1 allows no encoding of it."""
    line_feeds, crlfs = data.count(b"\n"), data.count(b"\r\n")
    is_clean = data.count(b"\r") == crlfs and crlfs in {0, line_feeds} and b"\0" not in data
    has_valid_header = mail.fields != () and not mail.is_malformed
    is_short = max(map(len, data.splitlines()), default=0) <= MAX_LINE
    return is_clean and has_valid_header and data.isascii() and is_short
