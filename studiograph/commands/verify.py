"""`studiograph verify`: the outside check of a service, or of a saved envelope."""

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import httpx

from resolvers.files import atomic_write
from resolvers.signing.verify import VerificationError, check_envelope, check_key_set, parse
from resolvers.transparency.service_check import Fetch, KnownHead, check_service
from studiograph.cli import json_option, pass_settings
from studiograph.settings import Settings

MAX_BYTES = 64 * 1024 * 1024
TIMEOUT_SECONDS = 10
_PLAIN = {"accept": "*/*", "accept-encoding": "identity"}
WHOLE_SECONDS = 60


@click.command()
@click.argument("target", metavar="URL|FILE")
@click.option("--keys", type=Path, metavar="FILE", help="A saved key set, for a saved envelope.")
@json_option
@click.option("--quiet", is_flag=True, help="Print nothing but what is wrong.")
@pass_settings
def command(
    settings: Settings, *, target: str, keys: Path | None, as_json: bool, quiet: bool
) -> int:
    """Check the service at URL, or the saved envelope FILE, as an outsider would."""
    if target.startswith(("http://", "https://")):
        if keys is not None:
            raise click.UsageError("--keys is for a saved envelope; a service publishes its own.")
        holds, refused = _service(target.rstrip("/"), settings.data / "seen.json")
    else:
        holds, refused = _file(Path(target), keys)
    if as_json:
        wrong = {"where": refused.where, "why": refused.why} if refused else None
        print(json.dumps({"ok": refused is None, "holds": holds, "wrong": wrong}))
    else:
        for line in () if quiet else holds:
            print(f"ok     {line}")
        if refused is not None:
            print(f"WRONG  {refused}")
    return 0 if refused is None else 1


def _service(url: str, memory: Path) -> tuple[list[str], VerificationError | None]:
    """What holds of a service; the head of its log is remembered for the next time."""
    try:
        known = json.loads(memory.read_text()) if memory.is_file() else {}
        seen = KnownHead(**known[url]) if url in {**known} else None
    except (OSError, ValueError, TypeError, LookupError):
        return [], VerificationError(
            str(memory), "is not what an earlier verify wrote. Fix: remove it."
        )
    with httpx.Client(timeout=TIMEOUT_SECONDS, trust_env=False) as client:
        inspection = check_service(_get(client, url), seen)
    if inspection.refused is None and inspection.head is not None:
        try:
            _remember(memory, {**known, url: asdict(inspection.head)})
        except OSError as error:
            return inspection.holds, VerificationError(
                str(memory), f"cannot be written: {error.strerror}"
            )
    return inspection.holds, inspection.refused


def _remember(memory: Path, heads: dict[str, Any]) -> None:
    atomic_write(memory, json.dumps(heads).encode())


def _get(client: httpx.Client, url: str) -> Fetch:
    deadline = time.monotonic() + WHOLE_SECONDS

    def get(path: str) -> tuple[int, bytes]:
        try:
            with client.stream("GET", f"{url}{path}", headers=_PLAIN) as response:
                if "content-encoding" in response.headers:
                    raise VerificationError(path, "is encoded, which was not asked for")
                body = bytearray()
                for chunk in response.iter_raw():
                    body += chunk
                    if time.monotonic() > deadline:
                        raise VerificationError(
                            path, f"takes longer than {WHOLE_SECONDS} s with the others"
                        )
                    if len(body) > MAX_BYTES:
                        raise VerificationError(path, f"has more than {MAX_BYTES} bytes")
                return response.status_code, bytes(body)
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            raise VerificationError(path, f"no answer from {url}") from error

    return get


def _file(file: Path, keys: Path | None) -> tuple[list[str], VerificationError | None]:
    """What holds of a saved envelope, by a saved key set or by the key inside it."""
    try:
        envelope = parse(str(file), file.read_bytes())
        key_set = check_key_set(str(keys), parse(str(keys), keys.read_bytes())) if keys else None
        check_envelope(str(file), envelope, key_set)
    except OSError as error:
        return [], VerificationError(str(error.filename), error.strerror or "cannot be read")
    except VerificationError as refused:
        return [], refused
    jwk = envelope["publicJwk"]
    trust = f"published in {keys}" if keys else "its own: compare the thumbprint, or give --keys"
    line = f"{file}: signed by {jwk['kid']} at {envelope['signedAt']}; the key is {trust}"
    return [line, f"{file}: thumbprint {envelope['thumbprint']}"], None
