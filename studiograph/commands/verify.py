"""`studiograph verify`: the outside check of a service, or of a saved envelope."""

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from resolvers.proofs.verify import Refused, check_envelope, check_key_set, parse
from studiograph.inspection import Get, Seen, inspect
from studiograph.settings import Settings

if TYPE_CHECKING:
    import httpx

MAX_BYTES = 64 * 1024 * 1024
TIMEOUT_SECONDS = 10
_PLAIN = {"accept": "*/*", "accept-encoding": "identity"}
WHOLE_SECONDS = 60


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser("verify", help="check a service or a saved envelope from outside")
    parser.add_argument("target", metavar="URL|FILE", help="the service's address, or the file")
    parser.add_argument(
        "--keys", type=Path, metavar="FILE", help="a saved key set, for a saved envelope"
    )
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    parser.add_argument("--quiet", action="store_true", help="print nothing but what is wrong")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """0 when everything holds, else 1."""
    is_service = arguments.target.startswith(("http://", "https://"))
    if is_service and arguments.keys is not None:
        print(
            "verify: --keys is for a saved envelope; a service publishes its own", file=sys.stderr
        )
        return 2
    if is_service:
        holds, refused = _service(arguments.target.rstrip("/"), settings.data / "seen.json")
    else:
        holds, refused = _file(Path(arguments.target), arguments.keys)
    if arguments.json:
        wrong = {"where": refused.where, "why": refused.why} if refused else None
        print(json.dumps({"ok": refused is None, "holds": holds, "wrong": wrong}))
    else:
        for line in () if arguments.quiet else holds:
            print(f"ok     {line}")
        if refused is not None:
            print(f"WRONG  {refused}")
    return 0 if refused is None else 1


def _service(url: str, memory: Path) -> tuple[list[str], Refused | None]:
    """What holds of a service; the head of its log is remembered for the next time."""
    import httpx  # noqa: PLC0415 - only for this command

    try:
        known = json.loads(memory.read_text()) if memory.is_file() else {}
        seen = Seen(**known[url]) if url in {**known} else None
    except (OSError, ValueError, TypeError, LookupError):
        return [], Refused(str(memory), "is not what an earlier verify wrote. Fix: remove it.")
    with httpx.Client(timeout=TIMEOUT_SECONDS, trust_env=False) as client:
        inspection = inspect(_get(client, url), seen)
    if inspection.refused is None and inspection.head is not None:
        try:
            _remember(memory, {**known, url: asdict(inspection.head)})
        except OSError as error:
            return inspection.holds, Refused(str(memory), f"cannot be written: {error.strerror}")
    return inspection.holds, inspection.refused


def _remember(memory: Path, heads: dict[str, Any]) -> None:
    memory.parent.mkdir(parents=True, exist_ok=True)
    beside = memory.with_suffix(".new")
    beside.write_text(json.dumps(heads))
    beside.replace(memory)


def _get(client: "httpx.Client", url: str) -> Get:
    import httpx  # noqa: PLC0415 - only for this command

    deadline = time.monotonic() + WHOLE_SECONDS

    def get(path: str) -> tuple[int, bytes]:
        try:
            with client.stream("GET", f"{url}{path}", headers=_PLAIN) as response:
                if "content-encoding" in response.headers:
                    raise Refused(path, "is encoded, which was not asked for")
                body = bytearray()
                for chunk in response.iter_raw():
                    body += chunk
                    if time.monotonic() > deadline:
                        raise Refused(path, f"takes longer than {WHOLE_SECONDS} s with the others")
                    if len(body) > MAX_BYTES:
                        raise Refused(path, f"has more than {MAX_BYTES} bytes")
                return response.status_code, bytes(body)
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            raise Refused(path, f"no answer from {url}") from error

    return get


def _file(file: Path, keys: Path | None) -> tuple[list[str], Refused | None]:
    """What holds of a saved envelope, by a saved key set or by the key inside it."""
    try:
        envelope = parse(str(file), file.read_bytes())
        key_set = check_key_set(str(keys), parse(str(keys), keys.read_bytes())) if keys else None
        check_envelope(str(file), envelope, key_set)
    except OSError as error:
        return [], Refused(str(error.filename), error.strerror or "cannot be read")
    except Refused as refused:
        return [], refused
    jwk = envelope["publicJwk"]
    trust = f"published in {keys}" if keys else "its own: compare the thumbprint, or give --keys"
    line = f"{file}: signed by {jwk['kid']} at {envelope['signedAt']}; the key is {trust}"
    return [line, f"{file}: thumbprint {envelope['thumbprint']}"], None
