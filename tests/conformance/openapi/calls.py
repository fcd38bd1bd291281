"""Ten paths through the client that openapi-python-client writes: `calls.py ADDRESS`.

Prints a line of JSON for each call: its name, and whether it answered with the type that it says.
"""

import json
import sys
from importlib import import_module
from typing import Any

PACKAGE = "studio_client"
LETTER = {
    "name": "Ines Ferreira",
    "email": "ines@harbour.example",
    "message": "Could you review our tide forecasts in March, please?",
    "dryRun": True,
}
QUESTION = {"query": "What is Tidebook?"}
CALLS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("studio.get_about", {}, "studio.founder.name"),
    ("projects.list_projects", {}, "0.name"),
    ("projects.get_project", {"slug": "tidebook"}, "highlights.0.value"),
    ("projects.get_project", {"slug": "no-such"}, "error"),
    ("working_together.get_status", {}, "studio.state"),
    ("working_together.get_engagement", {}, "scope.0"),
    ("news.list_changelog", {"limit": 2}, "1.published_at"),
    ("everything_at_once.get_manifest_signed", {}, "public_jwk.kid"),
    ("reference.list_faq", {}, "0.q"),
    ("proofs.get_key_set", {}, "keys.0.kid"),
    ("ask.search_content", {"body": ("SearchContentBody", QUESTION)}, "results.0.title"),
    ("ask.ask", {"body": QUESTION}, "citations.0.url"),
    ("working_together.send_contact", {"body": ("SendContactBody", LETTER)}, "ok"),
)
"""The module of each call, its arguments, and a member of the answer."""


def argument(value: Any) -> Any:
    """A model of the client from its name and its members, or a value as it is."""
    if not isinstance(value, tuple):
        return value
    name, members = value
    return getattr(import_module(f"{PACKAGE}.models"), name).from_dict(members)


def member(value: Any, path: str) -> Any:
    """What stands at a path of attributes and positions."""
    for name in path.split("."):
        value = value[int(name)] if name.isdigit() else getattr(value, name)
    return value


def main(address: str) -> None:
    client = import_module(PACKAGE).Client(base_url=address, timeout=60)
    for module, arguments, path in CALLS:
        call = import_module(f"{PACKAGE}.api.{module}")
        given = {name: argument(value) for name, value in arguments.items()}
        try:
            said = member(call.sync(client=client, **given), path)
        except Exception as error:  # noqa: BLE001 - the caller reports it
            line = {"name": module, "held": False, "said": repr(error)}
        else:
            line = {"name": module, "held": bool(said), "said": str(said)}
        sys.stdout.write(f"{json.dumps(line)}\n")


main(sys.argv[1])
