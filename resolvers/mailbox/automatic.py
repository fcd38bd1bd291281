"""Header checks: was a mail written by a machine, or not sent to us directly.

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
    """Return the words of all values of a field, in lower case."""
    return {word for value in mail.values(name) for word in re.split("[ ,;<>]", value.lower())}


def is_auto_submitted(mail: ReceivedMail) -> bool:
    """Return whether an Auto-Submitted field is anything but `no`."""
    values = [strip_comments(value) or "" for value in mail.values("auto-submitted")]
    return any(value.partition(";")[0].strip().lower() != "no" for value in values)


def is_suppressed(mail: ReceivedMail) -> bool:
    """Return whether the sender asks for no automatic answers."""
    return bool(header_tokens(mail, _SUPPRESS) & _SUPPRESSING)


def is_automatic(mail: ReceivedMail) -> bool:
    """Return whether it has one of the X-Auto* fields in use before RFC 3834."""
    return any(name.startswith("x-auto") and name != _SUPPRESS for name, _ in mail.fields)


def is_mailing_list(mail: ReceivedMail) -> bool:
    """Return whether it went through a mailing list."""
    return any(name.startswith("list-") or name in _LIST_FIELDS for name, _ in mail.fields)


def is_bulk(mail: ReceivedMail) -> bool:
    """Return whether its Precedence is that of bulk mail or an automatic answer."""
    return bool(header_tokens(mail, "precedence") & _BULK)


def has_report_type(mail: ReceivedMail) -> bool:
    """Return whether it, or a part of it, is a report or an invitation."""
    return bool(mail.types & _TYPES)


def is_resent(mail: ReceivedMail) -> bool:
    """Return whether somebody resent it."""
    return any(name.startswith("resent-") for name, _ in mail.fields)


def is_redirected(mail: ReceivedMail) -> bool:
    """Return whether it was delivered to another mailbox before."""
    return len(mail.values("delivered-to")) > 1


def is_spam(mail: ReceivedMail) -> bool:
    """Return whether a spam filter marked it as spam."""
    return any(value.lower().startswith(_SPAM.get(name, "\n")) for name, value in mail.fields)
