"""`studiograph models`: the weights of the embedded model, where they are and how they come."""

import json

import click

from resolvers.embeddings.download import MODEL_URL, download
from resolvers.embeddings.errors import ModelError
from resolvers.embeddings.weights import PULL, WeightSource, models_folder, weight_sources
from studiograph.cli import failed, json_option, note, pass_settings, progress, quiet_option
from studiograph.settings import Settings

NONE = f"There is no model, so searches find words and not meanings. Fix: {PULL}."


@click.group()
def command() -> None:
    """The weights of the embedded model of search and chat."""


@command.command("pull")
@json_option
@quiet_option
@pass_settings
def pull_model(settings: Settings, *, as_json: bool, quiet: bool) -> int:
    """Fetch the model into the data folder; each file is checked by its digest."""
    folder = models_folder(settings.data)
    try:
        with progress("Fetching the model", hidden=quiet or as_json) as show:
            fetched = download(settings.ai_model_url or MODEL_URL, folder, show)
    except ModelError as fault:
        return failed(str(fault), as_json=as_json)
    except OSError as error:
        wrong = f"{folder}: {error.strerror}. Fix: set STUDIOGRAPH_DATA to a folder to write in."
        return failed(wrong, as_json=as_json)
    if as_json:
        print(json.dumps({"ok": True, "folder": str(folder), "fetched": fetched}))
    elif not quiet:
        print(f"{folder}: {'fetched and verified' if fetched else 'it was there, and is whole'}")
    return 0


@command.command("list")
@json_option
@quiet_option
@pass_settings
def list_places(settings: Settings, *, as_json: bool, quiet: bool) -> int:
    """List where the model was looked for, and what was found."""
    found = [*weight_sources(settings.data)]
    if as_json:
        print(json.dumps([_plain(rung) for rung in found]))
    else:
        width = max(len(rung.name) for rung in found)
        for rung in found:
            print(f"{rung.name:{width}}  {_state(rung):7}  {rung.place or ''}".rstrip())
    if not quiet:
        remarks = [rung.error for rung in found if rung.error]
        if not any(rung.weights for rung in found):
            remarks.append(NONE)
        for remark in remarks:
            note(remark)
    return 0


def _plain(rung: WeightSource) -> dict[str, str]:
    told = {"place": rung.name, "state": _state(rung), "wrong": rung.error}
    told["folder"] = "" if rung.place is None else str(rung.place)
    return {name: value for name, value in told.items() if value}


def _state(rung: WeightSource) -> str:
    if rung.weights is not None:
        return "ready"
    return "refused" if rung.error else "absent"
