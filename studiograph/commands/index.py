"""The command `studiograph index`, which embeds the content before a server starts."""

import json
import time

import click

from content.reader import load
from resolvers.embeddings.disk_cache import DiskVectorCache, vectors_folder
from resolvers.embeddings.errors import ModelError
from resolvers.embeddings.factory import make_embedder
from resolvers.search.documents import chunks_of, documents_of, embedding_text
from studiograph.cli import failed, json_option, pass_settings, progress, quiet_option
from studiograph.settings import Settings
from studiograph.wiring.ai import embedder_config


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
    """Embed the content and return the counts. Raises: ModelError."""
    documents = documents_of(load(settings.content), lambda kind, slug: f"{kind}/{slug}")
    texts = [embedding_text(chunk) for document in documents for chunk in chunks_of(document)]
    began = time.monotonic()
    embedder = make_embedder(embedder_config(settings), settings.data)
    missing: list[int] = []
    with progress("Embedding", hidden=hidden) as show:

        def report(done: int, total: int) -> None:
            missing.append(total - done)
            show(done, total)

        DiskVectorCache(vectors_folder(settings.data), embedder).get_or_embed(texts, report)
    return {
        "passages": len(texts),
        "embedded": missing[0],
        "embedder": embedder.id,
        "mode": embedder.mode,
        "seconds": round(time.monotonic() - began, 2),
    }
