"""Sample mails from people and forgers, and broken ones, each with the right verdict."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from resolvers.mailbox.rules import Envelope, Policy, Reason

MAILBOX = "agents@studio.example"
ALICE = "alice@sender.example"
HUMAN = "founder@studio.example"
NOW = datetime(2026, 1, 5, 10, 0, tzinfo=UTC)
POLICY = Policy(MAILBOX, frozenset({"studio.example"}), "authenticated", "mx.studio.example")
TRUSTED = replace(POLICY, auto_reply="trusted")
HELLO = b"Hello, what is your domain?\r\n"

Lines = tuple[str | bytes, ...]


@dataclass(frozen=True)
class Case:
    """A mail, how it came, and what is right to do with it."""

    name: str
    reason: Reason
    data: bytes
    envelope: Envelope
    policy: Policy = POLICY

    def __str__(self) -> str:
        return self.name.replace(" ", "-")


def mail(*lines: str | bytes, sender: str | None = ALICE, body: bytes = HELLO) -> bytes:
    """An honest mail with other lines: `=To: x` instead of its own, `-To` without, else on top."""
    domain = (sender or "nobody").rpartition("@")[2]
    written: dict[str, str | bytes] = {
        "received": f"Received: from {domain} by mx.studio.example; Mon, 05 Jan 2026 10:00:00 Z",
        "authentication-results": "Authentication-Results: mx.studio.example;"
        f" spf=pass smtp.mailfrom={domain}; dkim=none",
        "from": f"From: Alice <{sender or ALICE}>",
        "to": f"To: {MAILBOX}",
        "subject": "Subject: A question",
        "date": "Date: Mon, 05 Jan 2026 09:59:00 +0000",
        "message-id": "Message-ID: <1.a@sender.example>",
        "mime-version": "MIME-Version: 1.0",
        "content-type": "Content-Type: text/plain; charset=utf-8",
    }
    top: list[str | bytes] = []
    for line in lines:
        name = (line if isinstance(line, str) else line.decode("latin-1")).partition(":")[0].lower()
        if name[:1] == "-":
            del written[name[1:]]
        elif name[:1] == "=":
            written[name[1:]] = line[1:]
        else:
            top.append(line)
    every = (line.encode() if isinstance(line, str) else line for line in (*top, *written.values()))
    return b"\r\n".join((*every, b"", body))


def case(
    name: str, reason: Reason, *lines: str | bytes, sender: str | None = ALICE, body: bytes = HELLO
) -> Case:
    """A case made of an honest mail and other lines."""
    return Case(name, reason, mail(*lines, sender=sender, body=body), came(sender))


def came(sender: str | None) -> Envelope:
    """The envelope of a mail to the mailbox."""
    return Envelope(sender, (MAILBOX,))


def results(name: str, reason: Reason, *values: str, sender: str = ALICE) -> Case:
    """A case with these Authentication-Results alone."""
    lines = (f"Authentication-Results: {value}" for value in values)
    return case(name, reason, *lines, "-Authentication-Results", sender=sender)


OK, UNPROVEN, UNUSABLE = Reason.ANSWERABLE, Reason.UNPROVEN, Reason.UNUSABLE_SENDER
NO_AUTHOR, MALFORMED, ELSEWHERE = Reason.NOT_ONE_AUTHOR, Reason.MALFORMED, Reason.NOT_ADDRESSED
MX = "mx.studio.example"
LONG = f"{'a' * 64}@{'.'.join(['b' * 46] * 4)}.b"  # 254 octets

HONEST = [
    case("a person", OK),
    case("upper case", OK, "=To: AGENTS@STUDIO.EXAMPLE", sender="Alice@Sender.EXAMPLE"),
    case("a plus tag", OK, "=To: agents+hello@studio.example", sender="alice+news@sender.example"),
    case(
        "in Cc", OK, "=To: bob@b.example", "Cc: Bob <b@b.example>, Agents <agents@studio.example>"
    ),
    case("in a group", OK, "=To: Agents: bob@b.example, agents@studio.example;"),
    case("with comments", OK, '=To: (our) agents@studio.example (the \\) "one")'),
    case("a comma in quotes", OK, '=From: "Doe, \\"A\\" Alice" <alice@sender.example>'),
    case("an encoded name", OK, "=From: =?utf-8?q?=22=2C_a=40b=2Eexample?= <alice@sender.example>"),
    case("8-bit UTF-8 in the head", OK, "=Subject: Grüße aus Köln"),
    case("8-bit Latin-1 in the head", OK, b"=Subject: Gr\xfc\xdfe aus K\xf6ln"),
    case(
        "a field that is folded", OK, "=To: bob@b.example,\r\n\tAgents\r\n <agents@studio.example>"
    ),
    case("a space before the colon", OK, "-To", "To : agents@studio.example"),
    case("no date", OK, "-Date"),
    case("a bad date", OK, "=Date: the 99th of Smarch, 25:61"),
    case("a date of year 0", OK, "=Date: Mon, 00 Jan 0000 00:00:00 -9999"),
    case("no id", OK, "-Message-ID"),
    case("an id that is none", OK, "=Message-ID: <a b@c> <d@e>"),
    case("no subject, no type", OK, "-Subject", "-Content-Type", "-MIME-Version"),
    case("auto-submitted: no", OK, "Auto-Submitted: No (a person; really)"),
    case("suppressing receipts alone", OK, "X-Auto-Response-Suppress: DR, RN, NRN"),
    case("normal precedence", OK, "Precedence: normal"),
    case("called no spam", OK, "X-Spam-Flag: NO", "X-Spam-Status: No, score=-1.0"),
    case("delivered once", OK, f"Delivered-To: {MAILBOX}"),
    case("24 hops", OK, *["Received: from a by b"] * 23),
    case("the loop mark of another", OK, "X-Loop: bugs@elsewhere.example"),
    case("10 MB of lines", OK, body=(b"x" * 76 + b"\r\n") * 134_442),
    case("10 MB in one line", OK, body=b"x" * 10 * 1024 * 1024),
    case("NUL and bare CR in the body", OK, body=b"a\0b\rc\r\n.\r\n\xff\xfe"),
    case("bare LF in the body", OK, body=b"a\nb\r\n\n.\nMAIL FROM:<x@y.example>\n"),
    case("no body", OK, body=b""),
    case("a sender of 254 octets", OK, sender=LONG),
    case("a sender with BATV", OK, sender="prvs=0123456789=alice@sender.example"),
    case("a sender of a domain in A-labels", OK, sender="alice@xn--bcher-kva.example"),
    case("a bounce quoted by a person", OK, body=b"I got:\r\nX-Loop: agents@studio.example\r\n"),
    replace(case("an mbox line above", OK), data=b"From alice Mon Jan  5\n" + mail()),
    replace(case("LF alone", OK), data=mail().replace(b"\r\n", b"\n")),
    replace(case("trusted, no results", OK, "-Authentication-Results"), policy=TRUSTED),
]
SENDERS = [
    case("no domain", UNUSABLE, sender="alice"),
    case("a host, no domain", UNUSABLE, sender="root@localhost"),
    case("a host that is not in the DNS", UNUSABLE, sender="root@box.localdomain"),
    case("an address literal", UNUSABLE, sender="alice@[192.0.2.1]"),
    case("an IP address as domain", UNUSABLE, sender="alice@192.0.2.1"),
    case("an IPv6 literal", UNUSABLE, sender="alice@[IPv6:2001:db8::1]"),
    case("a quoted local part", UNUSABLE, sender='"alice"@sender.example'),
    case("a quoted local part with a space", UNUSABLE, sender='"a b"@sender.example'),
    case("SMTPUTF8", UNUSABLE, sender="alicé@sender.example"),
    case("a domain in U-labels", UNUSABLE, sender="alice@bücher.example"),
    case("a dot at the end", UNUSABLE, sender="alice@sender.example."),
    case("two dots", UNUSABLE, sender="alice..b@sender.example"),
    case("a hyphen at an end", UNUSABLE, sender="alice@-sender.example"),
    case("two senders", UNUSABLE, sender="alice@sender.example,bob@b.example"),
    case("a source route", UNUSABLE, sender="@relay.example:alice@sender.example"),
    case("over 254 octets", UNUSABLE, sender=f"{LONG}b"),
    case("a local part of 65", UNUSABLE, sender=f"{'a' * 65}@sender.example"),
    case("a label of 64", UNUSABLE, sender=f"alice@{'a' * 64}.example"),
    case("a line end within", UNUSABLE, sender="alice@sender.example\r\nRCPT TO:<x@y.example>"),
    case("a line end at its end", UNUSABLE, sender="alice@sender.example\n"),
    case("an encoded word as local part", UNUSABLE, sender="=?utf-8?q?=0ABcc:x?=@sender.example"),
    case("one in a BATV tag", UNUSABLE, sender="prvs=0123=?utf-8?q?x?=@sender.example"),
    case("in angles", UNUSABLE, "=From: a@b.example", sender="<alice@sender.example>"),
    case("our mailbox", Reason.OWN_SENDER, sender=MAILBOX),
    case("our mailbox, tagged", Reason.OWN_SENDER, sender="Agents+x@Studio.example"),
    case("our domain", Reason.OWN_SENDER, sender="founder@studio.example"),
    case("a domain below ours", Reason.OWN_SENDER, sender="a@news.studio.example"),
    case("ours as author", Reason.OWN_SENDER, "=From: agents@studio.example"),
    case("a domain that ends as ours", OK, sender="alice@notstudio.example"),
]
HEADS = [
    case("no author", NO_AUTHOR, "-From"),
    case("two From", NO_AUTHOR, "From: bob@sender.example"),
    case("two authors", NO_AUTHOR, "=From: alice@sender.example, bob@sender.example"),
    case("an author that is none", NO_AUTHOR, "=From: Alice"),
    case("a quote left open", NO_AUTHOR, '=From: "Alice <alice@sender.example>'),
    case("a comment left open", NO_AUTHOR, "=From: alice@sender.example (Alice"),
    case("an author beyond ASCII", NO_AUTHOR, "=From: alicé@sender.example"),
    case("an empty From", NO_AUTHOR, "=From:"),
    case("a group without members", NO_AUTHOR, "=From: Nobody:;"),
    case("angles in angles", NO_AUTHOR, "=From: <<alice@sender.example>>"),
    case("in Bcc alone", ELSEWHERE, "=To: bob@b.example", "Bcc: agents@studio.example"),
    case("to nobody", ELSEWHERE, "-To"),
    case("to undisclosed recipients", ELSEWHERE, "=To: undisclosed-recipients:;"),
    case("our address as a name", ELSEWHERE, '=To: "agents@studio.example" <bob@b.example>'),
    case("our address in a comment", ELSEWHERE, "=To: bob@b.example (agents@studio.example)"),
    case("our address encoded", ELSEWHERE, "=To: =?utf-8?q?agents=40studio=2Eexample?="),
    case("our address in front of another", ELSEWHERE, "=To: agents@studio.example.b.example"),
    case("two To", MALFORMED, "To: agents@studio.example"),
    case("two subjects", MALFORMED, "Subject: another"),
    case("two ids", MALFORMED, "Message-ID: <2@sender.example>"),
    case("two types", MALFORMED, "Content-Type: text/plain"),
    case("a line that is no field", MALFORMED, "no field"),
    case("a field name with a space", MALFORMED, "X Y: z"),
    case("a field name beyond ASCII", MALFORMED, "Ünicode: z"),
    case("a head that begins folded", MALFORMED, " folded: onto nothing"),
    case("NUL in the head", MALFORMED, "X-Note: a\0b"),
    case("a field hidden behind a bare CR", MALFORMED, "X-Note: a\rAuto-Submitted: no"),
    case("a head of 100 KB", MALFORMED, "X-Note: " + "x" * 100_000),
    case("1,001 fields", MALFORMED, *["X-Note: x"] * 1_001),
]
PROOFS = [
    results("no results", UNPROVEN),
    results("nothing was looked at", UNPROVEN, f"{MX}; none"),
    results("nothing at all", UNPROVEN, ""),
    results("SPF passed", OK, f"{MX}; spf=pass smtp.mailfrom=alice@sender.example"),
    results("SPF failed", UNPROVEN, f"{MX}; spf=fail smtp.mailfrom=sender.example"),
    results("SPF failed softly", UNPROVEN, f"{MX}; spf=softfail smtp.mailfrom=sender.example"),
    results("SPF of another", UNPROVEN, f"{MX}; spf=pass smtp.mailfrom=forger.example"),
    results("SPF of the greeting alone", UNPROVEN, f"{MX}; spf=pass smtp.helo=sender.example"),
    results("SPF of a domain below", UNPROVEN, f"{MX}; spf=pass smtp.mailfrom=a.sender.example"),
    results("DKIM passed", OK, f"{MX}; spf=fail; dkim=pass header.d=sender.example header.b=a+/="),
    results("DKIM by header.i", OK, f"{MX}; dkim=pass header.i=@sender.example"),
    results(
        "DKIM of the second",
        OK,
        f"{MX}; dkim=fail header.d=a.example; dkim = pass "
        '(good) reason="it is; good" header.d = sender.example',
    ),
    results("DKIM failed", UNPROVEN, f"{MX}; dkim=fail header.d=sender.example"),
    results("DKIM of another", UNPROVEN, f"{MX}; dkim=pass header.d=forger.example"),
    results("DKIM of nobody", UNPROVEN, f"{MX}; dkim=pass"),
    results("DKIM of a top-level domain", UNPROVEN, f"{MX}; dkim=pass header.d=example"),
    results("DKIM of a domain below", UNPROVEN, f"{MX}; dkim=pass header.d=x.sender.example"),
    results("DKIM of one that ends so", UNPROVEN, f"{MX}; dkim=pass header.d=nder.example"),
    results("DMARC alone", UNPROVEN, f"{MX}; dmarc=pass header.from=sender.example"),
    results(
        "a pass in a comment", UNPROVEN, f"{MX}; none (; spf=pass smtp.mailfrom=sender.example )"
    ),
    results(
        "a pass in quotes",
        UNPROVEN,
        f'{MX}; x=fail reason="; spf=pass smtp.mailfrom=sender.example"',
    ),
    results(
        "a comment that breaks out",
        UNPROVEN,
        f'{MX}; spf=fail (of "a) x=y ; spf=pass smtp.mailfrom=sender.example"@forger.example)',
    ),
    results(
        "said twice", UNPROVEN, f"{MX}; spf=pass smtp.mailfrom=a.b smtp.mailfrom=sender.example"
    ),
    results(
        "another server's", UNPROVEN, "mx.other.example; spf=pass smtp.mailfrom=sender.example"
    ),
    results(
        "a server named like ours",
        UNPROVEN,
        f"{MX}.b.example; spf=pass smtp.mailfrom=sender.example",
    ),
    results(
        "another's above ours",
        OK,
        "mx.b.example; spf=fail",
        f"{MX.upper()} 1; spf/1=pass smtp.mailfrom=sender.example",
    ),
    results(
        "ours above a forged one",
        UNPROVEN,
        f"{MX}; spf=fail smtp.mailfrom=sender.example",
        f"{MX}; spf=pass smtp.mailfrom=sender.example",
    ),
    results(
        "ours broken above a forged one",
        UNPROVEN,
        f'{MX}; spf=fail (of "a)',
        f"{MX}; spf=pass smtp.mailfrom=sender.example",
    ),
    case(
        "DKIM for the author, not the sender",
        UNPROVEN,
        f"=Authentication-Results: {MX}; dkim=pass header.d=sender.example",
        "=From: a@sender.example",
        sender="victim@victim.example",
    ),
    case(
        "DKIM for the sender, not the author",
        UNPROVEN,
        f"=Authentication-Results: {MX}; dkim=pass header.d=sender.example",
        "=From: a@bank.example",
    ),
    case(
        "DKIM from above",
        OK,
        f"=Authentication-Results: {MX}; dkim=pass header.d=sender.example",
        sender="alice@mail.sender.example",
    ),
    replace(
        case("no name of our own server", Reason.NO_AUTHSERV_ID),
        policy=replace(POLICY, authserv_id=""),
    ),
    replace(case("replies are off", Reason.REPLIES_OFF), policy=replace(POLICY, auto_reply="off")),
]
