"""The signature of an agent's request, as the headers carry it, and the text that it signs.

Source: RFC 9421 (HTTP Message Signatures), draft-meunier-web-bot-auth-architecture.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlsplit

import http_sf

from sdl.errors import FieldProblem, InvalidInputError

TAG = "web-bot-auth"
AGENT_FIELD, INPUT_FIELD, SIGNATURE_FIELD = "Signature-Agent", "Signature-Input", "Signature"
MAX_COMPONENTS = 20

Parameters = Mapping[str, Any]
Item = tuple[Any, Parameters]


@dataclass(frozen=True)
class RequestHead:
    """What can be signed of a request: everything but its body."""

    method: str
    base_url: str
    """The address of the service as agents know it; the `Host` header is not trusted."""
    target: str
    """The path and the query, as sent."""
    headers: Sequence[tuple[str, str]]
    """The names in lower case."""

    def field(self, name: str) -> str | None:
        """Return a field's values, joined; None if it is not there. Source: section 2.1."""
        values = [value.strip() for key, value in self.headers if key == name.lower()]
        return ", ".join(values) if values else None

    def derived(self, name: str) -> str | None:
        """Return a part of the request that is no field. Source: section 2.2."""
        base, (path, _, query) = urlsplit(self.base_url), self.target.partition("?")
        parts = {
            "@method": self.method,
            "@authority": base.netloc.lower(),
            "@scheme": base.scheme,
            "@target-uri": f"{self.base_url}{self.target}",
            "@request-target": self.target,
            "@path": path,
            "@query": f"?{query}",
        }
        return parts.get(name)


@dataclass(frozen=True)
class AgentSignature:
    """One signature of a request, by an agent."""

    components: Sequence[Item]
    parameters: Parameters
    signature: bytes
    agent: str | None
    """The address of the agent that the signature covers; None if the request names none."""

    @property
    def key_id(self) -> str:
        """The thumbprint of the key."""
        return str(self.parameters["keyid"])

    @property
    def is_ed25519(self) -> bool:
        """Whether it may be of the one algorithm that is verified here."""
        return bool(self.parameters.get("alg", "ed25519") == "ed25519")

    def base(self, head: RequestHead) -> bytes | None:
        """Return the bytes that are signed; None if it covers what cannot be told here.

        Source: section 2.5.
        """
        lines = []
        for name, parameters in self.components:
            value = _value(name, parameters, head)
            if value is None or not value.isascii():
                return None
            lines.append(f"{http_sf.ser((name, dict(parameters)))}: {value}")
        lines.append(f'"@signature-params": {_serialized(self.components, self.parameters)}')
        return "\n".join(lines).encode()


def read_signature(head: RequestHead) -> AgentSignature | None:
    """Return the signature of an agent, without a look at its key; None if there is none.

    Raises: InvalidInputError if it is not one that an agent may send.
    """
    inputs = _dictionary(head, INPUT_FIELD)
    label = next((name for name, member in inputs.items() if _is_of_an_agent(member)), None)
    if label is None:
        return None
    components, parameters = cast("tuple[list[Item], Parameters]", inputs[label])
    signature = _dictionary(head, SIGNATURE_FIELD).get(label, (None, {}))[0]
    if not isinstance(signature, bytes):
        raise refusal(SIGNATURE_FIELD, f"must have the bytes of {label}, as Signature-Input does")
    _check(components, parameters)
    return AgentSignature(components, parameters, signature, _agent(head, components))


def refusal(field: str, rule: str) -> InvalidInputError:
    """Return the error of a signature that does not hold."""
    detail = "The signature of the request does not hold. Sign it anew, or send it without one."
    return InvalidInputError(detail, [FieldProblem(field, rule)])


def _check(components: Sequence[Item], parameters: Parameters) -> None:
    """Raise `InvalidInputError` if something is missing that an agent must sign."""
    kinds = {"created": int, "expires": int, "keyid": str}
    for name, kind in kinds.items():
        if type(parameters.get(name)) is not kind:
            what = "an integer" if kind is int else "a string"
            raise refusal(INPUT_FIELD, f"must have the parameter {name}, {what}")
    names = [name for name, _ in components]
    if not all(isinstance(name, str) for name in names) or len(components) > MAX_COMPONENTS:
        raise refusal(INPUT_FIELD, f"must cover at most {MAX_COMPONENTS} components, each a string")
    if len({_serialized([item], {}) for item in components}) < len(components):
        raise refusal(INPUT_FIELD, "must cover each component once")
    if not {"@authority", "@target-uri"} & {*names}:
        raise refusal(INPUT_FIELD, "must cover @authority or @target-uri")


def _agent(head: RequestHead, components: Iterable[Item]) -> str | None:
    """Return the address in the member of `Signature-Agent` that is covered.

    Raises: InvalidInputError if the field is there and not covered.
    """
    value = head.field(AGENT_FIELD)
    if value is None:
        return None
    covered = [found for name, found in components if name == AGENT_FIELD.lower()]
    if not covered:
        raise refusal(INPUT_FIELD, 'must cover "signature-agent", as the request names an agent')
    if "key" not in covered[0]:  # a string, as in the first drafts
        member = _parsed(AGENT_FIELD, value, "item")
    else:
        member = _dictionary(head, AGENT_FIELD).get(covered[0]["key"], (None, {}))
    agent, parameters = member
    if not isinstance(agent, str):
        raise refusal(AGENT_FIELD, "must be an https address in quotation marks")
    return agent if parameters.get("type", "directory") == "directory" else None


def _value(name: str, parameters: Parameters, head: RequestHead) -> str | None:
    """Return the value of a component; None if it is of a kind that is not known here."""
    if name.startswith("@"):
        return None if parameters else head.derived(name)
    if not parameters:
        return head.field(name)
    if name != AGENT_FIELD.lower() or {*parameters} != {"key"}:
        return None
    agent = _dictionary(head, AGENT_FIELD).get(parameters["key"])  # section 2.1.2
    return None if agent is None else http_sf.ser(agent)


def _serialized(components: Sequence[Item], parameters: Parameters) -> str:
    inner_list: Any = (list(components), dict(parameters))
    return http_sf.ser([inner_list])


def _dictionary(head: RequestHead, field: str) -> dict[str, Any]:
    value = head.field(field)
    return {} if value is None else cast("dict[str, Any]", _parsed(field, value, "dictionary"))


def _parsed(field: str, value: str, kind: str) -> Any:
    try:
        return http_sf.parse(value.encode("latin-1"), tltype=kind)
    except ValueError:
        raise refusal(field, f"must be a {kind} of RFC 9651") from None


def _is_of_an_agent(member: Any) -> bool:
    components, parameters = member
    return isinstance(components, list) and parameters.get("tag") == TAG
