"""`studiograph index`: every passage embedded before a server starts, so that it starts sooner."""

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
    """Embed all passages that search and chat find, so that the next start answers sooner."""
    try:
        told = _embed(settings, hidden=quiet or as_json)
    except ModelError as fault:
        return failed(str(fault), as_json=as_json)
    if as_json:
        print(json.dumps({"ok": True, **told}))
    elif not quiet:
        print(
            f"{told['passages']} passages, {told['embedded']} of them embedded now by"
            f" {told['embedder']} in {told['seconds']} s"
        )
    return 0


def _embed(settings: Settings, *, hidden: bool) -> dict[str, str | int | float]:
    """What was done. Raises: ModelFault."""
    entries = documents_of(load(settings.content), lambda kind, slug: f"{kind}/{slug}")
    texts = [embedding_text(passage) for entry in entries for passage in chunks_of(entry)]
    began = time.monotonic()
    embedder = make_embedder(embedder_config(settings), settings.data)
    counts: list[int] = []
    with progress("Embedding", hidden=hidden) as show:

        def told(done: int, total: int) -> None:
            counts.append(total - done)
            show(done, total)

        DiskVectorCache(vectors_folder(settings.data), embedder).get_or_embed(texts, told)
    return {
        "passages": len(texts),
        "embedded": counts[0],
        "embedder": embedder.id,
        "mode": embedder.mode,
        "seconds": round(time.monotonic() - began, 2),
    }
