"""What to do with a mail that arrived: whether it goes on to the human, and who is answered.

Each rule is a row with the word that is told in logs. The first row that holds decides.
Nothing is guessed from words that a person may write: envelope, fields and types alone count.

Source: RFC 3834 section 2 (when not to answer).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from resolvers.contact.mail_parser import ReceivedMail, address, addresses
from resolvers.mailbox import automatic as machine
from resolvers.mailbox.auth_results import is_authenticated

MAX_HOPS = 25
_TAG = re.compile(r"\A(?:prvs=[0-9a-z]{4,12}=)?([^+]+)(?:\+.*)?\Z")
_ROLE = re.compile(
    r"mailer-?daemon|post-?master|abuse|list-?serv|majordomo|bounce.*|.*-bounces?"
    r"|owner-.*|.*-owner|.*-request|(?:.*[._-])?(?:no|dont|do[._-]?not)[._-]?reply(?:[._-].*)?"
    r"|.*=.*"  # return paths that a machine makes: VERP, SRS
)
_NOT_DNS = frozenset({"internal", "invalid", "local", "localdomain", "localhost", "onion"})
_ONCE = (
    *("bcc", "cc", "content-transfer-encoding", "content-type", "date", "in-reply-to"),
    *("message-id", "mime-version", "references", "reply-to", "sender", "subject", "to"),
)


@dataclass(frozen=True)
class Envelope:
    """The envelope of SMTP; no sender, or an empty one, is the null sender of bounces."""

    sender: str | None
    recipients: tuple[str, ...]


@dataclass(frozen=True)
class Policy:
    """What the owner has settled."""

    mailbox: str
    own: frozenset[str]  # addresses and whole domains
    auto_reply: Literal["authenticated", "trusted", "off"]
    authserv_id: str

    @property
    def needs_authserv_id(self) -> bool:
        """Whether nobody can be proven, because our own server has no name here."""
        return self.auto_reply == "authenticated" and not self.authserv_id

    def is_own_address(self, found: str) -> bool:
        """Whether an address is ours, its tag and case aside."""
        key = sender_digest(found)
        ours = {sender_digest(item) for item in (self.mailbox, *self.own)}
        domain = key.rpartition("@")[2]
        return key in ours or any(f".{domain}".endswith(f".{item}") for item in ours)


class Reason(StrEnum):
    """Why a mail is answered, or why not."""

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
    """What to do with a mail. Whatever arrives is kept; a loop goes no further."""

    forward: bool
    reply_to: str | None  # the sender of the envelope, and nobody else
    sender_digest: str | None  # under which the sender of the envelope is answered once a day
    sender_domain: str | None
    reason: Reason


Rule = Callable[[ReceivedMail, Envelope, Policy], bool]


def decide(mail: ReceivedMail, envelope: Envelope, policy: Policy) -> Decision:
    """What to do with the mail."""
    held = (reason for reason, holds in _RULES if holds(mail, envelope, policy))
    reason = next(held, Reason.ANSWERABLE)
    sender = address(envelope.sender or "")
    return Decision(
        forward=reason not in LOOP_REASONS,
        reply_to=sender if reason is Reason.ANSWERABLE else None,
        sender_digest=sender_digest(sender) if sender else None,
        sender_domain=sender.rpartition("@")[2] if sender else None,
        reason=reason,
    )


def sender_digest(found: str) -> str:
    """The mailbox of an address, its spelling aside: lower case, without tags."""
    local, at, domain = found.lower().rpartition("@")
    core = _TAG.fullmatch(local)
    return f"{core[1] if core else local}{at}{domain}"


def _authors(mail: ReceivedMail) -> list[str | None]:
    return [one for value in mail.values("from") for one in addresses(value)]


def _claimed(mail: ReceivedMail, envelope: Envelope) -> list[str]:
    """Who the mail claims to be from: the envelope's sender, its authors, who sent it for them."""
    sent = [one for value in mail.values("sender") for one in addresses(value)]
    return [one for one in (address(envelope.sender or ""), *_authors(mail), *sent) if one]


def _has_own_mark(mail: ReceivedMail, _: Envelope, policy: Policy) -> bool:
    return sender_digest(policy.mailbox) in {
        sender_digest(word) for word in machine.header_tokens(mail, "x-loop")
    }


def _was_here(mail: ReceivedMail, _: Envelope, policy: Policy) -> bool:
    delivered = [sender_digest(value.strip("<>")) for value in mail.values("delivered-to")]
    return delivered.count(sender_digest(policy.mailbox)) > 1


def _went_far(mail: ReceivedMail, _: Envelope, __: Policy) -> bool:
    return len(mail.values("received")) >= MAX_HOPS


def _returns_ours(mail: ReceivedMail, envelope: Envelope, policy: Policy) -> bool:
    """Whether a server gives back what we sent: forwarding it would be returned in turn."""
    mark = rb"(?im)^x-loop:[ \t]*" + re.escape(policy.mailbox.encode()) + rb"[ \t]*\r?$"
    returned = "multipart/report" in mail.types or _is_null(mail, envelope, policy)
    return returned and re.search(mark, mail.body) is not None


def _is_null(mail: ReceivedMail, envelope: Envelope, _: Policy) -> bool:
    return (envelope.sender or "<>") == "<>" or "<>" in mail.values("return-path")


def _is_unusable(_: ReceivedMail, envelope: Envelope, __: Policy) -> bool:
    sender = address(envelope.sender or "")
    return sender is None or sender.rpartition(".")[2] in _NOT_DNS


def _is_own(mail: ReceivedMail, envelope: Envelope, policy: Policy) -> bool:
    return any(policy.is_own_address(one) for one in _claimed(mail, envelope))


def _is_role(mail: ReceivedMail, envelope: Envelope, _: Policy) -> bool:
    names = [sender_digest(one).rpartition("@")[0] for one in _claimed(mail, envelope)]
    return any(_ROLE.fullmatch(name) for name in names)


def _is_malformed(mail: ReceivedMail, _: Envelope, __: Policy) -> bool:
    return mail.is_malformed or any(len(mail.values(name)) > 1 for name in _ONCE)


def _has_not_one_author(mail: ReceivedMail, _: Envelope, __: Policy) -> bool:
    authors = _authors(mail)
    return len(mail.values("from")) != 1 or len(authors) != 1 or None in authors


def _is_not_addressed(mail: ReceivedMail, _: Envelope, policy: Policy) -> bool:
    values = (*mail.values("to"), *mail.values("cc"))
    named = {sender_digest(one) for value in values for one in addresses(value) if one}
    return sender_digest(policy.mailbox) not in named


def _is_unproven(mail: ReceivedMail, envelope: Envelope, policy: Policy) -> bool:
    return policy.auto_reply == "authenticated" and not is_authenticated(
        mail, address(envelope.sender or ""), policy.authserv_id
    )


_RULES: tuple[tuple[Reason, Rule], ...] = (
    (Reason.OWN_MARK, _has_own_mark),
    (Reason.DELIVERED_TWICE, _was_here),
    (Reason.TOO_MANY_HOPS, _went_far),
    (Reason.OWN_BOUNCE, _returns_ours),
    (Reason.REPLIES_OFF, lambda _, __, policy: policy.auto_reply == "off"),
    (Reason.NULL_SENDER, _is_null),
    (Reason.UNUSABLE_SENDER, _is_unusable),
    (Reason.OWN_SENDER, _is_own),
    (Reason.ROLE_SENDER, _is_role),
    (Reason.MALFORMED, _is_malformed),
    (Reason.AUTO_SUBMITTED, lambda mail, *_: machine.is_auto_submitted(mail)),
    (Reason.SUPPRESSED, lambda mail, *_: machine.is_suppressed(mail)),
    (Reason.AUTOMATIC, lambda mail, *_: machine.is_automatic(mail)),
    (Reason.LIST, lambda mail, *_: machine.is_mailing_list(mail)),
    (Reason.BULK, lambda mail, *_: machine.is_bulk(mail)),
    (Reason.MACHINE_TYPE, lambda mail, *_: machine.has_report_type(mail)),
    (Reason.RESENT, lambda mail, *_: machine.is_resent(mail)),
    (Reason.REDIRECTED, lambda mail, *_: machine.is_redirected(mail)),
    (Reason.NOT_ONE_AUTHOR, _has_not_one_author),
    (Reason.NOT_ADDRESSED, _is_not_addressed),
    (Reason.SPAM, lambda mail, *_: machine.is_spam(mail)),
    (Reason.NO_AUTHSERV_ID, lambda _, __, policy: policy.needs_authserv_id),
    (Reason.UNPROVEN, _is_unproven),
)
