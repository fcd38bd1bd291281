"""The sample studio behind Strawberry's own ASGI application.

    python with_strawberry.py PORT CACHES

The same types, resolvers and content. With CACHES, Strawberry's caches of parsed and validated
documents are on.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import uvicorn
from strawberry.asgi import GraphQL
from strawberry.extensions import ParserCache, ValidationCache

sys.path.append(str(Path(__file__).parents[2]))

from content.reading.revision import read_revision
from resolvers.executable_schema import public_schema
from studiograph.application import build_snapshot, load_operations
from studiograph.settings import Settings
from studiograph.wiring.services import Services

ROOT = Path(__file__).parents[2]


def main() -> None:
    """Serve until it is stopped."""
    schema = public_schema()
    if sys.argv[2] == "True":
        caches = (ParserCache(maxsize=128), ValidationCache(maxsize=128))
        schema.extensions = tuple(lambda own=own: own for own in caches)  # type: ignore[misc]
    with TemporaryDirectory() as data:
        settings = Settings(content=ROOT / "content", data=Path(data))
        revision = read_revision(settings.content)
        services = Services(settings, revision.site)
        snapshot = build_snapshot(load_operations(), revision, settings, services)

        class Peer(GraphQL[Any, Any]):
            """Strawberry's application on the snapshot."""

            async def get_root_value(self, request: Any) -> Any:
                """Return the content."""
                del request
                return snapshot.data

            async def get_context(self, request: Any, response: Any) -> Any:
                """Return the context of the resolvers."""
                del request, response
                return snapshot.context

        app = Peer(schema)
        uvicorn.run(app, port=int(sys.argv[1]), log_level="warning", access_log=False)


if __name__ == "__main__":
    main()
