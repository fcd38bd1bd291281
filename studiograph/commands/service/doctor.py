"""`studiograph doctor`: what would keep a studio from being read, each with its fix."""

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import click
import httpx

from resolvers.db.database import DatabaseError
from resolvers.signing.keys import ProofError
from sdl.errors import StudiographError
from studiograph.application import make_application
from studiograph.cli import json_option, pass_settings
from studiograph.commands.studio.check import Findings, look
from studiograph.settings import Settings
from studiograph.wiring.proofs import key_store

TIMEOUT_SECONDS = 10
LOCAL = ("localhost", "127.0.0.1", "::1")
READ = ("/", "/llms.txt", "/.well-known/jwks.json", "/.well-known/agent.json")
WHY = {
    "settings": "Agents reach the studio by its address, and trust what TLS protects on the way.",
    "content": "The service refuses to start with a fault, or goes on serving older content.",
    "keys": "A signature proves that you said it only while your key is yours and is published.",
    "start": "What stops a start stops everything: the service says all or nothing.",
    "service": "Agents see the service as the web shows it, with proxy, name and TLS in between.",
}
"""Why each part matters."""


@dataclass(frozen=True)
class Trouble:
    """One thing that is wrong."""

    part: str
    wrong: str
    """What is wrong and where, and how to mend it."""


@click.command(epilog="Example: studiograph doctor https://studio.example")
@click.argument("url", required=False)
@click.option("--explain", is_flag=True, help="Say why each thing matters.")
@json_option
@pass_settings
def command(settings: Settings, *, url: str | None, explain: bool, as_json: bool) -> int:
    """Look at settings, content, keys, stores and the service at URL, and name what to mend.

    URL is STUDIOGRAPH_BASE_URL if it is left out; without both, no service is asked. Nothing is
    changed. The warnings of `studiograph check` are printed too, and change no exit code.
    """
    address = (url or settings.base_url).rstrip("/")
    content, found = Findings(), [*_settings(settings)]
    try:
        content = look(settings)
    except ProofError as error:
        found.append(Trouble("keys", str(error)))
    found += (Trouble("content", str(fault)) for fault in content.faults)
    found += (trouble for trouble in _keys(settings) if trouble not in found)
    if not found:
        found += _assembly(settings)
    if address:
        found += _service(settings, address)
    if as_json:
        rows = [{**asdict(trouble), "why": WHY[trouble.part]} for trouble in found]
        warnings = [*map(str, (*content.warnings, *content.questions))]
        print(json.dumps({"ok": not found, "found": rows, "warnings": warnings}))
    else:
        for trouble in found:
            print(f"{trouble.part}: {trouble.wrong}")
            if explain:
                print(f"  {WHY[trouble.part]}")
        for line in content.warning_lines():
            print(line)
        if not found:
            print(f"Nothing to mend{'' if address else '; no service was asked'}.")
    return 1 if found else 0


def _settings(settings: Settings) -> Iterator[Trouble]:
    address = urlsplit(settings.base_url)
    if address.scheme == "http" and address.hostname not in LOCAL:
        fix = "Fix: set it to https:// and put TLS in front."
        yield Trouble("settings", f"STUDIOGRAPH_BASE_URL is {settings.base_url}. {fix}")
    place = settings.data
    while not place.exists() and place != place.parent:
        place = place.parent
    if not os.access(place, os.W_OK):
        fix = "Fix: make it writable for this user, or set STUDIOGRAPH_DATA."
        yield Trouble("settings", f"{place} is not writable. {fix}")


def _keys(settings: Settings) -> Iterator[Trouble]:
    folder = settings.data / "keys"
    try:
        store = key_store(settings)
        has_tables = store.registry.database.is_initialised()
        known = store.registry.known_keys() if has_tables else {}
        kept = {key.kid for key in store.read()}
    except (ProofError, DatabaseError) as error:
        yield Trouble("keys", str(error))
        return
    if known and not kept:
        fix = "Fix: bring the backup of its keys back, with `studiograph restore`."
        yield Trouble("keys", f"{folder} has no key, and the log knows {len(known)}. {fix}")


def _assembly(settings: Settings) -> Iterator[Trouble]:
    """Yield what would stop a start: stores, a changed log, a loop of mails.

    A studio that has never been started is looked at in a folder that is removed, since a start
    makes its first key.
    """
    with TemporaryDirectory(prefix="studiograph-doctor-") as folder:
        data = settings.data if settings.data.exists() else Path(folder)
        try:
            make_application(settings.model_copy(update={"data": data}), preview=True)
        except StudiographError as error:
            yield Trouble("start", str(error))


def _service(settings: Settings, address: str) -> Iterator[Trouble]:
    """Yield what an outsider would find at an address."""
    with httpx.Client(timeout=TIMEOUT_SECONDS, base_url=address) as client:
        answers = {}
        for path in READ:
            try:
                answers[path] = client.get(path)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                fix = "Fix: start the service, and look at the name, the port and TLS."
                if not address.startswith(("http://", "https://")):
                    fix = f"Fix: write https://{address}."
                yield Trouble("service", f"{address} does not answer ({error}). {fix}")
                return
    for path, answer in answers.items():
        if not answer.is_success:
            fix = "Fix: let the proxy pass every path on, or export the content again."
            yield Trouble("service", f"{address}{path} answers {answer.status_code}. {fix}")
    keys = answers["/.well-known/jwks.json"]
    own = {key.kid for key in key_store(settings).read()}
    if keys.is_success and own and not any(f'"{kid}"' in keys.text for kid in own):
        fix = "Fix: set STUDIOGRAPH_DATA to the folder of the running service."
        yield Trouble("service", f"{address} publishes none of the keys here. {fix}")
