"""An operation document more or less: its path is on every surface, or on none."""

import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest
from discovery_claims import AGENT, API_CATALOG, SURFACES, Described, below, named_by
from local_service import Ask, asking, stored_operations
from repository import SAMPLE

from sdl.running.runner import Operations
from studiograph.application import OPERATIONS, load_operations
from studiograph.asgi import build
from studiograph.settings import Settings

BASE = "https://agents.example"
NEW = '''"""
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
    """The service on some stored operations, and the addresses that it names."""

    ask: Ask

    @classmethod
    def of(cls, operations: Operations, data: Path) -> "Service":
        """Build the service on the sample."""
        settings = Settings(content=SAMPLE, data=data, base_url=BASE)
        return cls(asking(build(settings, operations=operations)))

    @cached_property
    def named(self) -> dict[str, set[str]]:
        """The paths that each surface names."""
        return {
            path: below(BASE, [address for address, _ in named_by(path, self.ask, BASE)])
            for path in SURFACES
        }

    @cached_property
    def described(self) -> set[str]:
        """The paths of the OpenAPI description."""
        return {*Described(self.ask("/openapi.json").text).addresses()}


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Service:
    return Service.of(stored_operations(), tmp_path_factory.mktemp("data"))


def copied(folder: Path) -> Path:
    """Copy every document into a folder; return the folder of the copies."""
    for kind in ("operations", "fragments"):
        shutil.copytree(OPERATIONS / kind, folder / "sdl" / kind)
    return folder / "sdl"


def test_without_an_operation_document_its_path_is_nowhere_and_all_others_stay(
    complete: Service, tmp_path: Path
) -> None:
    folder = copied(tmp_path)
    (folder / "operations" / "get_glossary_entry.graphql").unlink()
    service = Service.of(load_operations(folder), tmp_path / "data")
    gone = complete.described - service.described
    assert "/api/glossary/{slug}" in gone
    assert all(path.startswith("/api/glossary/{slug}") for path in gone)
    assert service.described <= complete.described
    slugs = [entry["slug"] for entry in complete.ask("/api/glossary").json()]
    own = {path.replace("{slug}", slug) for path in gone for slug in slugs}
    for path in own:
        assert (complete.ask(path).status_code, service.ask(path).status_code) == (200, 404)
    for surface, addresses in service.named.items():
        assert addresses & own == set()
        if surface not in (AGENT, "/openapi.json"):  # these move other names up
            assert complete.named[surface] - own <= addresses
    for path in set().union(*service.named.values()):
        assert (service.ask(path).status_code, path) == (200, path)


def test_with_a_new_document_its_path_is_everywhere(complete: Service, tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (folder / "operations" / "get_log_in_short.graphql").write_text(NEW)
    service = Service.of(load_operations(folder), tmp_path / "data")
    path = "/api/log-in-short"
    forms = {path, f"{path}.md", f"{path}.json", f"{path}.sig"}
    assert service.described - complete.described == forms
    for form in forms:
        assert (complete.ask(form).status_code, service.ask(form).status_code) == (404, 200)
    body = service.ask(path).json()
    assert body == complete.ask("/api/log?fields=treeSize,rollupHash").json()
    assert service.ask(f"{path}.sig").json()["payload"] == body
    before, after = complete.named, service.named
    for surface in ("/", "/index.json", "/llms.txt"):
        assert after[surface] - before[surface] == {f"{path}.md"}
    assert after["/sitemap.xml"] - before["/sitemap.xml"] == {f"{path}.md", f"{path}.sig"}
    assert f"{path}.sig" in service.ask("/llms.txt").text.partition("\n## ")[0]
    assert after[API_CATALOG] - before[API_CATALOG] == {path, f"{path}.sig"}
    skills = service.ask(AGENT).json()["skills"]
    assert any("log-in-short" in skill["tags"] for skill in skills)
    line = f"- [Log in short]({BASE}{path}.md): The head of the log in two lines."
    assert any(own.startswith(line) for own in service.ask("/llms.txt").text.splitlines())
