"""The command `studiograph index`, which embeds the content before a server starts."""

import asyncio
import json
import time

import click

from resolvers.ai.embedding_count import EmbeddingCount
from resolvers.embeddings.errors import ModelError
from studiograph.application import make_application
from studiograph.cli import failed, json_option, pass_settings, progress, quiet_option
from studiograph.settings import Settings


@click.command()
@json_option
@quiet_option
@pass_settings
def command(settings: Settings, *, as_json: bool, quiet: bool) -> int:
    """Embed all texts for search and chat, so that the next start is faster."""
    try:
        result = _embed(settings, hidden=quiet or as_json)
    except ModelError as error:
        return failed(str(error), as_json=as_json)
    if as_json:
        print(json.dumps({"ok": True, **result}))
    elif not quiet:
        print(
            f"{result['passages']} passages, {result['embedded']} of them embedded now by"
            f" {result['embedder']} in {result['seconds']} s"
        )
    return 0


def _embed(settings: Settings, *, hidden: bool) -> dict[str, str | int | float]:
    """Load what a server loads, and return the counts. Raises: ModelError."""
    app = make_application(settings, preview=True)
    began = time.monotonic()
    with progress("Embedding", hidden=hidden) as show:
        count = EmbeddingCount(show)
        embedder = app.services.models.load(count).embedder
    asyncio.run(app.services.close())
    return {
        "passages": count.passages,
        "embedded": count.embedded,
        "embedder": embedder.id,
        "mode": embedder.mode,
        "seconds": round(time.monotonic() - began, 2),
    }
