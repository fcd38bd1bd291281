"""The catalog of the interfaces for agents, with questions that each of them answers.

Source: Agentic Resource Discovery (ARD) v0.91, sections 4 and 5.1; its members outside of `entries`
are those of AI Catalog 1.0, so that the same document serves readers of both.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

import orjson

from rest_bridge.discovery.documents import AgentInterface, Document, DocumentContext, sentence
from rest_bridge.representations.rendering import MARKDOWN, Places, rendered, skill_head
from rest_bridge.representations.responses import index_path
from sdl.operations.catalog import is_answered
from sdl.operations.operation import Operation
from sdl.types.declare import slug_of

AI_CATALOG = "application/ai-catalog+json"


def ard(context: DocumentContext) -> bytes:
    """Return the catalog.

    Shape: `{specVersion, host: {displayName, identifier, documentationUrl, trustManifest}, entries:
    [{identifier, displayName, type, url, description, tags, capabilities, representativeQueries,
    version, updatedAt}]}`. An entry has no queries if fewer than two goals lead to it, and no
    `updatedAt` if the content has no time of change.
    """
    return context.snapshot.cached("agentic resources", lambda: _catalog(context))


def _catalog(context: DocumentContext) -> bytes:
    directory = context.directory
    host = {
        "displayName": directory["name"],
        "identifier": directory["baseUrl"],
        "documentationUrl": urljoin(directory["baseUrl"], index_path(context.relations)),
        "trustManifest": {"identity": directory["baseUrl"], "identityType": "https"},
    }
    return orjson.dumps({"specVersion": "1.0", "host": host, "entries": list(_entries(context))})


def _entries(context: DocumentContext) -> Iterator[dict[str, Any]]:
    available = [o for o in context.snapshot.operations if is_answered(o, context.snapshot)]
    for document in context.documents:
        if document.interface is not None:
            yield _interface(context, document, document.interface, available)
    for operation in skills_in(context):
        yield _skill(context, operation)


def _interface(
    context: DocumentContext,
    document: Document,
    interface: AgentInterface,
    available: Sequence[Operation],
) -> dict[str, Any]:
    """Return the entry of a document that describes an interface."""
    reached = [operation for operation in available if interface.reaches(operation)]
    entry = {
        "identifier": _identifier(context, interface.name),
        "displayName": f"{context.directory['name']}: {document.title}",
        "type": document.media_type,
        "url": context.url(document.path),
        "description": f"{sentence(context.directory['summary'])} {document.note}",
        "tags": sorted({slug_of(o.llms.section) for o in reached if o.llms is not None}),
        "capabilities": list(interface.capabilities(context.snapshot)),
        "version": context.directory["version"],
    }
    return entry | _queries(reached) | _updated(context)


def _skill(context: DocumentContext, operation: Operation) -> dict[str, Any]:
    """Return the entry of a skill."""
    body = context.snapshot.run(operation)
    head = skill_head(operation, operation.shape, body)
    entry = {
        "identifier": _identifier(context, head["name"]),
        "displayName": f"{context.directory['name']}: {operation.title}",
        "type": SKILL_TYPE,
        "url": context.url(operation.rest.path if operation.rest is not None else "/"),
        "description": head["description"],
        "tags": ["skill"],
        "version": context.directory["version"],
    }
    return entry | _queries([operation]) | _updated(context)


def _queries(reached: list[Operation]) -> dict[str, Any]:
    goals = representative_goals([o.intent.goals for o in reached if o.intent is not None])
    return {"representativeQueries": goals} if len(goals) >= MIN_QUERIES else {}


def _updated(context: DocumentContext) -> dict[str, Any]:
    if context.snapshot.modified is None:
        return {}
    changed = datetime.fromtimestamp(int(context.snapshot.modified), UTC)
    return {"updatedAt": f"{changed:%Y-%m-%dT%H:%M:%SZ}"}


def _identifier(context: DocumentContext, name: str) -> str:
    """Return `urn:air:<publisher>:<namespace>:<name>`. Source: ARD v0.91, appendix C."""
    host = re.sub(r"[^a-z0-9.-]+", "-", urlsplit(context.directory["baseUrl"]).hostname or "")
    owner = slug_of(context.directory["name"]) or context.snapshot.words.noun
    return f"urn:air:{host.strip('-')}:{owner}:{name}"


SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
SKILL_TYPE = 'text/markdown; profile="urn:air:agent-skills"'
"""The media type of a skill in the catalog for agents. Source: ARD's conformance tester."""


def skills_in(context: DocumentContext) -> list[Operation]:
    """Return the operations that are skills."""
    return [o for o in context.snapshot.operations if o.skill is not None and o.rest is not None]


def skills_index(context: DocumentContext) -> bytes:
    """Return the index, with the digest of each skill's text as it is served.

    Shape: `{$schema, skills: [{name, type, description, url, digest}]}`.
    """
    skills = []
    for operation in skills_in(context):
        body = context.snapshot.run(operation)
        places = Places(index_path(context.relations))
        text = rendered(operation, operation.shape, body, MARKDOWN, places)
        skills.append(
            {
                **skill_head(operation, operation.shape, body),
                "type": "skill-md",
                "url": context.url(operation.rest.path if operation.rest is not None else "/"),
                "digest": f"sha256:{hashlib.sha256(text).hexdigest()}",
            }
        )
    return orjson.dumps({"$schema": SCHEMA, "skills": skills})


MIN_QUERIES, MAX_QUERIES = 2, 5
"""How many examples an entry should have. Source: ARD v0.91, section 4.2."""
MIN_WORDS = 5
"""Shorter goals, such as the name of a file, are keywords and not what somebody would ask."""

_WORD = re.compile(r"\w{3,}")


_Goal = tuple[int, str, frozenset[str]]
"""The number of the operation, the goal, and its words."""


def representative_goals(goals: Sequence[Sequence[str]]) -> list[str]:
    """Return up to `MAX_QUERIES` goals, of the goals of each operation.

    Each is the least like those before it, of an operation that none is of while there is one.
    """
    left = [
        (operation, text, frozenset(_WORD.findall(text.lower())))
        for operation, group in enumerate(goals)
        for text in group
        if len(text.split()) >= MIN_WORDS
    ]
    chosen: list[_Goal] = []
    while left and len(chosen) < MAX_QUERIES:
        used = {operation for operation, _, _ in chosen}
        best = min(left, key=lambda goal: (goal[0] in used, _most_shared(goal[2], chosen)))
        chosen.append(best)
        left = [goal for goal in left if goal[1] != best[1]]
    return [text for _, text, _ in chosen]


def _most_shared(words: frozenset[str], chosen: Sequence[_Goal]) -> float:
    """Return the greatest part of its words that a goal shares with one of those chosen."""
    shares = (len(words & known) / (len(words | known) or 1) for _, _, known in chosen)
    return max(shares, default=0)
