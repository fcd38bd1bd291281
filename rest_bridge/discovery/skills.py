"""The index of agent skills: operations with `@skill`. Source: Agent Skills Discovery 0.2.0."""

import hashlib

import orjson

from rest_bridge.discovery.documents import DocumentContext
from rest_bridge.representations.rendering import MARKDOWN, Places, rendered, skill_head
from rest_bridge.representations.responses import index_path
from sdl.operations.operation import Operation

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
