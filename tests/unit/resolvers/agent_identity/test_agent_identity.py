"""Whose signature a request has: the draft's vectors, another library's signatures, every doubt."""

import asyncio
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from loopback import Loopback
from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey
from signing_agents import BASE, COVERED, DirectoryServer, SigningAgent, directory_server
from vectors import vectors

from resolvers.agent_identity import verifier
from resolvers.agent_identity.signed_request import RequestHead, read_signature
from resolvers.agent_identity.verifier import AgentVerifier, KeyDirectories
from resolvers.http_client.client import OutboundClient
from resolvers.signing.keys import b64url_decode
from sdl.caller import Agent
from sdl.errors import InvalidInputError

DRAFT = vectors("web-bot-auth")


@dataclass
class Clock:
    """A clock that a test sets forward."""

    ahead: float = 0

    def __call__(self) -> float:
        return datetime.now(UTC).timestamp() + self.ahead


@dataclass
class Service:
    """A verifier, and the directory of one agent beside it."""

    directory: DirectoryServer
    agent: SigningAgent = field(default_factory=SigningAgent)
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.directory.keys = [self.agent.jwk]
        policy = Loopback()
        directories = KeyDirectories(OutboundClient(policy), "tests/1", self.clock)
        self.verifier = AgentVerifier(directories, policy)

    @property
    def named(self) -> str:
        """The value of `Signature-Agent`."""
        return f'sig1="{self.directory.url}"'

    def agent_of(self, headers: dict[str, str], target: str = "/api/contact") -> Agent | None:
        """Who signed a request with these headers."""
        return asyncio.run(self.verifier.agent_of(head(headers, target)))


def head(
    headers: dict[str, str], target: str = "/api/contact", base: str = BASE, method: str = "POST"
) -> RequestHead:
    return RequestHead(method, base, target, [(n.lower(), v) for n, v in headers.items()])


@pytest.fixture
def service() -> Iterator[Service]:
    with directory_server() as directory:
        yield Service(directory)


@pytest.mark.parametrize("vector", DRAFT["vectors"])
def test_the_draft_vectors_verify_and_nothing_else_does(vector: dict[str, Any]) -> None:
    headers = {"signature": vector["signature"], "signature-input": vector["signature_input"]}
    if vector["signature_agent"] is not None:
        headers["signature-agent"] = vector["signature_agent"]
    request = head(headers, "/path/to/resource", "https://example.com", "GET")
    signature = read_signature(request)
    assert signature is not None
    assert signature.key_id == DRAFT["thumbprint"]
    assert signature.is_ed25519
    expected = "https://signature-agent.test" if vector["signature_agent"] else None
    assert signature.agent == expected
    key = VerifyKey(b64url_decode(DRAFT["key"]["x"], 32))
    base = signature.base(request)
    assert base is not None
    key.verify(base, signature.signature)
    elsewhere = signature.base(head(headers, "/path/to/resource", "https://example.org", "GET"))
    with pytest.raises(BadSignatureError):
        key.verify(elsewhere or b"", signature.signature)


@pytest.mark.parametrize(
    "covered",
    [
        COVERED,
        ("@target-uri", '"signature-agent";key="sig1"'),
        ("@method", "@authority", "@path", "@query", "@scheme", *COVERED[1:]),
        ("@authority", "@request-target", "user-agent", *COVERED[1:]),
    ],
)
@pytest.mark.parametrize("target", ["/api/chat?query=a%20price", "/api/contact"])
def test_what_another_library_signs_is_verified(
    service: Service, covered: tuple[str, ...], target: str
) -> None:
    agent = {"User-Agent": "harbour/1"}
    signed = service.agent.sign(service.named, target, covered=covered, headers=agent)
    port = service.directory.port
    assert service.agent_of(signed, target) == Agent("127.0.0.1", f"127.0.0.1:{port}")
    assert service.directory.asked == [verifier.PATH]


def test_the_form_of_the_first_drafts_is_verified_too(service: Service) -> None:
    covered = ("@authority", "signature-agent")
    signed = service.agent.sign(f'"{service.directory.url}"', covered=covered)
    assert service.agent_of(signed) is not None


def other(service: Service) -> dict[str, str]:
    return SigningAgent().sign(service.named, key_id=service.agent.thumbprint)


def changed(name: str, pattern: str, to: str) -> Callable[[Service], dict[str, str]]:
    def change(service: Service) -> dict[str, str]:
        signed = service.agent.sign(service.named)
        signed[name] = re.sub(pattern, to, signed[name])
        return signed

    return change


def ago(**values: float) -> datetime:
    return datetime.now(UTC) - timedelta(**values)


REFUSED: dict[str, tuple[Callable[[Service], dict[str, str]], str]] = {
    "another key": (other, "must be a signature of that key"),
    "a key that is not published": (
        lambda s: SigningAgent().sign(s.named),
        "must name a host whose directory has the key",
    ),
    "another path": (
        lambda s: s.agent.sign(s.named, "/api/chat", covered=("@target-uri", COVERED[1])),
        "must be a signature of that key",
    ),
    "another service": (
        lambda s: s.agent.sign(s.named, base="https://other.example"),
        "must be a signature of that key",
    ),
    "a longer life": (changed("Signature-Input", r"expires=\d", "expires=2"), "within 24 hours"),
    "another nonce": (changed("Signature-Input", "0123", "3210"), "must be a signature of that"),
    "expired": (lambda s: s.agent.sign(s.named, created=ago(minutes=30)), "must not have expired"),
    "from the future": (lambda s: s.agent.sign(s.named, created=ago(hours=-1)), "in the future"),
    "valid for a week": (lambda s: s.agent.sign(s.named, lives=timedelta(days=7)), "24 hours"),
    "without an end": (lambda s: s.agent.sign(s.named, lives=None), "parameter expires"),
    "without the service": (
        lambda s: s.agent.sign(s.named, covered=("@method", COVERED[1])),
        "@authority or @target-uri",
    ),
    "without the agent": (
        lambda s: s.agent.sign(s.named, covered=("@authority",)),
        'must cover "signature-agent"',
    ),
    "an agent that is no text": (
        changed("Signature-Agent", '".*"', "agent"),
        "must be an https address",
    ),
    "no signature": (changed("Signature", "sig1", "sig2"), "must have the bytes of sig1"),
    "not a dictionary": (changed("Signature-Input", r"^sig1=", "sig1=("), "must be a dictionary"),
    "twice the same": (
        changed("Signature-Input", '"@authority"', '"@authority" "@authority"'),
        "each component once",
    ),
    "an altered signature": (changed("Signature", "=:.{6}", "=:AAAAAA"), "must be a signature of"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_signature_that_does_not_hold_is_refused(service: Service, case: str) -> None:
    make, rule = REFUSED[case]
    with pytest.raises(InvalidInputError) as refused:
        service.agent_of(make(service))
    assert rule in refused.value.problems[0].rule
    assert "send it without one" in refused.value.detail


def published_between(begin: float, end: float) -> Callable[[Service], None]:
    def publish(service: Service) -> None:
        now = datetime.now(UTC).timestamp()
        service.directory.keys = [{**service.agent.jwk, "nbf": now + begin, "exp": now + end}]

    return publish


@pytest.mark.parametrize(("begin", "end"), [(3600, 7200), (-7200, -3600)])
def test_a_key_out_of_its_time_is_refused(service: Service, begin: float, end: float) -> None:
    published_between(begin, end)(service)
    with pytest.raises(InvalidInputError, match="does not hold"):
        service.agent_of(service.agent.sign(service.named))
    published_between(-3600, 3600)(service)
    assert Service(service.directory, service.agent).agent_of(service.agent.sign(service.named))


UNKNOWN: dict[str, Callable[[Service], dict[str, str]]] = {
    "nothing": lambda _: {},
    "a signature for something else": lambda s: s.agent.sign(s.named, tag="other"),
    "no agent": lambda s: s.agent.sign(None, covered=("@authority",)),
    "another algorithm": changed("Signature-Input", 'alg="ed25519"', 'alg="rsa-pss-sha512"'),
    "another kind of directory": lambda s: s.agent.sign(f"{s.named};type=jwks_uri"),
    "a private host": lambda s: s.agent.sign('sig1="https://192.168.1.1"'),
    "a name that is not public": lambda s: s.agent.sign('sig1="https://agent.internal"'),
    "a part that is not known": changed("Signature-Input", '"@authority"', '"@authority" "@x"'),
    "a host that is away": lambda s: s.agent.sign('sig1="http://127.0.0.1:9"'),
}


@pytest.mark.parametrize("case", UNKNOWN)
def test_what_cannot_be_verified_makes_no_difference(service: Service, case: str) -> None:
    assert service.agent_of(UNKNOWN[case](service)) is None
    assert service.directory.asked == []


ODD: dict[str, dict[str, Any]] = {
    "missing": {"status": 404},
    "redirecting": {"status": 302, "headers": {"location": "/elsewhere"}},
    "failing": {"status": 500},
    "huge": {"body": b'{"keys": [' + b" " * verifier.MAX_BYTES + b"]}"},
    "no JSON": {"body": b"<html>"},
    "another JSON": {"body": b'{"keys": {"x": 1}}'},
}


@pytest.mark.parametrize("case", ODD)
def test_a_directory_that_is_none_makes_no_difference(service: Service, case: str) -> None:
    for name, value in ODD[case].items():
        setattr(service.directory, name, value)
    assert service.agent_of(service.agent.sign(service.named)) is None
    assert service.directory.asked == [verifier.PATH]
    assert service.agent_of(service.agent.sign(service.named)) is None
    assert len(service.directory.asked) == 1
    service.clock.ahead = verifier.AGAIN_SECONDS + 1
    service.directory.status, service.directory.body = 200, None
    assert service.agent_of(service.agent.sign(service.named)) is not None


def test_a_slow_directory_makes_no_difference(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifier, "SECONDS", 0.2)
    service.directory.goes_on = threading.Event()
    assert service.agent_of(service.agent.sign(service.named)) is None


def test_keys_that_cannot_be_read_are_passed_over(service: Service) -> None:
    odd: list[Any] = [1, {}, {"kty": "RSA"}, {**service.agent.jwk, "x": "short"}]
    service.directory.keys = [*odd, {**service.agent.jwk, "x": 7}, service.agent.jwk]
    assert service.agent_of(service.agent.sign(service.named)) is not None


@pytest.mark.parametrize(("said", "kept"), [("max-age=600", 600), ("max-age=5", 60), ("", 3600)])
def test_keys_are_kept_as_long_as_their_directory_says(
    service: Service, said: str, kept: float
) -> None:
    service.directory.headers = {"cache-control": f"public, {said}"}
    for ahead, times in ((0, 1), (kept - 5, 1), (kept + 5, 2)):
        service.clock.ahead = ahead
        assert service.agent_of(service.agent.sign(service.named)) is not None
        assert len(service.directory.asked) == times


def test_a_new_key_is_looked_for_once_a_minute(service: Service) -> None:
    assert service.agent_of(service.agent.sign(service.named)) is not None
    newer = SigningAgent()
    service.directory.keys.append(newer.jwk)
    with pytest.raises(InvalidInputError):
        service.agent_of(newer.sign(service.named))
    service.clock.ahead = verifier.AGAIN_SECONDS + 1
    assert service.agent_of(newer.sign(service.named)) is not None
    assert len(service.directory.asked) == 2


def test_many_requests_at_once_ask_for_a_directory_once(service: Service) -> None:
    async def at_once() -> list[Agent | None]:
        signed = [head(service.agent.sign(service.named)) for _ in range(10)]
        return await asyncio.gather(*map(service.verifier.agent_of, signed))

    assert None not in asyncio.run(at_once())
    assert len(service.directory.asked) == 1


def test_only_so_many_directories_are_asked_for_in_a_minute(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifier, "MAX_A_MINUTE", 2)
    away = [service.agent.sign(f'sig1="http://127.0.0.1:{port}"') for port in (9, 10)]
    assert [service.agent_of(signed) for signed in away] == [None, None]
    assert service.agent_of(service.agent.sign(service.named)) is None
    assert service.directory.asked == []
    service.clock.ahead = 61
    assert service.agent_of(service.agent.sign(service.named)) is not None


def test_only_so_many_directories_are_kept(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifier, "MAX_DIRECTORIES", 1)
    for signed in (service.named, 'sig1="http://127.0.0.1:9"', service.named):
        service.agent_of(service.agent.sign(signed))
    assert len(service.directory.asked) == 2
