"""What is read of a mail: its fields, its text, its ids."""

import re
from base64 import b64encode

import pytest
from mail_samples import HELLO, mail

from resolvers.contact import mail_parser as reading
from resolvers.contact.mail_parser import (
    TEXT_CHARACTERS,
    address,
    addresses,
    dedupe_key,
    plain_text,
    read_mail,
    strip_comments,
)

ODD = "a\0b\rc\x1bd\x85e\u2028f\u202eg\u200bh\ufeffi"


def typed(kind: str, body: bytes, coding: str = "8bit") -> str:
    """The text of a mail of one part."""
    lines = (f"=Content-Type: {kind}", f"Content-Transfer-Encoding: {coding}")
    return read_mail(mail(*lines, body=body)).text


def shown(subject: str | bytes) -> str:
    """A subject as people see it."""
    line = b"=Subject: " + (subject.encode() if isinstance(subject, str) else subject)
    return read_mail(mail(line)).display_value("subject")


def test_the_bytes_are_kept_as_they_came() -> None:
    for data in (b"", b"From x\n\0", mail()):
        assert read_mail(data).raw == data


def test_nothing_of_a_mail_stands_in_its_printed_form() -> None:
    assert "alice" not in repr(read_mail(mail(body=b"alice")))


def test_values_come_from_the_top_unfolded_and_not_decoded() -> None:
    found = read_mail(mail("X-A: =?utf-8?q?a?=\r\n\t b\r\n  c", "x-a:  d ", body=b"X-A: no"))
    assert found.values("x-a") == ("=?utf-8?q?a?= b c", "d")
    assert (found.first("x-a"), found.first("x-b")) == ("=?utf-8?q?a?= b c", "")
    assert found.display_value("x-b") == ""


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("plain", "plain"),
        ("=?utf-8?q?a=C3=A4_b?=", "aä b"),
        ("=?UTF-8?B?w6Q=?= =?utf-8?b?w7Y?=", "äö"),
        ("=?utf-8?q?a?=\r\n =?utf-8?q?b?= c =?utf-8?q?d?=", "ab c d"),
        ("=?iso-8859-1*de?Q?=E4?=", "ä"),
        ("=?iso-2022-jp?b?GyRCRnxLXBsoQg==?=", "日本"),
        ("=?no-such?q?=C3=A4?= =?unicode_escape?q?=5Cq?=", "ä\\q"),
        ("=?utf-8?q?=E4?=", "\ufffd"),
        ("=?us-ascii?b?YWJ?=", "ab"),
        ("=?us-ascii?b?YWJjZ?=", "abc"),
        ("=?utf-8?q?=3D=3Futf-8=3Fq=3Fx=3F=3D?=", "=?utf-8?q?x?="),
        ("=?utf-8?q?a=0D=0ABcc:_x=00=1B[2J?=", "a Bcc: x [2J"),
        ("=?utf-8?q?=E2=80=AEevil?=", "evil"),
        ("=?utf-8?x?a?= b =?utf-8?q?a b?=", "=?utf-8?x?a?= b =?utf-8?q?a b?="),
        (b"\xc3\xa4", "ä"),
        (b"\xe4\x85", "ä"),
        ("x" * 1_000, "x" * 300),
    ],
)
def test_a_subject_is_decoded_onto_one_line(written: str | bytes, read: str) -> None:
    assert shown(written) == read


@pytest.mark.parametrize(
    "charset",
    [
        *("utf-8", "UTF8", "us-ascii", "big5", "gb2312", "gbk", "gb18030", "shift_jis"),
        *("euc-jp", "euc-kr", "iso-2022-jp", "koi8-r", "koi8-u"),
        *(f"iso-8859-{number}" for number in (*range(1, 12), 13, 14, 15, 16)),
        *(f"windows-125{number}" for number in range(9)),
        *(f"cp125{number}" for number in range(9)),
    ],
)
def test_every_charset_that_is_decoded_exists(charset: str) -> None:
    assert typed(f"text/plain; charset={charset}", b"abc \xff") != ""


@pytest.mark.parametrize(
    ("kind", "coding", "body", "text"),
    [
        ("text/plain", "8bit", b"a\r\nb\rc\nd", "a\nb\nc\nd"),
        ("text/plain; charset=utf-8", "7bit", "ä".encode(), "ä"),
        ("text/plain", "8bit", b"\xe4", "\ufffd"),
        ('TEXT/PLAIN; format=flowed; Charset = "ISO-8859-1"', "8bit", b"\xe4", "ä"),
        ("text/plain; charset=no-such", "8bit", b"\xe4", "ä"),
        ("text/plain", "Quoted-Printable", b"a=\r\nb=C3=A4=ZZ=", "abä=ZZ"),
        ("text/plain", "base64", b64encode("aä\r\nb".encode()), "aä\nb"),
        ("text/plain", "base64", b"YW\r\nJ!j", "abc"),
        (
            "text/plain",
            "8bit",
            ODD.encode(),
            "a\ufffdb\nc\ufffdd\ufffde\ufffdf\ufffdg\ufffdh\ufffdi",
        ),
        ("text/plain", "8bit", b"x" * 99_999, "x" * TEXT_CHARACTERS),
        ("text/html", "8bit", b"<p>a</p>", ""),
        ("a broken type", "8bit", b"a", ""),
        ("text/plain (open", "8bit", b"a", ""),
        ("application/octet-stream", "8bit", b"a", ""),
    ],
)
def test_the_text_is_decoded_and_cut(kind: str, coding: str, body: bytes, text: str) -> None:
    assert typed(kind, body, coding) == text


MIXED = "multipart/mixed; boundary=b"
PLAIN = b"Content-Type: text/plain\r\n\r\n"


@pytest.mark.parametrize(
    ("kind", "body", "text"),
    [
        (MIXED, b"no\r\n--b\r\n\r\nyes\r\n--b--\r\nno", "yes"),
        (MIXED, b"--b  \n" + PLAIN + b"yes\r\n\r\n--b\n\nno\n--b--", "yes\n"),
        (MIXED, b"--b\r\n" + PLAIN + b"not closed", "not closed"),
        (MIXED, b"--b\r\nContent-Type: text/html\r\n\r\nno\r\n--b\r\n\r\nyes\r\n--b--", "yes"),
        (MIXED, b"--b\r\nContent-Disposition: Attachment\r\n\r\nno\r\n--b--", ""),
        (MIXED, b"--b--\r\n\r\nno", ""),
        (MIXED, b"no\r\n--c\r\n\r\nno", ""),
        (MIXED, b"x--b\r\n\r\nno\r\n--bb\r\n\r\nno", ""),
        (MIXED, b"", ""),
        ("multipart/mixed", b"--b\r\n\r\nno\r\n--b--", ""),
        ('multipart/mixed; boundary=""', b"--\r\n\r\nno\r\n----", ""),
        ('multipart/mixed; boundary="a b(c"', b"--a b(c\r\n\r\nyes\r\n--a b(c--", "yes"),
        (
            MIXED,
            b"--b\r\nContent-Type: multipart/alternative; boundary=c\r\n\r\n"
            b"--c\r\n\r\nyes\r\n--c--\r\n--b\r\n\r\nno\r\n--b--",
            "yes",
        ),
        ("message/rfc822", PLAIN + b"yes", "yes"),
    ],
)
def test_the_text_is_the_first_part_of_plain_text(kind: str, body: bytes, text: str) -> None:
    assert typed(kind, body) == text


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("a@b.cd", ["a@b.cd"]),
        ("A <a@B.CD>, b@b.cd; <c@b.cd>", ["a@b.cd", "b@b.cd", "c@b.cd"]),
        ("G: a@b.cd, B <b@b.cd>;, c@b.cd", ["a@b.cd", "b@b.cd", "c@b.cd"]),
        ('"x, <y@b.cd>" <a@b.cd>', ["a@b.cd"]),
        ("(x@b.cd, (y)) a@b.cd (z)", ["a@b.cd"]),
        ("< a@b.cd >", ["a@b.cd"]),
        ("STUDIO\\alice <a@b.cd>", ["a@b.cd"]),
        ("a@b.cd, nobody, <x@[192.0.2.1]>", ["a@b.cd", None, None]),
        ("a@b.cd <c@d.ef> <g@h.ij>", [None]),
        ("a@b.cd(", [None]),
        ("a@b.cd)(", [None]),
        ("a@b.cd\\", [None]),
        ("", []),
        (" , ;", []),
    ],
)
def test_addresses_of_a_list_are_found(value: str, found: list[str | None]) -> None:
    assert list(addresses(value)) == found


def test_an_address_keeps_the_case_of_its_local_part() -> None:
    assert address("Al.Ice+x@B.CD") == "Al.Ice+x@b.cd"
    assert address("a@b") is None


def test_quoted_text_becomes_inert() -> None:
    assert strip_comments('a "b;c (d) \\" <e@f>" (g "h)" i) j') == 'a "b_c__d______e@f_" j'


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("<a.b-c=d+1@mail.b.example>", True),
        ("<a@[192.0.2.1]>", True),
        ("<a@b.example> (comment)", False),
        ("a@b.example", False),
        ("<a@b.example><c@d.example>", False),
        ("<=?utf-8?q?=0ABcc:x?=@b.example>", False),
        ('<"a b"@b.example>', False),
        ("<ä@b.example>", False),
        (f"<{'a' * 238}@b.example>", True),
        (f"<{'a' * 239}@b.example>", False),
        ("", False),
    ],
)
def test_an_id_is_repeated_only_if_it_is_harmless(value: str, kept: bool) -> None:  # noqa: FBT001 - a column
    assert read_mail(mail(f"=Message-ID: {value}")).message_id == (value if kept else None)


def key(data: bytes) -> str:
    """The identity of a mail."""
    return dedupe_key(read_mail(data), data)


def test_an_identity_is_the_id_and_the_hash() -> None:
    assert re.fullmatch(r"<1\.a@sender\.example> sha256:[0-9a-f]{64}", key(mail()))
    assert re.fullmatch(r"<> sha256:[0-9a-f]{64}", key(mail("-Message-ID")))
    assert re.fullmatch(r"<> sha256:[0-9a-f]{64}", key(b""))


@pytest.mark.parametrize(
    "again",
    [
        mail("Received: from c by d", "Delivered-To: a@b.example", "Return-Path: <a@b.example>"),
        mail().replace(b"\r\n", b"\n"),
        b"From alice Mon Jan  5\n" + mail(),
        mail("=To: agents@studio.example\r\n "),
    ],
)
def test_a_second_delivery_is_the_same_mail(again: bytes) -> None:
    assert key(again) == key(mail())


@pytest.mark.parametrize(
    "another",
    [
        *(mail(f"=Message-ID: <{number}@sender.example>") for number in (2, 3)),
        *(mail(f"-{name}") for name in ("From", "To", "Subject", "Date", "Content-Type")),
        mail("Cc: bob@b.example"),
        mail(body=HELLO + b"x"),
        mail("no field"),
    ],
)
def test_another_mail_has_another_identity(another: bytes) -> None:
    assert key(another) != key(mail())


def test_odd_mails_differ_by_every_byte() -> None:
    assert key(b"\0" + mail()) != key(b"\0" + mail("Received: from c by d"))


def test_plain_text_holds_no_controls_but_line_feeds_and_tabs() -> None:
    assert plain_text("a\tb\nc") == "a\tb\nc"
    assert not re.search(
        r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", plain_text("".join(map(chr, range(300))))
    )
    assert reading.single_line("".join(map(chr, range(0xD800, 0xE000)))) == ""
