"""The catalog of the interfaces for agents, with questions that each of them answers.

Source: Agentic Resource Discovery (ARD) v0.91, sections 4 and 5.1; its members outside of `entries`
are those of AI Catalog 1.0, so that the same document serves readers of both.
"""

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class _Goal:
    """A goal of an operation, with its words and the length of their vector."""

    text: str
    operation: int
    words: frozenset[str]
    length: float


def representative_goals(goals: Sequence[Sequence[str]]) -> list[str]:
    """Return up to `MAX_QUERIES` goals, of the goals of each operation.

    The first is the most typical of all. Each further one is the least like those already chosen,
    of an operation that none was chosen of while there is one; of several, the most typical of its
    own operation.
    """
    weights = _weights(goals)
    left = list(_readable(goals, weights))
    own = {
        goal: _typical(goal, (o for o in left if o.operation == goal.operation), weights)
        for goal in left
    }
    chosen: list[_Goal] = []
    while left and len(chosen) < MAX_QUERIES:
        used = {goal.operation for goal in chosen}
        fresh = [goal for goal in left if goal.operation not in used] or left
        if chosen:
            best = max(fresh, key=lambda g: (-_nearest(g, chosen, weights), own[g]))
        else:
            best = max(fresh, key=lambda goal: _typical(goal, left, weights))
        chosen.append(best)
        left = [goal for goal in left if goal.text != best.text]
    return [goal.text for goal in chosen]


def _readable(goals: Sequence[Sequence[str]], weights: Mapping[str, float]) -> Iterable[_Goal]:
    for number, group in enumerate(goals):
        for text in group:
            if len(text.split()) >= MIN_WORDS:
                words = _words(text)
                length = math.sqrt(sum(weights[word] ** 2 for word in words))
                yield _Goal(text, number, words, length)


def _weights(goals: Iterable[Sequence[str]]) -> dict[str, float]:
    """Return the weight of each word: the rarer, the higher."""
    all_words = [_words(goal) for group in goals for goal in group]
    counts = Counter(word for words in all_words for word in words)
    return {word: math.log(1 + len(all_words) / count) for word, count in counts.items()}


def _typical(goal: _Goal, others: Iterable[_Goal], weights: Mapping[str, float]) -> float:
    return sum(_likeness(goal, other, weights) for other in others if other is not goal)


def _nearest(goal: _Goal, others: Iterable[_Goal], weights: Mapping[str, float]) -> float:
    return max(_likeness(goal, other, weights) for other in others)


def _likeness(a: _Goal, b: _Goal, weights: Mapping[str, float]) -> float:
    """Return the cosine of the two vectors of words, 0 to 1."""
    shared = a.words & b.words
    return sum(weights[word] ** 2 for word in shared) / (a.length * b.length) if shared else 0.0


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))
