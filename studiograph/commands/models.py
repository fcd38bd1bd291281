"""`studiograph models`: the weights of the embedded model, where they are and how they come."""

import argparse
import json
import sys

from resolvers.answers.download import MODEL_URL, pull
from resolvers.answers.faults import ModelFault
from resolvers.answers.weights import PULL, Rung, models_folder, rungs
from studiograph.commands.failure import failed
from studiograph.progress import Bar
from studiograph.settings import Settings

NONE = f"There is no model, so searches find words and not meanings. Fix: {PULL}."


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser("models", help="the embedded model of search and chat")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    pulls = actions.add_parser("pull", help="fetch the model into the data folder and verify it")
    lists = actions.add_parser("list", help="where the model is looked for, and what is there")
    for made, action in ((pulls, _pull), (lists, _list)):
        made.add_argument("--json", action="store_true", help="print JSON")
        made.add_argument("--quiet", action="store_true", help="print no remarks")
        made.set_defaults(run=action)


def _pull(arguments: argparse.Namespace, settings: Settings) -> int:
    """0 once the model is there, 1 where it does not come or cannot be kept."""
    folder = models_folder(settings.data)
    hidden = arguments.quiet or arguments.json
    try:
        with Bar("Fetching the model", sys.stderr, hidden=hidden) as bar:
            fetched = pull(settings.ai_model_url or MODEL_URL, folder, bar)
    except ModelFault as fault:
        return failed(str(fault), as_json=arguments.json)
    except OSError as error:
        wrong = f"{folder}: {error.strerror}. Fix: set STUDIOGRAPH_DATA to a folder to write in."
        return failed(wrong, as_json=arguments.json)
    if arguments.json:
        print(json.dumps({"ok": True, "folder": str(folder), "fetched": fetched}))
    elif not arguments.quiet:
        print(f"{folder}: {'fetched and verified' if fetched else 'it was there, and is whole'}")
    return 0


def _list(arguments: argparse.Namespace, settings: Settings) -> int:
    """0; what is wrong with a file stands in the list."""
    found = [*rungs(settings.data)]
    if arguments.json:
        print(json.dumps([_plain(rung) for rung in found]))
    else:
        width = max(len(rung.name) for rung in found)
        for rung in found:
            print(f"{rung.name:{width}}  {_state(rung):7}  {rung.place or ''}".rstrip())
    if not arguments.quiet:
        remarks = [rung.wrong for rung in found if rung.wrong]
        if not any(rung.weights for rung in found):
            remarks.append(NONE)
        print(*remarks, sep="\n", end="\n" * bool(remarks), file=sys.stderr)
    return 0


def _plain(rung: Rung) -> dict[str, str]:
    told = {"place": rung.name, "state": _state(rung), "wrong": rung.wrong}
    told["folder"] = "" if rung.place is None else str(rung.place)
    return {name: value for name, value in told.items() if value}


def _state(rung: Rung) -> str:
    if rung.weights is not None:
        return "ready"
    return "refused" if rung.wrong else "absent"
