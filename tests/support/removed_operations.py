"""The service without one operation document, and the checks that must then pass."""

import re
import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from discovery_claims import AGENT, SURFACES, Described, below, named_by
from local_service import Ask, asking, stored_operations
from offenders import offenders
from repository import SAMPLE

from rest_bridge.endpoints.read import SUFFIXES
from rest_bridge.representations.rendering import JSON, MARKDOWN
from sdl.operations.catalog import with_suffix
from sdl.operations.operation import Operation
from sdl.operations.rules import OperationError
from sdl.running.runner import Operations, Snapshot
from studiograph.application import OPERATIONS, load_operations
from studiograph.asgi import build
from studiograph.settings import Settings

BASE = "https://agents.example"
REFUSED = {
    "get_directory.graphql": "an operation that asks for the directory is missing",
    "get_index.graphql": "an operation that answers at `/` is missing",
}
"""The documents without which the start is refused, and what the refusal says."""
LISTS = [path for path in SURFACES if path not in (AGENT, "/openapi.json")]
"""Surfaces that list addresses and do not move other names up when one is gone."""
ALWAYS = ("/openapi.json", "/robots.txt", "/sitemap.xml", "/license.xml", "/healthz", "/readyz")
NEEDED = re.compile(r"is never used|no operation reads the section|is not a list whose items have")
"""What the compiler says of a document that another document needs or is needed by."""


@dataclass
class Service:
    """The service on some stored operations, and the addresses that it names."""

    operations: Operations
    ask: Ask

    @classmethod
    def of(cls, operations: Operations, data: Path) -> "Service":
        """Build the service on the sample. Raises: OperationError."""
        settings = Settings(content=SAMPLE, data=data, base_url=BASE)
        return cls(operations, asking(build(settings, operations=operations)))

    @classmethod
    def of_folder(cls, folder: Path, data: Path) -> "Service":
        """Build it on the documents of a folder. Raises: OperationError."""
        return cls.of(load_operations(folder), data)

    @classmethod
    def complete(cls, data: Path) -> "Service":
        """Build it on every stored operation."""
        return cls.of(stored_operations(), data)

    @cached_property
    def named(self) -> dict[str, set[str]]:
        """The paths that each surface names, for the surfaces that answer."""
        answering = [path for path in SURFACES if self.ask(path).status_code == 200]
        return {
            path: below(BASE, [address for address, _ in named_by(path, self.ask, BASE)])
            for path in answering
        }

    @cached_property
    def described(self) -> set[str]:
        """The paths of the OpenAPI description."""
        return {*Described(self.ask("/openapi.json").text).addresses()}

    @cached_property
    def llms(self) -> str:
        """The text of llms.txt."""
        return self.ask("/llms.txt").text

    @cached_property
    def templates(self) -> set[str]:
        """The paths of its operations as OpenAPI writes them."""
        return {template for operation in self.operations for template in _templates(operation)}


@dataclass
class Without:
    """The service without a document, beside the complete one."""

    service: Service
    complete: Service
    removed: list[Operation]
    gone: set[str]
    """Every address at which only the removed operations answered."""
    shared: set[str]
    """Every address of a removed operation at which another one still answers."""


def broken_without(name: str, folder: Path, complete: Service, reading: Snapshot) -> list[str]:
    """Build the service without a document, once; return the claims that it breaks.

    `folder` is empty; `reading` is a snapshot of the complete service.
    """
    service = _remove(copied(folder), name, folder / "data")
    if isinstance(service, str):
        refused = name in REFUSED and REFUSED[name] in service
        return [] if refused else [f"the start is refused: {service}"]
    if name in REFUSED:
        return ["the service starts"]
    removed = [o for o in complete.operations if o.name not in service.operations.by_name]
    left = {a for o in service.operations for a in _addresses(o, reading)}
    own = {a for o in removed for a in _addresses(o, reading)}
    without = Without(service, complete, removed, own - left, own & left)
    return offenders(lambda claim: claim(without), CLAIMS)


def copied(folder: Path) -> Path:
    """Copy every document into a folder; return the folder of the copies."""
    for kind in ("operations", "fragments"):
        shutil.copytree(OPERATIONS / kind, folder / "sdl" / kind)
    return folder / "sdl"


def _remove(folder: Path, name: str, data: Path) -> Service | str:
    """Build the service without a document and without the documents that need it.

    Return why the start is refused, where it is refused for another reason.
    """
    (folder / "operations" / name).unlink()
    while isinstance(result := _start(folder, data), str):
        dependents = [line for line in result.splitlines() if NEEDED.search(line)]
        if not dependents:
            break
        for line in dependents:
            (folder.parent / line.split(":")[0]).unlink(missing_ok=True)
    return result


def _start(folder: Path, data: Path) -> Service | str:
    """Build the service, or return why the start is refused."""
    try:
        return Service.of_folder(folder, data)
    except OperationError as error:
        return str(error)


def _forms(path: str, operation: Operation) -> set[str]:
    """Return a path and its paths with the suffix of each form that the operation has."""
    media = operation.rest.media if operation.rest is not None else []
    if not operation.is_read:
        media = [JSON, MARKDOWN] if "{" not in path else []
    forms = [form for form in SUFFIXES if form in media] if {JSON, MARKDOWN} <= {*media} else []
    return {path, *(with_suffix(path, SUFFIXES[form]) for form in forms)}


def _addresses(operation: Operation, reading: Snapshot) -> set[str]:
    """Return every address at which an operation answers."""
    addresses: set[str] = set()
    if operation.rest is not None:
        path = operation.rest.path
        items = {item.path(path) for item in reading.items_of(operation)} or {path}
        addresses |= {form for item in items for form in _forms(item, operation)}
    if operation.sign is not None and operation.signed_path is not None:
        section = operation.sign.section
        addresses.add(operation.signed_path + (f"?section={section}" if section else ""))
    return addresses


def _templates(operation: Operation) -> set[str]:
    """Return the paths of an operation in OpenAPI, without those that sections share."""
    paths = _forms(operation.rest.path, operation) if operation.rest is not None else set()
    if operation.sign is not None and operation.sign.section is None and operation.signed_path:
        paths.add(operation.signed_path)
    return paths


def it_answers_nowhere(without: Without) -> None:
    """Its own addresses answer 404, or 400 where a section of a snapshot was asked for."""
    assert without.removed
    snapshots = {o.signed_path for o in without.service.operations if o.sign is not None}
    for address in without.gone:
        status = 400 if address.partition("?")[0] in snapshots else 404
        assert (without.service.ask(address).status_code, address) == (status, address)


def no_surface_names_it_and_none_forgets_another(without: Without) -> None:
    """The surfaces name none of its addresses, and all that they named of the others."""
    before, after = without.complete.named, without.service.named
    assert before.keys() - after.keys() == without.gone & before.keys()
    for path in after:
        assert (path, after[path] & without.gone) == (path, set())
    for path in after.keys() & {*LISTS}:
        left = before[path] - without.gone - without.shared
        assert (path, left - after[path]) == (path, set())
        assert after[path] - left - without.shared <= {"/"}  # a link to what is gone leads there


def everything_else_still_answers(without: Without) -> None:
    """Each address that a surface still names answers."""
    named = without.service.named.values()
    for address in {*ALWAYS} | {address for addresses in named for address in addresses}:
        assert (without.service.ask(address).status_code, address) == (200, address)


def its_paths_are_gone_from_the_description(without: Without) -> None:
    """The OpenAPI description lacks exactly its paths."""
    written = {template for operation in without.removed for template in _templates(operation)}
    complete, service = without.complete, without.service
    assert complete.described - service.described == written - service.templates
    assert service.described <= complete.described


CLAIMS = (
    it_answers_nowhere,
    no_surface_names_it_and_none_forgets_another,
    everything_else_still_answers,
    its_paths_are_gone_from_the_description,
)
