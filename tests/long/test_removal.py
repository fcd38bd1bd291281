"""One operation document is what a path hangs on: without it every trace of the path is gone."""

import re
import shutil
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path

import pytest
from discovery_claims import AGENT, API_CATALOG, SURFACES, Described, below, named_by, pointers
from local_service import Ask, asking
from repository import SAMPLE

from rest_bridge.endpoints.read import SUFFIXES
from rest_bridge.http.rendering import JSON, MARKDOWN
from sdl.catalog import with_suffix
from sdl.operation import Operation
from sdl.problems import OperationError
from sdl.runner import Operations, Snapshot
from studiograph.app import OPERATIONS, build, load_operations
from studiograph.settings import Settings

BASE = "https://agents.example"
FILES = sorted(path.name for path in (OPERATIONS / "operations").glob("*.graphql"))
LISTS = [path for path in SURFACES if path not in (AGENT, "/openapi.json")]
"""What names addresses and whose names do not move up when one is gone."""
ALWAYS = ("/openapi.json", "/robots.txt", "/sitemap.xml", "/license.xml", "/healthz", "/readyz")
NEEDED = re.compile(r"is never used|no operation reads the section|is no list whose items have")
"""What is said of a document that cannot be without another one."""
ADDED = '''"""
The head of the log in two lines.
"""
query GetLogInShort
  @rest(path: "/api/log-in-short")
  @llms(section: "Proofs", title: "Log in short", order: 1)
  @sign
  @example(name: "the head")
{
  log { treeSize rollupHash }
}
'''


@dataclass
class Service:
    """The service of some stored operations, and what it says of itself."""

    operations: Operations
    ask: Ask

    @classmethod
    def of(cls, folder: Path, data: Path) -> "Service":
        """The service of a folder of operations, on the sample. Raises: OperationError."""
        operations = load_operations(folder)
        settings = Settings(content=SAMPLE, data=data, base_url=BASE)
        return cls(operations, asking(build(settings, operations=operations)))

    @cached_property
    def named(self) -> dict[str, set[str]]:
        """The paths that each surface names which is there."""
        there = [path for path in SURFACES if self.ask(path).status_code == 200]
        return {
            path: below(BASE, [address for address, _ in named_by(path, self.ask, BASE)])
            for path in there
        }

    def described(self) -> set[str]:
        """The paths of the OpenAPI description."""
        return {*Described(self.ask("/openapi.json").text).paths}

    def relations(self) -> set[tuple[str, str]]:
        """What an answer without a form of its own points to."""
        return {(p.rel, p.target) for p in pointers(self.ask("/robots.txt"))}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def whole(data: Path) -> Service:
    return Service.of(OPERATIONS, data)


@pytest.fixture(scope="module")
def before(whole: Service) -> dict[str, set[str]]:
    return whole.named


@dataclass
class Without:
    """The service without a document, and what went with it."""

    service: Service
    removed: list[Operation]
    gone: set[str]
    """Every address that the removed operations answered at, and no other."""
    shared: set[str]
    """Every address that another one answers at as well, in a form of its own."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of every document."""
    return copied(tmp_path)


@pytest.fixture(scope="module", params=FILES)
def without(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    data: Path,
    whole: Service,
    reading: Snapshot,
) -> Without:
    """The service without one document, where it can be without it."""
    service = remove(copied(tmp_path_factory.mktemp("without")), request.param, data)
    if service is None:
        pytest.skip("the start is refused and names the missing operation")
    removed = [o for o in whole.operations if o.name not in service.operations.by_name]
    left = {a for o in service.operations for a in addresses(o, reading)}
    own = {a for o in removed for a in addresses(o, reading)}
    return Without(service, removed, own - left, own & left)


def copied(folder: Path) -> Path:
    for kind in ("operations", "fragments"):
        shutil.copytree(OPERATIONS / kind, folder / "sdl" / kind)
    return folder / "sdl"


def remove(folder: Path, name: str, data: Path) -> Service | None:
    """The service without a document and without those that cannot be without it.

    None, where the start is refused for a reason that names the missing operation.
    """
    (folder / "operations" / name).unlink()
    missing = "".join(word.capitalize() for word in Path(name).stem.split("_"))
    while isinstance(found := started(folder, data), str):
        lines = [line for line in found.splitlines() if NEEDED.search(line)]
        if not lines:
            assert missing in found
            return None
        for line in lines:
            (folder.parent / line.split(":")[0]).unlink(missing_ok=True)
    return found


def started(folder: Path, data: Path) -> Service | str:
    """The service, or why the start is refused."""
    try:
        return Service.of(folder, data)
    except OperationError as error:
        return str(error)


def forms(path: str, operation: Operation) -> set[str]:
    """A path in each form that its operation gives it."""
    media = operation.rest.media if operation.rest is not None else []
    both = {JSON, MARKDOWN} <= {*media} or (not operation.is_read and "{" not in path)
    return {path, *(with_suffix(path, suffix) for suffix in SUFFIXES.values() if both)}


def addresses(operation: Operation, reading: Snapshot) -> set[str]:
    """Every address that an operation answers at."""
    found: set[str] = set()
    if operation.rest is not None:
        path = operation.rest.path
        items = {item.path(path) for item in reading.items_of(operation)} or {path}
        found |= {form for item in items for form in forms(item, operation)}
    if operation.sign is not None and operation.signed_path is not None:
        section = operation.sign.section
        found.add(operation.signed_path + (f"?section={section}" if section else ""))
    return found


def way(operation: Operation) -> tuple[str, str]:
    """The path and the method that lead to it."""
    assert operation.rest is not None
    return operation.rest.path, operation.rest.method


def templates(operation: Operation) -> set[str]:
    """The paths of an operation as OpenAPI writes them, without those that sections share."""
    found = forms(operation.rest.path, operation) if operation.rest is not None else set()
    if operation.sign is not None and operation.sign.section is None and operation.signed_path:
        found.add(operation.signed_path)
    return found


def test_an_operation_without_its_document_answers_nowhere(without: Without) -> None:
    assert without.removed
    snapshots = {o.signed_path for o in without.service.operations if o.sign is not None}
    for address in without.gone:
        status = 400 if address.partition("?")[0] in snapshots else 404
        assert (without.service.ask(address).status_code, address) == (status, address)


def test_a_form_that_another_document_gave_is_no_more(without: Without) -> None:
    for removed, left in product(without.removed, without.service.operations):
        if removed.rest is None or left.rest is None or way(removed) != way(left):
            continue
        path, method = way(removed)
        for form in {*removed.rest.media} - {*left.rest.media}:
            body, accept = {"query": "What is Tidebook?"}, {"accept": form}
            refused = without.service.ask(path, method, json=body, headers=accept)
            assert (refused.status_code, form) == (406, form)


def test_no_surface_names_it_and_none_forgets_another(
    without: Without, before: dict[str, set[str]]
) -> None:
    after = without.service.named
    assert before.keys() - after.keys() == without.gone & before.keys()
    for path in after:
        assert (path, after[path] & without.gone) == (path, set())
    for path in after.keys() & {*LISTS}:
        left = before[path] - without.gone - without.shared
        assert (path, left - after[path]) == (path, set())
        assert after[path] - left - without.shared <= {"/"}  # where what a line pointed to is gone


def test_everything_else_still_answers(without: Without) -> None:
    named = without.service.named.values()
    for address in {*ALWAYS} | {address for addresses in named for address in addresses}:
        assert (without.service.ask(address).status_code, address) == (200, address)


def test_its_paths_are_gone_from_the_description(without: Without, whole: Service) -> None:
    written = {template for operation in without.removed for template in templates(operation)}
    left = {template for o in without.service.operations for template in templates(o)}
    assert whole.described() - without.service.described() == written - left
    assert without.service.described() <= whole.described()


def test_its_relation_is_gone_from_the_link_header(without: Without, whole: Service) -> None:
    lost = {(rel, target) for rel, target in whole.relations() if target in without.gone}
    assert whole.relations() - without.service.relations() == lost
    assert without.service.relations() <= whole.relations()


def test_its_line_is_gone_from_llms_txt_and_no_other(without: Without, whole: Service) -> None:
    if "/llms.txt" in without.gone:
        return
    before, after = (parts(s.ask("/llms.txt").text, without) for s in (whole, without.service))
    assert after == before


def parts(text: str, without: Without) -> dict[str, list[str]]:
    """The lines of others under each heading; which of them is first says where a part stands."""
    addresses = [f"{BASE}{address}" for address in without.gone | without.shared]
    own = [f"({address})" for address in addresses]
    terms = tuple(f": {address}" for address in addresses)
    found = {
        heading: [
            line
            for line in lines
            if line and not line.endswith(terms) and not any(each in line for each in own)
        ]
        for heading, *lines in (part.splitlines() for part in text.split("\n## "))
    }
    return {heading: lines for heading, lines in found.items() if lines}


def test_with_a_new_document_its_path_is_everywhere(
    folder: Path, data: Path, whole: Service, before: dict[str, set[str]]
) -> None:
    (folder / "operations" / "get_log_in_short.graphql").write_text(ADDED)
    service, path = Service.of(folder, data), "/api/log-in-short"
    forms = {path, f"{path}.md", f"{path}.json", f"{path}.sig"}
    assert service.described() - whole.described() == forms
    for form in forms:
        assert (whole.ask(form).status_code, service.ask(form).status_code) == (404, 200)
    body = service.ask(path).json()
    assert body == whole.ask("/api/log?fields=treeSize,rollupHash").json()
    assert service.ask(f"{path}.sig").json()["payload"] == body
    after = service.named
    for surface in ("/", "/index.json", "/llms.txt", "/sitemap.xml"):
        assert after[surface] - before[surface] == {f"{path}.md", f"{path}.sig"}
    assert after[API_CATALOG] - before[API_CATALOG] == {path, f"{path}.sig"}
    assert path in after[AGENT]
    line = f"- [Log in short]({BASE}{path}.md): The head of the log in two lines."
    assert line in service.ask("/llms.txt").text.splitlines()
