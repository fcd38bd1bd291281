"""The address of a mail server is read strictly, and never repeated."""

import pytest

from resolvers.contact.transport import URL_RULE, SmtpUrl


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("smtp://relay.example", SmtpUrl("smtp", "relay.example", 25, "", "")),
        ("SMTP://Relay.Example/", SmtpUrl("smtp", "relay.example", 25, "", "")),
        (
            "smtp+starttls://relay.example",
            SmtpUrl("smtp+starttls", "relay.example", 587, "", ""),
        ),
        ("smtps://relay.example", SmtpUrl("smtps", "relay.example", 465, "", "")),
        ("smtps://u:p@relay.example:1", SmtpUrl("smtps", "relay.example", 1, "u", "p")),
        ("smtps://u%40x:%3A%2F%25@[::1]", SmtpUrl("smtps", "::1", 465, "u@x", ":/%")),
        ("smtps://a@b:c@d.example", SmtpUrl("smtps", "d.example", 465, "a@b", "c")),
        ("smtp://u:p@localhost", SmtpUrl("smtp", "localhost", 25, "u", "p")),
        ("smtp://u:p@127.3.2.1:2525", SmtpUrl("smtp", "127.3.2.1", 2525, "u", "p")),
        ("smtp://u:p@[::1]", SmtpUrl("smtp", "::1", 25, "u", "p")),
    ],
)
def test_an_address_says_where_how_and_as_whom(url: str, server: SmtpUrl) -> None:
    assert SmtpUrl.parse(url) == server


@pytest.mark.parametrize(
    "url",
    [
        *("", "relay.example", "relay.example:25", "//relay.example", "https://relay.example"),
        *("smtp://", "smtp://:25", "smtp://u:p@", "smtp://a b", "smtp://a..b", "smtp://x" * 40),
        *("smtp://relay.example:0", "smtp://relay.example:65536", "smtp://relay.example:x"),
        *("smtp://[::1", "smtp://[relay.example]", "smtp://relay.example/path", "smtp://r/?x"),
        *("smtp://relay.example#x", "smtp://\r\nrelay.example x", "smtp://relay.exämple"),
        *(
            "smtp://secret:secret@relay.example",
            "smtp://:secret@192.0.2.1",
            "smtp://s@[2001:db8::1]",
        ),
        *("smtp://secret:secret@localhost.example", "smtp://u:p@127.0.0.1.example"),
    ],
)
def test_what_is_no_address_is_not_repeated(url: str) -> None:
    with pytest.raises(ValueError, match=r"^smtps://user:password@host:465, ") as fault:
        SmtpUrl.parse(url)
    assert str(fault.value) == URL_RULE
    assert fault.value.__cause__ is None


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("smtps://user:secret@relay.example", "smtps://relay.example:465"),
        ("smtp://user:secret@[::1]:2525", "smtp://[::1]:2525"),
    ],
)
def test_a_server_is_shown_without_who_we_are_there(url: str, text: str) -> None:
    server = SmtpUrl.parse(url)
    assert str(server) == text
    assert "user" not in repr(server)
    assert "secret" not in repr(server)
