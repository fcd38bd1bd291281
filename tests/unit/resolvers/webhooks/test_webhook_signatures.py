"""A delivery carries two signatures that anybody's library verifies, and one identifier."""

import hmac
import os
import re
from base64 import b64decode, b64encode
from datetime import UTC, datetime
from hashlib import sha256

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from resolvers.webhooks.signing import (
    WebhookKey,
    delivery_headers,
    is_valid_secret,
    make_secret,
    message_id,
    signature,
)

KEY = WebhookKey(bytes(range(32)))
SECRET = make_secret(lambda count: bytes(range(count)))
MESSAGE = message_id("sub_1", "2026-03-01-new-feed")
NOW = int(datetime(2026, 3, 1, tzinfo=UTC).timestamp())
BODY = '{"type":"changelog.added","data":{"title":"Grüße"}}'.encode()


def verifies(given: dict[str, str], body: bytes, secret: str, public: str) -> tuple[bool, bool]:
    """Whether `v1` and `v1a` hold, as a receiver that knows only the standard finds it."""
    signed = b".".join((given["webhook-id"].encode(), given["webhook-timestamp"].encode(), body))
    said = dict(one.split(",", 1) for one in given["webhook-signature"].split(" "))
    mac = hmac.new(b64decode(secret.removeprefix("whsec_")), signed, sha256).digest()
    try:
        Ed25519PublicKey.from_public_bytes(b64decode(public.removeprefix("whpk_"))).verify(
            b64decode(said["v1a"]), signed
        )
    except InvalidSignature:
        return hmac.compare_digest(b64encode(mac).decode(), said["v1"]), False
    return hmac.compare_digest(b64encode(mac).decode(), said["v1"]), True


def delivery(body: bytes = BODY, timestamp: int = NOW) -> dict[str, str]:
    """The headers of a delivery."""
    return delivery_headers(SECRET, KEY, MESSAGE, timestamp, body)


def test_both_signatures_hold_for_other_libraries() -> None:
    assert verifies(delivery(), BODY, SECRET, KEY.public_text) == (True, True)


@given(st.binary(max_size=300), st.integers(0, 2**40))
def test_they_hold_for_any_body_at_any_time(body: bytes, timestamp: int) -> None:
    made = delivery(body, timestamp)
    assert verifies(made, body, SECRET, KEY.public_text) == (True, True)


@pytest.mark.parametrize("place", range(0, len(BODY), 7))
def test_one_flipped_bit_fails_both(place: int) -> None:
    flipped = bytearray(BODY)
    flipped[place] ^= 1
    assert verifies(delivery(), bytes(flipped), SECRET, KEY.public_text) == (False, False)


@pytest.mark.parametrize(
    "changed", [{"webhook-id": MESSAGE[:-1] + "x"}, {"webhook-timestamp": str(NOW + 1)}]
)
def test_another_identifier_or_time_fails_both(changed: dict[str, str]) -> None:
    made = {**delivery(), **changed}
    assert verifies(made, BODY, SECRET, KEY.public_text) == (False, False)


def test_another_secret_or_key_fails_its_own_signature() -> None:
    other = WebhookKey(os.urandom(32))
    assert verifies(delivery(), BODY, make_secret(os.urandom), KEY.public_text) == (False, True)
    assert verifies(delivery(), BODY, SECRET, other.public_text) == (True, False)


def test_the_signatures_are_of_the_form_of_the_standard() -> None:
    made = delivery()
    assert re.fullmatch(r"v1,[A-Za-z0-9+/]{43}= v1a,[A-Za-z0-9+/]{86}==", made["webhook-signature"])
    assert [*made] == ["content-type", "webhook-id", "webhook-timestamp", "webhook-signature"]
    assert made["webhook-timestamp"] == str(NOW)


def test_the_example_of_the_standard_is_signed_as_there() -> None:
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # noqa: S105 - of the standard's own tests
    made = signature(
        secret, KEY, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}'
    )
    assert made.split(" ")[0] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_an_identifier_is_the_same_everywhere_and_another_for_each() -> None:
    digest = sha256(b"sub_1|2026-03-01-new-feed").hexdigest()
    assert message_id("sub_1", "2026-03-01-new-feed") == f"msg_{digest[:32]}"
    assert "." not in MESSAGE
    others = {message_id(one, entry) for one in ("a", "b") for entry in ("2026-01-01-x", "y")}
    assert len({MESSAGE, *others}) == 5


def test_a_secret_has_256_bits_and_is_never_the_same() -> None:
    made = {make_secret(os.urandom) for _ in range(9)}
    assert len(made) == 9
    assert all(len(b64decode(one.removeprefix("whsec_"), validate=True)) == 32 for one in made)


@pytest.mark.parametrize(
    "given_secret", ["", "whsec_", SECRET[:-1], SECRET + "=", SECRET.lower(), "\u00e9", "\u0100"]
)
def test_only_the_secret_itself_is_the_secret(given_secret: str) -> None:
    assert is_valid_secret(SECRET, SECRET)
    assert not is_valid_secret(given_secret, SECRET)


def test_a_key_is_read_as_it_is_written_and_is_the_pair_that_others_make() -> None:
    public = Ed25519PrivateKey.from_private_bytes(KEY.seed).public_key().public_bytes_raw()
    assert KEY.public_text == f"whpk_{b64encode(public).decode()}"
    assert KEY.text == f"whsk_{b64encode(KEY.seed + public).decode()}"
    assert WebhookKey.read(KEY.text) == KEY
    assert KEY.text[5:20] not in repr(KEY)


@pytest.mark.parametrize(
    "text",
    [
        *("", "whsk_", "whsk_AA==", KEY.public_text, KEY.text[5:], KEY.text + "\n", KEY.text[:-1]),
        f"whsk_{b64encode(KEY.seed).decode()}",
        f"whsk_{b64encode(KEY.seed * 2).decode()}",
        f"whsk_{b64encode(bytes(65)).decode()}",
        KEY.text.replace("w", "\u0101", 1),
    ],
)
def test_what_is_no_key_is_not_read(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - base64 says it in its own words
        WebhookKey.read(text)


@pytest.mark.parametrize("secret", ["", "whsec", "MfKQ9r8G", "whsec_%%%%", "whsec_A"])
def test_what_is_no_secret_signs_nothing(secret: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - base64 says it in its own words
        signature(secret, KEY, MESSAGE, NOW, BODY)
