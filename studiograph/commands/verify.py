"""`studiograph verify`: check a service, or a saved envelope, from outside."""

import json
import time
from dataclasses import asdict
from pathlib import Path

import click
import httpx

from resolvers.files import atomic_write
from resolvers.signing.verify import VerificationError, check_envelope, check_key_set, parse
from resolvers.transparency.service_check import Fetch, KnownHead, ServicePaths, check_service
from studiograph.cli import json_option, pass_settings
from studiograph.settings import Settings

MAX_BYTES = 64 * 1024 * 1024
TIMEOUT_SECONDS = 10
_HEADERS = {"accept": "*/*", "accept-encoding": "identity"}
TOTAL_SECONDS = 60


@click.command()
@click.argument("target", metavar="URL|FILE")
@click.option("--keys", type=Path, metavar="FILE", help="A saved key set, for a saved envelope.")
@json_option
@click.option("--quiet", is_flag=True, help="Print only problems.")
@pass_settings
def command(
    settings: Settings, *, target: str, keys: Path | None, as_json: bool, quiet: bool
) -> int:
    """Check the service at URL, or the saved envelope FILE, as an outsider would."""
    if target.startswith(("http://", "https://")):
        if keys is not None:
            raise click.UsageError("--keys is for a saved envelope; a service publishes its own.")
        holds, problem = _verify_service(target.rstrip("/"), settings.data / "seen.json")
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


def _verify_service(url: str, file: Path) -> tuple[list[str], VerificationError | None]:
    """Return what holds of a service and the first problem.

    The file keeps the head of its log, to be compared with the next time.
    """
    from studiograph.application import load_operations  # noqa: PLC0415 - a saved envelope needs none

    try:
        heads = json.loads(file.read_text()) if file.is_file() else {}
        known_head = KnownHead(**heads[url]) if url in {**heads} else None
    except (OSError, ValueError, TypeError, LookupError):
        return [], VerificationError(
            str(file), "was not written by `studiograph verify`. Fix: remove it."
        )
    with httpx.Client(timeout=TIMEOUT_SECONDS, trust_env=False) as client:
        check = check_service(_fetch(client, url), ServicePaths.of(load_operations()), known_head)
    if check.problem is None and check.head is not None:
        try:
            atomic_write(file, json.dumps({**heads, url: asdict(check.head)}).encode())
        except OSError as error:
            return check.holds, VerificationError(str(file), f"cannot be written: {error.strerror}")
    return check.holds, check.problem


def _fetch(client: httpx.Client, url: str) -> Fetch:
    deadline = time.monotonic() + TOTAL_SECONDS

    def get(path: str) -> tuple[int, bytes]:
        try:
            with client.stream("GET", f"{url}{path}", headers=_HEADERS) as response:
                if "content-encoding" in response.headers:
                    raise VerificationError(
                        path, "has a content encoding, although none was accepted"
                    )
                body = bytearray()
                for chunk in response.iter_raw():
                    body += chunk
                    if time.monotonic() > deadline:
                        raise VerificationError(
                            path, f"all responses together took more than {TOTAL_SECONDS} s"
                        )
                    if len(body) > MAX_BYTES:
                        raise VerificationError(path, f"has more than {MAX_BYTES} bytes")
                return response.status_code, bytes(body)
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            raise VerificationError(path, f"no response from {url}") from error

    return get


def _verify_file(file: Path, keys: Path | None) -> tuple[list[str], VerificationError | None]:
    """Return what holds of a saved envelope, by a saved key set or by its own key."""
    try:
        envelope = parse(str(file), file.read_bytes())
        key_set = check_key_set(str(keys), parse(str(keys), keys.read_bytes())) if keys else None
        check_envelope(str(file), envelope, key_set)
    except OSError as error:
        return [], VerificationError(str(error.filename), error.strerror or "cannot be read")
    except VerificationError as problem:
        return [], problem
    jwk = envelope["publicJwk"]
    trust = f"published in {keys}" if keys else "its own: compare the thumbprint, or use --keys"
    line = f"{file}: signed by {jwk['kid']} at {envelope['signedAt']}; the key is {trust}"
    return [line, f"{file}: thumbprint {envelope['thumbprint']}"], None
