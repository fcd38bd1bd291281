"""Sample mails from machines and mail loops, each with the right verdict."""

from dataclasses import replace

from mail_samples import ALICE, HELLO, MAILBOX, POLICY, TRUSTED, Case, came, case

from resolvers.mailbox.rules import Reason

NULL, ROLE, AUTO = Reason.NULL_SENDER, Reason.ROLE_SENDER, Reason.AUTO_SUBMITTED
AUTOMATIC, LIST, BULK, TYPE = Reason.AUTOMATIC, Reason.LIST, Reason.BULK, Reason.MACHINE_TYPE
SUPPRESSED, RESENT, SPAM = Reason.SUPPRESSED, Reason.RESENT, Reason.SPAM
MARK, TWICE, FAR = Reason.OWN_MARK, Reason.DELIVERED_TWICE, Reason.TOO_MANY_HOPS
OURS = Reason.OWN_BOUNCE


def parts(kind: str, *inner: str) -> bytes:
    """A body of parts with the boundary `b`; each is a media type, or a head and a body."""
    made = (one if "\r\n\r\n" in one else f"Content-Type: {one}\r\n\r\nx\r\n" for one in inner)
    return "".join(f"--b\r\n{one}\r\n" for one in made).encode() + b"--b--\r\n" + kind.encode()


def holding(name: str, reason: Reason, kind: str, *inner: str, sender: str | None = ALICE) -> Case:
    """A case of several parts."""
    head = f'=Content-Type: {kind}; boundary="b"'
    return case(name, reason, head, body=parts("", *inner), sender=sender)


def role(local: str) -> Case:
    """A case of a sender that is no person."""
    return case(f"from {local}", ROLE, sender=f"{local}@sender.example")


RETURNED = f"Content-Type: message/rfc822\r\n\r\nSubject: x\r\nX-Loop: {MAILBOX}\r\n\r\nx"
BOUNCES = [
    case("the null sender", NULL, sender=None),
    case("an empty sender", NULL, sender=""),
    case("a null path in angles", NULL, sender="<>"),
    case("a null return path in the head", NULL, "Return-Path: <>"),
    holding("a bounce", NULL, "multipart/report", "message/delivery-status", sender=None),
    holding("a bounce with a sender", TYPE, "multipart/report", "message/delivery-status"),
    holding("a receipt", TYPE, "multipart/report", "message/disposition-notification"),
    holding("a complaint", TYPE, "multipart/report", "message/feedback-report"),
    holding("a status within", TYPE, "multipart/mixed", "text/plain", "message/delivery-status"),
    case("a report with a comment", TYPE, "=Content-Type: (a) Multipart/REPORT (b); boundary=b"),
    case(
        "an Exim bounce", ROLE, "X-Failed-Recipients: a@b.example", sender="Mailer-Daemon@b.example"
    ),
    case("a bounce by its author", ROLE, "=From: Mail <MAILER-DAEMON@sender.example>"),
    case("sent by the daemon", ROLE, "Sender: mailer-daemon@sender.example"),
]
ROLES = [
    role(local)
    for local in (
        *("mailer-daemon", "MAILER-DAEMON", "postmaster", "Post-Master", "abuse", "listserv"),
        *("majordomo", "bounce", "bounces+a=b.example", "bounce-123", "list-bounces", "a-bounce"),
        *(
            "owner-list",
            "list-owner",
            "list-request",
            "noreply",
            "no-reply",
            "no_reply",
            "No.Reply",
        ),
        *("donotreply", "do-not-reply", "do_not_reply", "dont-reply", "alerts-noreply"),
        *("noreply-billing", "no-reply+123", "SRS0=hash=tt=a.example=alice", "a=b.example"),
    )
]
MACHINES = [
    case("a vacation answer", AUTO, "Auto-Submitted: auto-replied (vacation)"),
    case("an auto-generated mail", AUTO, "Auto-Submitted: auto-generated; type=cron"),
    case("an auto-notified mail", AUTO, "Auto-Submitted: AUTO-NOTIFIED"),
    case("an empty Auto-Submitted", AUTO, "Auto-Submitted:"),
    case("Auto-Submitted in a comment", AUTO, "Auto-Submitted: (no) auto-replied"),
    case("Auto-Submitted broken", AUTO, "Auto-Submitted: no (a"),
    case("both of them", AUTO, "Auto-Submitted: no", "Auto-Submitted: auto-replied"),
    case("Auto-Submitted folded", AUTO, "Auto-Submitted:\r\n auto-replied"),
    case("Exchange out of office", SUPPRESSED, "X-Auto-Response-Suppress: DR, OOF, AutoReply"),
    case("suppressing all", SUPPRESSED, "x-auto-response-suppress: all"),
    case("X-Autoreply", AUTOMATIC, "X-Autoreply: yes"),
    case("X-Autorespond", AUTOMATIC, "X-Autorespond:"),
    case("X-Auto-Reply-From", AUTOMATIC, "X-Auto-Reply-From: a@b.example"),
    case("a list by its id", LIST, "List-Id: <l.b.example>"),
    case("a list to leave", LIST, "List-Unsubscribe: <mailto:leave@b.example>"),
    case("a list to post to", LIST, "LIST-POST: NO"),
    case("a list of before", LIST, "Mailing-List: contact x@b.example; run by ezmlm"),
    case("Mailman", LIST, "X-BeenThere: l@b.example", "X-Mailman-Version: 2.1"),
    case("a newsletter", LIST, "Feedback-ID: 1:2:3:b"),
    case("bulk", BULK, "Precedence: bulk"),
    case("a list's precedence", BULK, "Precedence: List"),
    case("junk", BULK, "Precedence: junk"),
    case("an automatic answer's precedence", BULK, "Precedence: auto_reply"),
    case("the second precedence", BULK, "Precedence: normal", "Precedence: bulk"),
    case("a calendar", TYPE, "=Content-Type: text/calendar; method=REQUEST"),
    holding("an invitation", TYPE, "multipart/alternative", "text/plain", "TEXT/CALENDAR"),
    holding("an invitation as a file", TYPE, "multipart/mixed", "text/plain", "application/ics"),
    holding("101 parts", Reason.MALFORMED, "multipart/mixed", *["text/plain"] * 101),
    holding("100 parts and more", Reason.MALFORMED, "multipart/mixed", *["text/plain"] * 300),
    case(
        "letters in letters",
        Reason.MALFORMED,
        "=Content-Type: message/rfc822",
        body=b"Content-Type: message/rfc822\r\n\r\n" * 20 + HELLO,
    ),
    case("resent", RESENT, "Resent-From: bob@b.example", "Resent-To: agents@studio.example"),
    case("redirected", Reason.REDIRECTED, f"Delivered-To: {MAILBOX}", "Delivered-To: a@b.example"),
    case("spam by its flag", SPAM, "X-Spam-Flag: YES"),
    case("spam by its status", SPAM, "X-Spam-Status: Yes, score=9.9 required=5.0"),
    case("spam by Rspamd", SPAM, "X-Spam: Yes"),
    case("spam by bogofilter", SPAM, "X-Bogosity: Spam, tests=bogofilter"),
]
LOOPS = [
    case("our mark", MARK, f"X-Loop: {MAILBOX}"),
    case("our mark in angles", MARK, "X-Loop: <Agents+x@STUDIO.example>"),
    case("our mark among others", MARK, "X-Loop: a@b.example", f"X-Loop: c@d.example, {MAILBOX}"),
    case("our mark below a line that is no field", MARK, "no field", f"X-Loop: {MAILBOX}"),
    case("our mark with the null sender", MARK, f"X-Loop: {MAILBOX}", sender=None),
    case(
        "delivered twice", TWICE, f"Delivered-To: {MAILBOX}", f"Delivered-To: <{MAILBOX.upper()}>"
    ),
    case("25 hops", FAR, *["Received: from a by b"] * 24),
    case("100 hops", FAR, *["Received: from a\r\n by b"] * 100),
    holding("our mail came back", OURS, "multipart/report", "text/plain", RETURNED, sender=None),
    holding("it came back with a sender", OURS, "multipart/report", RETURNED),
    case("it came back as text", OURS, sender="", body=f"> x\nX-LOOP:  {MAILBOX} \r\n".encode()),
    replace(
        case("our mark, unproven", MARK, "-Authentication-Results", f"X-Loop: {MAILBOX}"),
        policy=replace(POLICY, auto_reply="off"),
    ),
    replace(
        case("a loop where all is trusted", FAR, *["Received: from a by b"] * 24), policy=TRUSTED
    ),
]
NOTHING = [
    Case("no bytes", Reason.NOT_ONE_AUTHOR, b"", came(ALICE)),
    Case("a body alone", Reason.NOT_ONE_AUTHOR, b"\r\n" + HELLO, came(ALICE)),
    Case("CR alone", Reason.MALFORMED, b"From: a@b.example\rTo: c@d.example\r\rx", came(ALICE)),
    Case("zeros", Reason.MALFORMED, bytes(1_000), came(ALICE)),
    Case("an image", Reason.MALFORMED, bytes(range(256)) * 40, came(ALICE)),
    Case("a head without end", Reason.MALFORMED, b"x: y\r\n" * 20_000, came(ALICE)),
]
