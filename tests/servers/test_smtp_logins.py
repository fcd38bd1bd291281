"""Nobody but the mail server that was named gets our mail and our password, and in time."""

import asyncio
import ssl
from base64 import b64encode
from typing import Any

import pytest
import uvloop
from certificates import Authority
from mail_samples import HUMAN, MAILBOX
from mail_servers import (
    DROP,
    HANG,
    Answer,
)
from relays import (
    DONE,
    OFFERS_TLS,
    REFUSED,
    SHORT,
    UNUSABLE,
    Loop,
    give,
    meet,
)

from resolvers.contact.smtp import SmtpTransport

LOGIN = "user%40x:pass%3Aword%2F%25@"
SERVED = pytest.mark.parametrize("loop", [uvloop.new_event_loop])
TOKEN = b64encode(b"\0user@x\0pass:word/%")


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Who vouches for our mail servers."""
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def tls(authority: Authority) -> ssl.SSLContext:
    """What our mail server has."""
    return authority.serving("127.0.0.1")


@pytest.fixture(scope="module", params=["another name", "another authority", "nobody trusted"])
def mistrust(
    request: pytest.FixtureRequest, authority: Authority
) -> tuple[ssl.SSLContext, ssl.SSLContext | None]:
    """A server's certificate that we have no reason to trust, and what we trust."""
    if request.param == "another name":
        return authority.serving("relay.example"), authority.trusting()
    trust = Authority(authority.folder, "Other").trusting()
    return authority.serving("127.0.0.1"), trust if request.param == "another authority" else None


@SERVED
def test_a_server_with_tls_is_served(loop: Loop, authority: Authority, tls: ssl.SSLContext) -> None:
    trust = authority.trusting()
    found, given = give(loop, SHORT, serving={"tls": tls}, scheme="smtps", trust=trust, seconds=9)
    assert (found, given.taken[0].content) == ([DONE], SHORT)


@pytest.mark.parametrize(
    ("login", "outcome"),
    [(LOGIN, DONE), ("", UNUSABLE), ("user%40x:no@", UNUSABLE), ("user%40x@", UNUSABLE)],
)
def test_a_server_that_demands_starttls_and_a_password_gets_both(
    login: str, outcome: tuple[int, str], authority: Authority, tls: ssl.SSLContext
) -> None:
    demands = {"tls_context": tls, "require_starttls": True, "auth_required": True}
    options: dict[str, Any] = {"trust": authority.trusting(), "login": login, "seconds": 9}
    scheme = "smtp+starttls"
    found, given = give(asyncio.new_event_loop, SHORT, serving=demands, scheme=scheme, **options)
    assert found == [outcome]
    assert given.secure == [True] * (outcome == DONE)
    assert set(given.logins) <= {(b"user@x", b"pass:word/%"), (b"user@x", b"no"), (b"user@x", b"")}


@SERVED
def test_after_starttls_all_is_said_again(
    loop: Loop, authority: Authority, tls: ssl.SSLContext
) -> None:
    found = meet(
        *(loop, {"EHLO": OFFERS_TLS}),
        tls=tls,
        scheme="smtp+starttls",
        login=LOGIN,
        trust=authority.trusting(),
        seconds=9,
    )
    assert found.outcome == DONE
    first = [line.split()[0] for line in found.lines[:4]]
    assert first == [b"EHLO", b"STARTTLS", b"EHLO", b"AUTH"]
    assert found.lines[3] == b"AUTH PLAIN " + TOKEN + b"\r\n"


@SERVED
@pytest.mark.parametrize(
    "answers",
    [
        {},
        {"EHLO": OFFERS_TLS, "STARTTLS": b"454 not now\r\n"},
        {"EHLO": OFFERS_TLS, "STARTTLS": b"220 go\r\nthis is no TLS\r\n"},
        {"EHLO": OFFERS_TLS, "STARTTLS": DROP},
        {"EHLO": OFFERS_TLS},
        {"EHLO": OFFERS_TLS, "?": HANG},
    ],
    ids=["stripped", "refused", "nonsense", "drop", "no handshake", "silence"],
)
def test_without_tls_nothing_is_said(answers: dict[str, Answer], loop: Loop) -> None:
    found = meet(loop, answers, scheme="smtp+starttls", login=LOGIN)
    assert found.outcome == REFUSED
    assert not any(word in line for line in found.lines for word in (b"AUTH", b"MAIL", TOKEN))


@SERVED
def test_a_server_that_nobody_we_trust_vouches_for_hears_nothing(
    loop: Loop, mistrust: tuple[ssl.SSLContext, ssl.SSLContext | None]
) -> None:
    tls, trust = mistrust
    answers = {"EHLO": OFFERS_TLS}
    options: dict[str, Any] = {"login": LOGIN, "trust": trust, "seconds": 9}
    found = meet(loop, answers, tls=tls, scheme="smtp+starttls", **options)
    assert (found.outcome, len(found.lines)) == (REFUSED, 2)
    answered, given = give(loop, SHORT, serving={"tls": tls}, scheme="smtps", **options)
    assert (answered, given.logins, given.taken) == ([REFUSED], [], [])


@SERVED
@pytest.mark.parametrize(
    ("answers", "outcome"),
    [
        ({}, DONE),
        ({"AUTH": b"535 5.7.8 no\r\n"}, UNUSABLE),
        ({"AUTH": b"534 5.7.9 too weak\r\n"}, UNUSABLE),
        ({"AUTH": b"504 5.5.4 unknown\r\n"}, UNUSABLE),
        ({"EHLO": b"250 relay.example\r\n"}, UNUSABLE),
        ({"EHLO": b"250-relay.example\r\n250 AUTH GSSAPI NTLM\r\n"}, UNUSABLE),
        ({"MAIL": b"530 5.7.0 log in\r\n"}, UNUSABLE),
        ({"AUTH": b"454 4.7.0 not now\r\n"}, REFUSED),
        ({"AUTH": b"421 later\r\n"}, REFUSED),
        ({"AUTH": b"\xff\xff\xff\r\n"}, REFUSED),
        ({"AUTH": b"334 x\r\n", "EHLO": b"250-x\r\n250 AUTH CRAM-MD5\r\n"}, REFUSED),
        ({"AUTH": HANG}, REFUSED),
        ({"AUTH": DROP}, REFUSED),
    ],
)
def test_who_is_not_let_in_is_503_and_what_fails_on_the_way_is_502(
    answers: dict[str, Answer], outcome: tuple[int, str], loop: Loop
) -> None:
    found = meet(loop, answers, login=LOGIN)
    assert found.outcome == outcome


def test_a_silent_server_has_less_than_ten_seconds_when_nothing_else_is_said() -> None:
    found = meet(uvloop.new_event_loop, {".": HANG}, seconds=None)
    assert found.outcome == REFUSED
    assert found.seconds > 8


def test_what_is_logged_and_shown_holds_no_password(caplog: pytest.LogCaptureFixture) -> None:
    meet(uvloop.new_event_loop, {"AUTH": b"535 pass:word/% is wrong\r\n"}, login=LOGIN)
    relay = SmtpTransport(f"smtps://{LOGIN}relay.example", MAILBOX, HUMAN)
    assert relay.describe() == "the mail server smtps://relay.example:465"
    told = caplog.text + repr(relay) + repr(vars(relay))
    assert "it answered 535. Fix: check STUDIOGRAPH_SMTP_URL." in told
    assert not any(word in told for word in ("pass", "user", LOGIN, TOKEN.decode()))
