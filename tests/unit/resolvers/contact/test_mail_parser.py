"""What is read of a mail: its fields, its text, its ids, and of a bomb no more than is cheap."""

import re
from base64 import b64encode

import pytest
from mail_samples import HELLO, mail
from offenders import offenders

from resolvers.contact.mail_parser import (
    TEXT_CHARACTERS,
    address,
    addresses,
    dedupe_key,
    plain_text,
    read_mail,
    single_line,
    strip_comments,
)

ODD = "a\0b\rc\x1bd\x85e\u2028f\u202eg\u200bh\ufeffi"
MIXED = "multipart/mixed; boundary=b"
PLAIN = b"Content-Type: text/plain\r\n\r\n"


def typed(kind: str, body: bytes, coding: str = "8bit") -> str:
    """The text of a mail with a type."""
    lines = (f"=Content-Type: {kind}", f"Content-Transfer-Encoding: {coding}")
    return read_mail(mail(*lines, body=body)).text


def key(data: bytes) -> str:
    """The identity of a mail."""
    return dedupe_key(read_mail(data))


def test_nothing_of_a_mail_stands_in_its_printed_form() -> None:
    assert "alice" not in repr(read_mail(mail(body=b"alice")))


def test_values_come_from_the_top_unfolded_and_not_decoded() -> None:
    found = read_mail(mail("X-A: =?utf-8?q?a?=\r\n\t b\r\n  c", "x-a:  d ", body=b"X-A: no"))
    assert found.values("x-a") == ("=?utf-8?q?a?= b c", "d")
    assert (found.first("x-a"), found.first("x-b")) == ("=?utf-8?q?a?= b c", "")
    assert found.display_value("x-b") == ""


def test_a_subject_is_decoded_onto_one_line() -> None:
    def check(written: str | bytes, read: str) -> None:
        line = b"=Subject: " + (written.encode() if isinstance(written, str) else written)
        assert read_mail(mail(line)).display_value("subject") == read

    cases: list[tuple[str | bytes, str]] = [
        ("plain", "plain"),
        ("=?utf-8?q?a=C3=A4_b?=", "aä b"),
        ("=?UTF-8?B?w6Q=?= =?utf-8?b?w7Y?=", "äö"),
        ("=?utf-8?q?a?=\r\n =?utf-8?q?b?= c =?utf-8?q?d?=", "ab c d"),
        ("=?iso-8859-1*de?Q?=E4?=", "ä"),
        ("=?iso-2022-jp?b?GyRCRnxLXBsoQg==?=", "日本"),
        ("=?utf-8?q?=E4?=", "\ufffd"),
        ("=?no-such?q?a?=", "a"),
        ("=?utf-8?q?=3D=3Futf-8=3Fq=3Fx=3F=3D?=", "=?utf-8?q?x?="),
        ("=?utf-8?q?a=0D=0ABcc:_x=00=1B[2J?=", "a Bcc: x [2J"),
        ("=?utf-8?q?=E2=80=AEevil?=", "evil"),
        (b"\xc3\xa4", "ä"),
        (b"\xe4\x85", "ä"),
        ("x" * 1_000, "x" * 300),
    ]
    assert offenders(check, cases) == []


def test_the_text_is_decoded_and_cut() -> None:
    def check(kind: str, coding: str, body: bytes, text: str) -> None:
        assert typed(kind, body, coding) == text

    shown = "a\ufffdb\nc\ufffdd\ufffde\ufffdf\ufffdg\ufffdh\ufffdi"
    cases = [
        ("text/plain", "8bit", b"a\r\nb\rc\nd", "a\nb\nc\nd"),
        ("text/plain; charset=utf-8", "7bit", "ä".encode(), "ä"),
        ("text/plain", "8bit", b"\xe4", "ä"),
        ("text/plain; charset=utf-8", "8bit", b"\xe4", "\ufffd"),
        ('TEXT/PLAIN; format=flowed; Charset = "ISO-8859-1"', "8bit", b"\xe4", "ä"),
        ("text/plain; charset=windows-1251", "8bit", b"\xe4", "д"),
        ("text/plain; charset=big5", "8bit", "中".encode("big5"), "中"),
        ("text/plain; charset=iso-2022-jp", "7bit", "日本".encode("iso-2022-jp"), "日本"),
        ("text/plain; charset=no-such", "8bit", b"\xe4", "ä"),
        ("text/plain; charset=unicode_escape", "8bit", rb"\x41", r"\x41"),
        ("text/plain; charset=hex", "8bit", b"41", "41"),
        ("text/plain", "Quoted-Printable", b"a=\r\nb=C3=A4=ZZ=", "abä=ZZ"),
        ("text/plain", "base64", b64encode("aä\r\nb".encode()), "aä\nb"),
        ("text/plain", "base64", b"YW\r\nJ!j", "abc"),
        ("text/plain", "8bit", ODD.encode(), shown),
        ("text/plain", "8bit", b"x" * 99_999, "x" * TEXT_CHARACTERS),
        ("text/html", "8bit", b"<p>a</p>", ""),
        ("a broken type", "8bit", b"a", "a"),
        ("application/octet-stream", "8bit", b"a", ""),
    ]
    assert offenders(check, cases) == []


def test_the_text_is_the_first_part_of_plain_text() -> None:
    def check(kind: str, body: bytes, text: str) -> None:
        assert typed(kind, body) == text

    cases = [
        (MIXED, b"no\r\n--b\r\n\r\nyes\r\n--b--\r\nno", "yes"),
        (MIXED, b"--b  \n" + PLAIN + b"yes\r\n\r\n--b\n\nno\n--b--", "yes\n"),
        (MIXED, b"--b\r\n" + PLAIN + b"not closed", "not closed"),
        (MIXED, b"--b\r\nContent-Type: text/html\r\n\r\nno\r\n--b\r\n\r\nyes\r\n--b--", "yes"),
        (MIXED, b"--b\r\nContent-Disposition: Attachment\r\n\r\nno\r\n--b--", ""),
        (MIXED, b"--b--\r\n\r\nno", ""),
        (MIXED, b"x--b\r\n\r\nno\r\n--bb\r\n\r\nno", ""),
        ("multipart/mixed", b"--b\r\n\r\nno\r\n--b--", ""),
        ('multipart/mixed; boundary="a b(c"', b"--a b(c\r\n\r\nyes\r\n--a b(c--", "yes"),
        (
            MIXED,
            b"--b\r\nContent-Type: multipart/alternative; boundary=c\r\n\r\n"
            b"--c\r\n\r\nyes\r\n--c--\r\n--b\r\n\r\nno\r\n--b--",
            "yes",
        ),
        ("message/rfc822", PLAIN + b"yes", "yes"),
    ]
    assert offenders(check, cases) == []


def nested(depth: int) -> bytes:
    """Parts in parts."""
    mark = "Content-Type: multipart/mixed; boundary=b{0}\r\n\r\n--b{0}\r\n"
    return "".join(mark.format(level) for level in range(depth)).encode()


BOMBS = {
    "lines": (b"\r\n" + b"\r\n" * 150_001, "\n" * TEXT_CHARACTERS),
    "bare CR": (b"\r\n" + b"\r" * 300_001, "\n" * TEXT_CHARACTERS),
    "parts": (b"Content-Type: " + MIXED.encode() + b"\r\n\r\n" + b"--b\r\n\r\nx\r\n" * 100, "x"),
    "depth": (nested(11) + b"\r\nx", ""),
    "depth and lines": (nested(90) + b"\r\n--x" * 70_000, ""),
    "letters": (b"Content-Type: message/rfc822\r\n\r\n" * 11 + b"x", ""),
    "fields": (b"x: y\r\n" * 1_001 + b"\r\nx", "x"),
    "a field": (b"Content-Type: " + MIXED.encode() + b'; x="' + b";" * 70_000 + b"\r\n\r\nx", ""),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_malformed_and_what_was_read_of_it_stays(name: str) -> None:
    data, text = BOMBS[name]
    found = read_mail(b"Subject: bomb\r\n" + data)
    assert (found.is_malformed, found.text) == (True, text)
    assert found.display_value("subject") == "bomb"


@pytest.mark.parametrize(
    "value", [b'x="' + b";" * 60_000, b'\\";' * 20_000, b"; a*0=b" * 8_000], ids=repr
)
def test_parameters_are_read_no_further_than_is_cheap(value: bytes) -> None:
    kind = b"Content-Type: multipart/mixed; " + value + b"\r\n\r\n"
    assert read_mail(kind + b"--b\r\n" + kind).text == ""


def test_addresses_of_a_list_are_found() -> None:
    def check(value: str, found: list[str | None]) -> None:
        assert list(addresses(value)) == found

    cases: list[tuple[str, list[str | None]]] = [
        ("a@b.cd", ["a@b.cd"]),
        ("A <a@B.CD>, b@b.cd; <c@b.cd>", ["a@b.cd", "b@b.cd", "c@b.cd"]),
        ("G: a@b.cd, B <b@b.cd>;, c@b.cd", ["a@b.cd", "b@b.cd", "c@b.cd"]),
        ('"x, <y@b.cd>" <a@b.cd>', ["a@b.cd"]),
        ("(x@b.cd, (y)) a@b.cd (z)", ["a@b.cd"]),
        ("< a@b.cd >", ["a@b.cd"]),
        ("STUDIO\\alice <a@b.cd>", ["a@b.cd"]),
        ("a@b.cd, nobody, <x@[192.0.2.1]>", ["a@b.cd", None, None]),
        ("a@b.cd <c@d.ef> <g@h.ij>", [None]),
        ("=?utf-8?q?x?=@b.cd", [None]),
        ("a@b.cd(", [None]),
        ("a@b.cd)(", [None]),
        ("a@b.cd\\", [None]),
        ("", []),
        (" , ;", []),
        ("," * 64_000, []),
    ]
    assert offenders(check, cases) == []


def test_an_address_keeps_the_case_of_its_local_part() -> None:
    assert address("Al.Ice+x@B.CD") == "Al.Ice+x@b.cd"
    assert address("a@b") is None


def test_quoted_text_becomes_inert() -> None:
    assert strip_comments('a "b;c (d) \\" <e@f>" (g "h)" i) j') == 'a "b_c__d______e@f_" j'


def test_an_id_is_repeated_only_if_it_is_harmless() -> None:
    def check(value: str, *, kept: bool) -> None:
        found = read_mail(mail(f"=Message-ID: {value}")).message_id
        assert found == (value if kept else None)

    for value in ("<a.b-c=d+1@mail.b.example>", "<a@[192.0.2.1]>", f"<{'a' * 238}@b.example>"):
        check(value, kept=True)
    for value in (
        *("<a@b.example> (comment)", "a@b.example", "<a@b.example><c@d.example>", ""),
        *("<=?utf-8?q?=0ABcc:x?=@b.example>", '<"a b"@b.example>', "<ä@b.example>"),
        f"<{'a' * 239}@b.example>",
    ):
        check(value, kept=False)


def test_an_identity_is_the_id_and_the_hash() -> None:
    """Mails that were stored by an earlier version are recognised by this text."""
    digest = "7e9610e5e7dcf3c6162b9062b2b7d2b1bf12cdb9fa67cacdb469429183591d17"
    assert key(mail()) == f"<1.a@sender.example> sha256:{digest}"
    assert re.fullmatch(r"<> sha256:[0-9a-f]{64}", key(mail("-Message-ID")))


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


def test_what_is_shown_holds_no_controls_but_line_feeds_and_tabs() -> None:
    assert plain_text("a\tb\nc") == "a\tb\nc"
    shown = plain_text("".join(map(chr, range(300))))
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", shown)
    assert single_line("".join(map(chr, range(0xD800, 0xE000)))) == ""
