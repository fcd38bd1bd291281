"""The rules that decide whether a mail is forwarded to the human and its sender answered.

Each rule is a row of a table, with the reason that is logged. The first rule that matches decides.
Only the envelope, header fields and media types are checked, never the text that a person wrote.

The result of SPF and DKIM checks is read from Authentication-Results of our own mail server; one
that cannot be parsed counts as no proof, because parts of it are written by the sender.

Source: RFC 3834 section 2 (when not to answer); RFC 2369 and 2919 (List-*); RFC 3464 and 8098
(reports); RFC 8601 section 2.2 (the field), section 5 (a server removes forged fields of its name).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from resolvers.contact.mail_parser import ReceivedMail, address, addresses, strip_comments

MAX_HOPS = 25
_TAG = re.compile(r"\A(?:prvs=[0-9a-z]{4,12}=)?([^+]+)(?:\+.*)?\Z")
_ROLE = re.compile(
    r"mailer-?daemon|post-?master|abuse|list-?serv|majordomo|bounce.*|.*-bounces?"
    r"|owner-.*|.*-owner|.*-request|(?:.*[._-])?(?:no|dont|do[._-]?not)[._-]?reply(?:[._-].*)?"
    r"|.*=.*"  # return paths made by software: VERP, SRS
)
_NOT_DNS = frozenset({"internal", "invalid", "local", "localdomain", "localhost", "onion"})
_PASS = re.compile(r"(spf|dkim)(?:/[0-9]+)?=pass")
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
_SINGLE_FIELDS = (
    *("bcc", "cc", "content-transfer-encoding", "content-type", "date", "in-reply-to"),
    *("message-id", "mime-version", "references", "reply-to", "sender", "subject", "to"),
)


@dataclass(frozen=True)
class Envelope:
    """The SMTP envelope. Without a sender, or with an empty one, it is the envelope of a bounce."""

    sender: str | None
    recipients: tuple[str, ...]


@dataclass(frozen=True)
class Policy:
    """The owner's settings."""

    mailbox: str
    own: frozenset[str]  # addresses and domains
    auto_reply: Literal["authenticated", "trusted", "off"]
    authserv_id: str

    @property
    def needs_authserv_id(self) -> bool:
        """Whether no sender can be authenticated, because our mail server's id is not set."""
        return self.auto_reply == "authenticated" and not self.authserv_id

    def is_own_address(self, address: str) -> bool:
        """Return whether an address is the owner's, without regard to case and tags."""
        key = sender_digest(address)
        own_digests = {sender_digest(item) for item in (self.mailbox, *self.own)}
        domain = key.rpartition("@")[2]
        return key in own_digests or any(f".{domain}".endswith(f".{item}") for item in own_digests)


class Reason(StrEnum):
    """Why a mail is answered or not answered."""

    ANSWERABLE = "answerable"
    OWN_MARK = "own_mark"
    DELIVERED_TWICE = "delivered_twice"
    TOO_MANY_HOPS = "too_many_hops"
    OWN_BOUNCE = "own_bounce"
    REPLIES_OFF = "replies_off"
    NULL_SENDER = "null_sender"
    UNUSABLE_SENDER = "unusable_sender"
    OWN_SENDER = "own_sender"
    ROLE_SENDER = "role_sender"
    MALFORMED = "malformed"
    AUTO_SUBMITTED = "auto_submitted"
    SUPPRESSED = "suppressed"
    AUTOMATIC = "automatic"
    LIST = "list"
    BULK = "bulk"
    MACHINE_TYPE = "machine_type"
    RESENT = "resent"
    REDIRECTED = "redirected"
    NOT_ONE_AUTHOR = "not_one_author"
    NOT_ADDRESSED = "not_addressed"
    SPAM = "spam"
    NO_AUTHSERV_ID = "no_authserv_id"
    UNPROVEN = "unproven"


LOOP_REASONS = frozenset(
    {Reason.OWN_MARK, Reason.DELIVERED_TWICE, Reason.TOO_MANY_HOPS, Reason.OWN_BOUNCE}
)


@dataclass(frozen=True)
class Decision:
    """Whether a mail is forwarded, who gets a reply, and why."""

    forward: bool  # all mails but those of a loop
    reply_to: str | None  # always the envelope sender
    sender_digest: str | None  # by which an envelope sender is answered once a day
    sender_domain: str | None
    reason: Reason


Rule = Callable[[ReceivedMail, Envelope, Policy], bool]


def decide(mail: ReceivedMail, envelope: Envelope, policy: Policy) -> Decision:
    """Return whether a mail is forwarded, which address gets a reply, and the reason."""
    reasons = (reason for reason, matches in _RULES if matches(mail, envelope, policy))
    reason = next(reasons, Reason.ANSWERABLE)
    sender = address(envelope.sender or "")
    return Decision(
        forward=reason not in LOOP_REASONS,
        reply_to=sender if reason is Reason.ANSWERABLE else None,
        sender_digest=sender_digest(sender) if sender else None,
        sender_domain=sender.rpartition("@")[2] if sender else None,
        reason=reason,
    )


def sender_digest(address: str) -> str:
    """Return an address in lower case and without tags, the same for all spellings."""
    local, at, domain = address.lower().rpartition("@")
    core = _TAG.fullmatch(local)
    return f"{core[1] if core else local}{at}{domain}"


def _authors(mail: ReceivedMail) -> list[str | None]:
    return [author for value in mail.values("from") for author in addresses(value)]


def _senders(mail: ReceivedMail, envelope: Envelope) -> list[str]:
    """Return the valid addresses of the envelope sender, From and Sender."""
    senders = [sender for value in mail.values("sender") for sender in addresses(value)]
    candidates = (address(envelope.sender or ""), *_authors(mail), *senders)
    return [candidate for candidate in candidates if candidate]


def _has_own_mark(mail: ReceivedMail, _: Envelope, policy: Policy) -> bool:
    return sender_digest(policy.mailbox) in {
        sender_digest(word) for word in _header_tokens(mail, "x-loop")
    }


def _was_delivered_here(mail: ReceivedMail, _: Envelope, policy: Policy) -> bool:
    delivered = [sender_digest(value.strip("<>")) for value in mail.values("delivered-to")]
    return delivered.count(sender_digest(policy.mailbox)) > 1


def _has_too_many_hops(mail: ReceivedMail, _: Envelope, __: Policy) -> bool:
    return len(mail.values("received")) >= MAX_HOPS


def _is_own_bounce(mail: ReceivedMail, envelope: Envelope, policy: Policy) -> bool:
    """Return whether a server returns our own mail; a forward of it would be returned in turn."""
    mark = rb"(?im)^x-loop:[ \t]*" + re.escape(policy.mailbox.encode()) + rb"[ \t]*\r?$"
    is_bounce = "multipart/report" in mail.types or _is_null(mail, envelope, policy)
    return is_bounce and re.search(mark, mail.body) is not None


def _is_null(mail: ReceivedMail, envelope: Envelope, _: Policy) -> bool:
    return (envelope.sender or "<>") == "<>" or "<>" in mail.values("return-path")


def _is_unusable(_: ReceivedMail, envelope: Envelope, __: Policy) -> bool:
    sender = address(envelope.sender or "")
    return sender is None or sender.rpartition(".")[2] in _NOT_DNS


def _is_own(mail: ReceivedMail, envelope: Envelope, policy: Policy) -> bool:
    return any(policy.is_own_address(sender) for sender in _senders(mail, envelope))


def _is_role(mail: ReceivedMail, envelope: Envelope, _: Policy) -> bool:
    names = [sender_digest(sender).rpartition("@")[0] for sender in _senders(mail, envelope)]
    return any(_ROLE.fullmatch(name) for name in names)


def _is_malformed(mail: ReceivedMail, _: Envelope, __: Policy) -> bool:
    return mail.is_malformed or any(len(mail.values(name)) > 1 for name in _SINGLE_FIELDS)


def _has_not_one_author(mail: ReceivedMail, _: Envelope, __: Policy) -> bool:
    authors = _authors(mail)
    return len(mail.values("from")) != 1 or len(authors) != 1 or None in authors


def _is_not_addressed(mail: ReceivedMail, _: Envelope, policy: Policy) -> bool:
    values = (*mail.values("to"), *mail.values("cc"))
    recipients = {sender_digest(to) for value in values for to in addresses(value) if to}
    return sender_digest(policy.mailbox) not in recipients


def _header_tokens(mail: ReceivedMail, name: str) -> set[str]:
    """Return the words of all values of a field, in lower case."""
    return {word for value in mail.values(name) for word in re.split("[ ,;<>]", value.lower())}


def _is_auto_submitted(mail: ReceivedMail, _: Envelope, __: Policy) -> bool:
    values = [strip_comments(value) or "" for value in mail.values("auto-submitted")]
    return any(value.partition(";")[0].strip().lower() != "no" for value in values)


def _is_automatic(mail: ReceivedMail, _: Envelope, __: Policy) -> bool:
    """Return whether it has one of the X-Auto* fields in use before RFC 3834."""
    return any(name.startswith("x-auto") and name != _SUPPRESS for name, _ in mail.fields)


def _is_of_a_list(mail: ReceivedMail, _: Envelope, __: Policy) -> bool:
    return any(name.startswith("list-") or name in _LIST_FIELDS for name, _ in mail.fields)


def _is_spam(mail: ReceivedMail, _: Envelope, __: Policy) -> bool:
    return any(value.lower().startswith(_SPAM.get(name, "\n")) for name, value in mail.fields)


def _is_unproven(mail: ReceivedMail, envelope: Envelope, policy: Policy) -> bool:
    return policy.auto_reply == "authenticated" and not is_authenticated(
        mail, address(envelope.sender or ""), policy.authserv_id
    )


_RULES: tuple[tuple[Reason, Rule], ...] = (
    (Reason.OWN_MARK, _has_own_mark),
    (Reason.DELIVERED_TWICE, _was_delivered_here),
    (Reason.TOO_MANY_HOPS, _has_too_many_hops),
    (Reason.OWN_BOUNCE, _is_own_bounce),
    (Reason.REPLIES_OFF, lambda _, __, policy: policy.auto_reply == "off"),
    (Reason.NULL_SENDER, _is_null),
    (Reason.UNUSABLE_SENDER, _is_unusable),
    (Reason.OWN_SENDER, _is_own),
    (Reason.ROLE_SENDER, _is_role),
    (Reason.MALFORMED, _is_malformed),
    (Reason.AUTO_SUBMITTED, _is_auto_submitted),
    (Reason.SUPPRESSED, lambda mail, *_: bool(_header_tokens(mail, _SUPPRESS) & _SUPPRESSING)),
    (Reason.AUTOMATIC, _is_automatic),
    (Reason.LIST, _is_of_a_list),
    (Reason.BULK, lambda mail, *_: bool(_header_tokens(mail, "precedence") & _BULK)),
    (Reason.MACHINE_TYPE, lambda mail, *_: bool(mail.types & _TYPES)),
    (Reason.RESENT, lambda mail, *_: any(name.startswith("resent-") for name, _ in mail.fields)),
    (Reason.REDIRECTED, lambda mail, *_: len(mail.values("delivered-to")) > 1),
    (Reason.NOT_ONE_AUTHOR, _has_not_one_author),
    (Reason.NOT_ADDRESSED, _is_not_addressed),
    (Reason.SPAM, _is_spam),
    (Reason.NO_AUTHSERV_ID, lambda _, __, policy: policy.needs_authserv_id),
    (Reason.UNPROVEN, _is_unproven),
)


def is_authenticated(mail: ReceivedMail, sender: str | None, authserv_id: str) -> bool:
    """Return whether our server's first field has a pass for the sender's domain.

    An SPF pass must be for the envelope sender's domain. A DKIM signature must be of that domain or
    a parent domain, and likewise for each author (without a list of public suffixes, a subdomain
    proves nothing).
    """
    for value in mail.values("authentication-results") if sender else ():
        text = strip_comments(value)
        if text is None:  # it might be our server's field, broken by text of the sender
            return False
        server, *results = text.replace('"', "").lower().split(";")
        if server.split()[:1] == [authserv_id.lower()]:
            authors = [author for value in mail.values("from") for author in addresses(value)]
            domains = [_domain(address) for address in (sender, *authors)]
            return any(_proves(result, *domains) for result in results)
    return False


def _proves(result: str, sender: str, *authors: str) -> bool:
    """Return whether one result is a pass for the sender's domain."""
    method, *pairs = re.sub(" ?= ?", "=", result).split() or [""]
    match = _PASS.fullmatch(method)
    properties = _parse_properties(pairs)
    if match is None or len(properties) < len(pairs):  # a property twice is ambiguous
        return False
    if match[1] == "spf":
        return _domain(properties.get("smtp.mailfrom")) == sender
    signer = _domain(properties.get("header.d") or properties.get("header.i"))
    domains = (sender, *authors)
    return "." in signer and all(f".{domain}".endswith(f".{signer}") for domain in domains)


def _parse_properties(pairs: list[str]) -> dict[str, str]:
    parts = (pair.partition("=") for pair in pairs)
    return {name: value for name, _, value in parts}


def _domain(address: str | None) -> str:
    return (address or "").rpartition("@")[2].lower()
