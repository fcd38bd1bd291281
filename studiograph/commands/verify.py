"""`studiograph verify`: check a service, or a saved envelope, proof or answer, from outside."""

import json
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import httpx

from resolvers.files import atomic_write
from resolvers.signing.verify import VerificationError, check_envelope, check_key_set, parse
from resolvers.transparency.answer_check import check_answer, check_proof
from resolvers.transparency.service_check import (
    ATTEMPTS,
    KnownHead,
    KnownWords,
    ServicePaths,
    check_service,
)
from schema.signatures import KeySet
from studiograph.cli import json_option, note, pass_settings
from studiograph.settings import Settings, state_folder

MAX_BYTES = 64 * 1024 * 1024
TIMEOUT_SECONDS = 10
_HEADERS = {"accept-encoding": "identity"}
TOTAL_SECONDS = 60
MEMORY = "seen.json"
"""The file of the heads that were seen, by the address of their service."""
_UNREMEMBERED = (
    "What the service takes back between two checks is not found so. Fix: set XDG_STATE_HOME to the"
    " absolute path of a folder that you can write to."
)


@click.command(epilog="Example: studiograph verify https://studio.example")
@click.argument("target", metavar="URL|FILE")
@click.option("--keys", type=Path, metavar="FILE", help="A saved key set, for a saved file.")
@click.option("--surfaces", is_flag=True, help="Compare all surfaces with what was published.")
@click.option("--export", type=Path, metavar="DIR", help="With --surfaces, an exported folder too.")
@json_option
@click.option("--quiet", is_flag=True, help="Print only problems.")
@pass_settings
def command(  # noqa: PLR0913 - one for each option
    settings: Settings,
    *,
    target: str,
    keys: Path | None,
    surfaces: bool,
    export: Path | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Check the service at URL, or a saved envelope, proof or answer, as an outsider would."""
    is_service = target.startswith(("http://", "https://"))
    if export is not None and not surfaces:
        raise click.UsageError("--export needs --surfaces.")
    if surfaces and not is_service:
        raise click.UsageError("--surfaces is for the address of a service.")
    if is_service:
        if keys is not None:
            raise click.UsageError("--keys is for a saved file; a service publishes its own.")
        holds, problem = _verify_service(target.rstrip("/"), settings.data)
        if surfaces and problem is None:
            more, problem = _verify_surfaces(target.rstrip("/"), export)
            holds += more
    else:
        holds, problem = _verify_file(Path(target), keys)
    if as_json:
        wrong = {"where": problem.where, "why": problem.why} if problem else None
        print(json.dumps({"ok": problem is None, "holds": holds, "wrong": wrong}))
    else:
        for line in () if quiet else holds:
            print(f"ok     {line}")
        if problem is not None:
            print(f"WRONG  {problem}")
    return 0 if problem is None else 1


def _verify_service(url: str, data: Path) -> tuple[list[str], VerificationError | None]:
    """Return what holds of a service and the first problem.

    The head of its log is kept in the user's folder of state, whichever studio's folder this is
    called in, to be compared with the next time. Until there is such a file, that of an older
    version is read, which stands in the data folder. A folder that cannot be used is no fault of
    the service.
    """
    from studiograph.application import own_operations  # noqa: PLC0415 - a saved envelope needs none

    memory: Path | None = None
    heads: dict[str, Any] = {}
    known_head = None
    known = data / MEMORY
    try:
        file = state_folder() / MEMORY
        known = file if file.exists() else known
        heads = json.loads(known.read_text()) if known.is_file() else {}
        known_head = _known_head(heads[url]) if url in {**heads} else None
        memory = file
    except (OSError, RuntimeError) as error:  # without a home, Python has no better name for it
        note(f"No earlier check is known: {error}. {_UNREMEMBERED}")
    except (ValueError, TypeError, LookupError, AttributeError):
        return [], VerificationError(
            str(known), "was not written by `studiograph verify`. Fix: remove it."
        )
    with _client() as client:
        check = check_service(_fetch(client, url), ServicePaths(own_operations()), known_head)
    if check.problem is None and check.head is not None and memory is not None:
        try:
            atomic_write(memory, json.dumps({**heads, url: asdict(check.head)}).encode())
        except OSError as error:
            note(f"{memory}: not written ({error.strerror or error}). {_UNREMEMBERED}")
    return check.holds, check.problem


def _known_head(seen: dict[str, Any]) -> KnownHead:
    """Return the heads that were remembered. Raises: TypeError, LookupError."""
    words = seen.get("words")
    return KnownHead(**{**seen, "words": KnownWords(**words) if words is not None else None})


def _verify_surfaces(url: str, export: Path | None) -> tuple[list[str], VerificationError | None]:
    """Return what holds of the surfaces of a service, and the first problem.

    They are read again if the service publishes something meanwhile.
    """
    from studiograph.application import own_operations  # noqa: PLC0415 - as above
    from studiograph.surface_check import SurfaceCheck  # noqa: PLC0415 - it needs the bridges

    operations = own_operations()
    paths = ServicePaths(operations)
    holds: list[str] = []
    problem: VerificationError | None = None
    with _client() as client:
        for _ in range(ATTEMPTS):
            fetch = _fetch(client, url)
            service = check_service(fetch, paths)
            if service.problem is not None or service.head is None or service.head.words is None:
                return [], service.problem
            check = SurfaceCheck(fetch, operations, service.head.words)
            holds, problem = check.holds, None
            try:
                check.run(export)
            except VerificationError as error:
                problem = error
            if problem is None or not service.has_changed:
                break
    return holds, problem


def _client() -> httpx.Client:
    return httpx.Client(timeout=TIMEOUT_SECONDS, trust_env=False)


def _fetch(client: httpx.Client, url: str) -> Callable[..., tuple[int, bytes]]:
    """Return what asks for a path: `get(path, body=None, accept="*/*")`, a POST with a body."""
    deadline = time.monotonic() + TOTAL_SECONDS

    def get(path: str, body: Any = None, accept: str = "*/*") -> tuple[int, bytes]:
        method, headers = "GET" if body is None else "POST", {**_HEADERS, "accept": accept}
        try:
            with client.stream(method, f"{url}{path}", headers=headers, json=body) as response:
                if "content-encoding" in response.headers:
                    raise VerificationError(
                        path, "has a content encoding, although none was accepted"
                    )
                data = bytearray()
                for chunk in response.iter_raw():
                    data += chunk
                    if time.monotonic() > deadline:
                        raise VerificationError(
                            path, f"all responses together took more than {TOTAL_SECONDS} s"
                        )
                    if len(data) > MAX_BYTES:
                        raise VerificationError(path, f"has more than {MAX_BYTES} bytes")
                return response.status_code, bytes(data)
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            fix = "Fix: start the service, and look at the name, the port and TLS"
            raise VerificationError(path, f"no response from {url}. {fix}") from error

    return get


def _verify_words(file: str, document: dict[str, Any], key_set: KeySet | None) -> list[str]:
    """Return what holds of a saved proof, or of a saved answer. Raises: VerificationError."""
    if key_set is None:
        raise VerificationError(file, "needs the key set that was published: give it with --keys")
    if "citations" in document:
        return check_answer(file, document, key_set)
    check_proof(file, document, key_set)
    leaf = json.loads(document["revisionLeaf"])
    line = f"{file}: {document['name']} was published at {leaf['publishedAt']}"
    return [line, f"{file}: in {leaf['revision']}, entry {document['log']['index']} of the log"]


def _verify_file(file: Path, keys: Path | None) -> tuple[list[str], VerificationError | None]:
    """Return what holds of a saved envelope, proof or answer.

    An envelope can be checked by its own key, the others by a saved key set alone.
    """
    try:
        envelope = parse(str(file), file.read_bytes())
        key_set = check_key_set(str(keys), parse(str(keys), keys.read_bytes())) if keys else None
        if isinstance(envelope, dict) and ("statement" in envelope or "citations" in envelope):
            return _verify_words(str(file), envelope, key_set), None
        check_envelope(str(file), envelope, key_set)
    except OSError as error:
        fix = "Fix: name a saved file, or an address that begins with https://"
        said = error.strerror or "cannot be read"
        return [], VerificationError(str(error.filename), f"{said}. {fix}")
    except VerificationError as problem:
        return [], problem
    jwk = envelope["publicJwk"]
    trust = f"published in {keys}" if keys else "its own: compare the thumbprint, or use --keys"
    line = f"{file}: signed by {jwk['kid']} at {envelope['signedAt']}; the key is {trust}"
    return [line, f"{file}: thumbprint {envelope['thumbprint']}"], None
