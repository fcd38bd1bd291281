"""Signs on a mail that a machine wrote it, or that it came to us by a detour.

Source: RFC 3834 (Auto-Submitted), RFC 2369 and 2919 (List-*), RFC 3464 and 8098 (reports).
"""

import re

from resolvers.contact.mail_parser import ReceivedMail, strip_comments

_LIST_FIELDS = frozenset(
    {"feedback-id", "mailing-list", "x-beenthere", "x-mailing-list", "x-mailman-version"}
)
_SUPPRESS, _SUPPRESSING = "x-auto-response-suppress", frozenset({"all", "autoreply", "oof"})
_BULK = frozenset({"auto-reply", "auto_reply", "bulk", "junk", "list"})
_TYPES = frozenset(
    {"multipart/report", "text/calendar", "application/ics", "message/delivery-status"}
    | {"message/disposition-notification", "message/feedback-report"}
)
_SPAM = {"x-spam-flag": "yes", "x-spam-status": "yes", "x-spam": "yes", "x-bogosity": "spam"}


def header_tokens(mail: ReceivedMail, name: str) -> set[str]:
    """The words of all values of a field, in lower case."""
    return {word for value in mail.values(name) for word in re.split("[ ,;<>]", value.lower())}


def is_auto_submitted(mail: ReceivedMail) -> bool:
    """Whether an Auto-Submitted says anything but `no`."""
    said = [strip_comments(value) or "" for value in mail.values("auto-submitted")]
    return any(word.partition(";")[0].strip().lower() != "no" for word in said)


def is_suppressed(mail: ReceivedMail) -> bool:
    """Whether the sender asks for no automatic answers."""
    return bool(header_tokens(mail, _SUPPRESS) & _SUPPRESSING)


def is_automatic(mail: ReceivedMail) -> bool:
    """Whether a responder marked it in one of the many ways of before RFC 3834."""
    return any(name.startswith("x-auto") and name != _SUPPRESS for name, _ in mail.fields)


def is_mailing_list(mail: ReceivedMail) -> bool:
    """Whether it went through a mailing list."""
    return any(name.startswith("list-") or name in _LIST_FIELDS for name, _ in mail.fields)


def is_bulk(mail: ReceivedMail) -> bool:
    """Whether its precedence is that of mail to many."""
    return bool(header_tokens(mail, "precedence") & _BULK)


def has_report_type(mail: ReceivedMail) -> bool:
    """Whether it, or a part of it, is a report or an invitation."""
    return bool(mail.types & _TYPES)


def is_resent(mail: ReceivedMail) -> bool:
    """Whether somebody else than its author sent it on."""
    return any(name.startswith("resent-") for name, _ in mail.fields)


def is_redirected(mail: ReceivedMail) -> bool:
    """Whether it was delivered elsewhere before."""
    return len(mail.values("delivered-to")) > 1


def is_spam(mail: ReceivedMail) -> bool:
    """Whether a filter on its way called it spam."""
    return any(value.lower().startswith(_SPAM.get(name, "\n")) for name, value in mail.fields)
