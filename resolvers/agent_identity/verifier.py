"""Verifies who signed a request. Nobody must sign; a signature that does not hold is refused.

What cannot be verified, such as another algorithm or a directory that is away, makes no difference:
the request is answered like one without a signature.
"""

import time
from collections.abc import Callable
from urllib.parse import urlsplit

from nacl.exceptions import CryptoError
from nacl.signing import VerifyKey

from resolvers.agent_identity.key_directories import AgentKey, KeyDirectories
from resolvers.agent_identity.signed_request import (
    AGENT_FIELD,
    INPUT_FIELD,
    SIGNATURE_FIELD,
    AgentSignature,
    RequestHead,
    read_signature,
    refusal,
)
from resolvers.http_client.targets import TargetPolicy, TargetUrl
from sdl.caller import Agent
from sdl.errors import InvalidInputError

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
