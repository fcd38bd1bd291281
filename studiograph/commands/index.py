"""`studiograph index`: every passage embedded before a server starts, so that it starts sooner."""

import argparse
import json
import sys
import time

from content.reader import load
from resolvers.answers.faults import ModelFault
from studiograph.commands.failure import failed
from studiograph.embedding import choice_of, vectors_folder
from studiograph.progress import Bar
from studiograph.settings import Settings


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser("index", help="embed all passages that search and chat find")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--quiet", action="store_true", help="print nothing but faults")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """0 once all is embedded, 1 where there is no model to make them."""
    try:
        told = _embed(settings, hidden=arguments.quiet or arguments.json)
    except ModelFault as fault:
        return failed(str(fault), as_json=arguments.json)
    if arguments.json:
        print(json.dumps({"ok": True, **told}))
    elif not arguments.quiet:
        print(
            f"{told['passages']} passages, {told['embedded']} of them embedded now by"
            f" {told['embedder']} in {told['seconds']} s"
        )
    return 0


def _embed(settings: Settings, *, hidden: bool) -> dict[str, str | int | float]:
    """What was done. Raises: ModelFault."""
    from resolvers.answers.choice import embedder_of  # noqa: PLC0415 - these bring numpy
    from resolvers.answers.passages import (  # noqa: PLC0415 - the same
        embedded_text,
        entries_of,
        passages_of,
    )
    from resolvers.answers.vectors import CachedVectors  # noqa: PLC0415 - the same

    entries = entries_of(load(settings.content), lambda kind, slug: f"{kind}/{slug}")
    texts = [embedded_text(passage) for entry in entries for passage in passages_of(entry)]
    began = time.monotonic()
    embedder = embedder_of(choice_of(settings), settings.data)
    counts: list[int] = []
    with Bar("Embedding", sys.stderr, hidden=hidden) as bar:

        def told(done: int, total: int) -> None:
            counts.append(total - done)
            bar(done, total)

        CachedVectors(vectors_folder(settings), embedder).documents(texts, told)
    return {
        "passages": len(texts),
        "embedded": counts[0],
        "embedder": embedder.id,
        "mode": embedder.mode,
        "seconds": round(time.monotonic() - began, 2),
    }
