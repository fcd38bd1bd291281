"""`studiograph export DIR`: the reads of the service as files, for any server of static files.

The files hold what the service itself answers to `GET`, byte for byte. A file server has no query
and needs a name for what is also a folder, so the name of a file is made from the address by one
rule, which `file_of` has and a file server needs: `@` instead of `?`, and a suffix if it has none.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import cast
from urllib.parse import unquote

import click
import httpx
from starlette.types import ASGIApp

from resolvers.context import RequestContext
from resolvers.files import atomic_write
from rest_bridge.http.ready_answers import ReadyAnswers
from schema.site import Site
from sdl.operations.catalog import SECTION, is_answered, signed_entries
from sdl.operations.operation import form_paths
from sdl.running.runner import Snapshot
from studiograph.application import index_entries
from studiograph.asgi import build
from studiograph.cli import CommandError, file_errors, note, pass_settings, progress, quiet_option
from studiograph.settings import Settings

LIST, HEADERS, REDIRECTS = "export.json", "_headers", "_redirects"
"""The list of all files, by which an export is known again; and two files that hosts read."""
COMMON = ("cache-control", "content-signal", "access-control-allow-origin")
SENT = ("content-type", "link", "x-content-type-options", *COMMON)
"""The headers that do not depend on the request and that no file server knows by itself."""
_SUFFIX = {"text/markdown": ".md", "text/plain": ".txt"}
_OK, _BAD_REQUEST = 200, 400


class ExportError(CommandError):
    """The folder holds something else, or a read failed; the text names the fix."""


@dataclass(frozen=True)
class ExportedFile:
    """One answer, and the name of its file."""

    target: str
    name: str
    body: bytes
    headers: dict[str, str]


def targets_of(snapshot: Snapshot[Site]) -> list[str]:
    """Return every address whose answer depends on the content alone, each once."""
    return [*dict.fromkeys((*_reads(snapshot), *_proofs(snapshot)))]


async def exported(
    service: ASGIApp, base_url: str, targets: list[str]
) -> AsyncIterator[ExportedFile]:
    """Ask for each target, and yield its file. Raises: ExportError."""
    transport = httpx.ASGITransport(service)
    async with httpx.AsyncClient(transport=transport, base_url=base_url) as client:
        for target in targets:
            accepted = {"accept": "*/*", "accept-encoding": "identity"}
            answer = await client.get(target, headers=accepted)
            body = answer.content
            # Without a section, the signed sections are listed by the error that asks for one.
            if answer.status_code == _BAD_REQUEST and target.endswith(".sig"):
                body = json.dumps({**answer.json(), "request_id": None}).encode()
            elif answer.status_code != _OK:
                raise ExportError(
                    f"{target}: answers {answer.status_code}, so the export is not complete. Fix:"
                    " mend what `studiograph doctor` names, and export again."
                )
            headers = {name: answer.headers[name] for name in SENT if name in answer.headers}
            yield ExportedFile(target, file_of(target, headers["content-type"]), body, headers)


def file_of(target: str, content_type: str) -> str:
    """Return the name of the file for an address: `api/log/proof@index=0.json`."""
    path, _, query = target.partition("?")
    name = unquote(path.removeprefix("/")) or "index"
    if not query and PurePosixPath(name).suffix:
        return name
    media_type = content_type.partition(";")[0]
    return (f"{name}@{query}" if query else name) + _SUFFIX.get(media_type, ".json")


def check_folder(folder: Path) -> list[str]:
    """Return the files of an earlier export; raise `ExportError` if something else is there."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return []
    try:
        names = json.loads((folder / LIST).read_bytes())["files"]
        if all(".." not in name.split("/") for name in names.values()):
            return [name.lstrip("/") for name in names.values()]
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        pass
    raise ExportError(f"{folder}: is not empty and no export. Fix: name a new or an empty folder.")


def write_export(folder: Path, files: list[ExportedFile], revision: str, before: list[str]) -> None:
    """Write every file, and remove what an earlier export had. Raises: OSError.

    The list comes first, with the names of both, so that an export that breaks off, as it does on a
    full disk, is known as one, and the next replaces it.
    """
    names = {file.target: file.name for file in files}
    _write_list(folder, revision, {**{f"/{old}": old for old in before}, **names})
    for file in files:
        _write_file(folder, file.name, file.body)
    for old in {*before} - {*names.values()}:
        (folder / old).unlink(missing_ok=True)
    _write_file(folder, HEADERS, _headers(files).encode())
    _write_file(folder, REDIRECTS, "".join(_redirects(names)).encode())
    _write_list(folder, revision, names)


def _write_list(folder: Path, revision: str, names: dict[str, str]) -> None:
    listing = {"revision": revision, "files": names}
    _write_file(folder, LIST, json.dumps(listing, indent=1).encode() + b"\n")


def _write_file(folder: Path, name: str, body: bytes) -> None:
    """Write one file for everybody to read. Raises: OSError."""
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(file, body, 0o644)


def _headers(files: list[ExportedFile]) -> str:
    blocks = []
    for file in files:
        lines = [f"  {name}: {value}\n" for name, value in file.headers.items()]
        blocks.append(f"/{file.name}\n{''.join(lines)}")
    return "".join(blocks)


def _redirects(names: dict[str, str]) -> Iterator[str]:
    for target, name in names.items():
        path, _, query = target.partition("?")
        if path != f"/{name}":
            yield f"{path}{' ' * bool(query)}{query} /{name} 200\n"


def _reads(snapshot: Snapshot[Site]) -> Iterator[str]:
    for operation in snapshot.operations:
        rest = operation.rest
        if rest is None or not operation.is_read or not is_answered(operation, snapshot):
            continue
        if any(v.required and v.name not in operation.path_variables for v in operation.variables):
            continue  # `_proofs` asks for these
        items = snapshot.items_of(operation) if operation.path_variables else ()
        paths = [item.path(rest.path) for item in items] or [rest.path]
        for path in paths if items or not operation.path_variables else ():
            yield path
            yield from form_paths(path, rest.media).values()
    for entry in signed_entries(snapshot):
        yield entry.path.partition("?")[0]
        yield entry.path
    for own in snapshot.unpublished:
        yield f"{own.signed_path}?{SECTION}={own.signed_section}"
    yield from (e.path for e in index_entries(snapshot) if e.operation is None and not e.body)


def _proofs(snapshot: Snapshot[Site]) -> Iterator[str]:
    path, context = snapshot.operations.path, cast("RequestContext", snapshot.context)
    words = context.words()
    for index in range(context.log.size):
        yield f"{path('GetInclusionProof')}?index={index}"
        yield f"{path('GetConsistencyProof')}?from={index + 1}"
    for size in range(1, words.size + 1):
        yield f"{path('GetWordsConsistency')}?from={size}"
    for name in words.content.texts:
        yield f"{path('GetStatementProof')}?name={name}"
        yield f"{path('GetStatementTlogProof')}?name={name}"


@click.command(epilog="Example: studiograph export public")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@quiet_option
@pass_settings
def export_command(settings: Settings, *, folder: Path, quiet: bool) -> int:
    """Write what the service answers to readers into DIR, with all envelopes and proofs.

    This publishes the content as `studiograph serve` does: it is signed and logged with the keys of
    the studio. DIR is new, empty or an earlier export, which is replaced.
    """
    with file_errors(f"make {folder} writable"):
        before = check_folder(folder)
        files, revision = asyncio.run(_export(settings, quiet=quiet))
        write_export(folder, files, revision, before)
    if not quiet:
        print(f"{folder} has {len(files)} files of {revision}.")
        if not settings.base_url:
            note(
                f"They name {settings.public_url} as their address."
                " Fix: set STUDIOGRAPH_BASE_URL to that of the file server."
            )
    return 0


async def _export(settings: Settings, *, quiet: bool) -> tuple[list[ExportedFile], str]:
    service = build(settings)
    snapshot = cast("ReadyAnswers", service.ready).current()
    targets = targets_of(snapshot)
    files = []
    with progress("Export", hidden=quiet) as show:
        async for file in exported(service, settings.public_url, targets):
            files.append(file)
            show(len(files), len(targets))
    return files, snapshot.revision or ""
