"""OpenAPI path items of the health endpoints."""

from collections.abc import Iterator, Mapping, Sequence

from rest_bridge.endpoints.health import LIVE, READY
from rest_bridge.openapi.responses import PathItem, responses, strict_object
from rest_bridge.representations.rendering import JSON


def health_items() -> Iterator[tuple[str, PathItem]]:
    """Yield both paths, each with its item."""
    status = {"status": {"const": "ok"}}
    yield LIVE, _item("GetHealth", "Whether the service is running.", status)
    content = {
        "enum": ["current", "stale"],
        "description": "Stale: the newest content is invalid, so the content before is served.",
    }
    models = {
        "enum": ["ready", "loading", "unavailable"],
        "description": "Whether search, chat, embeddings and intent are available.",
    }
    properties = {
        "status": {"const": "ready"},
        "revision": {"type": "string"},
        "content": content,
        "answers": models,
        "mode": {
            "const": "preview",
            "description": "The content has not been published; absent if it is.",
        },
    }
    summary = "Whether the newest content is being served."
    yield READY, _item("GetReadiness", summary, properties, optional=("mode",))


def _item(
    name: str, summary: str, properties: Mapping[str, object], optional: Sequence[str] = ()
) -> PathItem:
    operation = {"operationId": name, "summary": summary, "description": summary}
    schema = strict_object(properties)
    schema["required"] = [member for member in properties if member not in optional]
    answers = responses({JSON: schema}, cached=False)
    return {"get": {**operation, "responses": answers}}
