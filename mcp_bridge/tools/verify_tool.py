"""`verify`: the signed form of a section, its key, and what is proved by it in words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from mcp_bridge.protocol.jsonrpc import Request
from mcp_bridge.tools.arguments import unknown_members
from mcp_bridge.tools.sections import MAX_CHARACTERS
from mcp_bridge.tools.tool import Tool, result_of
from sdl.errors import FieldProblem, InvalidInputError
from sdl.operations.catalog import SECTION, VERIFY
from sdl.operations.operation import Operation
from sdl.running.runner import Snapshot
from sdl.tools.code_in_text import inline_code

PAYLOAD = "payload"
_ARGUMENTS = (SECTION, PAYLOAD)


@dataclass(frozen=True)
class Checked:
    """What a service found of its own envelope, in words for the caller."""

    key: Mapping[str, Any]
    """The published key that made the signature."""
    checked: Sequence[str]
    """The checks that this service has made, one sentence each."""
    to_check: Sequence[str]
    """What only the caller can check, one sentence each."""


CheckEnvelope = Callable[[Snapshot, Mapping[str, Any]], Checked]
"""Checks an envelope against the published keys. Raises: ApiError if it does not verify."""


@dataclass(frozen=True)
class VerifyTool(Tool):
    """Gives signed forms, checked."""

    signed: Mapping[str, Operation]
    """The signed operations, by the names of their sections."""
    check: CheckEnvelope
    name, title, reads = VERIFY, "Verify a section", True
    description = (
        "Get proof that a section is authentic and unchanged: its signed envelope, the public"
        " key, what was checked, and what you must check yourself."
    )

    def input_schema(self, snapshot: Snapshot) -> dict[str, Any]:
        """Return the schema, which lists the signed sections."""
        section = {"type": "string", "enum": [*self._sections(snapshot)]}
        payload = {"type": "boolean", "description": "Give the signed content however long it is."}
        return {
            "type": "object",
            "properties": {SECTION: section, PAYLOAD: payload},
            "required": [SECTION],
        }

    def output_schema(self, max_bytes: int) -> dict[str, Any]:
        """Return the schema."""
        del max_bytes
        return {"type": "object", "properties": {"envelope": {"type": "object"}}}

    async def run(self, arguments: Mapping[str, Any], request: Request) -> bytes:
        """Return the envelope and what is proved. Raises: ApiError."""
        snapshot = request.snapshot
        signed = self._sections(snapshot)
        name, is_whole = self._read(arguments, signed)
        operation = signed[name]
        envelope = snapshot.signed(operation)
        found = self.check(snapshot, envelope)
        query = f"?{SECTION}={name}" if operation.sign and operation.sign.section else ""
        url = f"{request.base_url}{operation.signed_path}{query}"
        notes = []
        if operation.name in {own.name for own in snapshot.unpublished}:
            notes.append(f"Nothing is published in {name}; what is signed is its empty value.")
        if not is_whole and 2 * len(orjson.dumps(envelope)) > MAX_CHARACTERS:
            notes.append(
                "The payload is left out, as it is long; call again with payload true, or get the"
                f" envelope from {url}"
            )
            envelope = {key: value for key, value in envelope.items() if key != PAYLOAD}
        note = " ".join(notes)
        structured = {
            SECTION: name,
            "url": url,
            "envelope": envelope,
            "key": found.key,
            "checked": [*found.checked],
            "toCheck": [*found.to_check],
            **({"more": note} if note else {}),
        }
        facts = {key: envelope[key] for key in envelope if key not in (PAYLOAD, "publicJwk")}
        text = "\n".join(
            [
                f"# Proof of {name}\n",
                *([f"> {note}\n"] if note else []),
                f"- url: {url}",
                *(f"- {key}: {value}" for key, value in facts.items()),
                f"- key: {orjson.dumps(found.key).decode()}",
                "\n## Checked by this server\n",
                *(f"- {line}" for line in found.checked),
                "\n## What you must check yourself\n",
                *(f"- {line}" for line in found.to_check),
                *(
                    [f"\n## Payload\n\n{_as_code(envelope[PAYLOAD])}"]
                    if PAYLOAD in envelope
                    else []
                ),
            ]
        )
        return result_of(f"{text}\n", structured)

    def _sections(self, snapshot: Snapshot) -> dict[str, Operation]:
        """Return the signed operations by the names of their sections, also of empty ones."""
        empty = {own.name for own in snapshot.unpublished}
        found = self.signed.items()
        return {n: own for n, own in found if snapshot.has(own) or own.name in empty}

    @staticmethod
    def _read(arguments: Mapping[str, Any], signed: Mapping[str, Operation]) -> tuple[str, bool]:
        """Return the section's name, and whether its payload is wanted.

        Raises: InvalidInputError.
        """
        section, is_whole = arguments.get(SECTION), arguments.get(PAYLOAD, False)
        problems = unknown_members(arguments, _ARGUMENTS)
        if not isinstance(section, str) or section not in signed:
            known = tuple(signed)
            rule = "is not a signed section" if SECTION in arguments else "is required"
            problems.append(FieldProblem(SECTION, rule, known))
        if not isinstance(is_whole, bool):
            problems.append(FieldProblem(PAYLOAD, "must be true or false"))
        if problems or not isinstance(section, str):
            raise InvalidInputError("The input of this tool is not valid.", problems)
        return section, is_whole


def _as_code(payload: Any) -> str:
    """Return JSON as one line of code, which no text in it can end."""
    return inline_code(orjson.dumps(payload).decode())
