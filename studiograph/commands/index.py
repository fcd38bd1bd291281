"""The command `studiograph index`, which embeds the content before a server starts."""

import asyncio
import json
import time
from collections.abc import Callable

import click

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


class _Count:
    """Counts the texts of all caches that are filled one after another."""

    def __init__(self, show: Callable[[int, int], None]) -> None:
        self._show = show
        self._is_first = True
        self.passages = self.embedded = 0

    def __call__(self, done: int, total: int) -> None:
        if self._is_first:
            self.passages += total
            self.embedded += total - done
        self._is_first = done == total
        self._show(done, total)


def _embed(settings: Settings, *, hidden: bool) -> dict[str, str | int | float]:
    """Load what a server loads, and return the counts. Raises: ModelError."""
    app = make_application(settings, preview=True)
    began = time.monotonic()
    with progress("Embedding", hidden=hidden) as show:
        count = _Count(show)
        embedder = app.services.models.load(count).embedder
    asyncio.run(app.services.close())
    return {
        "passages": count.passages,
        "embedded": count.embedded,
        "embedder": embedder.id,
        "mode": embedder.mode,
        "seconds": round(time.monotonic() - began, 2),
    }
