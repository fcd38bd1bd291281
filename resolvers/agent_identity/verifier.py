"""Verifies who signed a request. Nobody must sign; a signature that does not hold is refused.

What cannot be verified, such as another algorithm or a directory that is away, makes no difference:
the request is answered like one without a signature.
"""

import asyncio
import re
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from nacl.exceptions import CryptoError
from nacl.signing import VerifyKey

from resolvers.agent_identity.signed_request import (
    AGENT_FIELD,
    INPUT_FIELD,
    SIGNATURE_FIELD,
    AgentSignature,
    RequestHead,
    read_signature,
    refusal,
)
from resolvers.http_client.client import OutboundClient, OutboundResponse
from resolvers.http_client.errors import OutboundError
from resolvers.http_client.targets import TargetPolicy, TargetUrl
from resolvers.signing.keys import b64url_decode, thumbprint
from sdl.arguments.strict_json import read_json
from sdl.caller import Agent
from sdl.errors import InvalidInputError

PATH = "/.well-known/http-message-signatures-directory"
MEDIA_TYPE = "application/http-message-signatures-directory+json"
SECONDS = 2.0
"""How long a request waits for a directory."""
MIN_SECONDS = 0.3
"""How long it takes at least to find that there is none, so that the time does not tell why."""
MAX_BYTES = 64 * 1024
MAX_DIRECTORIES = 1_000
"""How many are kept."""
MAX_A_MINUTE = 60
"""How many are asked for in a minute."""
AGAIN_SECONDS = 60.0
"""How long one that failed is not asked again, nor one for a key that it did not have."""
DEFAULT_SECONDS, MAX_SECONDS = 3_600.0, 86_400.0
"""How long one is kept that does not say it, and at most."""

_OK = 200
_KEY_BYTES = 32
_MAX_AGE = re.compile(r"(?:^|[\s,])max-age=([0-9]{1,9})(?:$|[\s,])")


@dataclass(frozen=True)
class AgentKey:
    """An Ed25519 key of an agent."""

    public: bytes
    not_before: float
    expires: float


Keys = Mapping[str, AgentKey]
"""Keys by their thumbprints."""


@dataclass(frozen=True)
class _Directory:
    keys: Keys | None
    fetched: float
    until: float


class KeyDirectories:
    """The directories of agents. `clock` is monotonic; `agent` is the User-Agent."""

    def __init__(
        self, outbound: OutboundClient, agent: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._outbound = outbound
        self._agent = agent
        self._clock = clock
        self._known: OrderedDict[str, _Directory] = OrderedDict()
        self._running: dict[str, asyncio.Task[_Directory]] = {}
        self._began: deque[float] = deque()

    async def keys(self, host: TargetUrl, key_id: str) -> Keys | None:
        """Return the keys of an agent's host; None if they cannot be had.

        They are asked for again if they lack this key, which may be new.
        """
        target = replace(host, target=PATH)
        known, now = self._known.get(target.url), self._clock()
        if known is not None:
            is_lacking = known.keys is not None and key_id not in known.keys
            again = known.fetched + AGAIN_SECONDS if is_lacking else known.until
            if now < min(again, known.until):
                self._known.move_to_end(target.url)
                return known.keys
        return (await self._fetched(target)).keys

    async def _fetched(self, target: TargetUrl) -> _Directory:
        task = self._running.get(target.url)
        if task is None:
            if not self._may_ask():
                return _Directory(None, 0, 0)
            task = asyncio.create_task(self._fetch(target))
            self._running[target.url] = task
            task.add_done_callback(lambda _: self._running.pop(target.url))
        return await asyncio.shield(task)  # another request may wait for it too

    def _may_ask(self) -> bool:
        now = self._clock()
        while self._began and self._began[0] <= now - 60:
            self._began.popleft()
        if len(self._began) >= MAX_A_MINUTE:
            return False
        self._began.append(now)
        return True

    async def _fetch(self, target: TargetUrl) -> _Directory:
        headers = {"accept": MEDIA_TYPE, "user-agent": self._agent}
        began = time.monotonic()
        try:
            response = await self._outbound.get(
                target, headers, seconds=SECONDS, max_bytes=MAX_BYTES
            )
        except OutboundError:
            keys, seconds = None, AGAIN_SECONDS
            await asyncio.sleep(began + MIN_SECONDS - time.monotonic())
        else:
            keys = _keys_of(response)
            seconds = AGAIN_SECONDS if keys is None else _lifetime(response)
        now = self._clock()
        directory = _Directory(keys, now, now + seconds)
        self._known[target.url] = directory
        self._known.move_to_end(target.url)
        while len(self._known) > MAX_DIRECTORIES:
            self._known.popitem(last=False)
        return directory


def _keys_of(response: OutboundResponse) -> Keys | None:
    """Return the keys of a directory; None if the response is none."""
    if response.status != _OK or not response.is_complete:
        return None
    try:
        value = read_json(response.body)
    except InvalidInputError:
        return None
    listed = value.get("keys") if isinstance(value, dict) else None
    return dict(_readable(listed)) if isinstance(listed, list) else None


def _readable(listed: list[Any]) -> Iterator[tuple[str, AgentKey]]:
    """Yield the Ed25519 keys, each by its thumbprint, whatever `kid` it claims."""
    for key in listed:
        if not isinstance(key, dict) or (key.get("kty"), key.get("crv")) != ("OKP", "Ed25519"):
            continue
        x, public = key.get("x"), b""
        if isinstance(x, str):
            try:
                public = b64url_decode(x, _KEY_BYTES)
            except ValueError:
                continue
        if public:
            times = (_time(key.get("nbf"), 0), _time(key.get("exp"), float("inf")))
            yield thumbprint(str(x)), AgentKey(public, *times)


def _time(value: object, default: float) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number else default  # type: ignore[arg-type]


def _lifetime(response: OutboundResponse) -> float:
    found = _MAX_AGE.search(response.headers.get("cache-control", "").lower())
    seconds = float(found[1]) if found else DEFAULT_SECONDS
    return min(max(seconds, AGAIN_SECONDS), MAX_SECONDS)


MAX_LIFETIME = 24 * 60 * 60
"""How long after `created` a signature may expire. Units: seconds."""
SKEW = 60
"""How far the clocks of an agent and of this service may differ. Units: seconds."""


class AgentVerifier:
    """Verifies the signatures of agents. `clock` gives seconds since 1970."""

    def __init__(
        self,
        directories: KeyDirectories,
        targets: TargetPolicy,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._directories = directories
        self._targets = targets
        self._clock = clock

    async def agent_of(self, head: RequestHead) -> Agent | None:
        """Return the agent that signed a request; None if that is not known.

        Raises: InvalidInputError if its signature does not hold.
        """
        signature = read_signature(head)
        if signature is None:
            return None
        self._check_times(signature)
        base, host = signature.base(head), self._host(signature.agent)
        if base is None or host is None or not signature.is_ed25519:
            return None
        keys = await self._directories.keys(host, signature.key_id)
        if keys is None:
            return None
        _verify(keys.get(signature.key_id), signature.signature, base, self._clock())
        return Agent(host.host, host.owner)

    def _check_times(self, signature: AgentSignature) -> None:
        now, parameters = self._clock(), signature.parameters
        created, expires = parameters["created"], parameters["expires"]
        if not created <= now + SKEW:
            raise refusal(INPUT_FIELD, "must not be created in the future")
        if not now - SKEW < expires:
            raise refusal(INPUT_FIELD, "must not have expired")
        if expires - created > MAX_LIFETIME:
            raise refusal(INPUT_FIELD, "must expire within 24 hours of its creation")

    def _host(self, agent: str | None) -> TargetUrl | None:
        """Return the host of an agent's directory; None if it is not one that is asked."""
        if agent is None:
            return None
        parts = urlsplit(agent)
        try:
            return self._targets.parse(f"{parts.scheme}://{parts.netloc}/")
        except InvalidInputError:
            return None


def _verify(key: AgentKey | None, signature: bytes, base: bytes, now: float) -> None:
    """Raise `InvalidInputError` if it is no signature of a key that the agent publishes."""
    if key is None or not key.not_before - SKEW <= now < key.expires + SKEW:
        rule = "must name a host whose directory has the key of keyid, valid now"
        raise refusal(AGENT_FIELD, rule)
    try:
        VerifyKey(key.public).verify(base, signature)
    except (CryptoError, ValueError):
        rule = "must be a signature of that key over this request"
        raise refusal(SIGNATURE_FIELD, rule) from None
