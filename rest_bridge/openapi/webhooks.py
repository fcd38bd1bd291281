"""OpenAPI path items of what is sent to webhooks. Source: OpenAPI 3.1.1."""

from collections.abc import Iterable, Iterator

from rest_bridge.openapi.responses import PathItem
from rest_bridge.openapi.schemas import SharedSchemas
from rest_bridge.representations.rendering import JSON
from sdl.operations.operation import Operation


def webhook_items(
    operations: Iterable[Operation], shared: SharedSchemas
) -> Iterator[tuple[str, PathItem]]:
    """Yield the item of each operation that is sent to webhooks, by the event's name."""
    for operation in operations:
        if operation.webhook is not None:
            first, _, others = operation.description.strip().partition("\n\n")
            body = {"schema": shared.of(operation.shape, operation.name)}
            item = {
                "operationId": operation.name,
                "summary": operation.summary,
                "description": others or first,
                "requestBody": {"required": True, "content": {JSON: body}},
                "responses": {"2XX": {"description": "The receiver has it."}},
            }
            yield operation.webhook.name, {"post": item}
